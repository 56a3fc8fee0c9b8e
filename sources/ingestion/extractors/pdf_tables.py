"""Tables of a PDF page: which lines are rows, which cells stand under which heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sources.ingestion.extractors.pdf_layout import Cell, Line
from sources.ingestion.extractors.tables import YEAR, Row, is_value, read_table_rows
from sources.ingestion.extractors.text import clean, has_content, row_text

VALUE = re.compile(
    r"^[($€£¥+\-–—]*\s*\d[\d.,']*\s*[)%]*\s*(?:%|€|pts?)?$|^[–—-]$|^N/?[AM]$", re.IGNORECASE
)
CURRENCY = frozenset({"$", "€", "£", "¥", "US$", "("})
CLOSING = frozenset({")", "%", ":", ")%", "€", "*", ".", ","})
HEADER_LINES_MAX = 6
LABEL_LINE_MAX_WORDS = 14
INSET_MAX_LINES = 2  # lines of one cell in a row inside a table: its subheadings and wrapped labels
MARGIN = 25.0  # points by which a column's heading may begin left of its values
ROW_GAP_MAX_SHARE = 4.0  # of the line's height: farther apart, and it is another table


@dataclass(frozen=True)
class Zone:
    """The horizontal room of a column."""

    left: float
    right: float

    def overlap(self, cell: Cell) -> float:
        return min(self.right, cell.right) - max(self.left, cell.left)


@dataclass(frozen=True)
class Region:
    """Lines that belong together: a table, or running text."""

    lines: tuple[Line, ...]
    is_table: bool


def is_tabular(line: Line) -> bool:
    return len(line.cells) > 1


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
        table = (*text[start:], *lines[index:end])
        if text[:start]:
            yield Region(tuple(text[:start]), is_table=False)
        yield Region(table, is_table=True)
        text, index = [], end
    if text:
        yield Region(tuple(text), is_table=False)


def table_end(lines: Sequence[Line], start: int) -> int | None:
    """Where the table that begins at `start` ends; None when none does."""
    if not is_tabular(lines[start]):
        return None
    end, rows, index = start + 1, 1, start + 1
    while (
        index < len(lines)
        and index - end <= INSET_MAX_LINES
        and is_near(lines[index - 1], lines[index])
    ):
        if is_tabular(lines[index]):
            end, rows = index + 1, rows + 1
        elif not could_be_inset(lines[index]):
            break
        index += 1
    return end if rows > 1 else None


def is_near(line: Line, following: Line) -> bool:
    return abs(line.baseline - following.baseline) <= ROW_GAP_MAX_SHARE * max(
        line.height, following.height
    )


def could_be_inset(line: Line) -> bool:
    return len(line.text.split()) <= LABEL_LINE_MAX_WORDS and not line.text.endswith(".")


def header_lines_before(text: Sequence[Line], rows: Sequence[Line]) -> int:
    """How many of the lines just above a table are headings of its columns: they stand over values, not over labels."""
    edge = min((line.cells[1].left for line in rows if is_tabular(line)), default=0.0) - MARGIN
    count = 0
    for line in reversed(text[-HEADER_LINES_MAX:]):
        if line.left < edge or not could_be_inset(line) or not is_near(line, rows[0]):
            break
        count += 1
    return count


def read_table(lines: Sequence[Line]) -> list[str]:
    """Each row with its label and its columns' headings: "Net sales — July 1, 2023: 81,797; June 25, 2022: 82,959"."""
    rows = [Line(join_signs(line.cells)) for line in lines]
    data = [row for row in rows if has_values(row)]
    if not data:
        return read_text_table(rows)
    zones = find_zones(data)
    return list(read_values_table(rows, zones))


def join_signs(cells: Sequence[Cell]) -> list[Cell]:
    """A currency sign belongs to the number after it, a percent sign to the one before."""
    joined: list[Cell] = []
    for cell in cells:
        if joined and (joined[-1].text in CURRENCY or cell.text in CLOSING):
            joined[-1] = Cell((*joined[-1].words, *cell.words))
        else:
            joined.append(cell)
    return joined


