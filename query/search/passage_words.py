"""Stores where the words of a passage stand, in a form in which a question's are found without
looking at each: a passage is read once for many questions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from language.terms import content_words, term_number, word_terms
from language.words import Language
from sources.embedding.close_reading import Span

PASSAGES_REMEMBERED = 2048  # of about 5 kB, in each process
BEGINNING_CHARS = 5

Numbers = npt.NDArray[np.int32]
KEY, SENTENCE, POSITION = range(3)


@dataclass(frozen=True)
class PassageWords:
    """The words of a passage. `lines` (3, n) has a column for each term of each content word and
    one for its beginning, in their order: the term's number, the sentence, and the word's place in
    it. `lengths`: content words of each sentence."""

    lines: Numbers
    lengths: tuple[int, ...]


class FoundTerm(NamedTuple):
    sentence: int
    position: int
    term: str


class WantedTerms:
    """Finds these terms in passages; `beginning_of` makes one that words begin with."""

    def __init__(self, terms: Iterable[str]) -> None:
        by_key = {term_number(term): term for term in terms}
        self._keys = np.array(sorted(by_key), np.int32)
        self._terms = [by_key[key] for key in self._keys.tolist()]

    def find(self, passages: Sequence[PassageWords]) -> list[list[FoundTerm]]:
        """The terms found in each passage, in their order. All passages in one go: the time goes
        into the calls."""
        if not (self._terms and passages):
            return [[] for _ in passages]
        lines = np.concatenate([words.lines for words in passages], axis=1)
        nearest = np.searchsorted(self._keys, lines[KEY])
        # Beyond the last key: any index will do, because the comparison below fails
        nearest[nearest == len(self._terms)] = 0
        hits = np.flatnonzero(self._keys[nearest] == lines[KEY])
        found = [
            FoundTerm(sentence, position, self._terms[number])
            for sentence, position, number in zip(
                lines[SENTENCE, hits].tolist(),
                lines[POSITION, hits].tolist(),
                nearest[hits].tolist(),
                strict=True,
            )
        ]
        ends = np.searchsorted(hits, np.cumsum([words.lines.shape[1] for words in passages]))
        return [found[begin:end] for begin, end in pairwise((0, *ends.tolist()))]


def beginning_of(word: str) -> str:
    """The beginning of a word, as a term. No other term begins with "^"."""
    return f"^{word[:BEGINNING_CHARS]}"


class Uncut:
    """A passage before it is cut into words. It is remembered by its digest, not by its text."""

    __slots__ = ("digest", "language", "spans", "text")

    def __init__(self, text: str, spans: tuple[Span, ...], language: Language) -> None:
        self.text, self.spans, self.language = text, spans, language
        self.digest = hashlib.blake2b(text.encode(), digest_size=16).digest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Uncut) and self._key == other._key

    @property
    def _key(self) -> tuple[bytes, tuple[Span, ...], Language]:
        return self.digest, self.spans, self.language


def read_words(text: str, spans: tuple[Span, ...], language: Language) -> PassageWords:
    """The words of a passage. `spans`: the places of its sentences."""
    return cut(Uncut(text, spans, language))


@lru_cache(PASSAGES_REMEMBERED)
def cut(passage: Uncut) -> PassageWords:
    text, passage.text = passage.text, ""  # as a key it goes on without
    lines: list[tuple[int, int, int]] = []
    lengths = []
    for sentence, (start, end) in enumerate(passage.spans):
        words = content_words(text[start:end], passage.language)
        lengths.append(len(words))
        lines += [
            (term_number(term), sentence, position)
            for position, word in enumerate(words)
            for term in (*word_terms(word, passage.language), beginning_of(word))
        ]
    table = np.array(lines, np.int32).reshape(-1, 3).T
    return PassageWords(np.ascontiguousarray(table), tuple(lengths))


def read_line(text: str, language: Language) -> PassageWords:
    """The words of a title, read as one sentence."""
    return read_words(text, ((0, len(text)),), language)
