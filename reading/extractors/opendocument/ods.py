"""Spreadsheets of LibreOffice and others (ODS, OTS, flat FODS), streamed: each row of each visible
sheet as "Header: value; Header: value"; then the sheet's comments and what is drawn on it.

OpenDocument 1.3 part 3, 9. python-calamine reads them too, but without percent and currency signs,
units, comments and drawings.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.interface import Extraction
from reading.extractors.office.package import attribute, local_name
from reading.extractors.office.sheet_tables import Place, table_blocks
from reading.extractors.office.worksheets import COLUMNS_MAX
from reading.extractors.office.xlsx import far_cells, join_names
from reading.extractors.opendocument.cell_values import shown_value
from reading.extractors.opendocument.content import DRAWN, PARAGRAPHS, ContentReader
from reading.extractors.opendocument.package import (
    Events,
    OpenDocument,
    forget,
    whole_number,
)
from reading.extractors.opendocument.styles import STYLE_TAGS
from reading.extractors.prose import clean
from reading.extractors.tables import Row
from reading.passages import PASSAGES_MAX, Block
from reasons import Reason

REPEATED_MAX = 100  # rows or cells that say the same: more of them say nothing else
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
CELL = f"{TABLE}table-cell"
TAGS = (
    *STYLE_TAGS, "{*}table", "{*}table-header-rows", "{*}table-row", "{*}shapes", "{*}dde-links",
)  # fmt: skip


def extract(data: bytes) -> Extraction:
    document = OpenDocument(data, kind="workbook")
    return Extraction(blocks=read_workbook(document), warnings=document.warnings)


def read_workbook(document: OpenDocument) -> Iterator[Block]:
    reader = ContentReader(document, with_chart_values=False)  # they stand in the cells
    hidden: list[str] = []
    cut: dict[str, int] = {}
    events = document.stream(TAGS)
    for event, element in events:
        name = local_name(element)
        if event == "end" and name in ("style", "list-style"):
            reader.styles.add(element)
        elif event == "start" and name == "dde-links":  # copies of cells of other files
            skip(events, name)
        elif event == "start" and name == "table":
            sheet = SheetReader(clean(attribute(element, "name")), reader)
            if reader.styles.style(attribute(element, "style-name")).is_hidden:
                hidden.append(sheet.name)
                skip(events, name)
            else:
                rows = sheet.read_rows(events)
                yield from table_blocks(rows, sheet.name, header_cells=sheet.header_cells)
                yield from sheet.others
                if sheet.far_cells:
                    cut[sheet.name] = sheet.far_cells
    if hidden:
        document.warnings.append(Reason("hidden_sheets_left_out", names=join_names(hidden)))
    if cut:
        document.warnings.append(far_cells(cut))


def skip(events: Events, name: str) -> None:
    """Skips to the end of an element of this name that has begun."""
    depth = 1
    for event, element in events:
        if local_name(element) == name:
            depth += 1 if event == "start" else -1
        if event == "end":
            forget(element)
        if depth == 0:
            return


class SheetReader:
    """Rows are read once; `others`, what is said beside the cells, is complete after that.
    `header_cells`: where those begin that are declared to be repeated on each page. `far_cells`:
    how many were left out because they stand beyond COLUMNS_MAX.
    """

    def __init__(self, name: str, reader: ContentReader) -> None:
        self.name = name
        self.header_cells: set[Place] = set()
        self.others: list[Block] = []
        self.far_cells = 0
        self._reader = reader
        self._number = 0
        # By column: text, the rows below that have it, and how many columns it covers
        self._merged: dict[int, tuple[str, int, int]] = {}

    def read_rows(self, events: Events) -> Iterator[Row]:
        """The rows that are not empty, to the end of the sheet; one that is struck out is without
        cells. Raises UnreadableFile."""
        count = 0
        tables = 1  # open ones: a flat file holds the tables of charts too
        is_header = False
        for event, element in events:
            name = local_name(element)
            if name == "table":
                tables += 1 if event == "start" else -1
                if not tables:
                    forget(element)
                    return
            elif name == "table-header-rows":
                is_header = event == "start"
            elif event == "end" and tables == 1 and name == "shapes":
                self._read_drawn(element)
            elif event == "end" and tables == 1 and name == "table-row":
                for row in self._repeated_rows(element):
                    if is_header and row.cells:
                        first = next(index for index, cell in enumerate(row.cells) if cell)
                        self.header_cells.add((row.number, first))
                    count += 1
                    if count > PASSAGES_MAX:
                        raise UnreadableFile(Reason("sheet_too_many_rows", name=self.name))
                    yield row
                forget(element)

    def _repeated_rows(self, element: etree._Element) -> Iterator[Row]:
        times = max(whole_number(element.get(f"{TABLE}number-rows-repeated", "1")), 1)
        cells = self._read_cells(element)
        for number in range(self._number + 1, self._number + 1 + min(times, REPEATED_MAX)):
            row = self._merged_row(number, cells)
            if not row.filled:
                if any(len(cell) and self._is_struck(cell) for cell in element):
                    yield Row(number, ())
                break
            yield row
        self._number += times

    def _read_cells(self, row: etree._Element) -> dict[int, str]:
        """The cells by column, from 0; empty ones are left out."""
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            times = max(whole_number(cell.get(f"{TABLE}number-columns-repeated", "1")), 1)
            if len(cell) and cell.tag == CELL and (text := self._read_cell(cell)):
                if column >= COLUMNS_MAX:
                    self.far_cells += 1
                    continue
                end = min(column + min(times, REPEATED_MAX), COLUMNS_MAX)
                cells |= dict.fromkeys(range(column, end), text)
                rows = whole_number(cell.get(f"{TABLE}number-rows-spanned", "1"))
                width = whole_number(cell.get(f"{TABLE}number-columns-spanned", "1"))
                if rows > 1 or width > 1:
                    self._merged[column] = (text, rows, width)
            column += times
        return cells

    def _merged_row(self, number: int, cells: dict[int, str]) -> Row:
        """A cell merged over several rows says the same in each of them."""
        cells = {column: text for column, (text, _, _) in self._merged.items()} | cells
        spans = {column: width for column, (_, _, width) in self._merged.items() if width > 1}
        self._merged = {
            column: (text, rows - 1, width)
            for column, (text, rows, width) in self._merged.items()
            if rows > 1
        }
        width = max(cells, default=-1) + 1
        return Row(number, tuple(cells.get(column, "") for column in range(width)), spans)

    def _read_cell(self, cell: etree._Element) -> str:
        texts, raw = [], ""
        for node in cell:
            name = local_name(node)
            if name in PARAGRAPHS:
                raw += node.text or ""
                texts.append(
                    self._reader.inline_text(node) if len(node) else clean(node.text or "")
                )
            elif name == "annotation":
                comment = self._reader.comment_text(node)
                self._add_other(comment, f"sheet {self.name}, row {self._number + 1}")
            elif name in DRAWN:
                self._read_drawn(node)
        if self._is_struck(cell):
            return ""
        return clean(shown_value(cell, " ".join(texts), raw))

    def _is_struck(self, cell: etree._Element) -> bool:
        return bool(self._reader.styles.style(cell.get(f"{TABLE}style-name", "")).is_struck)

    def _read_drawn(self, element: etree._Element) -> None:
        for shape in element if local_name(element) == "shapes" else (element,):
            for piece in self._reader.read(shape):
                self._add_other(piece.text, f"sheet {self.name}")

    def _add_other(self, text: str, location: str) -> None:
        self.others.append(Block(text, location=location, section_title=self.name))