def cell_text(cell: Cell) -> str:
    return re.sub(r"(?<=[$€£¥(]) (?=[\d(])| (?=[%):]+$)", "", clean(cell.text))


def is_amount(cell: Cell) -> bool:
    return bool(VALUE.match(cell_text(cell)))


def has_values(row: Line) -> bool:
    """A label and at least one number, which are not the years of a heading."""
    values = [cell for cell in row.cells[1:] if is_amount(cell)]
    return len(values) * 2 >= len(row.cells) - 1 > 0 and not is_amount(row.cells[0])


def find_zones(data: Sequence[Line]) -> list[Zone]:
    """The columns of values, from left to right: cells of different rows that overlap share one."""
    zones: list[Zone] = []
    for cell in sorted(
        (cell for row in data for cell in row.cells[1:]), key=lambda cell: cell.left
    ):
        if zones and cell.left < zones[-1].right:
            zones[-1] = Zone(zones[-1].left, max(zones[-1].right, cell.right))
        else:
            zones.append(Zone(cell.left, cell.right))
    return zones


def read_values_table(rows: Sequence[Line], zones: Sequence[Zone]) -> Iterator[str]:
    headings: list[Line] = []
    names: list[str] = [""] * len(zones)
    group = Group()
    pending = ""  # the beginning of a label that goes on in the next line
    for row in rows:
        if is_heading_row(row, zones):
            if not headings:
                group = Group()
            headings.append(row)
            names = column_names(headings, zones)
            continue
        if len(row.cells) == 1:
            pending = group.enter(pending, row)
            continue
        headings = []
        label, values = split_row(row, zones)
        text = row_text(names, values)
        if has_content(text):
            yield " — ".join(
                filter(None, [group.label_of(f"{pending} {label}".strip(), row), text])
            )
        pending = ""


class Group:
    """The subheading under which the rows of a table stand ("Operating expenses:")."""

    def __init__(self) -> None:
        self._name = ""
        self._left = 0.0

    def enter(self, pending: str, row: Line) -> str:
        """Takes a line without values; returns it when it is only the beginning of the next row's label."""
        text = clean(row.text)
        if pending or not text.endswith(":"):
            return f"{pending} {text}".strip()
        self._name, self._left = text.rstrip(": "), row.left
        return ""

    def label_of(self, label: str, row: Line) -> str:
        if self._name and row.left <= self._left:
            self._name = ""
        return f"{self._name}: {label}" if self._name and label else label


def is_heading_row(row: Line, zones: Sequence[Zone]) -> bool:
    """Stands over the columns of values, has no label and holds names or years."""
    if row.left < zones[0].left - MARGIN:
        return False
    return all(not is_amount(cell) or YEAR.match(cell_text(cell)) for cell in row.cells)


def column_names(headings: Sequence[Line], zones: Sequence[Zone]) -> list[str]:
    lines = sorted(headings, key=lambda line: -line.baseline)
    return [
        clean(" ".join(cell_text(cell) for line in lines if (cell := name_over(zone, line, zones))))
        for zone in zones
    ]


def name_over(zone: Zone, line: Line, zones: Sequence[Zone]) -> Cell | None:
    """The heading's cell over a column: the one above it, or the nearest when the line names groups of columns."""
    best = max(line.cells, key=zone.overlap)
    if zone.overlap(best) > 0:
        return best
    spans = len(line.cells) < len(zones) and (
        len(line.cells) == 1
        or any(sum(each.overlap(cell) > 0 for each in zones) != 1 for cell in line.cells)
    )
    return best if spans else None


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
    """A table of words: its columns by where its cells begin."""
    zones = find_zones([Line([row.cells[0], *row.cells]) for row in rows if is_tabular(row)])
    table = [Row(number, tuple(grid(row, zones))) for number, row in enumerate(rows, start=1)]
    return list(read_table_rows(table))


def grid(row: Line, zones: Sequence[Zone]) -> list[str]:
    cells = [""] * len(zones)
    for cell in row.cells:
        index = max(range(len(zones)), key=lambda number: zones[number].overlap(cell))
        cells[index] = f"{cells[index]} {cell_text(cell)}".strip()
    return cells


def has_values_text(text: str) -> bool:
    return is_value(text)
