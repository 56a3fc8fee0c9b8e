"""Headings that are a question, word for word: their passages come first, and answer it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from language.message import plain_words
from query.search.candidates import Question, RetrievedChunk
from reading.extractors.prose import SECTION_SEPARATOR

WORDS_MIN = 3  # «Horario» is a heading of many documents
WORDS_MIN_MARKED = 2  # «¿Dónde estáis?»
KINDS = tomllib.loads(Path(__file__).with_name("headings.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Reached:
    """A way in which a company is reached. `keys`: words of which a text of this kind holds one;
    `around`: the only ones that may stand beside them."""

    keys: frozenset[str]
    around: frozenset[str]

    def is_of(self, words: Sequence[str]) -> bool:
        return not self.keys.isdisjoint(words) and self.keys | self.around >= set(words)


REACHED = tuple(
    Reached(frozenset(told["keys"].split()), frozenset(told["around"].split()))
    for told in KINDS.values()
)


def is_asked_for(question: Question, heading: str) -> bool:
    """Tells whether the last part of `heading` is the question: the same words, whatever their
    accents, capitals and marks, a greeting before it aside; or both ask where, when or how the
    company is reached."""
    asked, last = question.message.content.heading, heading.rpartition(SECTION_SEPARATOR)[2]
    told = tuple(plain_words(last))
    least = WORDS_MIN_MARKED if last.rstrip().endswith("?") else WORDS_MIN
    if asked == told:
        return len(asked) >= least
    return any(kind.is_of(asked) and kind.is_of(told) for kind in REACHED)


def has_asked_heading(question: Question, chunk: RetrievedChunk) -> bool:
    """Tells whether the passage stands under a heading that is the question, also where the heading
    is a line of the passage itself."""
    return is_asked_for(question, chunk.section_title) or any(
        is_asked_for(question, text) for text in chunk.sentences[:1]
    )


def asked_headings_first(
    question: Question, chunks: Sequence[RetrievedChunk]
) -> list[RetrievedChunk]:
    """`chunks` in their order, but first those whose heading is the question."""
    return sorted(chunks, key=lambda chunk: not has_asked_heading(question, chunk))
