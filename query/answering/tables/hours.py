"""The whole sheet of opening hours, where a question asks for the hours of no day: rows that the
search did not find would read as days on which nobody is there."""

from __future__ import annotations

from collections.abc import Sequence

from language.weekdays import tells_hours
from query.answering.cleaning import make_harmless
from query.answering.hidden import Hidden
from query.answering.rows import tell_row
from query.answering.tables.table import Table
from query.answering.timetables import LIST_MAX_CHARS, words_beside_hours
from query.search.candidates import Question, RetrievedChunk
from reading.passages import ChunkLevel

ROWS_MAX = 14  # two lists of seven days


def asks_for_all_hours(question: Question, chunks: Sequence[RetrievedChunk]) -> bool:
    """Tells whether the hours are asked for, of no day, and the first passage is a sheet's row of
    them."""
    if question.asked.weekdays or words_beside_hours(question) != frozenset():
        return False
    first = chunks[0] if chunks else None
    return first is not None and first.level == ChunkLevel.ROW and tells_hours(first.text)


def tell_hours(
    question: Question, tables: Sequence[Table], chunks: Sequence[RetrievedChunk], hidden: Hidden
) -> tuple[str, Table] | None:
    """The rows of the first passage's sheet, a line each, and the sheet; None where it holds
    anything else too, or is long."""
    first = chunks[0].chunk_id
    for table in tables:
        passages = [row.passage for row in table.rows]
        if not any(passage.chunk_id == first for passage in passages):
            continue
        if len(passages) > ROWS_MAX or not all(tells_hours(passage.text) for passage in passages):
            return None
        asked = question.asked
        told = [
            tell_row(passage.text, asked, passage.language, hidden, is_in_table=True)
            for passage in passages
        ]
        text = make_harmless("\n".join(filter(None, told)))
        return (text, table) if text and len(text) <= LIST_MAX_CHARS else None
    return None
