"""Tells whether a text is made of words: random letters, keys and encoded files cost as much to
index as an encyclopaedia, and answer nothing.

In doubt it is: numbers are as good as words, short codes are not looked at, and neither is any
script but the Latin one. A word of any European language has mostly pairs of letters that are
frequent in one of seven; of random letters every fourth is. `letter_pairs.txt` holds those pairs:
three in a thousand of what is written in English, Spanish, Catalan, French, Portuguese, Italian or
German, by the words of wordfreq without their accents.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from reading.passages import Block

PAIRS = frozenset(Path(__file__).with_name("letter_pairs.txt").read_text().split())
FREQUENT_MIN_SHARE = 0.6  # of a word's pairs; random words have so many once in twenty
# Of what is judged, texts in Latin letters have .52 and more, a price list with keys of seven
# letters .45; random letters, base64 and hexadecimal .07 and less, random bytes .17.
WORDS_MIN_SHARE = 0.2
NOISE_MIN_CHARS = 2000  # of less, nobody can tell, and it costs nothing
WORD_MIN_CHARS = 5  # shorter ones may be codes: airports, sizes, units
CODE_MAX_CHARS = 40  # of what stands between spaces, letters and digits: an IBAN has 34 at most
SAMPLE_CHARS = 100_000
BEYOND_LATIN = "\u0250"
LETTERS = re.compile(r"[^\W\d_]+")
DIGITS = re.compile(r"\d")
NUMBER = re.compile(r"(?<![^\W_])\d{3,40}(?![^\W_])")  # between signs: of a longer address


def has_words(blocks: Sequence[Block]) -> bool:
    """Judges by a sample from the whole text."""
    judged = legible = 0
    noise_chars = 0  # of tokens that are different: of one that is repeated, nobody can tell
    tokens = Counter(token for text in sample(blocks) for token in text.split())
    for token, count in tokens.items():
        judged_chars, legible_chars = judge(token)
        judged += count * judged_chars
        legible += count * legible_chars
        noise_chars += judged_chars - legible_chars
    return noise_chars < NOISE_MIN_CHARS or legible >= WORDS_MIN_SHARE * judged


def judge(token: str) -> tuple[int, int]:
    """How many characters can be judged of what stands between spaces, and those of words and
    numbers."""
    if "://" in token:  # a long address says nothing of the text around it
        return 0, 0
    judged = len(DIGITS.findall(token))
    is_short = len(token) <= CODE_MAX_CHARS
    legible = judged if is_short else sum(map(len, NUMBER.findall(token)))
    for word in LETTERS.findall(without_accents(token)):
        if len(word) >= WORD_MIN_CHARS or not is_latin(word):
            judged += len(word)
            legible += len(word) if is_like_a_word(word) else 0
    return judged, legible


def sample(blocks: Sequence[Block]) -> Iterator[str]:
    """Yields parts of every block or of a thousand: of a long one its beginning, middle and end."""
    some = blocks[:: 1 + len(blocks) // 1000]
    most = SAMPLE_CHARS // len(some) if some else 0
    for text in (block.text for block in some):
        if len(text) <= most:
            yield text
            continue
        part = most // 3
        for start in (0, (len(text) - part) // 2, len(text) - part):
            yield text[start : start + part]


def without_accents(text: str) -> str:
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(part for part in parts if not unicodedata.combining(part))


def is_latin(word: str) -> bool:
    return max(word) < BEYOND_LATIN


def is_like_a_word(word: str) -> bool:
    if not is_latin(word):
        return True
    pairs = [word[start : start + 2] for start in range(len(word) - 1)]
    return sum(pair in PAIRS for pair in pairs) >= FREQUENT_MIN_SHARE * len(pairs)
