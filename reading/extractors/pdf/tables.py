"""Tables of a PDF page: which lines are rows, which cells stand under which heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from reading.extractors.pdf.layout import Cell, Line
from reading.extractors.prose import clean, row_text
from reading.extractors.tables import YEAR, Row, read_table_rows

AMOUNT = re.compile(
    r"^[($€£¥+\-–—]*\s*\d[\d.,'’]*\s*+(?:[)%]++\s*+)?(?:%|€|pts?)?$|^[–—-]$|^N/?[AM]$",
    re.IGNORECASE,
)
LONG_NUMBER = re.compile(r"\d{3}[\d-]\d{2,}")
LEADING_SIGNS = frozenset({"$", "£", "US$"})
CURRENCY = frozenset({"$", "€", "£", "¥", "US$", "("})
CLOSING = frozenset({")", "%", ":", ")%", "€", "*", ".", ","})
# What a statement says once about all of its numbers: "(in millions)", "(en miles de euros)".
UNIT = re.compile(
    r"\(([^()]{0,40}\b(?:in|en)\b[^()]{0,12}\b"
    r"(?:thousands|millions|billions|miles|millones|euros|dollars|dólares|usd|eur)\b[^()]*)\)",
    re.IGNORECASE,
)
EXCEPT = re.compile(r"\b(?:except|salvo|excepto|other than)\b", re.IGNORECASE)
EXCEPTED_LABEL = re.compile(r"\b(?:per|shares?|acci[oó]n(?:es)?|percentage|rate|tipo)\b|%", re.I)
UNIT_WORDS = re.compile(
    r"\b(?:in|en)\b.{0,12}\b(?:thousands|millions|billions|miles(?: de euros)?|millones"
    r"(?: de euros)?|euros|dollars|dólares|usd|eur)\b",
    re.IGNORECASE,
)
FEW_WORDS = 6
JUSTIFIED_GAP_SHARE = 2.0  # of the line's height: no program pushes words farther apart
UNIT_LINES = 3  # how far above a table its unit may stand
HEADER_LINES_MAX = 6
LABELLED_ROWS_MIN = (
    3  # lines of words with a label each, above the first amounts: rows, no headings
)
INSET_MAX_WORDS = 14
INSET_MAX_LINES = 4  # lines of one cell in a row inside a table: its subheadings, wrapped labels
SAME_EDGE = 1.5  # points between the left edges of two cells of one column
MARGIN = 25.0  # points by which a column's heading may begin left of its values
ROW_GAP_MAX_SHARE = 4.0  # of the line's height: farther apart, and it is another table


@dataclass(frozen=True)
class Zone:
    """The horizontal room of a column."""

    left: float
    right: float

    def overlap(self, cell: Cell) -> float:
        """Points; negative when they lie apart."""
        return min(self.right, cell.right) - max(self.left, cell.left)


@dataclass(frozen=True)
class Region:
    """Lines that belong together: a table, or running text."""

    lines: tuple[Line, ...]
    is_table: bool


# --- Where tables are -----------------------------------------------------------------------------


def split_regions(lines: Sequence[Line]) -> Iterator[Region]:
    """Cuts a page into tables and the text between them."""
    text: list[Line] = []
    index = 0
    while index < len(lines):
        end = table_end(lines, index)
        if end is None:
            text.append(lines[index])
            index += 1
            continue
        start = len(text) - header_lines_before(text, lines[index:end])
        if text[:start]:
            yield Region(tuple(text[:start]), is_table=False)
        yield Region((*text[start:], *lines[index:end]), is_table=True)
        text, index = [], end
    if text:
        yield Region(tuple(text), is_table=False)


def is_tabular(line: Line) -> bool:
    """Several cells, and not only words that justification has pushed apart."""
    if len(line.cells) < 2:
        return False
    if len(line.text.split()) <= FEW_WORDS or any(map(is_amount, line.cells[1:])):
        return True
    gaps = (right.left - left.right for left, right in pairwise(line.cells))
    return max(gaps) >= JUSTIFIED_GAP_SHARE * line.height


def table_end(lines: Sequence[Line], start: int) -> int | None:
    """The end of the table that begins at `start`; None if none does."""
    if not is_tabular(lines[start]):
        return None
    end, rows = start + 1, 1
    for index in range(start + 1, len(lines)):
        if index - end > INSET_MAX_LINES or not is_near(lines[index - 1], lines[index]):
            break
        if is_tabular(lines[index]) or has_columns_of(lines[index], lines[end - 1]):
            end, rows = index + 1, rows + 1
        elif not could_be_inset(lines[index]):
            break
    return end if rows > 1 else None


def has_columns_of(line: Line, row: Line) -> bool:
    """Each cell begins where one of the row's does: chance does not do that to justified text."""
    edges = [cell.left for cell in row.cells]
    return len(line.cells) > 1 and all(
        any(abs(cell.left - edge) <= SAME_EDGE for edge in edges) for cell in line.cells
    )


