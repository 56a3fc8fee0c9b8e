"""A table: its rows, its columns, and which of them names the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from language.dates import DateRange, Day, Order, order_of, read_dates
from language.words import Language, fold, tokenize
from query.answering.rows import REMARK_WORDS, Cell
from query.answering.tables.cells import Span, read_amount, read_span, unit_of, unit_of_header
from query.answering.tables.vocabulary import (
    BOUND_WORDS,
    CODE_HEADERS,
    NAME_HEADERS,
    PEOPLE_HEADERS,
)
from query.search.candidates import RetrievedChunk

LETTERS = re.compile(r"[^\W\d_]{3,}")
CENTS = re.compile(r"^\D{0,2}\d[\d.,]*[.,]\d\d\D{0,4}$")
NUMBERS = re.compile(r"\d{1,2}([/.-])\d{1,2}\1(?:\d{4}|\d{2})")  # 25/03/2027
DATE_MAX_CHARS = 40  # of a cell: «viernes, 5 de marzo de 2027, 18:30»
SAME_TABLE = 0.5  # of a row's headers that the table has


@dataclass(frozen=True)
class TableRow:
    passage: RetrievedChunk
    cells: tuple[Cell, ...]

    @cached_property
    def values(self) -> dict[str, str]:
        return {cell.header: cell.value for cell in reversed(self.cells)}


@dataclass(frozen=True)
class Column:
    """A column of a table. `texts` has one entry for each row, "" where the cell is empty."""

    header: str
    texts: tuple[str, ...]
    language: Language

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(tokenize(self.header.replace("_", " ")))

    @cached_property
    def spans(self) -> tuple[Span | None, ...]:
        return tuple(read_span(text, self.language) if text else None for text in self.texts)

    @cached_property
    def is_numeric(self) -> bool:
        filled = sum(bool(text) for text in self.texts)
        return filled > 0 and sum(span is not None for span in self.spans) * 10 >= filled * 6

    @cached_property
    def dates(self) -> tuple[DateRange | None, ...]:
        """The date of each cell. Which number is the day, the column's other cells tell."""
        order = order_of(self.texts) or "day"
        return tuple(date_of_cell(text, order) for text in self.texts)

    @cached_property
    def days_told(self) -> tuple[Day | None, ...]:
        """The days to write in words: of cells that are one in numbers alone, where the column
        tells which of them is the day."""
        is_sure = order_of(self.texts) is not None
        return tuple(
            one.low if is_sure and one and NUMBERS.fullmatch(text.strip()) else None
            for text, one in zip(self.texts, self.dates, strict=True)
        )

    @cached_property
    def is_dated(self) -> bool:
        filled = sum(bool(text) for text in self.texts)
        return filled > 0 and sum(one is not None for one in self.dates) * 10 >= filled * 6

    @cached_property
    def is_telling(self) -> bool:
        """Tells whether each row has a short text of its own here: its name, as a rule, when the
        column stands first."""
        filled = [text for text in self.texts if text]
        has_letters = sum(any(map(str.isalpha, text)) for text in filled) * 2 > len(filled)
        return (
            has_letters
            and not self.is_code
            and not self.unit
            and len(set(filled)) * 10 >= len(self.texts) * 9
        )

    @cached_property
    def is_category(self) -> bool:
        """Tells whether the column has a few short texts, each in several rows."""
        filled = [text for text in self.texts if text]
        is_short = all(len(text.split()) < REMARK_WORDS for text in filled)
        return is_short and len(set(filled)) * 2 <= len(self.texts)

    @cached_property
    def has_cents(self) -> bool:
        """Tells whether all cells look like «18,00»: money, though no currency is told."""
        filled = [text for text in self.texts if text and any(map(str.isdigit, text))]
        return bool(filled) and all(CENTS.search(text) for text in filled)

    @cached_property
    def is_code(self) -> bool:
        return bool(self.words & CODE_HEADERS)

    @cached_property
    def unit(self) -> str:
        """The unit of most cells, or else the header's: «2 horas» may stand above prices."""
        units = [unit_of(text)[0] for text in self.texts if text]
        most = max(set(units), key=units.count, default="")
        is_told = most and units.count(most) * 2 > len(units)
        unit = most if is_told else unit_of_header(self.header)[0]
        named = self.words - BOUND_WORDS
        is_of_people = bool(named) and named <= PEOPLE_HEADERS
        return unit or ("person" if is_of_people else "")

    @cached_property
    def amounts(self) -> tuple[Span | None, ...]:
        """The numbers in their unit's base, so that «45 min» and «2 h» can be compared."""
        size = unit_of_header(self.header)[1]
        return tuple(
            read_amount(text, self.language, size) if span else None
            for text, span in zip(self.texts, self.spans, strict=True)
        )


def date_of_cell(text: str, order: Order) -> DateRange | None:
    """The date that a cell holds and little else beside it, such as a weekday or a time."""
    if not text or len(text) > DATE_MAX_CHARS:
        return None
    return next((one for one in read_dates(text, order) if one.is_closed), None)


@dataclass
class Table:
    document_id: object
    document: str
    section: str
    rows: list[TableRow] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    has_labels: bool = False  # in a column without a name: the lines that part its rows

    @property
    def name(self) -> str:
        """The table's name in a question back to the visitor."""
        last = self.section.rsplit(" > ", 1)[-1].strip()
        return last or self.document

    @cached_property
    def language(self) -> Language:
        """The language of most rows."""
        english = sum(row.passage.language == "en" for row in self.rows)
        return "en" if english * 2 > len(self.rows) else "es"

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(
            Column(header, tuple(row.values.get(header, "") for row in self.rows), self.language)
            for header in self.headers
        )

    @cached_property
    def name_column(self) -> Column | None:
        """The column whose cells name the rows; or else the first that holds words."""
        worded = [
            column
            for column in self.columns
            if sum(bool(LETTERS.search(text)) for text in column.texts) * 2 > len(column.texts)
            and not column.is_code
        ]
        named = [
            column
            for column in worded[:3]
            if column.words & NAME_HEADERS and len(set(column.texts)) * 2 > len(column.texts)
        ]
        telling = [column for column in self.columns[:2] if column.is_telling]
        worded = [column for column in worded if not column.is_numeric] or worded
        return next(iter(named or telling or worded or self.columns), None)

    def holds(self, cells: Sequence[Cell]) -> bool:
        same = sum(cell.header in self.headers for cell in cells)
        return same >= SAME_TABLE * len(cells)


def topic_of(table: Table) -> str:
    """The words that name the table: its document, sheet and heading."""
    return fold(f"{table.document} {table.section}").replace("_", " ").replace("-", " ")
