"""Headings that are a question, word for word: their passages come first, and answer it."""

from __future__ import annotations

from collections.abc import Sequence

from language.message import plain_words
from query.search.candidates import Question, RetrievedChunk
from reading.extractors.prose import SECTION_SEPARATOR

WORDS_MIN = 3  # «Horario» is a heading of many documents


def is_asked_for(question: Question, heading: str) -> bool:
    """Tells whether the last part of `heading` is the question: the same words, whatever their
    accents, capitals and marks, a greeting before it aside."""
    asked = question.message.content.heading
    last = heading.rpartition(SECTION_SEPARATOR)[2]
    return len(asked) >= WORDS_MIN and asked == tuple(plain_words(last))


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
