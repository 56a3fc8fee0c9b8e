"""The embedded objects that an OpenDocument file shows: charts, formulas."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from reading.extractors.office.package import local_name
from reading.extractors.prose import clean, has_content
from reading.extractors.tables import Row, read_table_rows

CHART_TITLES = ("{*}title", "{*}subtitle")
COLUMNS_MAX = 200
NO_VALUE = ("NaN", "1.#NAN")


def is_readable(root: etree._Element) -> bool:
    """True for a formula or a chart."""
    return local_name(root) == "math" or next(root.iter("{*}chart"), None) is not None


def object_texts(root: etree._Element, *, with_values: bool) -> Iterator[str]:
    if local_name(root) == "math":
        yield from formula_texts(root)
    else:
        yield from chart_titles(root)
        if with_values:
            yield from chart_values(root)


def formula_texts(root: etree._Element) -> Iterator[str]:
    """Yields the formula as its author typed it, if that is kept: "E = m c^2"."""
    typed = next(root.iter("{*}annotation"), None)
    text = clean(" ".join((root if typed is None else typed).itertext()))
    if has_content(text):
        yield text


def chart_titles(root: etree._Element) -> Iterator[str]:
    """Yields the title of a chart and those of its axes."""
    for title in root.iter(*CHART_TITLES):
        text = clean(" ".join(title.itertext()))
        if has_content(text):
            yield text


def chart_values(root: etree._Element) -> Iterator[str]:
    """A row a category, with the series' names."""
    for table in root.iter("{*}table"):
        rows = [
            Row(number, tuple(cell_texts(row)))
            for number, row in enumerate(table.iter("{*}table-row"), start=1)
        ]
        yield from read_table_rows(rows, has_header=True)


def cell_texts(row: etree._Element) -> Iterator[str]:
    for cell in list(row.iter("{*}table-cell"))[:COLUMNS_MAX]:
        text = clean(" ".join("".join(paragraph.itertext()) for paragraph in cell.iter("{*}p")))
        yield "" if text in NO_VALUE else text
