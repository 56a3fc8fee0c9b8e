"""Texts of LibreOffice and others (ODT, OTT, flat FODT), streamed: headings, paragraphs, lists,
tables by row, notes, comments, text boxes, charts; page headers and footers once.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from reading.extractors.headings import HeadingTrail
from reading.extractors.interface import Extraction
from reading.extractors.office.package import local_name
from reading.extractors.opendocument.content import (
    DRAWN,
    LISTS,
    PARAGRAPHS,
    SKIPPED,
    ContentReader,
    Piece,
)
from reading.extractors.opendocument.package import OpenDocument, forget
from reading.extractors.opendocument.styles import STYLE_TAGS
from reading.passages import Block

# Read when they have ended, with all that stands in them.
WHOLE = PARAGRAPHS | DRAWN | SKIPPED | {"table"}
WRAPPERS = LISTS | {"section"}
TAGS = (
    *STYLE_TAGS,
    *(f"{{*}}{name}" for name in sorted({*WHOLE, *WRAPPERS, "master-page", "body"})),
)

PAGE_EDGES = ("header", "footer")  # also "header-left", "footer-first"


def extract(data: bytes) -> Extraction:
    document = OpenDocument(data, kind="document")
    return Extraction(blocks=read_document(document), warnings=document.warnings)


def read_document(document: OpenDocument) -> Iterator[Block]:
    """Page headers and footers last, once each."""
    trail = HeadingTrail(is_location=True)
    reader = TextReader(document)
    for piece in reader.read_text():
        if piece.depth:
            yield trail.enter(piece.text, piece.depth)
        else:
            yield trail.block(piece.text)
    for text, location in reader.edges.items():
        yield Block(text, location)


class TextReader:
    """Follows the elements of the file; holds one paragraph or table at a time."""

    def __init__(self, document: OpenDocument) -> None:
        self._document = document
        self._reader = ContentReader(document)
        self._depth = 0  # within an element that is read as a whole
        self._hidden_depth = 0  # open wrappers from the outermost hidden one on
        self.edges: dict[str, str] = {}  # what page headers and footers say → which it is

    def read_text(self) -> Iterator[Piece]:
        is_begun = False
        for event, element in self._document.stream(TAGS):
            name = local_name(element)
            if name == "body":
                is_begun = True
            elif not is_begun:
                if event == "end":
                    self._read_style(element)
            elif name in WRAPPERS and not self._depth:
                self._wrap(event, element)
            elif name in WHOLE:
                yield from self._read_whole(event, element)

    def _read_style(self, element: etree._Element) -> None:
        if local_name(element) != "master-page":
            self._reader.styles.add(element)
            return
        for edge in element:
            name = local_name(edge)
            text = "\n".join(piece.text for each in edge for piece in self._reader.read(each))
            if name.startswith(PAGE_EDGES) and text:
                self.edges.setdefault(text, f"page {name.partition('-')[0]}")

    def _wrap(self, event: str, element: etree._Element) -> None:
        if event == "start":
            if self._hidden_depth or self._reader.is_left_out(element):
                self._hidden_depth += 1
            else:
                self._reader.enter(element)
            return
        if self._hidden_depth:
            self._hidden_depth -= 1
        else:
            self._reader.leave(element)
        forget(element)

    def _read_whole(self, event: str, element: etree._Element) -> Iterator[Piece]:
        self._depth += 1 if event == "start" else -1
        if event == "end" and self._depth == 0:
            if not self._hidden_depth:
                yield from self._reader.read(element)
            forget(element)
