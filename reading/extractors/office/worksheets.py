"""The sheets of an XLSX package and their cells, streamed (ECMA-376 part 1, 18: SpreadsheetML).

A side part that is damaged costs what stands in it, never the workbook.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.office.format_codes import GENERAL, NumberFormat, read_format
from reading.extractors.office.number_formats import (
    built_in_format,
    cell_text,
    shown_number,
    shown_string,
)
from reading.extractors.office.package import (
    DamagedPart,
    OfficePackage,
    attribute,
    child,
    local_name,
    relation_id,
)
from reading.extractors.prose import clean
from reading.extractors.tables import Row
from reading.passages import PASSAGES_MAX
from reasons import Reason

COLUMNS_MAX = 2_000
USUAL_MAIN = "xl/workbook.xml"
REFERENCE = re.compile(r"^\$?([A-Z]{1,3})\$?(\d{1,7})$")
RANGE = re.compile(
    rb"""mergeCell [^<>]{0,200}?ref=["']([A-Z]{1,3}\d{1,7}):([A-Z]{1,3}\d{1,7})["']"""
)
ROWS_END = b"sheetData>"
TAIL_MAX_BYTES = 8 * 1024**2  # what follows the rows: merged cells and settings
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")  # a character that XML has no other way to write
TRUE = ("1", "true")
Position = tuple[int, int]  # row and column, from 1


@dataclass(frozen=True)
class SheetEntry:
    """`kind`: "worksheet", "chartsheet", "dialogsheet", …"""

    name: str
    part: str
    kind: str
    is_hidden: bool


@dataclass
class Workbook:
    """The data that the reader of a sheet needs beside it. `formats`: by the number of a cell's
    style; `struck`: the numbers of those that strike the cell out. `lost`: (NO_RESULT, NO_TEXT or
    TOO_FAR, sheet) → how many cells."""

    package: OfficePackage
    sheets: list[SheetEntry]
    is_1904: bool
    formats: Sequence[NumberFormat]
    struck: Set[int]
    strings: Sequence[str]
    lost: Counter[tuple[str, str]] = field(default_factory=Counter)


NO_RESULT, NO_TEXT, TOO_FAR = "result", "text", "far"


def open_workbook(package: OfficePackage) -> Workbook:
    main = package.main_part(USUAL_MAIN)
    root = package.read(main).root
    kinds = package.related_kinds(main)
    settings = child(root, "workbookPr") if root is not None else None
    is_1904 = settings is not None and attribute(settings, "date1904") in TRUE
    styles = [*kinds.get("styles", []), *package.names(r"xl/styles\.xml")]
    looks = package.read(styles[0]).root if styles else None
    strings = [*kinds.get("sharedStrings", []), *package.names(r"xl/sharedstrings\.xml")]
    return Workbook(
        package=package,
        sheets=list(list_sheets(package, main, root)),
        is_1904=is_1904,
        formats=read_formats(looks) if looks is not None else (),
        struck=read_struck(looks) if looks is not None else frozenset(),
        strings=read_strings(package, strings[0]) if strings else (),
    )


def list_sheets(
    package: OfficePackage, main: str, root: etree._Element | None
) -> Iterator[SheetEntry]:
    """Yields the sheets as the workbook lists them; if its list is lost, as their parts are
    numbered."""
    related = package.related(main)
    numbered = package.names(r"xl/worksheets/sheet\d*\.xml")
    entries = list(root.iter("{*}sheet")) if root is not None else []
    for index, entry in enumerate(entries):
        usual = numbered[index] if index < len(numbered) and not related else ""
        kind, part = related.get(relation_id(entry), ("worksheet", usual))
        state = attribute(entry, "state", "visible")
        yield SheetEntry(clean(attribute(entry, "name")), part, kind, state != "visible")
    if not entries:
        for part in numbered:
            name = part.rpartition("/")[2].removesuffix(".xml")
            yield SheetEntry(name, part, "worksheet", is_hidden=False)


# --- Styles and texts -----------------------------------------------------------------------------


