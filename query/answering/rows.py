"""A table's row as an answer: what it is about, then the columns that were asked for.

A row is indexed as "Header: value; Header: value". Whoever asks for a price wants the article's
name and the price, not its reference, its stock and its grape. Words are the document's own; only
the columns that say nothing of the question are left out, and none where it cannot be told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from language.terms import content_words, terms_of
from language.weekdays import begins_with_days, days_in_list
from language.words import Language, tokenize
from query.answering.hidden import UNDECIDED, Hidden, plain_header, told_cells
from query.answering.tables.cells import (
    header_text,
    label_of,
    tell_value,
    write_dates,
    write_decimals,
)
from query.answering.tables.vocabulary import (
    CODE_HEADERS,
    DIMENSIONS,
    HOURS_HEADERS,
    PLAIN_PRICE,
)
from query.understanding.asked_for import (
    AnswerKind,
    Asked,
    compare_quantities,
    has_kind,
    share_held,
)
from reading.extractors.tables import LABEL_SEPARATOR

CELL = re.compile(r"(?:^|; )([^:;]{1,80}): ")
CELLS_MIN = 4  # of a row with something to leave out
REMARK_WORDS = 5  # a value from here on is a remark: it may be the condition
MONEY_SIGNS = "€£$"
WORD, LETTER = re.compile(r"[^\W\d_]{3,}"), re.compile(r"[^\W\d_]")
CODE = re.compile(r"[^\W\d_]{1,4}[-./ ]?\d[\w-]{0,8}")
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


def tell_row(
    text: str,
    asked: Asked,
    language: Language,
    hidden: Hidden = UNDECIDED,
    *,
    is_in_table: bool = False,
    tells_kind: bool = False,
) -> str:
    """The row as a sentence: its subject, then the columns that were asked for, or all others that
    are not `hidden`, where it cannot be told which were. Values are written as people write them.

    `is_in_table`: it is surely a row; otherwise a few pairs of words with colons may be a sentence,
    and stay as they are. `tells_kind`: every column that holds the kind of thing asked for is told,
    not only the likeliest."""
    cells = split_cells(text)
    if len(cells) < (2 if is_in_table else CELLS_MIN):
        return write_dates(told_row(text, hidden), asked.language)
    is_long = len(cells) >= CELLS_MIN
    cells = [cell for cell in told_cells(cells, hidden) if cell.value]
    subject = subject_cells(cells, asked, language)
    first = next((cell for cell in cells if not is_code(cell)), None)
    if not is_in_table and first not in subject:
        return told_row(text, hidden)  # facts of a thing that its heading names
    rest = [cell for cell in cells if cell not in subject]
    wanted = asked_cells(rest, asked, language) if is_long else []
    if tells_kind and wanted:
        wanted += [cell for cell in rest if asked.kind and holds_kind(cell, asked)]
    told = [cell for cell in rest if cell in wanted or (cell.is_remark and wanted)]
    told = told or [cell for cell in rest if not is_code(cell)]
    if not subject or not told:
        return told_row(text, hidden)
    return write_row(subject, told, language, asked.language)


def write_row(subject: list[Cell], told: list[Cell], language: Language, asked_in: Language) -> str:
    """«Outer pier: 41,50 €; notas: agua incluida.»"""
    parts = []
    for cell in told:
        value = write_value(cell, language, asked_in)
        label = label_of(cell.header)
        if is_plain_price(cell, value) or label.lower() in value.lower():
            label = ""
        if words_of(cell) <= HOURS_HEADERS and any(begins_with_days(one.value) for one in subject):
            label = ""  # «Domingo: cerrado»
        mark = "" if value[:1].isdigit() or value[:1] in MONEY_SIGNS else ":"
        parts.append(f"{label}{mark} {value}".strip(" :") if label else value)
    return f"{', '.join(map(name_of, subject))}: {'; '.join(parts)}."


def write_value(cell: Cell, language: Language, asked_in: Language) -> str:
    told = tell_value(cell.header, cell.value, language, asked_in).rstrip(". ")
    is_money = not words_of(cell).isdisjoint(DIMENSIONS["money"].headers)
    return write_decimals(told, asked_in) if is_money else told


def is_plain_price(cell: Cell, value: str) -> bool:
    return words_of(cell) <= PLAIN_PRICE and any(sign in value for sign in MONEY_SIGNS)


def is_code(cell: Cell) -> bool:
    return not words_of(cell).isdisjoint(CODE_HEADERS)


def words_of(cell: Cell) -> frozenset[str]:
    return frozenset(tokenize(cell.header.replace("_", " ")))


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
    of its words. Of a row with a column for each day, those of the day that is asked about."""
    named = {cell: share_said(cell.header, asked, language) for cell in cells}
    held = [cell for cell in cells if asked.kind is not None and holds_kind(cell, asked)]
    fitting = [cell for cell in held if compare_quantities(asked, cell.header, language)[0]]
    most = max((named[cell] for cell in held), default=0.0)
    best = fitting or [cell for cell in held if named[cell] == most]
    if of_day := [cell for cell in cells if days_in_list(cell.header) & asked.weekdays]:
        return of_day
    if asked.kind is AnswerKind.NUMBER and not fitting and not most:
        return []  # any cell with a figure would do
    return [cell for cell in cells if cell in best or (named[cell] > 0 and not held)]


def holds_kind(cell: Cell, asked: Asked) -> bool:
    text = str(cell) if asked.kind in IN_HEADERS else cell.value
    return has_kind(text, asked) and (
        asked.kind not in IN_HEADERS or any(char.isdigit() for char in cell.value) or cell.is_remark
    )


def subject_cells(cells: list[Cell], asked: Asked, language: Language) -> list[Cell]:
    """The cell that names the row, its code only where there is no other, and the one whose value
    says most of the question."""
    worded = [cell for cell in cells if WORD.search(cell.value)]
    names = [cell for cell in worded if not is_code(cell)][:1] or worded[:1]
    first = next((cell for cell in cells if not is_code(cell)), None)
    if first is not None and (CODE.fullmatch(first.value) or not names):
        names = [first]
    lettered = [cell for cell in cells if not cell.is_remark and LETTER.search(cell.value)]
    said = {cell: share_said(cell.value, asked, language) for cell in lettered}
    most = max(said.values(), default=0.0)
    best = [cell for cell in lettered if said[cell] == most > 0][:1]
    return [cell for cell in cells if cell in names or cell in best]


def split_label(cell: Cell) -> tuple[str, Cell]:
    """The label that stands before a row of a text, "" for none, and its first cell without it:
    «Montaña – Modelo: Duna»."""
    label, _, header = cell.header.rpartition(LABEL_SEPARATOR)
    return label, Cell(header, cell.value)


def name_of(cell: Cell) -> str:
    """The cell in a subject: «Outer pier», and with its header if it is not a word: «Error E21»; a
    label before the row stays before its name."""
    label, cell = split_label(cell)
    if label:
        return f"{label}{LABEL_SEPARATOR}{name_of(cell)}"
    if WORD.search(cell.value) or not cell.header:
        return cell.value
    return f"{header_text(cell.header)} {cell.value}"


def share_said(text: str, asked: Asked, language: Language) -> float:
    return share_held(asked, terms_of(content_words(text, language), language))
