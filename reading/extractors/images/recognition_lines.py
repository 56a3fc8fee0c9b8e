"""Recognised words → lines as pdf/layout.py has them from a PDF's text: points, y grows upwards.

The true size of a bitmap is seldom known: its usual type becomes BODY_POINTS high.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from statistics import median

from reading.extractors.pdf.layout import (
    Cell,
    Line,
    is_beside,
    is_next_to,
    join_marks,
    join_words,
    make_line,
)
from reading.extractors.pdf.words import Word
from reading.extractors.prose import has_content

BODY_POINTS = 12.0
BOX_TO_X_HEIGHT = 2.2  # the height of a PDF font's box, in heights of its letter x
SAME_HEIGHT_SHARE = 0.12  # measured heights of one type differ by 4 %, headings by 20 and more
TABLE_MIN_ROWS = 3  # fewer lines beside each other are the short last ones of paragraphs
COLUMN_MAX_WORDS = 4  # of the lines of a block that may be a table's column; prose has more


@dataclass(frozen=True)
class SeenWord:
    """`confidence` of 100; places in pixels from the left."""

    text: str
    confidence: float
    left: int
    right: int

    @cached_property
    def letters(self) -> int:
        return sum(map(str.isalnum, self.text))


@dataclass(frozen=True)
class Row:
    """A line of one block. `start` and `end` of its baseline: pixels from the left and the top."""

    words: tuple[SeenWord, ...]
    block: int
    start: tuple[int, int]
    end: tuple[int, int]
    x_height: float
    is_vertical: bool

    @cached_property
    def letters(self) -> int:
        return sum(word.letters for word in self.words)


@dataclass(frozen=True)
class Frame:
    """How pixels become points. `x_height` is the usual one; `rise`: of the baselines, in pixels
    downwards a pixel to the right.
    """

    x_height: float
    rise: float

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Frame:
        width = sum(row.end[0] - row.start[0] for row in rows)
        heights = [row.x_height for row in rows for _ in range(row.letters)]
        return cls(
            x_height=median(heights),
            rise=sum(row.end[1] - row.start[1] for row in rows) / max(width, 1),
        )

    @property
    def points(self) -> float:
        """The size of a pixel in points."""
        return BODY_POINTS / (BOX_TO_X_HEIGHT * self.x_height)

    def place(self, row: Row) -> list[Word]:
        middle = (row.start[0] + row.end[0]) / 2
        level = (row.start[1] + row.end[1]) / 2 - self.rise * middle
        height = self._height(row.x_height)
        return [
            Word(
                text=word.text,
                left=word.left * self.points,
                right=word.right * self.points,
                baseline=-level * self.points,
                height=height,
                is_bold=False,  # it cannot be told from a scan
            )
            for word in row.words
        ]

    def _height(self, x_height: float) -> float:
        share = x_height / self.x_height
        return BODY_POINTS * (1.0 if abs(share - 1) <= SAME_HEIGHT_SHARE else share)


def make_lines(rows: Sequence[Row]) -> list[Line]:
    """The lines in the order of the rows, but for tables, of which Tesseract makes a block a
    column: their rows are whole again."""
    if not rows:
        return []
    frame = Frame.of(rows)
    grouped = groupby(rows, key=lambda row: row.block)
    blocks = [[join_words(frame.place(row)) for row in group] for _, group in grouped]
    blocks = join_broken(blocks)
    separate = [cells for block in blocks for cells in block]
    lines = join_columns(blocks)
    if len(lines) > len(separate) - TABLE_MIN_ROWS:
        lines = separate
    made = (make_line(join_marks(cells)) for cells in lines)
    return [line for line in made if has_content(line.text)]


def join_broken(blocks: Sequence[Sequence[list[Cell]]]) -> list[list[list[Cell]]]:
    """Gaps that happen to lie one below the other break lines of text: they are whole again."""
    whole: list[list[list[Cell]]] = []
    ends: list[list[Cell]] = []
    for block in blocks:
        rest = [list(cells) for cells in block if not continue_line(ends, cells)]
        whole += [rest] if rest else []
        ends += rest
    return whole


def continue_line(lines: Sequence[list[Cell]], cells: Sequence[Cell]) -> bool:
    for line in lines:
        if is_next_to(line[-1].words[-1], cells[0].words[0]):
            line[-1] = Cell.of((*line[-1].words, *cells[0].words))
            line += cells[1:]
            return True
    return False


def join_columns(blocks: Sequence[Sequence[list[Cell]]]) -> list[list[Cell]]:
    """A line of a column goes to the line of an earlier column that stands beside it."""
    lines: list[list[Cell]] = []
    earlier: list[list[Cell]] = []
    for block in blocks:
        is_column = median(map(words_count, block)) <= COLUMN_MAX_WORDS
        own = [list(cells) for cells in block]
        rest = [cells for cells in own if not (is_column and join_row(earlier, cells))]
        lines += rest
        earlier += rest if is_column else []
    return lines


def words_count(cells: Iterable[Cell]) -> int:
    return sum(cell.words_count for cell in cells)


def join_row(rows: Sequence[list[Cell]], cells: Sequence[Cell]) -> bool:
    """Adds the cells to the row that stands beside them, if there is one."""
    for row in rows:
        if all(is_beside(row, cell) for cell in cells):
            for cell in cells:
                insort(row, cell, key=lambda each: each.left)
            return True
    return False