def read_formats(root: etree._Element) -> list[NumberFormat]:
    codes = {
        attribute(each, "numFmtId"): attribute(each, "formatCode")
        for each in root.iter("{*}numFmt")
    }
    styles = child(root, "cellXfs")
    numbers = [attribute(style, "numFmtId") for style in (styles if styles is not None else ())]
    known = {number: format_of(number, codes) for number in set(numbers)}
    return [known[number] for number in numbers]


def read_struck(root: etree._Element) -> frozenset[int]:
    """The numbers of the styles whose font strikes the cell's text out."""
    fonts, styles = child(root, "fonts"), child(root, "cellXfs")
    struck = {
        str(number)
        for number, font in enumerate(fonts if fonts is not None else ())
        if strikes_out(font)
    }
    return frozenset(
        number
        for number, style in enumerate(styles if styles is not None else ())
        if attribute(style, "fontId") in struck
    )


def strikes_out(font: etree._Element) -> bool:
    strike = child(font, "strike")
    return strike is not None and attribute(strike, "val", "1").lower() in TRUE


def format_of(number: str, codes: Mapping[str, str]) -> NumberFormat:
    if number in codes:
        return read_format(codes[number])
    return built_in_format(int(number)) if number.isascii() and number.isdigit() else GENERAL


def read_strings(package: OfficePackage, part: str) -> list[str]:
    """The shared strings; in a damaged part, those before the damage."""
    texts: list[str] = []
    try:
        for _, item in package.iterparse(part, tags=("{*}si",), events=("end",)):
            texts.append(rich_text(item))
            forget(item)
    except DamagedPart:
        pass  # each cell whose text is lost is counted (NO_TEXT)
    return texts


def rich_text(item: etree._Element) -> str:
    """All runs, without the phonetic ones and those that are struck out."""
    parts: list[str] = []
    for node in item:
        match local_name(node):
            case "t":
                parts.append(node.text or "")
            case "r" if not is_struck(node):
                parts += [text.text or "" for text in node.iter("{*}t")]
    return clean_text("".join(parts))


def is_struck(run: etree._Element) -> bool:
    font = child(run, "rPr")
    return font is not None and strikes_out(font)


def clean_text(text: str) -> str:
    if "_x" in text:
        text = ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    return clean(text)