def is_near(line: Line, following: Line) -> bool:
    height = max(line.height, following.height)
    return abs(line.baseline - following.baseline) <= ROW_GAP_MAX_SHARE * height


def could_be_inset(line: Line) -> bool:
    return len(line.text.split()) <= INSET_MAX_WORDS and not line.text.endswith(".")


def header_lines_before(text: Sequence[Line], rows: Sequence[Line]) -> int:
    """How many of the lines just above a table stand over its values, not over its labels."""
    edge = min((line.cells[1].left for line in rows if is_tabular(line)), default=0.0) - MARGIN
    count = 0
    for line in reversed(text[-HEADER_LINES_MAX:]):
        if line.left < edge or not could_be_inset(line) or not is_near(line, rows[0]):
            break
        count += 1
    return count


# --- What they say --------------------------------------------------------------------------------


class TableReader:
    """Reads the tables of one page: one that has no headings of its own goes on with the last's."""

    def __init__(self) -> None:
        self._zones: list[Zone] = []
        self._names: list[str] = []
        self._unit = ""

    def read(self, lines: Sequence[Line], before: Sequence[Line] = ()) -> list[str]:
        """Each row with its label and its columns' headings.

        "Net sales — July 1, 2023: 81,797; June 25, 2022: 82,959"
        """
        rows = [Line(tuple(join_signs(line.cells))) for line in lines]
        data = [row for row in rows if has_amounts(row)]
        if not data:
            return read_text_table(rows)
        zones = find_zones(data)
        table = AmountsTable(
            zones,
            names=self._inherited_names(zones),
            edge=min(zones[0].left - MARGIN, max(row.cells[0].right for row in data)),
            unit=find_unit([*before, *lines]),
        )
        texts = list(table.read(rows))
        self._zones, self._names = zones, table.names
        return texts

    def _inherited_names(self, zones: Sequence[Zone]) -> list[str]:
        if len(zones) == len(self._zones) and all(
            min(zone.right, other.right) > max(zone.left, other.left)
            for zone, other in zip(zones, self._zones, strict=True)
        ):
            return self._names
        return [""] * len(zones)


