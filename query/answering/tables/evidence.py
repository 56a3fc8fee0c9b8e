"""Measures how much of a question a table says, and how much it does not: which table is meant, and
how surely.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from query.answering.tables.table import Table
from query.search.candidates import RetrievedChunk

RANK_WEIGHT, PLACES = 2.0, 10
CELLS = 0.8  # of what cells say: a word of the table's name tells more which one is meant
UNFOUND = 0.6  # of the information of a word that the table does not say


@dataclass
class TableEvidence:
    """The parts of the question that the table says, in information; and those that it does not."""

    topic: float = 0.0
    cells: float = 0.0
    headers: float = 0.0
    yes: float = 0.0  # of columns that say yes or no
    kinds: float = 0.0  # of cells beside the rows' names
    unfound: float = 0.0
    unfound_words: list[str] = field(default_factory=list)
    quantities: int = 0
    quantities_unfound: int = 0
    rank: float = 0.0
    measured: str = ""  # the header of the column that a quantity was compared with
    is_dated: bool = False  # the question's date chose the rows
    figures: set[str] = field(default_factory=set)  # of the question, that are names here
    # By header, the information of the question's words in it
    named_headers: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def found(self) -> float:
        return self.topic + self.cells + self.headers

    @property
    def score(self) -> float:
        found = self.topic + self.headers + CELLS * self.cells
        return found + 4.0 * self.quantities + self.rank - UNFOUND * self.unfound


def rank_of(table: Table, chunks: Sequence[RetrievedChunk]) -> float:
    """A weight for how high the search put one of the table's rows: RANK_WEIGHT for the first
    passage, 0 for none."""
    own = {row.passage.chunk_id for row in table.rows}
    place = next((n for n, chunk in enumerate(chunks) if chunk.chunk_id in own), PLACES)
    return RANK_WEIGHT * (1 - place / PLACES)
