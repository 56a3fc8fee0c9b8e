"""Spreadsheets (XLSX): each row of each visible sheet as "Header: value; Header: value"."""

import datetime
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.interface import DAMAGED, TOO_LARGE, Extraction
from sources.reading.extractors.office.package import OfficePackage
from sources.reading.extractors.office.xlsx_formats import PERCENT, Position, read_signs
from sources.reading.extractors.prose import clean, has_content
from sources.reading.extractors.tables import (
    Row,
    join_titles,
    named_row_text,
    names_values,
    split_header,
    split_titles,
)
from sources.reading.passages import PASSAGES_MAX, Block

COLUMNS_MAX = 2_000
# As many as Excel shows of a number; what lies beyond is binary dust (12.500000000000002).
SIGNIFICANT_DIGITS = 10
LEADING_SIGNS = ("$", "£", "US$")
WHOLE_BELOW = 1e15  # beyond, a spreadsheet's numbers are no longer exact
FIXED_FROM = 1e9  # from here on ten digits would cut the units off
Cell = (
    int
    | float
    | str
    | bool
    | datetime.time
    | datetime.date
    | datetime.datetime
    | datetime.timedelta
)
Signs = Mapping[Position, str]


def extract(data: bytes) -> Extraction:
    with OfficePackage.open(data, kind="workbook") as package:
        signs = read_signs(package)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
    except CalamineError as error:
        raise UnreadableFile(DAMAGED) from error
    hidden = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.typ is SheetTypeEnum.WorkSheet and sheet.visible is not SheetVisibleEnum.Visible
    ]
    warnings = [f"Hidden sheets were left out: {', '.join(hidden)}."] if hidden else []
    return Extraction(blocks=read_workbook(workbook, hidden, signs), warnings=warnings)


def read_workbook(
    workbook: CalamineWorkbook, hidden: Sequence[str], signs: Mapping[str, Signs]
) -> Iterator[Block]:
    for metadata in workbook.sheets_metadata:
        if metadata.typ is SheetTypeEnum.WorkSheet and metadata.name not in hidden:
            try:
                sheet = workbook.get_sheet_by_name(metadata.name)
            except CalamineError as error:
                raise UnreadableFile(DAMAGED) from error
            yield from read_sheet(sheet, signs.get(metadata.name, {}))


def read_sheet(sheet: CalamineSheet, signs: Signs) -> Iterator[Block]:
    """The tables of a sheet, one below the other with an empty row between.

    Lines alone above a table are its title; without one, its sheet's name is.
    """
    name = title = clean(sheet.name)
    header: tuple[str, ...] = ()
    waiting: list[Row] = []  # lines alone whose table has not come yet
    for region in regions(read_rows(sheet, signs)):
        titles, table = split_titles(region)
        waiting += titles
        if not table:
            continue
        if waiting:
            title, header, waiting = join_titles(waiting), (), []
        names, below = split_header(table)
        if names and (not header or names_values(table[0], below)):
            header, table = names, below
        yield from row_blocks(table, header, sheet=name, title=title)
    yield from row_blocks(waiting, (), sheet=name, title=name)


def row_blocks(
    rows: Sequence[Row], header: Sequence[str], *, sheet: str, title: str
) -> Iterator[Block]:
    for row in rows:
        if has_content(line := named_row_text(header, row)):
            yield Block(line, location=f"sheet {sheet}, row {row.number}", section_title=title)


def regions(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Runs of rows without an empty one between them."""
    region: list[Row] = []
    for row in rows:
        if region and row.number != region[-1].number + 1:
            yield region
            region = []
        region.append(row)
    if region:
        yield region


def read_rows(sheet: CalamineSheet, signs: Signs) -> Iterator[Row]:
    """The rows that are not empty, numbered as Excel shows them."""
    if not sheet.height:
        return  # iter_rows panics
    name = clean(sheet.name)
    if sheet.width > COLUMNS_MAX:
        raise UnreadableFile(f"The sheet {name} has more than {COLUMNS_MAX:,} columns. {TOO_LARGE}")
    merged = MergedCells(sheet)
    count = 0
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        texts = [
            signed_text(cell, signs.get((number, column), ""))
            for column, cell in enumerate(cells, start=1)
        ]
        row = Row(number, tuple(merged.fill(number, texts)))
        if not row.filled:
            continue
        count += 1
        if count > PASSAGES_MAX:
            raise UnreadableFile(f"The sheet {name} has too many rows. {TOO_LARGE}")
        yield row


class MergedCells:
    """A cell merged over several rows says the same in each of them."""

    def __init__(self, sheet: CalamineSheet) -> None:
        self._starting: dict[
            int, list[tuple[int, int]]
        ] = {}  # first row → (column, last row), from 1
        self._active: dict[int, tuple[str, int]] = {}  # column → (text, last row)
        for (row, column), (last_row, _) in sheet.merged_cell_ranges or []:
            if last_row > row:
                self._starting.setdefault(row + 1, []).append((column, last_row + 1))

    def fill(self, number: int, cells: list[str]) -> list[str]:
        for column, (text, last_row) in list(self._active.items()):
            if number > last_row:
                del self._active[column]
            elif not cells[column]:
                cells[column] = text
        for column, last_row in self._starting.get(number, ()):
            if column < len(cells):
                self._active[column] = (cells[column], last_row)
        return cells


def signed_text(cell: Cell, sign: str) -> str:
    """`sign` as in xlsx_formats: 0.21 and "%" are 21%, 12.5 and "€" are 12.5 €."""
    if not sign or isinstance(cell, bool) or not isinstance(cell, int | float):
        return cell_text(cell)
    if sign == PERCENT:
        return f"{number_text(cell * 100)}%"
    text = number_text(cell)
    return f"{sign}{text}" if sign in LEADING_SIGNS else f"{text} {sign}"


def cell_text(cell: Cell) -> str:
    """As a person would see it: 12.5, 3, 2025-01-31, 10:30."""
    match cell:
        case bool():
            return str(cell).upper()
        case int() | float():
            return number_text(cell)
        case datetime.datetime():
            is_date = cell.time() == datetime.time()
            return cell.date().isoformat() if is_date else cell.isoformat(" ", "minutes")
        case datetime.date():
            return cell.isoformat()
        case datetime.time():
            return cell.isoformat("minutes")
        case datetime.timedelta():
            minutes = round(cell.total_seconds() / 60)
            return f"{minutes // 60}:{minutes % 60:02}"
        case _:
            return clean(cell)


def number_text(number: float) -> str:
    if not math.isfinite(number):
        return ""
    if number == int(number) and abs(number) < WHOLE_BELOW:
        return str(int(number))
    digits = f"{number:.2f}" if abs(number) >= FIXED_FROM else f"{number:.{SIGNIFICANT_DIGITS}g}"
    plain = format(Decimal(digits), "f")  # no exponent
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