class AmountsTable:
    """A table with labels on the left and columns of numbers. `edge`: where the labels end."""

    def __init__(self, zones: Sequence[Zone], *, names: list[str], edge: float, unit: str) -> None:
        self.names = names
        self._zones = zones
        self._edge = edge
        self._unit = unit
        self._headings: list[Line] = []  # those since the last row
        self._has_begun = False
        self._group = Group()
        self._label_begun = ""  # a label that goes on in the next line

    def read(self, rows: Sequence[Line]) -> Iterator[str]:
        for row in rows:
            if self._is_heading(row):
                self._headings.append(row)
            elif is_tabular(row):
                yield from self._take_headings()
                yield from self._read_row(row)
            else:
                yield from self._take_headings()
                yield from self._take_label(row)
        yield from (clean(row.text) for row in self._headings)
        yield from self._leave_group(Group())
        if self._label_begun:
            yield self._label_begun

    def _is_heading(self, row: Line) -> bool:
        """Stands over the columns and holds names or years; has no label, unless it comes first."""
        edge = self._edge if is_tabular(row) else self._zones[0].left - MARGIN
        cells = row.cells if row.left >= edge else row.cells[1:]
        if not cells or (self._has_begun and len(cells) < len(row.cells)):
            return False
        return all(map(is_name, row.cells))

    def _take_headings(self) -> Iterator[str]:
        """Sets the columns' names; a single cell between rows does not name a column but is a text
        of its own."""
        if self._has_begun and not any(map(is_tabular, self._headings)):
            yield from (clean(row.text) for row in self._headings)
        elif self._headings:
            yield from self._leave_group(Group())
            headings, rows = self._split_headings()
            self.names = column_names(headings, self._zones)
            if rows:
                yield from read_text_table([*headings, *rows])
            else:
                yield from self._unused_headings(headings)
        self._headings = []

    def _split_headings(self) -> tuple[list[Line], list[Line]]:
        """(headings, rows of words): those that have labels too; a second one may be the heading's
        second line.
        """
        labelled = [
            index
            for index, line in enumerate(self._headings)
            if is_tabular(line) and line.left < self._edge
        ]
        if len(labelled) < LABELLED_ROWS_MIN:
            return self._headings, []
        first = labelled[0] + 1
        return self._headings[:first], self._headings[first:]

    def _unused_headings(self, headings: Sequence[Line]) -> Iterator[str]:
        """Yields headings that do not name a column of numbers, so that they are not lost."""
        zones = self._zones
        used = {id(cell) for zone in zones for cell in names_over(zone, headings, zones)}
        cells = (cell for line in headings for cell in line.cells if id(cell) not in used)
        texts = [text for text in map(cell_text, cells) if not UNIT.search(text)]
        if texts:
            yield "; ".join(texts)

    def _take_label(self, row: Line) -> Iterator[str]:
        """A line without values: a subheading, or the beginning of the next row's label."""
        text = clean(row.text)
        if not self._label_begun and text.endswith(":"):
            yield from self._leave_group(Group(text.rstrip(": "), row.left))
        elif not self._label_begun and row.is_bold and any(map(str.isalpha, text)):
            yield from self._leave_group(Group(text))
        elif UNIT.search(text):
            yield text
        else:
            self._label_begun = f"{self._label_begun} {text}".strip()

    def _leave_group(self, following: Group) -> Iterator[str]:
        """The name of a group that no row has said is a text of its own."""
        if self._group.name and not self._group.is_used:
            yield self._group.name
        self._group = following

    def _read_row(self, row: Line) -> Iterator[str]:
        self._has_begun = True
        label, values = split_row(row, self._zones)
        label = f"{self._label_begun} {label}".strip()
        self._label_begun = ""
        if self._group.ends_at(label, row.left):
            yield from self._leave_group(Group())
        label = self._group.label_of(label)
        text = row_text(self.names, values)
        unit = "" if all("%" in value for value in values if value) else self._unit
        yield " — ".join(filter(None, [with_unit(label, unit) if text else label, text]))


@dataclass
class Group:
    """The subheading under which rows stand ("Operating expenses:").

    It ends with its total, or with a row that stands where it does; `left` is -1 for one that is
    told by its type instead of its place.
    """

    name: str = ""
    left: float = -1.0
    is_used: bool = False

    def ends_at(self, label: str, left: float) -> bool:
        return left <= self.left or label.lower().startswith("total")

    def label_of(self, label: str) -> str:
        if not (self.name and label):
            return label
        self.is_used = True
        return f"{self.name}: {label}"


def find_unit(lines: Sequence[Line]) -> str:
    """The unit of the whole table; a unit in a line of several cells belongs to a column, and is in
    its name."""
    match = UNIT.search(" ".join(line.text for line in lines if not is_tabular(line)))
    return clean(match.group(1)) if match else ""


def with_unit(label: str, unit: str) -> str:
    """`Net sales (in millions)`; what the unit is said not to hold for goes without."""
    if not label or not unit or (EXCEPT.search(unit) and EXCEPTED_LABEL.search(label)):
        return label
    words = UNIT_WORDS.search(unit)
    return f"{label} ({words.group().lower()})" if words else label


def join_signs(cells: Sequence[Cell]) -> list[Cell]:
    """A currency sign belongs to the number after it, a percent sign to the one before."""
    joined: list[Cell] = []
    for cell in split_signs(cells):
        if joined and (joined[-1].text in CURRENCY or cell.text in CLOSING):
            joined[-1] = Cell.of((*joined[-1].words, *cell.words))
        else:
            joined.append(cell)
    return joined


