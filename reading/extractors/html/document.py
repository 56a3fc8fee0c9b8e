"""HTML files that somebody uploaded, and HTML within other documents: all that a reader sees.

Unlike a crawled page (page.py), navigation and furniture stay: nobody else has the text.
"""

from collections.abc import Iterator

from lxml import etree

from reading.extractors.html.blocks import BlockWriter
from reading.extractors.html.boxes import Box, build_file_boxes
from reading.extractors.html.facts import title_element
from reading.extractors.html.source import parse_html
from reading.extractors.interface import Extraction
from reading.extractors.prose import has_content
from reading.passages import Block
from reasons import Reason

HIDDEN_MIN_CHARS = 40  # fewer are a label or a counter
HIDDEN = Reason("hidden_parts_left_out")


def extract(data: bytes) -> Extraction:
    root = parse_html(data)
    if root is None:
        return Extraction(blocks=())
    blocks, hidden_chars = read_markup(root)
    return Extraction(blocks=blocks, warnings=warnings_of(hidden_chars))


def read_markup(root: etree._Element) -> tuple[Iterator[Block], int]:
    """(the blocks, how many characters nobody sees). The page's title stands above a text that has
    none of its own.
    """
    page, hidden_chars = build_file_boxes(root)
    title = title_element(root)
    if has_content(title) and not page.has_h1:
        page.items.insert(0, Box("h1", items=[title]))
    writer = BlockWriter(lambda _: False, folds_repeats=False)
    return writer.write([page]), hidden_chars


def warnings_of(hidden_chars: int) -> list[Reason]:
    return [HIDDEN] if hidden_chars >= HIDDEN_MIN_CHARS else []
