"""The lines of a PDF page: words → lines of cells. PDFium's order of reading is kept.

Lengths are in points (1/72 inch), y grows upwards.
"""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

import pypdfium2

from reading.extractors.pdf.places import Box
from reading.extractors.pdf.right_to_left import mirror
from reading.extractors.pdf.strikes import level_lines, without_struck
from reading.extractors.pdf.words import Word, find_words
from reading.extractors.prose import has_content

# Of the line's height: how far baselines of one line lie apart (superscripts)
SAME_LINE_SHARE = 0.35
CELL_GAP_SHARE = 0.9  # of the line's height: a wider gap between words separates cells
CELL_MAX_WORDS = 20  # what is longer is a line of text, and no cell
RECENT_LINES = 8  # how far back a cell may belong to a line that others have followed
RECENT_CELL_MAX_WORDS = 4  # so far back only headings and numbers: else columns of text are merged
MARK = re.compile(
    r"^(?:[•·▪●○■□–—➢✓*-]|\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\d{1,2}(?:\.\d{1,2})+"
    r"|(?:item|note|nota|art[ií]culo|art\.|anexo|section|secci[oó]n|cap[ií]tulo|chapter)"
    r" \d{1,3}[a-z]?[.:)]?)$",
    re.IGNORECASE,
)
NUMBER = re.compile(r"^[($€£-]*\d[\d.,]*[)%€]*$")
MARK_GAP_SHARE = 5.0  # of the line's height: tab stops are that far apart
FOOTNOTE = re.compile(r"^\(?\d{1,2}\)?$|^[*†‡]+$")
FOOTNOTE_SHARE = 0.8  # of the label's height
HYPHENS = ("\ufffe", "\x02")  # PDFium's marks for a hyphen at the end of a line


@dataclass(frozen=True, slots=True)
class Cell:
    """Words on one line without a wide gap between them.

    A document's cells are all in memory at once: those that nobody will cut again forget their
    words and keep what they say.
    """

    text: str
    left: float
    right: float
    baseline: float
    height: float
    is_bold: bool
    words_count: int
    words: tuple[Word, ...] = field(repr=False)

    @classmethod
    def of(cls, words: Sequence[Word]) -> Cell:
        return cls(
            text=" ".join(word.text for word in words),
            left=words[0].left,
            right=words[-1].right,
            baseline=words[0].baseline,
            height=usual_height(words),
            is_bold=all(word.is_bold for word in words),
            words_count=sum(word.text.count(" ") + 1 for word in words),
            words=tuple(words),
        )

    def without_words(self) -> Cell:
        return replace(self, words=())


@dataclass(frozen=True)
class Line:
    """Cells from left to right. One cell: a line of text."""

    cells: tuple[Cell, ...]

    @property
    def text(self) -> str:
        return " ".join(cell.text for cell in self.cells)

    @property
    def left(self) -> float:
        return self.cells[0].left

    @property
    def right(self) -> float:
        return self.cells[-1].right

    @property
    def baseline(self) -> float:
        return self.cells[0].baseline

    @property
    def height(self) -> float:
        return max(self.cells, key=lambda cell: cell.words_count).height

    @property
    def is_bold(self) -> bool:
        return all(cell.is_bold for cell in self.cells)


def usual_height(words: Sequence[Word]) -> float:
    """Symbols and bullets come from other fonts, often with a taller box: letters decide."""
    # Nearly always; a median of every cell is slow
    if len({word.height for word in words}) == 1:
        return words[0].height
    letters = [word for word in words if has_content(word.text)]
    return median(word.height for word in letters or words)


@dataclass(frozen=True)
class PageText:
    """`lines` in reading order; `turned`: those of texts that are printed sideways or upside down,
    as they look once they are upright. `is_whole`: they are all of the page's. `unmapped_share`: of
    their words, those whose font does not tell which letters its signs are: PDFium guesses then.
    `drawn`: the lines that are drawn from left to right. `slanted`: how many words run neither
    upright nor sideways.
    """

    lines: tuple[Line, ...]
    turned: tuple[tuple[Line, ...], ...] = ()
    is_whole: bool = True
    unmapped_share: float = 0.0
    drawn: tuple[Box, ...] = ()
    slanted: int = 0

    @property
    def all_lines(self) -> tuple[Line, ...]:
        return sum(self.turned, self.lines)


