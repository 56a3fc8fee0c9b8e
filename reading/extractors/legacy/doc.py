"""Word documents of before 2007 (DOC): headings, paragraphs, lists, tables by row, notes, text
boxes, comments; headers and footers once.

Read by office_oxide ([MS-DOC]; Word 2.0, 6.0 and 95 as plain text), which leaves out deleted and
hidden text and the codes of fields.
"""

import io
import struct
from collections.abc import Iterator

import olefile

from reading.extractors.headings import HeadingTrail
from reading.extractors.interface import Extraction
from reading.extractors.legacy.lines import Margins
from reading.extractors.legacy.tree import Node, open_tree, read_lines, warnings_of
from reading.extractors.legacy.word95 import correct_letters
from reading.extractors.prose import clean
from reading.passages import Block
from reasons import Reason

OBJECTS, CONTROL = "ObjectPool", "\x03OCXNAME"
HEADERS = ("first_page_header", "header", "even_page_header")
FOOTERS = ("first_page_footer", "footer", "even_page_footer")


def extract(data: bytes) -> Extraction:
    tree = open_tree(data)
    correct_letters(tree, data)
    warnings = warnings_of(tree)
    if count := count_objects(data):
        warnings.append(Reason("embedded_objects_left_out", count=count))
    return Extraction(blocks=read_document(tree), warnings=warnings)


def count_objects(data: bytes) -> int:
    """The number of objects embedded in a document, without the buttons of a form; 0 if it is
    unknown."""
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            entries = [entry for entry in file.listdir() if entry[0] == OBJECTS and len(entry) > 2]
    except (OSError, ValueError, IndexError, struct.error, OverflowError):
        return 0
    controls = {entry[1] for entry in entries if CONTROL in entry}
    return len({entry[1] for entry in entries} - controls)


def read_document(tree: Node) -> Iterator[Block]:
    trail, margins = HeadingTrail(is_location=True), Margins()
    for section in tree["sections"]:
        yield from read_margins(section, HEADERS, margins)
        for line in read_lines(section["elements"]):
            yield (
                trail.enter(clean(line.text), line.depth) if line.depth else trail.block(line.text)
            )
        yield from read_margins(section, FOOTERS, margins)


def read_margins(section: Node, names: tuple[str, ...], margins: Margins) -> Iterator[Block]:
    for name in names:
        for line in read_lines(section.get(name, {}).get("content", ())):
            if margins.is_news(line.text):
                yield Block(line.text)
