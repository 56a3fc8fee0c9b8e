"""Presentations of LibreOffice and others (ODP, OTP, flat FODP): each slide's title, texts, tables
by row, charts, and the speaker's notes.

What repeats on the slides is read once. Left out: hidden slides, dates, slide numbers.
OpenDocument 1.3 part 3, 3.8 and 10.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.interface import TOO_LARGE, Extraction
from reading.extractors.office.package import attribute, local_name
from reading.extractors.opendocument.content import DRAWN, ContentReader
from reading.extractors.opendocument.package import OpenDocument, forget
from reading.extractors.opendocument.styles import STYLE_TAGS
from reading.extractors.prose import clean, has_content
from reading.extractors.slides import (
    GROUPS_MAX,
    Node,
    SlideBox,
    SlideFrame,
    SlideGroup,
    arrange,
)
from reading.passages import Block
from reasons import Reason

SLIDES_MAX = 10_000
COUNTED_KINDS = ("page-number", "date-time")
REPEATED_KINDS = ("footer", "header")
DECLARED = ("footer-decl", "header-decl")
TAGS = (*STYLE_TAGS, "{*}presentation", "{*}page", *(f"{{*}}{name}" for name in DECLARED))
LENGTH = re.compile(r"^(-?\d{1,9}(?:\.\d{1,9})?)(cm|mm|in|pt)$")
CENTIMETRES = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72}


def extract(data: bytes) -> Extraction:
    document = OpenDocument(data, kind="presentation")
    slides = SlideReader(document)
    blocks = list(slides.read())  # to know how many slides there are
    return Extraction(blocks=blocks, warnings=document.warnings, pages=slides.count)


class SlideReader:
    """`count`: the slides that were met so far, hidden ones too."""

    def __init__(self, document: OpenDocument) -> None:
        self.count = 0
        self._repeated: set[str] = set()
        self._document = document
        self._reader = ContentReader(document)

    def read(self) -> Iterator[Block]:
        hidden: list[int] = []
        is_begun = False
        for event, element in self._document.stream(TAGS):
            name = local_name(element)
            if name == "presentation":
                is_begun = True
            elif event == "start":
                continue
            elif name == "page" and is_begun:
                self.count += 1
                if self.count > SLIDES_MAX:
                    raise UnreadableFile(TOO_LARGE)
                if self._reader.styles.style(attribute(element, "style-name")).is_hidden:
                    hidden.append(self.count)
                else:
                    yield from self._read_slide(element)
                forget(element)
            elif name in DECLARED:
                yield from self._read_repeated([clean(element.text or "")])
            elif name != "page":
                self._reader.styles.add(element)
        if hidden:
            self._document.warnings.append(
                Reason("hidden_slides_left_out", names=", ".join(map(str, hidden)))
            )

    def _read_slide(self, page: etree._Element) -> Iterator[Block]:
        location = f"slide {self.count}"
        shapes = [shape for shape in page if is_shown(shape)]
        titles = [shape for shape in shapes if attribute(shape, "class") == "title"]
        title = clean(" ".join(self._texts(titles)))
        title = title if has_content(title) else ""
        if title:
            yield Block(title, location, title, is_heading=True)
        repeated = [shape for shape in shapes if attribute(shape, "class") in REPEATED_KINDS]
        others = [shape for shape in shapes if shape not in titles and shape not in repeated]
        order = arrange(list(self._nodes(others)), has_title=bool(title))
        yield from order.blocks(location, title)
        notes = [shape for each in page if local_name(each) == "notes" for shape in each]
        shown_notes = [shape for shape in notes if attribute(shape, "class") == "notes"]
        for text in self._texts(shown_notes):
            yield Block(text, location, title or order.title)
        yield from self._read_repeated(self._texts(repeated))

    def _nodes(self, shapes: Sequence[etree._Element], nesting: int = 0) -> Iterator[Node]:
        for shape in shapes:
            if local_name(shape) == "g" and nesting < GROUPS_MAX:
                members = [member for member in shape if is_shown(member)]
                yield SlideGroup(tuple(self._nodes(members, nesting + 1)))
            elif pieces := list(self._reader.read(shape)):
                texts = tuple(piece.text for piece in pieces)
                is_bold = all(piece.depth > 0 for piece in pieces)
                yield SlideBox(texts, frame_of(shape), is_bold)

    def _read_repeated(self, texts: Iterable[str]) -> Iterator[Block]:
        """Yields repeated texts on the first slide that has them."""
        for text in texts:
            if has_content(text) and text not in self._repeated:
                self._repeated.add(text)
                yield Block(text, f"slide {max(self.count, 1)}")

    def _texts(self, shapes: Sequence[etree._Element]) -> Iterator[str]:
        for shape in shapes:
            for piece in self._reader.read(shape):
                yield piece.text


def is_shown(shape: etree._Element) -> bool:
    name = local_name(shape)
    return (
        name in (*DRAWN, "annotation", "table")
        and attribute(shape, "class") not in COUNTED_KINDS
        and attribute(shape, "placeholder") != "true"  # "Click to add text"
    )


def frame_of(shape: etree._Element) -> SlideFrame | None:
    left, top, width, height = (
        LENGTH.match(attribute(shape, name)) for name in ("x", "y", "width", "height")
    )
    if left is None or top is None:
        return None
    x, y = centimetres(left), centimetres(top)
    right = x + (centimetres(width) if width else 0.0)
    return SlideFrame(x, y, right, y + (centimetres(height) if height else 0.0))


def centimetres(length: re.Match[str]) -> float:
    return float(length[1]) * CENTIMETRES[length[2]]