def forget(element: etree._Element) -> None:
    """Frees the element and what stood before it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]


# --- Rows -----------------------------------------------------------------------------------------


def read_rows(workbook: Workbook, sheet: SheetEntry) -> Iterator[Row]:
    """The rows that are not empty, numbered as Excel shows them; one that is struck out is without
    cells. DamagedPart comes after the last one that can be read.
    """
    merged = MergedCells(read_merged(workbook.package, sheet.part))
    count = number = 0
    for _, element in workbook.package.iterparse(sheet.part, tags=("{*}row",), events=("end",)):
        number = max(number + 1, whole_number(element.get("r", "")))
        texts = row_texts(workbook, sheet, element)
        is_struck = not any(texts) and any(
            len(cell) and is_cell_struck(workbook, cell) for cell in element
        )
        forget(element)
        if not any(texts) and not is_struck:
            continue
        count += 1
        if count > PASSAGES_MAX:
            raise UnreadableFile(Reason("sheet_too_many_rows", name=sheet.name))
        yield Row(number, ()) if is_struck else merged.row(number, texts)


def row_texts(workbook: Workbook, sheet: SheetEntry, row: etree._Element) -> list[str]:
    texts: list[str] = []
    column = 0
    for cell in row:
        position = position_of(cell.get("r", ""))
        column = position[1] if position else column + 1
        text = shown_text(workbook, sheet, cell)
        if not text:
            continue
        if column > COLUMNS_MAX:
            workbook.lost[TOO_FAR, sheet.name] += 1
            continue
        if column > len(texts):
            texts += [""] * (column - len(texts))
        texts[column - 1] = text
    return texts


def is_cell_struck(workbook: Workbook, cell: etree._Element) -> bool:
    return bool(workbook.struck) and whole_number(cell.get("s", "0")) in workbook.struck


def shown_text(workbook: Workbook, sheet: SheetEntry, cell: etree._Element) -> str:
    """The text that the cell shows, without its colours; "" if it is struck out."""
    if is_cell_struck(workbook, cell):
        return ""
    value = None
    has_formula = False
    for node in cell:
        match str(node.tag)[-1]:  # of v, is, f and extLst; faster than the whole name
            case "v":
                value = node.text
            case "s":
                return shown_string(rich_text(node), format_of_cell(workbook, cell))
            case "f":
                has_formula = True
    if value is None:
        # Excel writes an empty text as <v></v>: then its type says that it is one
        if has_formula and cell.get("t") != "str":
            workbook.lost[NO_RESULT, sheet.name] += 1
        return ""
    match cell.get("t", "n"):
        case "s":
            index = whole_number(value.strip())
            if index < len(workbook.strings):
                return shown_string(workbook.strings[index], format_of_cell(workbook, cell))
            workbook.lost[NO_TEXT, sheet.name] += 1
            return ""
        case "n":
            return number_shown(workbook, value, format_of_cell(workbook, cell))
        case "b":
            return cell_text(value.strip() in TRUE)
        case "d":
            return date_shown(value)
        case "str":
            return shown_string(clean_text(value), format_of_cell(workbook, cell))
        case _:
            return clean_text(value)


def format_of_cell(workbook: Workbook, cell: etree._Element) -> NumberFormat:
    index = whole_number(cell.get("s", "0"))
    return workbook.formats[index] if index < len(workbook.formats) else GENERAL


def number_shown(workbook: Workbook, value: str, form: NumberFormat) -> str:
    try:
        number = float(value)
    except ValueError:
        return clean_text(value)
    return shown_number(number, form, is_1904=workbook.is_1904)


def date_shown(value: str) -> str:
    try:
        moment = datetime.datetime.fromisoformat(value.strip())
    except ValueError:
        return clean_text(value)
    return cell_text(moment.replace(tzinfo=None))


def whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def position_of(reference: str) -> Position | None:
    """ "B12" → (12, 2)."""
    match = REFERENCE.match(reference)
    if match is None:
        return None
    column = 0
    for letter in match.group(1):
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match.group(2)), column


# --- Merged cells ---------------------------------------------------------------------------------


class MergedCells:
    """A cell merged over several rows says the same in each of them."""

    def __init__(self, ranges: Iterable[tuple[Position, Position]] = ()) -> None:
        self._starting: dict[int, list[tuple[int, Position]]] = {}  # first row → (column, its end)
        self._active: dict[int, tuple[str, Position]] = {}  # column, from 1 → (text, its end)
        for first, last in ranges:
            self.add(first, last)

    def add(self, first: Position, last: Position) -> None:
        """Add a range that begins in the next row that is asked for."""
        self._starting.setdefault(first[0], []).append((first[1], last))

    def row(self, number: int, cells: list[str]) -> Row:
        """Return the row with what is merged into it from above."""
        for column, (text, (last_row, _)) in list(self._active.items()):
            if number > last_row:
                del self._active[column]
            elif column > len(cells):
                cells += [*[""] * (column - len(cells) - 1), text]
            elif not cells[column - 1]:
                cells[column - 1] = text
        for column, end in self._starting.get(number, ()):
            if column <= len(cells) and cells[column - 1]:
                self._active[column] = (cells[column - 1], end)
        spans = {
            column - 1: last_column - column + 1
            for column, (_, (_, last_column)) in self._active.items()
            if last_column > column
        }
        return Row(number, tuple(cells), spans)


def read_merged(package: OfficePackage, part: str) -> Iterator[tuple[Position, Position]]:
    """Yields merged ranges. They stand behind the rows in the file, but are needed before them."""
    tail = b""
    is_past = False
    try:
        for piece in package.stream(part):
            tail += piece
            if (end := tail.rfind(ROWS_END)) >= 0:
                tail, is_past = tail[end:], True
            tail = tail[:TAIL_MAX_BYTES] if is_past else tail[-len(ROWS_END) :]
    except DamagedPart:
        return  # told where its rows are read
    for match in RANGE.finditer(tail):
        first, last = (position_of(reference.decode()) for reference in match.groups())
        if first and last:
            yield first, last
