"""Workbooks as XML (SpreadsheetML 2003), as Excel 2003 and many reports write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.data.xml_tree import XmlTree, name_of_tag
from reading.extractors.interface import TOO_LARGE
from reading.extractors.office.package import attribute
from reading.extractors.office.sheet_tables import table_blocks
from reading.extractors.office.worksheets import COLUMNS_MAX
from reading.extractors.office.xlsx import far_cells
from reading.extractors.prose import clean
from reading.extractors.tables import Row
from reading.passages import PASSAGES_MAX, Block
from reasons import Reason


def is_workbook(root: etree._Element) -> bool:
    return name_of_tag(root) == "workbook" and any(name_of_tag(e) == "worksheet" for e in root)


def read_workbook(tree: XmlTree, warnings: list[Reason]) -> Iterator[Block]:
    cut: Counter[str] = Counter()
    for sheet in tree.root:
        if name_of_tag(sheet) == "worksheet":
            name = clean(attribute(sheet, "Name"))
            yield from table_blocks(read_rows(tree, sheet, name, cut), name)
    if cut:
        warnings.append(far_cells(cut))


def read_rows(tree: XmlTree, sheet: etree._Element, name: str, cut: Counter[str]) -> Iterator[Row]:
    """The rows that are not empty; ss:Index skips some. `cut`: how many cells of each sheet are
    left out.
    """
    number = 0
    for element in sheet.iter("{*}Row"):
        number = index_of(element) or number + 1
        cells: dict[int, str] = {}
        column = 0
        for cell in element:
            column = index_of(cell) or column + 1
            text = tree.text(cell, separator=" ")
            if text and column > COLUMNS_MAX:
                cut[name] += 1
            elif text:
                cells[column] = text
            column += whole_number(attribute(cell, "MergeAcross"))
        if number > PASSAGES_MAX:
            raise UnreadableFile(TOO_LARGE)
        row = Row(
            number, tuple(cells.get(each, "") for each in range(1, max(cells, default=0) + 1))
        )
        if row.filled:
            yield row


def index_of(element: etree._Element) -> int:
    return whole_number(attribute(element, "Index"))


def whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
