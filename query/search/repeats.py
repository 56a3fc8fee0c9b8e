"""A text that stands in several documents takes one place among the passages: the same file
uploaded twice, the same lines on each page of a website."""

from __future__ import annotations

import re
from collections.abc import Sequence

from language.words import fold
from query.search.candidates import RetrievedChunk
from reading.extractors.prose import SECTION_SEPARATOR
from reading.passages import ChunkLevel

# A text of fewer words may mean something else under another heading: "It costs 20 euros a day."
SPEAKS_FOR_ITSELF_WORDS = 25
# A row of fewer cells may mean something else under other headers: from 9 to 14, at least 9
ROW_CELLS_MIN = 3
BETWEEN_WORDS = re.compile(r"[\W_]+")

Said = tuple[str, ...]


def fold_repeats(chunks: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """Return `chunks` in their order, without those that say what one before them says."""
    first: dict[Said, RetrievedChunk] = {}
    for chunk in chunks:
        first.setdefault(said_by(chunk), chunk)
    return list(first.values())


def said_by(chunk: RetrievedChunk) -> Said:
    """Return the words of the passage, whatever their capitals and marks; the heading where they
    need it, and of a row the values alone, whatever its headers are called."""
    heading = words_of(chunk.section_title.rpartition(SECTION_SEPARATOR)[2])
    if chunk.level == ChunkLevel.ROW:
        values = [words_of(cell.rpartition(": ")[2]) for cell in chunk.text.split("; ")]
        if len(values) >= ROW_CELLS_MIN:
            return heading, *values
    text = words_of(chunk.text)
    return (text,) if text.count(" ") + 1 >= SPEAKS_FOR_ITSELF_WORDS else (heading, text)


def words_of(text: str) -> str:
    return BETWEEN_WORDS.sub(" ", fold(text)).strip()
