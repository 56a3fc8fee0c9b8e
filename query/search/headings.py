"""Headings that are a question, word for word: their passages come first, and answer it."""

from __future__ import annotations

from collections.abc import Sequence

from language.message import plain_words
from language.weekdays import tells_hours
from query.search.candidates import Question, RetrievedChunk
from query.search.contact_lines import contact_lines
from query.understanding.contact import meant, ways_of
from reading.extractors.prose import SECTION_SEPARATOR

WORDS_MIN = 3  # «Horario» is a heading of many documents
WORDS_MIN_MARKED = 2  # «¿Dónde estáis?»


def is_asked_for(question: Question, heading: str) -> bool:
    """Tells whether the last part of `heading` is the question: the same words, whatever their
    accents, capitals and marks, a greeting before it aside; or both ask where, when or how the
    company is reached."""
    asked, last = question.message.content.heading, heading.rpartition(SECTION_SEPARATOR)[2]
    if tells_hours(last):  # «Lunes: cerrado» is a line of the answer
        return False
    told = tuple(plain_words(last))
    least = WORDS_MIN_MARKED if last.rstrip().endswith("?") else WORDS_MIN
    if asked == told:
        return len(asked) >= least
    return bool(question.ways & ways_of(told))


def has_asked_heading(question: Question, chunk: RetrievedChunk) -> bool:
    """Tells whether the passage stands under a heading that is the question, also where the heading
    is a line of the passage itself."""
    return is_asked_for(question, chunk.section_title) or any(
        is_asked_for(question, text) for text in chunk.sentences[:1]
    )


def asked_for_first(question: Question, chunks: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """`chunks` in their order, but first those whose heading is the question, then those with the
    line that tells how the company is reached, where that is asked."""
    lines = contact_lines(question, chunks)

    def place(chunk: RetrievedChunk) -> tuple[bool, bool, bool]:
        is_heading = has_asked_heading(question, chunk)
        # «¿Cómo llego?» is better answered under «Cómo llegar» than under «¿Dónde estáis?»
        is_meant = is_heading and meant(question.ways) == meant(ways_of(heading_of(chunk)))
        return not is_heading, not is_meant, chunk.chunk_id not in lines

    return sorted(chunks, key=place)


def heading_of(chunk: RetrievedChunk) -> list[str]:
    """The words of the passage's heading, or of its first line where it has none."""
    last = chunk.section_title.rpartition(SECTION_SEPARATOR)[2]
    return plain_words(last or next(iter(chunk.sentences), ""))
