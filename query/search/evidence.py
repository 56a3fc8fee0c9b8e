"""Describes a passage or a sentence in the numbers that a calibration weighs.

Each class is the input of one linear decision (query/search/calibration): the order of passages,
their relevance, the choice of a sentence, and how sure an answer is. Shares and cosines are 0 … 1,
flags 0 or 1; `standing` is by how many deviations a cosine is above the mean of its language's.
`closeness` is that of query/search/closeness.py, `window` with the neighbouring sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Evidence:
    """A group of numbers with a weight each."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(field.name for field in fields(cls))


@dataclass(frozen=True)
class OrderEvidence(Evidence):
    """Evidence of which passage is the best. `lexical` is a share of the best BM25 of all
    candidates, and of those in its language; `length` a logarithm: the vector of a long passage is
    blurred."""

    standing: float
    lexical: float
    lexical_in_language: float
    sentence: float
    titled_sentence: float
    adjacency: float
    title: float
    length: float
    crosses_languages: float
    closeness: float
    sentence_closeness: float
    window_closeness: float


@dataclass(frozen=True)
class RelevanceEvidence(Evidence):
    """Evidence of whether a passage is about the question. `lead` is how far its cosine is above
    that of the nearest of the texts about the world at large, and above the mean of the ten
    nearest; `unheard` is the share of the question in words that stand nowhere in what was
    searched, `question_words` a logarithm. The last ones are the same again for a passage in the
    other language, where words and vectors agree less."""

    standing: float
    coverage: float
    information: float
    closeness: float
    window_closeness: float
    weakest: float
    is_row: float
    lead: float
    lead_over_ten: float
    unheard: float
    question_words: float
    crosses_languages: float
    standing_across: float
    coverage_across: float
    closeness_across: float
    window_across: float
    weakest_across: float


@dataclass(frozen=True)
class SentenceEvidence(Evidence):
    """Evidence of which sentence of the best passages answers. `behind` is how far its passage's
    score is below the best one's; `coverage` the share of the question that the sentence says,
    `near_coverage` with its neighbours; `fits` and `misfits` compare the question's quantities and
    times of the year with its own. A misfit marks the wrong row of a table, but may be the answer
    in prose: «con tres días no se puede, hacen falta siete»."""

    behind: float
    is_first_passage: float
    standing: float
    passage_coverage: float
    passage_closeness: float
    passage_weakest: float
    closeness: float
    window: float
    weakest: float
    window_weakest: float
    coverage: float
    near_coverage: float
    has_kind: float
    fits: float
    misfits: float
    misfits_in_row: float
    is_row: float
    is_long: float
    is_short: float
    is_question: float
    crosses_languages: float
    coverage_across: float
    stands_out: float


@dataclass(frozen=True)
class CertaintyEvidence(Evidence):
    """Evidence of whether the best sentence answers. `ahead` is its lead over the next one, and
    over the best of other passages; `lacks` what the question names and the passage does not hold.
    """

    standing: float
    passage_coverage: float
    passage_closeness: float
    passage_weakest: float
    closeness: float
    window: float
    weakest: float
    window_weakest: float
    coverage: float
    near_coverage: float
    titled_coverage: float
    has_kind: float
    fits: float
    misfits: float
    is_row: float
    is_long: float
    ahead: float
    ahead_of_others: float
    lacks_number: float
    lacks_rare_name: float
    lacks_negation: float
    unheard: float
    question_words: float
    question_information: float
    passage_length: float
    asked_in_spanish: float
    crosses_languages: float
    standing_across: float
    window_across: float
    near_coverage_across: float


def weigh(evidence: Evidence, weights: Mapping[str, float]) -> float:
    """The weighted sum of the numbers, with the bias where the weights have one."""
    # Not astuple, which copies: this runs for every sentence of a question
    values: dict[str, float] = vars(evidence)
    return weights.get("bias", 0.0) + sum(weights[name] * values[name] for name in values)
