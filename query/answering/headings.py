"""A question that is a document's own heading, word for word: what stands under it is the answer.

Accents, capitals and marks do not count, nor does a greeting before the question.
"""

from __future__ import annotations

from collections.abc import Sequence

from query.answering.weighing import Reading, Sentence
from query.search.candidates import Question, RetrievedChunk
from query.search.headings import is_asked_for

ENTRY_MAX_CHARS = 700


def find_entry(
    question: Question, chunks: Sequence[RetrievedChunk], reading: Reading
) -> list[Sentence]:
    """The sentences under the heading that equals the question, the heading left out; [] where none
    does."""
    for number, chunk in enumerate(chunks):
        passage = [item for item in reading.sentences if item.chunk == number]
        heads = [item for item in passage if is_asked_for(question, item.text)]
        if heads:
            entry = following(heads[0], passage)
        elif is_asked_for(question, chunk.section_title):
            entry = passage
        else:
            continue
        if entry := within_chars(entry):
            return entry
    return []


def following(head: Sentence, passage: Sequence[Sentence]) -> list[Sentence]:
    """The sentences behind the heading, up to the next question, which begins another entry."""
    entry: list[Sentence] = []
    for item in passage:
        if item.position > head.position:
            if item.text.endswith("?") and entry:
                break
            entry.append(item)
    return entry


def within_chars(entry: Sequence[Sentence]) -> list[Sentence]:
    chosen: list[Sentence] = []
    length = 0
    for item in entry:
        length += len(item.text)
        if chosen and length > ENTRY_MAX_CHARS:
            break
        chosen.append(item)
    return chosen
