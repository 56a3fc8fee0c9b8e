"""Presentations (PPTX): each slide's title, texts, tables by row, and the speaker's notes.

Left out: hidden slides, footers, dates and slide numbers. ECMA-376 part 1, 19 (PresentationML) and
21.1 (DrawingML).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.interface import TOO_LARGE, Extraction
from sources.reading.extractors.office.package import (
    OfficePackage,
    attribute,
    child,
    local_name,
    relation_id,
)
from sources.reading.extractors.prose import clean, clean_lines, has_content
from sources.reading.extractors.tables import Row, read_table_rows
from sources.reading.passages import Block

TITLE_KINDS = ("title", "ctrTitle")
REPEATED_KINDS = ("sldNum", "ftr", "dt", "hdr")
NESTING_MAX = 50  # of grouped shapes
SLIDES_MAX = 10_000  # the list may name one slide a million times
LINE_EMU = 300_000  # shapes whose tops differ by less (0.8 cm) stand beside each other


@dataclass(frozen=True)
class Slide:
    number: int
    part: str


def extract(data: bytes) -> Extraction:
    package = OfficePackage.open(data, kind="presentation")
    slides, hidden = list_slides(package)
    warnings = [f"Hidden slides were left out: {', '.join(map(str, hidden))}."] if hidden else []
    return Extraction(
        blocks=read_slides(package, slides), warnings=warnings, pages=len(slides) + len(hidden)
    )


def list_slides(package: OfficePackage) -> tuple[list[Slide], list[int]]:
    """(the slides that are shown, the numbers of the hidden ones)."""
    main = package.main_part()
    related = package.related(main)
    entries = list(package.parse(main).iter("{*}sldId"))
    if len(entries) > SLIDES_MAX:
        raise UnreadableFile(TOO_LARGE)
    slides, hidden = [], []
    for number, entry in enumerate(entries, start=1):
        kind, part = related.get(relation_id(entry), ("", ""))
        if kind == "slide" and part in package:
            is_hidden = attribute(package.parse(part), "show", "1") in ("0", "false")
            hidden.append(number) if is_hidden else slides.append(Slide(number, part))
    return slides, hidden


def read_slides(package: OfficePackage, slides: list[Slide]) -> Iterator[Block]:
    for slide in slides:
        root = package.parse(slide.part)
        shapes = list(shapes_of(root))
        title = clean(
            " ".join(shape_text(shape) for shape in shapes if placeholder(shape) in TITLE_KINDS)
        )
        location = f"slide {slide.number}"
        if has_content(title):
            yield Block(title, location, title, is_heading=True)
        for text in [*slide_texts(package, slide, shapes), *notes_texts(package, slide)]:
            yield Block(text, location, title if has_content(title) else "")


def slide_texts(
    package: OfficePackage, slide: Slide, shapes: list[etree._Element]
) -> Iterator[str]:
    for shape in in_reading_order(shapes):
        if placeholder(shape) not in (*TITLE_KINDS, *REPEATED_KINDS):
            yield from shape_texts(shape)
    for kind, part in package.related(slide.part).values():
        if kind == "diagramData" and part in package:
            yield from paragraphs_of(package.parse(part))


def notes_texts(package: OfficePackage, slide: Slide) -> Iterator[str]:
    for kind, part in package.related(slide.part).values():
        if kind == "notesSlide" and part in package:
            for shape in shapes_of(package.parse(part)):
                if placeholder(shape) == "body":
                    yield from paragraphs_of(shape)


def shapes_of(element: etree._Element, nesting: int = 0) -> Iterator[etree._Element]:
    """Shapes and tables, those of groups too."""
    tree = next(element.iter("{*}spTree"), None) if nesting == 0 else element
    for node in tree if tree is not None else ():
        name = local_name(node)
        if name in ("sp", "graphicFrame"):
            yield node
        elif name == "grpSp" and nesting < NESTING_MAX:
            yield from shapes_of(node, nesting + 1)
        elif name == "AlternateContent" and (choice := child(node, "Choice")) is not None:
            yield from shapes_of(choice, nesting + 1)


def placeholder(shape: etree._Element) -> str:
    """Which part of the layout a shape fills, "" when it is none; a body is the kind without a
    name.
    """
    mark = next(shape.iter("{*}ph"), None)
    return attribute(mark, "type", "body") if mark is not None else ""


def in_reading_order(shapes: list[etree._Element]) -> list[etree._Element]:
    """From top to bottom, then left to right; as they are stored when one takes its place from the
    layout.
    """
    offsets = [
        next(shape.iter("{*}off"), None)
        for shape in shapes
        if placeholder(shape) not in TITLE_KINDS
    ]
    if any(offset is None for offset in offsets):
        return shapes
    return sorted(shapes, key=place_of)


def place_of(shape: etree._Element) -> tuple[int, int]:
    offset = next(shape.iter("{*}off"), None)
    if offset is None:
        return (0, 0)
    left, top = (
        int(text) if text.lstrip("-").isdigit() else 0
        for text in map(offset.get, ("x", "y"), ("0", "0"))
    )
    return (top // LINE_EMU, left)


def shape_texts(shape: etree._Element) -> Iterator[str]:
    table = next(shape.iter("{*}tbl"), None)
    if table is not None:
        yield from read_table_rows(read_rows(table))
    else:
        yield from paragraphs_of(shape)


def shape_text(shape: etree._Element) -> str:
    return " ".join(paragraphs_of(shape))


def paragraphs_of(element: etree._Element) -> Iterator[str]:
    for paragraph in element.iter(
        "{http://schemas.openxmlformats.org/drawingml/2006/main}p",
        "{http://purl.oclc.org/ooxml/drawingml/main}p",
    ):
        if has_content(text := clean_lines(paragraph_text(paragraph))):
            yield text


def paragraph_text(paragraph: etree._Element) -> str:
    parts: list[str] = []
    for node in paragraph:
        name = local_name(node)
        if name == "br":
            parts.append("\n")
        elif name == "r" or (name == "fld" and attribute(node, "type") != "slidenum"):
            parts += [text.text or "" for text in node.iter("{*}t")]
    return "".join(parts)


def read_rows(table: etree._Element) -> list[Row]:
    """Cells by column; a cell that spans rows stands in each of them."""
    above: dict[int, str] = {}
    rows: list[Row] = []
    for number, row in enumerate(table.iter("{*}tr"), start=1):
        for index, cell in enumerate(row.iter("{*}tc")):
            if attribute(cell, "vMerge") not in ("1", "true"):
                above[index] = clean(" ".join(paragraphs_of(cell)))
        count = len(list(row.iter("{*}tc")))
        rows.append(Row(number, tuple(above.get(index, "") for index in range(count))))
    return rows
