"""Tables of RTF: which cell stands in which column."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reading.extractors.legacy.lines import TextLine
from reading.extractors.prose import clean, has_content
from reading.extractors.tables import Row, read_table_rows

COLUMNS_MAX = 200
EDGE_TWIPS = 40  # edges that differ by less are one


@dataclass(slots=True)
class RowDefinition:
    """`edges`: the right ones of the cells, in twips. `continues`: which go on from above."""

    edges: list[int] = field(default_factory=list)
    continues: list[bool] = field(default_factory=list)
    is_header: bool = False
    next_continues: bool = False

    def column_of(self, index: int, edges: Sequence[int]) -> int:
        """The column in which a cell begins, by the `edges` of all rows."""
        if index == 0 or index > len(self.edges):
            return 0
        return bisect_left(edges, self.edges[index - 1] - EDGE_TWIPS) + 1 if edges else 0

    def is_continued(self, index: int) -> bool:
        return index < len(self.continues) and self.continues[index]


def table_lines(rows: Sequence[tuple[list[str], RowDefinition]]) -> Iterator[TextLine]:
    """Each row with its columns' names. A table of one column is a frame around paragraphs."""
    if max(len(cells) for cells, _ in rows) < 2:
        yield from (TextLine(cell) for cells, _ in rows for cell in cells if has_content(cell))
        return
    for text in read_table_rows(place_cells(rows), has_header=rows[0][1].is_header):
        yield TextLine(text)


def place_cells(rows: Sequence[tuple[list[str], RowDefinition]]) -> list[Row]:
    """Cells by column: one that spans columns stands in the first, one that spans rows in each of
    them.
    """
    edges = column_edges([definition for _, definition in rows])
    above: dict[int, str] = {}
    placed: list[Row] = []
    for number, (cells, definition) in enumerate(rows, start=1):
        row: list[str] = []
        for index, cell in enumerate(cells):
            row += [""] * (definition.column_of(index, edges) - len(row))
            text = clean(cell)
            if not text and definition.is_continued(index):
                text = above.get(len(row), "")
            above[len(row)] = text
            row.append(text)
        placed.append(Row(number, tuple(row)))
    return placed


def column_edges(definitions: Sequence[RowDefinition]) -> list[int]:
    """The right edges of all columns, [] where there are too many to be columns."""
    edges: list[int] = []
    for edge in sorted({edge for definition in definitions for edge in definition.edges}):
        if not edges or edge - edges[-1] > EDGE_TWIPS:
            edges.append(edge)
    return edges if len(edges) <= COLUMNS_MAX else []
