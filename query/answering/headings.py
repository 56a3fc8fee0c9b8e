"""A question that is a document's own heading, word for word: what stands under it is the answer.
And one of how the company is reached: the lines that tell it are.

Accents, capitals and marks do not count, nor does a greeting before the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from query.answering.weighing import Reading, Sentence
from query.search.candidates import Question, RetrievedChunk
from query.search.contact_lines import contact_lines
from query.search.headings import is_asked_for

ENTRY_MAX_CHARS = 700
LINES_MAX = 3  # of those that tell how the company is reached: branches, say


def find_entry(
    question: Question, chunks: Sequence[RetrievedChunk], reading: Reading
) -> list[Sentence]:
    """The sentences under the heading that equals the question, the heading left out; else the
    lines that tell how the company is reached, if that is asked; [] where there are none."""
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
    return told_lines(question, chunks, reading)


def told_lines(
    question: Question, chunks: Sequence[RetrievedChunk], reading: Reading
) -> list[Sentence]:
    lines = contact_lines(question, chunks)
    found = [
        item
        for item in reading.sentences
        if (told := lines.get(chunks[item.chunk].chunk_id)) and item.position in told.positions
    ]
    unique = {item.text: item for item in reversed(found)}.values()
    return within_chars([*reversed(unique)][:LINES_MAX])


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
    """The first sentences of an entry, with "…" behind them where others are left out."""
    chosen: list[Sentence] = []
    length = 0
    for item in entry:
        length += len(item.text)
        if chosen and length > ENTRY_MAX_CHARS:
            chosen[-1] = replace(chosen[-1], text=f"{chosen[-1].text} …")
            break
        chosen.append(item)
    return chosen