def split_signs(cells: Sequence[Cell]) -> Iterator[Cell]:
    """A dollar sign after a number is the next number's."""
    for cell in cells:
        if len(cell.words) > 1 and cell.words[-1].text in LEADING_SIGNS:
            yield Cell.of(cell.words[:-1])
            yield Cell.of(cell.words[-1:])
        else:
            yield cell


def cell_text(cell: Cell) -> str:
    return re.sub(r"(?<=[$€£¥(]) (?=[\d(—–-])| (?=[%):]+$)", "", clean(cell.text))


def is_amount(cell: Cell) -> bool:
    return bool(AMOUNT.match(cell_text(cell)))


def is_name(cell: Cell) -> bool:
    """A column's heading: words, a date or a year, but no amount and no number of an account."""
    text = cell_text(cell)
    return bool(YEAR.match(text)) or not (is_amount(cell) or LONG_NUMBER.search(text))


def has_amounts(row: Line) -> bool:
    """A label, and numbers in at least half of the other cells."""
    amounts = [cell for cell in row.cells[1:] if is_amount(cell)]
    return len(amounts) * 2 >= len(row.cells) - 1 > 0 and not is_amount(row.cells[0])


def find_zones(data: Sequence[Line]) -> list[Zone]:
    """The columns of values from left to right: cells of different rows that overlap share one."""
    zones: list[Zone] = []
    cells = (cell for row in data for cell in row.cells[1:])
    for cell in sorted(cells, key=lambda cell: cell.left):
        if zones and cell.left < zones[-1].right:
            zones[-1] = Zone(zones[-1].left, max(zones[-1].right, cell.right))
        else:
            zones.append(Zone(cell.left, cell.right))
    return zones


def column_names(headings: Sequence[Line], zones: Sequence[Zone]) -> list[str]:
    found = [names_over(zone, headings, zones) for zone in zones]
    return [clean(" ".join(map(cell_text, cells))) for cells in found]


def names_over(zone: Zone, headings: Sequence[Line], zones: Sequence[Zone]) -> list[Cell]:
    """The cells that stand over a column, from top to bottom."""
    lines = sorted(headings, key=lambda line: -line.baseline)
    return [cell for line in lines if (cell := name_over(zone, line, zones))]


def name_over(zone: Zone, line: Line, zones: Sequence[Zone]) -> Cell | None:
    """The cell above a column, or the nearest one when the line names groups of columns."""
    best = max(line.cells, key=zone.overlap)
    if not is_tabular(line) and UNIT.search(best.text):
        return None
    if zone.overlap(best) > 0 or names_groups(line, zones):
        return best
    return None


def names_groups(line: Line, zones: Sequence[Zone]) -> bool:
    """Fewer cells than columns, and they do not stand over one column each."""
    return len(line.cells) < len(zones) and (
        len(line.cells) == 1
        or any(sum(zone.overlap(cell) > 0 for zone in zones) != 1 for cell in line.cells)
    )


def split_row(row: Line, zones: Sequence[Zone]) -> tuple[str, list[str]]:
    """(label, one text a column)."""
    label: list[str] = []
    values = [""] * len(zones)
    for cell in row.cells:
        index = max(range(len(zones)), key=lambda number: zones[number].overlap(cell))
        if zones[index].overlap(cell) <= 0:
            label.append(cell_text(cell))
        else:
            values[index] = f"{values[index]} {cell_text(cell)}".strip()
    return " ".join(label), values


def read_text_table(rows: Sequence[Line]) -> list[str]:
    """A table of words; lines, where no row of several cells is left."""
    if not any(map(is_tabular, rows)):
        return [clean(row.text) for row in rows]
    zones = find_zones([Line((row.cells[0], *row.cells)) for row in rows if is_tabular(row)])
    return list(read_table_rows([grid_row(row, zones) for row in rows]))


def grid_row(row: Line, zones: Sequence[Zone]) -> Row:
    """The row's cells; text outside all columns is put before the first."""
    beside, cells = split_row(row, zones)
    return Row(0, (f"{beside} {cells[0]}".strip(), *cells[1:]))
