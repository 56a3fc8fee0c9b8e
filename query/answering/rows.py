"""A table's row as an answer: what it is about, then the columns that were asked for.

A row is indexed as "Header: value; Header: value". Whoever asks for a price wants the article's
name and the price, not its reference, its stock and its grape. Words are the document's own; only
the columns that say nothing of the question are left out, and none where it cannot be told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from language.terms import content_words, terms_of
from language.words import Language
from query.answering.hidden import UNDECIDED, Hidden, plain_header, told_cells
from query.understanding.asked_for import (
    AnswerKind,
    Asked,
    compare_quantities,
    has_kind,
    share_held,
)

CELL = re.compile(r"(?:^|; )([^:;]{1,80}): ")
CELLS_MIN = 4  # of a row with something to leave out
REMARK_WORDS = 5  # a value from here on is a remark: it may be the condition
WORD = re.compile(r"[^\W\d_]{3,}")
# Of these the header often names the unit: «Precio (€)»
IN_HEADERS = frozenset(
    {AnswerKind.MONEY, AnswerKind.WEIGHT, AnswerKind.DISTANCE, AnswerKind.DURATION}
)


@dataclass(frozen=True)
class Cell:
    header: str
    value: str

    @property
    def is_remark(self) -> bool:
        return len(self.value.split()) >= REMARK_WORDS

    def __str__(self) -> str:
        return f"{self.header}: {self.value}" if self.header else self.value


def shorten_row(text: str, asked: Asked, language: Language, hidden: Hidden = UNDECIDED) -> str:
    """The row without the columns that were not asked for, and those that are `hidden`; with all
    others when it could not be told which were asked for."""
    cells = read_cells(text)
    if len(cells) < CELLS_MIN:
        return told_row(text, hidden)
    cells = told_cells(cells, hidden)
    wanted = asked_cells(cells, asked, language)
    rest = [cell for cell in cells if cell not in wanted]
    subject = subject_cells(rest, asked, language)
    if not wanted or not subject:
        return told_row(text, hidden)
    told = [cell for cell in cells if cell in wanted or (cell.is_remark and cell not in subject)]
    return f"{', '.join(cell.value for cell in subject)}: {'; '.join(map(str, told))}"


def read_cells(text: str) -> list[Cell]:
    found = list(CELL.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    if not found or found[0].start() > 0:
        return []
    return [
        Cell(match[1], text[match.end() : end].strip())
        for match, end in zip(found, ends, strict=True)
    ]


def split_cells(text: str) -> list[Cell]:
    """The cells of a row, also when its first cell has no header: a table of sizes."""
    first = CELL.search(text)
    if first is None or first.start() == 0:
        return read_cells(text)
    rest = text[first.start() + 2 :]
    return [Cell("", text[: first.start()].strip()), *read_cells(rest)]


def told_row(text: str, hidden: Hidden, *, is_sheets: bool = False) -> str:
    """The row without the columns that are never told, "" where none is left; other sentences stay
    as they are. A single "Stock: …" may be a sentence, unless it `is_sheets` or its name is
    marked."""
    cells = split_cells(text)
    if len(cells) < 2 and not is_sheets and not is_marked(cells, hidden):
        return text
    told = told_cells(cells, hidden)
    return text if len(told) == len(cells) else "; ".join(map(str, told))


def told_text(text: str, hidden: Hidden, *, is_sheets: bool) -> str:
    """A whole passage without the columns that are never told, "" where none is left. A sheet's
    passage is one row; in other passages each line may be a row."""
    if is_sheets:
        return told_row(text, hidden, is_sheets=True)
    lines = ((line, told_row(line, hidden)) for line in text.split("\n"))
    return "\n".join(told for line, told in lines if told or not line)


def is_marked(cells: list[Cell], hidden: Hidden) -> bool:
    return any(plain_header(cell.header) in hidden.marked for cell in cells)


def asked_cells(cells: list[Cell], asked: Asked, language: Language) -> list[Cell]:
    """The cells whose header names words of the question, and those that hold the kind of thing
    asked for: of several, the ones whose header fits a quantity of the question, or else names most
    of its words."""
    named = {cell: share_said(cell.header, asked, language) for cell in cells}
    held = [cell for cell in cells if asked.kind is not None and holds_kind(cell, asked)]
    fitting = [cell for cell in held if compare_quantities(asked, cell.header, language)[0]]
    most = max((named[cell] for cell in held), default=0.0)
    best = fitting or [cell for cell in held if named[cell] == most]
    if asked.kind is AnswerKind.NUMBER and not fitting and not most:
        return []  # any cell with a figure would do
    return [cell for cell in cells if cell in best or (named[cell] > 0 and not held)]


def holds_kind(cell: Cell, asked: Asked) -> bool:
    text = str(cell) if asked.kind in IN_HEADERS else cell.value
    return has_kind(text, asked) and (
        asked.kind not in IN_HEADERS or any(char.isdigit() for char in cell.value) or cell.is_remark
    )


def subject_cells(cells: list[Cell], asked: Asked, language: Language) -> list[Cell]:
    """The first cell that is a name, and the one whose value says most of the question."""
    names = [cell for cell in cells if WORD.search(cell.value)][:1]
    said = {cell: share_said(cell.value, asked, language) for cell in cells}
    most = max(said.values(), default=0.0)
    best = [cell for cell in cells if said[cell] == most > 0][:1]
    return [cell for cell in cells if cell in names or cell in best]


def share_said(text: str, asked: Asked, language: Language) -> float:
    return share_held(asked, terms_of(content_words(text, language), language))
