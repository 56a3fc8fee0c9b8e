"""Words of Spanish and English: reading them, telling the languages apart, and bringing both to
one set of terms.

Used when a passage is indexed and when a question is asked: both sides always see the same words.
"""

TERM_DIMENSIONS = 1_000_000_000  # term numbers are 1 … this; pgvector's maximum for a sparsevec
