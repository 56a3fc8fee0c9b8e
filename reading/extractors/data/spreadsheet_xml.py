"""Workbooks as XML (SpreadsheetML 2003), as Excel 2003 and many reports write them."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.data.xml_tree import XmlTree, name_of_tag
from reading.extractors.interface import TOO_LARGE
from reading.extractors.office.format_codes import GENERAL, NumberFormat, read_format
from reading.extractors.office.number_formats import EPOCH, shown_number, shown_string
from reading.extractors.office.package import attribute, child
from reading.extractors.office.sheet_tables import table_blocks
from reading.extractors.office.worksheets import COLUMNS_MAX, MergedCells
from reading.extractors.office.xlsx import far_cells
from reading.extractors.prose import clean
from reading.extractors.tables import Row
from reading.passages import PASSAGES_MAX, Block
from reasons import Reason

MERGES = ("MergeAcross", "MergeDown")
NAMED_FORMATS = {
    "Fixed": "0.00", "Standard": "#,##0.00", "Percent": "0.00%", "Euro Currency": "0.00 [$€]",
    "Currency": "0.00", "Scientific": "General", "General Number": "General",
    "Short Date": "yyyy-mm-dd", "Medium Date": "yyyy-mm-dd", "Long Date": "yyyy-mm-dd",
    "General Date": "yyyy-mm-dd h:mm:ss", "Short Time": "h:mm", "Medium Time": "h:mm",
    "Long Time": "h:mm:ss",
}  # fmt: skip


def is_workbook(root: etree._Element) -> bool:
    return name_of_tag(root) == "workbook" and any(name_of_tag(e) == "worksheet" for e in root)


def read_workbook(tree: XmlTree, warnings: list[Reason]) -> Iterator[Block]:
    cut: Counter[str] = Counter()
    formats = read_formats(tree.root)
    for sheet in tree.root:
        if name_of_tag(sheet) == "worksheet":
            name = clean(attribute(sheet, "Name"))
            yield from table_blocks(read_rows(tree, sheet, name, formats, cut), name)
    if cut:
        warnings.append(far_cells(cut))


def read_formats(root: etree._Element) -> dict[str, NumberFormat]:
    """The formats of the cells' styles by their names."""
    formats: dict[str, NumberFormat] = {}
    for style in root.iter("{*}Style"):
        form = child(style, "NumberFormat")
        if form is not None:
            code = attribute(form, "Format")
            formats[attribute(style, "ID")] = read_format(NAMED_FORMATS.get(code, code))
    return formats


def read_rows(
    tree: XmlTree,
    sheet: etree._Element,
    name: str,
    formats: Mapping[str, NumberFormat],
    cut: Counter[str],
) -> Iterator[Row]:
    """The rows that are not empty; ss:Index skips some. `cut`: how many cells of each sheet are
    left out.
    """
    merged = MergedCells()
    number = 0
    for element in sheet.iter("{*}Row"):
        number = index_of(element) or number + 1
        cells: dict[int, str] = {}
        column = 0
        for cell in element:
            column = index_of(cell) or column + 1
            text = cell_shown(tree, cell, formats)
            across, down = (whole_number(attribute(cell, each)) for each in MERGES)
            if text and column > COLUMNS_MAX:
                cut[name] += 1
            elif text:
                cells[column] = text
                if across or down:
                    merged.add((number, column), (number + down, column + across))
            column += across
        if number > PASSAGES_MAX:
            raise UnreadableFile(TOO_LARGE)
        texts = [cells.get(each, "") for each in range(1, max(cells, default=0) + 1)]
        if any(texts):
            yield merged.row(number, texts)


def cell_shown(tree: XmlTree, cell: etree._Element, formats: Mapping[str, NumberFormat]) -> str:
    """The cell's text, and its number or its date as the sheet shows it."""
    data = child(cell, "Data")
    form = formats.get(attribute(cell, "StyleID"), GENERAL)
    if data is None or len(cell) > 1:  # a comment stands beside it
        return tree.text(cell, separator=" ")
    text = tree.text(data, separator=" ")
    try:
        match attribute(data, "Type"):
            case "Number":
                return shown_number(float(text), form)
            case "DateTime":
                days = (datetime.datetime.fromisoformat(text[:19]) - EPOCH).total_seconds() / 86_400
                return shown_number(days, form if form.sections else read_format("yyyy-mm-dd"))
    except ValueError:
        return text
    return shown_string(text, form)


def index_of(element: etree._Element) -> int:
    return whole_number(attribute(element, "Index"))


def whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
