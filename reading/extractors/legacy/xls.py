"""Spreadsheets of before 2007 (XLS): each row of each visible sheet as "Header: value; Header:
value", then the comments of its cells, and what is written on shapes and charts.

Read by xlrd ([MS-XLS], Excel 2 to 2003), which knows how each number is shown. What it gives up on
is read by python-calamine, without the signs of its numbers.
"""

from __future__ import annotations

import io
import struct
from collections import Counter
from collections.abc import Iterator, Sequence

import xlrd
from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum
from xlrd.biffh import XLRDError
from xlrd.book import Book
from xlrd.compdoc import CompDocError
from xlrd.formula import FormulaError
from xlrd.sheet import Cell, Sheet

from reading.errors import UnreadableFile
from reading.extractors.interface import Extraction, protected
from reading.extractors.legacy.tree import ENCRYPTED_PACKAGE
from reading.extractors.legacy.xls_drawings import drawn_texts
from reading.extractors.office.format_codes import GENERAL, NumberFormat, read_format
from reading.extractors.office.number_formats import cell_text, shown_number, shown_string
from reading.extractors.office.sheet_tables import table_blocks
from reading.extractors.office.worksheets import MergedCells
from reading.extractors.office.xlsx import calamine_rows, join_names, read_binary
from reading.extractors.prose import clean, has_content
from reading.extractors.tables import Row
from reading.passages import PASSAGES_MAX, Block
from reasons import Reason

# Its own, and what reading numbers and strings at wrong places raises: xlrd checks little.
XLRD_ERRORS = (
    XLRDError, CompDocError, FormulaError, struct.error,
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, NotImplementedError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip
EXCEL_97 = 80  # as xlrd numbers it: its drawings are of another kind than those before


class Silence(io.TextIOBase):
    """A stream that swallows xlrd's remarks."""

    def write(self, text: str) -> int:
        return len(text)


def extract(data: bytes) -> Extraction:
    warnings: list[Reason] = []
    try:
        book = xlrd.open_workbook(
            file_contents=data,
            logfile=Silence(),
            formatting_info=True,
            on_demand=True,
            ragged_rows=True,  # else one cell far away fills a sheet
        )
    except XLRD_ERRORS as error:
        if "encrypted" in str(error) or ENCRYPTED_PACKAGE in data:
            raise protected("workbook") from error
        return Extraction(blocks=read_binary(data, warnings), warnings=warnings)
    return Extraction(blocks=read_book(book, data, warnings), warnings=warnings)


def read_book(book: Book, data: bytes, warnings: list[Reason]) -> Iterator[Block]:
    hidden, damaged = [], []
    for index, name in enumerate(map(clean, book.sheet_names())):
        try:
            sheet = book.sheet_by_index(index)
        except XLRD_ERRORS:  # the other sheets are read
            if (rows := rows_by_calamine(data, index)) is None:
                damaged.append(name)
            else:
                yield from table_blocks(rows, name)
            continue
        if sheet.visibility:
            hidden.append(name)
        else:
            yield from table_blocks(read_rows(book, sheet, name), name)
            yield from read_comments(sheet, name)
            yield from read_drawings(book, index, name)
        book.unload_sheet(index)
    if hidden:
        warnings.append(Reason("hidden_sheets_left_out", names=join_names(hidden)))
    if damaged:
        warnings.append(Reason("damaged_sheets_left_out", names=join_names(damaged)))


def rows_by_calamine(data: bytes, index: int) -> Iterator[Row] | None:
    """The rows by calamine; None if it cannot read them either."""
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        sheets = [each for each in workbook.sheets_metadata if each.typ is SheetTypeEnum.WorkSheet]
        sheet = workbook.get_sheet_by_name(sheets[index].name)
        return calamine_rows(sheet, Counter())  # it has 256 columns at the most
    except (CalamineError, IndexError):
        return None


def read_rows(book: Book, sheet: Sheet, name: str) -> Iterator[Row]:
    """The rows that are not empty, numbered as Excel shows them."""
    merged = MergedCells(
        ((row + 1, column + 1), (last_row, last_column))
        for row, last_row, column, last_column in sheet.merged_cells
    )
    formats = [format_of(book, style) for style in range(len(book.xf_list))]
    count = 0
    for index in range(sheet.nrows):
        texts = [
            shown_text(cell, formats, is_1904=bool(book.datemode)) for cell in sheet.row(index)
        ]
        if not any(texts):
            continue
        count += 1
        if count > PASSAGES_MAX:
            raise UnreadableFile(Reason("sheet_too_many_rows", name=name))
        yield merged.row(index + 1, texts)


def format_of(book: Book, style: int) -> NumberFormat:
    known = book.format_map.get(book.xf_list[style].format_key)
    return read_format(known.format_str) if known and known.format_str else GENERAL


def shown_text(cell: Cell, formats: Sequence[NumberFormat], *, is_1904: bool) -> str:
    style = cell.xf_index
    form = formats[style] if style is not None and style < len(formats) else GENERAL
    if isinstance(cell.value, str):
        return shown_string(clean(cell.value), form)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return cell_text(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(int(cell.value), ""))
    return shown_number(cell.value, form, is_1904=is_1904)


def read_comments(sheet: Sheet, name: str) -> Iterator[Block]:
    for (row, _), note in sorted(sheet.cell_note_map.items()):
        if has_content(text := clean(note.text)):
            yield Block(text, f"sheet {name}, row {row + 1}", name)


def read_drawings(book: Book, index: int, name: str) -> Iterator[Block]:
    if book.biff_version < EXCEL_97 or book.mem is None:
        return
    start = vars(book)["_sh_abs_posn"][index]  # where the sheet begins: no method tells
    for text in dict.fromkeys(drawn_texts(book.mem, start)):
        yield Block(text, f"sheet {name}", name)
