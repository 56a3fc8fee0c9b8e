"""Texts of LibreOffice and others (ODT, OTT, flat FODT), streamed: headings, paragraphs, lists,
tables by row, notes, comments, text boxes, charts; page headers and footers once.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from sources.reading.extractors.headings import HeadingTrail
from sources.reading.extractors.interface import Extraction
from sources.reading.extractors.office.package import local_name
from sources.reading.extractors.opendocument.content import (
    DRAWN,
    LISTS,
    PARAGRAPHS,
    SKIPPED,
    ContentReader,
    Piece,
)
from sources.reading.extractors.opendocument.package import OpenDocument, forget
from sources.reading.extractors.opendocument.styles import STYLE_TAGS
from sources.reading.passages import Block

# Read when they have ended, with all that stands in them.
WHOLE = PARAGRAPHS | DRAWN | SKIPPED | {"table"}
WRAPPERS = LISTS | {"section"}
TAGS = (
    *STYLE_TAGS,
    *(f"{{*}}{name}" for name in sorted({*WHOLE, *WRAPPERS, "master-page", "body"})),
)


def extract(data: bytes) -> Extraction:
    document = OpenDocument(data, kind="document")
    return Extraction(blocks=read_document(document), warnings=document.warnings)


def read_document(document: OpenDocument) -> Iterator[Block]:
    trail = HeadingTrail(is_location=True)
    for piece in TextReader(document).read_text():
        if piece.depth:
            yield trail.enter(piece.text, piece.depth)
        else:
            yield trail.block(piece.text)


class TextReader:
    """Follows the elements of the file; holds one paragraph or table at a time."""

    def __init__(self, document: OpenDocument) -> None:
        self._document = document
        self._reader = ContentReader(document)
        self._depth = 0  # within an element that is read as a whole
        self._hidden_depth = 0  # open wrappers from the outermost hidden one on
        self._headers: dict[str, None] = {}
        self._footers: dict[str, None] = {}

    def read_text(self) -> Iterator[Piece]:
        """Headers first, as they stand on the page, and footers last, each once."""
        is_begun = False
        for event, element in self._document.stream(TAGS):
            name = local_name(element)
            if name == "body":
                is_begun = True
                if event == "start":
                    yield from map(Piece, self._headers)
            elif not is_begun:
                if event == "end":
                    self._read_style(element)
            elif name in WRAPPERS and not self._depth:
                self._wrap(event, element)
            elif name in WHOLE:
                yield from self._read_whole(event, element)
        yield from map(Piece, self._footers)

    def _read_style(self, element: etree._Element) -> None:
        if local_name(element) != "master-page":
            self._reader.styles.add(element)
            return
        for edge in element:
            texts = self._headers if local_name(edge).startswith("header") else self._footers
            if local_name(edge).startswith(("header", "footer")):
                for each in edge:
                    texts |= dict.fromkeys(piece.text for piece in self._reader.read(each))

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
