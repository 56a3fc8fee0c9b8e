"""Columns of a PDF page that begin with headings of their own, as slides have them that were saved
as a PDF: plans, offers or departments beside each other.

They are told from tables by their headings, which are set in larger type than what is below; what
looks like a table all the same (labels and values) stays one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reading.extractors.pdf.layout import Cell, Line
from reading.extractors.pdf.tables import ROW_GAP_MAX_SHARE, SAME_EDGE, is_amount
from reading.extractors.pdf.text import LARGER_SHARE
from reading.extractors.slides import (
    HEADING_MAX_WORDS,
    PlacedBox,
    SlideBox,
    SlideFrame,
    are_rows_alike,
)

COLUMNS_MAX = 8  # nobody reads more beside each other
HEADINGS_TRIED = 20  # of a page: each is held against all lines below it
SAME_ROW_SHARE = 0.35  # of the height: how far baselines of one row lie apart


@dataclass(frozen=True)
class PageColumn:
    heading: Line
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class PageStretch:
    """Columns beside each other, and the lines that follow them."""

    columns: tuple[PageColumn, ...] = ()
    lines: tuple[Line, ...] = ()


def split_columns(lines: Sequence[Line]) -> Iterator[PageStretch]:
    """Yields the page's lines in their order, columns where their headings stand."""
    tried = 0
    taken: set[int] = set()
    found: list[tuple[list[Line], tuple[PageColumn, ...]]] = [([], ())]
    for line in lines:
        columns: tuple[PageColumn, ...] = ()
        if id(line) not in taken and tried < HEADINGS_TRIED and could_head_columns(line):
            tried += 1
            columns = columns_below(line, [each for each in lines if id(each) not in taken], taken)
        if columns:
            found.append(([], columns))
        else:
            found[-1][0].append(line)
    for following, columns in found:
        # The text of a column may come before its heading in the file
        left = tuple(line for line in following if id(line) not in taken)
        if left or columns:
            yield PageStretch(columns, left)


def could_head_columns(line: Line) -> bool:
    return 1 < len(line.cells) <= COLUMNS_MAX and all(
        cell.words_count <= HEADING_MAX_WORDS
        and any(map(str.isalpha, cell.text))
        and not cell.text.endswith((".", ",", ";", ":"))
        for cell in line.cells
    )


def columns_below(heading: Line, lines: Sequence[Line], taken: set[int]) -> tuple[PageColumn, ...]:
    """The columns under a line of headings, whose lines are added to `taken`; () if it has none."""
    below = sorted(
        (line for line in lines if line.baseline < heading.baseline - SAME_EDGE),
        key=lambda line: -line.baseline,
    )
    body: list[Line] = []
    last = heading
    for line in below:
        gap = last.baseline - line.baseline
        if gap > ROW_GAP_MAX_SHARE * max(line.height, last.height) or not is_below(heading, line):
            break
        body.append(line)
        last = line
    columns = [
        [Line((cell,)) for line in body for cell in line.cells if place_of(heading, cell) == place]
        for place in range(len(heading.cells))
    ]
    if not all(columns) or is_table(heading, body):
        return ()
    taken.update(map(id, body))
    return tuple(
        PageColumn(Line((cell,)), tuple(column))
        for cell, column in zip(heading.cells, columns, strict=True)
    )


def is_below(heading: Line, line: Line) -> bool:
    """True if each cell is of smaller type than the headings, and stands under one of them."""
    return all(
        cell.height * LARGER_SHARE <= heading.height and place_of(heading, cell) is not None
        for cell in line.cells
    )


def place_of(heading: Line, cell: Cell) -> int | None:
    """The heading under which a cell begins; None if it reaches under the next one."""
    edges = [each.left - SAME_EDGE for each in heading.cells]
    if cell.left < edges[0]:
        return None
    place = max(place for place, edge in enumerate(edges) if edge <= cell.left)
    return place if place + 1 == len(edges) or cell.right <= edges[place + 1] else None


def is_table(heading: Line, body: Sequence[Line]) -> bool:
    rows = rows_of(body)
    if any(len({is_amount(cell) for cell in row}) > 1 for row in rows):
        return True
    is_grid = all(len(row) == len(heading.cells) for row in rows)
    if not is_grid or len(rows) == 1:
        return False
    boxes = [[boxed(cell) for cell in row] for row in rows]
    return not are_rows_alike(list(map(boxed, heading.cells)), boxes)


def rows_of(body: Sequence[Line]) -> list[list[Cell]]:
    """The cells by row, from top to bottom; those of one row may come in several lines."""
    rows: list[list[Cell]] = []
    for line in body:
        if rows and rows[-1][0].baseline - line.baseline <= SAME_ROW_SHARE * line.height:
            rows[-1] += line.cells
        else:
            rows.append(list(line.cells))
    return [sorted(row, key=lambda cell: cell.left) for row in rows]


def boxed(cell: Cell) -> PlacedBox:
    return PlacedBox(SlideFrame(cell.left, 0, cell.right, 0), (SlideBox((cell.text,)),))