def read_page(page: pypdfium2.PdfPage) -> PageText:
    text_page = page.get_textpage()
    try:
        found = find_words(text_page)
    finally:
        text_page.close()
    if not found.words:
        return PageText((), is_whole=found.is_whole)
    upright = page.get_rotation()
    # What is upright as the page is shown comes first
    rotations = sorted({word.rotation for word in found.words}, key=lambda each: each != upright)
    drawn = [
        tuple(mirror(box) if found.is_mirrored else box for box in level_lines(page, rotation))
        for rotation in rotations
    ]
    views = [
        tuple(make_lines(without_struck([w for w in found.words if w.rotation == rotation], rules)))
        for rotation, rules in zip(rotations, drawn, strict=True)
    ]
    return PageText(
        lines=views[0],
        turned=tuple(views[1:]),
        is_whole=found.is_whole,
        unmapped_share=found.unmapped / len(found.words),
        drawn=drawn[0],
        slanted=found.slanted,
    )


def make_lines(words: Sequence[Word]) -> list[Line]:
    lines = [make_line(join_marks(cells)) for cells in join_lines(join_words(words))]
    # PDFium takes lines that run downwards from left to right: the last one first
    steps = [following.baseline - line.baseline for line, following in pairwise(lines)]
    goes_up = sum(step > 0 for step in steps) > sum(step < 0 for step in steps)
    return lines[::-1] if goes_up and words[0].rotation else lines


def make_line(cells: Sequence[Cell]) -> Line:
    return Line((cells[0].without_words(),) if len(cells) == 1 else tuple(cells))


def join_words(words: Sequence[Word]) -> list[Cell]:
    """Neighbours in PDFium's order that stand close together on one line."""
    cells: list[Cell] = []
    current: list[Word] = []
    for word in words:
        if current and not is_next_to(current[-1], word):
            cells.append(Cell.of(current))
            current = []
        current.append(word)
    if current:
        cells.append(Cell.of(current))
    return cells


def is_next_to(word: Word, following: Word) -> bool:
    height = max(word.height, following.height)
    gap = following.left - word.right
    return abs(
        word.baseline - following.baseline
    ) <= SAME_LINE_SHARE * height and -0.5 * height <= gap <= CELL_GAP_SHARE * min(
        word.height, following.height
    )


def join_lines(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells on one baseline, from left to right, make a line.

    The cells of a table's heading may come column by column; a text's columns stay apart.
    """
    lines: list[list[Cell]] = []
    for cell in cells:
        # All lines would take quadratic time, and far ones belong to other columns
        recent = lines[-RECENT_LINES:]
        for line in reversed(recent):
            if is_beside(line, cell) and may_join(line, cell, is_last=line is recent[-1]):
                insort(line, cell, key=lambda each: each.left)
                break
        else:
            lines.append([cell])
    return lines


def is_beside(line: Sequence[Cell], cell: Cell) -> bool:
    """True if the cell is on the same baseline and does not overlap."""
    first = line[0]
    if abs(first.baseline - cell.baseline) > SAME_LINE_SHARE * max(first.height, cell.height):
        return False
    return not any(each.left < cell.right and cell.left < each.right for each in line)


def may_join(line: Sequence[Cell], cell: Cell, *, is_last: bool) -> bool:
    """`is_last`: the line is the one that PDFium told just before the cell."""
    first = line[0]
    if len(line) == 1 and is_mark(first, cell):
        return True
    if is_last:
        return max(first.words_count, cell.words_count) <= CELL_MAX_WORDS
    if NUMBER.match(cell.text):
        return True
    return max(first.words_count, cell.words_count) <= RECENT_CELL_MAX_WORDS


def is_mark(cell: Cell, following: Cell) -> bool:
    """The number or bullet of a list item or heading, and what it stands before."""
    gap = following.left - cell.right
    return bool(MARK.match(cell.text)) and 0 <= gap <= MARK_GAP_SHARE * following.height


def join_marks(cells: Sequence[Cell]) -> list[Cell]:
    """A mark and its text are one cell; so are a label and the small number of its footnote."""
    joined: list[Cell] = []
    for cell in cells:
        if joined and (
            (len(joined) == 1 and is_mark(joined[0], cell)) or is_footnote(joined[-1], cell)
        ):
            joined[-1] = Cell.of((*joined[-1].words, *cell.words))
        else:
            joined.append(cell)
    return joined


def is_footnote(cell: Cell, following: Cell) -> bool:
    return (
        following.height <= FOOTNOTE_SHARE * cell.height
        and bool(FOOTNOTE.match(following.text))
        and following.left - cell.right < cell.height
    )
