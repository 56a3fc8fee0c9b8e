"""Headings that are a question, word for word: their passages come first, and answer it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from language import word_lists
from language.words import tokenize
from query.search.candidates import Question, RetrievedChunk
from reading.extractors.prose import SECTION_SEPARATOR

ADDED = re.compile(r"\s*\([^()]*\)\W*$")
WORDS_MIN = 3  # «Horario» is a heading of many documents
GREETINGS = word_lists.words("small_talk.greetings")


def is_asked_for(question: Question, heading: str) -> bool:
    """Tells whether the last part of `heading` is the question: the same words, whatever their
    accents, capitals and marks, a greeting before it aside."""
    asked = heading_words(question.text)
    return len(asked) >= WORDS_MIN and asked == plain_words(
        heading.rpartition(SECTION_SEPARATOR)[2]
    )


def heading_words(text: str) -> list[str]:
    """The words of a heading, without a greeting and without what was put behind it in brackets for
    the search."""
    words = plain_words(ADDED.sub("", text))
    while words and words[0] in GREETINGS:
        words = words[1:]
    return words


def plain_words(text: str) -> list[str]:
    """The folded words, with «ñ» as "n", as many people type it."""
    return [word.replace("ñ", "n") for word in tokenize(text)]


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
