"""Where the words of a passage stand, in a form in which a question's are found without looking at
each: a passage is read once for many questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sources.embedding.close_reading import Span
from sources.language.terms import content_words, term_number, word_terms
from sources.language.words import Language

PASSAGES_REMEMBERED = 2048  # of 5 to 8 kB, in each process
BEGINNING_CHARS = 5

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True)
class PassageWords:
    """Each content word has a line for each of its terms and one for its beginning, in their order:
    `keys` (term_number), `sentences` and `positions` (n,), the latter within the sentence.
    `lengths`: content words of each sentence."""

    keys: Numbers
    sentences: Numbers
    positions: Numbers
    lengths: tuple[int, ...]


@dataclass(frozen=True)
class FoundTerm:
    sentence: int
    position: int
    term: str


class WantedTerms:
    """Finds these terms in passages; `beginning_of` makes one that words begin with."""

    def __init__(self, terms: Iterable[str]) -> None:
        by_key = {term_number(term): term for term in terms}
        self._keys = np.array(sorted(by_key), np.int32)
        self._terms = [by_key[int(key)] for key in self._keys]

    def find(self, words: PassageWords) -> Iterator[FoundTerm]:
        """In their order."""
        if not self._terms:
            return
        nearest = np.searchsorted(self._keys, words.keys)
        nearest[nearest == len(self._terms)] = 0
        lines = np.flatnonzero(self._keys[nearest] == words.keys)
        for number, sentence, position in zip(
            nearest[lines].tolist(),
            words.sentences[lines].tolist(),
            words.positions[lines].tolist(),
            strict=True,
        ):
            yield FoundTerm(sentence, position, self._terms[number])


def beginning_of(word: str) -> str:
    """As a term: "^" is in none of them."""
    return f"^{word[:BEGINNING_CHARS]}"


@lru_cache(PASSAGES_REMEMBERED)
def read_words(text: str, spans: tuple[Span, ...], language: Language) -> PassageWords:
    """`spans`: where its sentences stand."""
    lines: list[tuple[int, int, int]] = []
    lengths = []
    for sentence, (start, end) in enumerate(spans):
        words = content_words(text[start:end], language)
        lengths.append(len(words))
        lines += [
            (term_number(term), sentence, position)
            for position, word in enumerate(words)
            for term in (*word_terms(word, language), beginning_of(word))
        ]
    table = np.array(lines, np.int32).reshape(-1, 3).T.copy()
    return PassageWords(*table, tuple(lengths))
