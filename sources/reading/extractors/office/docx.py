"""Word documents (DOCX), streamed: headings, paragraphs, lists, text boxes, footnotes, tables by
row.

Left out: page headers and footers, deleted and hidden text, comments. ECMA-376 part 1, 17
(WordprocessingML).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from lxml import etree

from sources.reading.extractors.headings import DEPTH_MAX, HeadingTrail
from sources.reading.extractors.interface import Extraction
from sources.reading.extractors.office.numbering import Numbering
from sources.reading.extractors.office.package import OfficePackage, attribute, child, local_name
from sources.reading.extractors.prose import clean, clean_lines, has_content
from sources.reading.extractors.tables import Row, read_table_rows
from sources.reading.passages import Block

BOLD_HEADING_DEPTH = DEPTH_MAX  # a bold line stands under whatever real heading is above it
BOLD_HEADING_MAX_WORDS = 12
COLUMNS_MAX = 200  # w:gridSpan may claim millions
STYLES_DEPTH_MAX = 20  # of w:basedOn, which may run in a circle
# Subtrees that are no text of the document, and what stands in them is read elsewhere or not at
# all.
SKIPPED = frozenset(
    {"Fallback", "txbxContent", "moveFrom", "del", "rPr", "pPr", "instrText", "delText", "tbl"}
)
CHARACTERS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
NOTE_PARTS = {"footnoteReference": "footnotes", "endnoteReference": "endnotes"}
# The w:numId that takes a paragraph out of its style's list; no list's id begins with it
OWN_STYLE = re.compile(r"^(title|heading|toc)(?: ([1-9]))?$", re.IGNORECASE)
NO_LIST = "0"
OFF = ("0", "false", "off", "none")


@dataclass(frozen=True)
class Style:
    """`depth` of its heading from 1, 0 for none; `list_id` "" when it is no list; `is_contents`: it
    is for lines of the table of contents."""

    depth: int = 0
    list_id: str = ""
    list_level: int = 0
    is_bold: bool = False
    is_contents: bool = False


@dataclass
class Context:
    """What the reader of a paragraph needs beside it."""

    styles: dict[str, Style]
    numbering: Numbering
    notes: dict[tuple[str, str], str]
    trail: HeadingTrail = field(default_factory=lambda: HeadingTrail(is_location=True))


def extract(data: bytes) -> Extraction:
    package = OfficePackage.open(data, kind="document")
    return Extraction(blocks=read_document(package, package.main_part()))


def read_document(package: OfficePackage, main: str) -> Iterator[Block]:
    related = dict(package.related(main).values())
    context = Context(
        styles=read_styles(package, related.get("styles", "")),
        numbering=Numbering(package, related.get("numbering", "")),
        notes=read_notes(package, related),
    )
    for element in body_elements(package, main):
        if local_name(element) == "tbl":
            yield from read_table(element, context)
        else:
            yield from read_paragraph(element, context)


def body_elements(package: OfficePackage, main: str) -> Iterator[etree._Element]:
    """Paragraphs and tables that stand in no other one, whatever wraps them. Each is gone once the
    next is asked for.
    """
    depth = 0
    tags = ("{*}p", "{*}tbl")
    for event, element in package.iterparse(main, tags=tags, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if event == "end" and depth == 0:
            yield element
            forget(element)


def forget(element: etree._Element) -> None:
    """Frees the element and what stood before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


# --- Paragraphs -----------------------------------------------------------------------------------


def read_paragraph(paragraph: etree._Element, context: Context) -> Iterator[Block]:
    text = clean_lines(paragraph_text(paragraph))
    style = effective_style(paragraph, context.styles)
    if style.is_contents:
        return
    if has_content(text):
        depth = style.depth or (
            BOLD_HEADING_DEPTH if is_bold_heading(paragraph, text, style) else 0
        )
        label = context.numbering.label(style.list_id, style.list_level, is_heading=depth > 0)
        if depth:
            yield context.trail.enter(clean(label + text), depth)
        else:
            yield context.trail.block(label + text)
    yield from read_notes_of(paragraph, context)
    yield from read_text_boxes(paragraph, context)


def paragraph_text(element: etree._Element) -> str:
    """All text below the element but that of SKIPPED subtrees."""
    parts: list[str] = []
    for node in element:
        name = local_name(node)
        if name == "t":
            parts.append(node.text or "")
        elif name in CHARACTERS:
            parts.append(CHARACTERS[name])
        elif name not in SKIPPED and not (name == "r" and is_hidden(node)):
            parts.append(paragraph_text(node))
    return "".join(parts)


def is_hidden(run: etree._Element) -> bool:
    return is_on(child(run, "rPr", "vanish"))


def is_on(toggle: etree._Element | None) -> bool:
    return toggle is not None and attribute(toggle, "val", "1").lower() not in OFF


def is_bold_heading(paragraph: etree._Element, text: str, style: Style) -> bool:
    """A short line that is bold from end to end, and neither a sentence nor an entry ("Price: 25
    euros").
    """
    if style.list_id or len(text.split()) > BOLD_HEADING_MAX_WORDS or "\n" in text:
        return False
    if text.endswith((".", ",", ";")) or ":" in text[:-1]:
        return False
    runs = [run for run in paragraph.iter("{*}r") if clean(paragraph_text(run))]
    return bool(runs) and all(is_bold(run, style) for run in runs)


def is_bold(run: etree._Element, style: Style) -> bool:
    toggle = child(run, "rPr", "b")
    return style.is_bold if toggle is None else is_on(toggle)


def read_text_boxes(paragraph: etree._Element, context: Context) -> Iterator[Block]:
    """Boxes that float beside the paragraph. Word writes each twice, once as a fallback."""
    for box in paragraph.iter("{*}txbxContent"):
        if not any(local_name(parent) == "Fallback" for parent in box.iterancestors()):
            texts = (clean_lines(paragraph_text(each)) for each in box.iter("{*}p"))
            if has_content(text := "\n".join(filter(None, texts))):
                yield context.trail.block(text)


# --- Footnotes and endnotes -----------------------------------------------------------------------


def read_notes(package: OfficePackage, related: dict[str, str]) -> dict[tuple[str, str], str]:
    """(part, id) → text."""
    return {
        (part, attribute(note, "id")): clean(
            " ".join(paragraph_text(each) for each in note.iter("{*}p"))
        )
        for part in NOTE_PARTS.values()
        if related.get(part, "") in package
        for note in package.parse(related[part])
    }


def read_notes_of(paragraph: etree._Element, context: Context) -> Iterator[Block]:
    for name, part in NOTE_PARTS.items():
        for reference in paragraph.iter(f"{{*}}{name}"):
            text = context.notes.get((part, attribute(reference, "id")), "")
            if has_content(text):
                yield context.trail.block(text)


# --- Styles ---------------------------------------------------------------------------------------


def read_styles(package: OfficePackage, part: str) -> dict[str, Style]:
    """Each paragraph style with what it inherits."""
    if part not in package:
        return {}
    elements = {
        attribute(style, "styleId"): style for style in package.parse(part).iter("{*}style")
    }
    return {name: inherited_style(element, elements) for name, element in elements.items()}


def inherited_style(element: etree._Element, elements: dict[str, etree._Element]) -> Style:
    chain: list[etree._Element] = []
    current: etree._Element | None = element
    while current is not None and len(chain) < STYLES_DEPTH_MAX:
        chain.append(current)
        base = child(current, "basedOn")
        current = elements.get(attribute(base, "val")) if base is not None else None
    style = Style()
    for each in reversed(chain):
        style = named(refined(style, each), each)
    return style


def named(style: Style, element: etree._Element) -> Style:
    """Word names its own styles in English whatever its language: "heading 2", "Title", "toc 1"."""
    name = child(element, "name")
    match = OWN_STYLE.match(attribute(name, "val")) if name is not None else None
    if match is None:
        return style
    kind, number = match.groups()
    if kind.lower() == "toc":
        return replace(style, is_contents=True)
    return replace(style, depth=min(int(number or 1), DEPTH_MAX))


def refined(style: Style, element: etree._Element) -> Style:
    """`style` with what the properties below `element` (a style, or a paragraph) say otherwise."""
    outline = child(element, "pPr", "outlineLvl")
    list_id = child(element, "pPr", "numPr", "numId")
    list_level = child(element, "pPr", "numPr", "ilvl")
    bold = child(element, "rPr", "b")
    if outline is not None:
        level = whole_number(attribute(outline, "val"))
        style = replace(style, depth=level + 1 if level < DEPTH_MAX else 0)
    if list_id is not None:
        style = replace(style, list_id=attribute(list_id, "val").removeprefix(NO_LIST))
    if list_level is not None:
        style = replace(style, list_level=whole_number(attribute(list_level, "val")))
    return style if bold is None else replace(style, is_bold=is_on(bold))


def effective_style(paragraph: etree._Element, styles: dict[str, Style]) -> Style:
    named = child(paragraph, "pPr", "pStyle")
    style = styles.get(attribute(named, "val"), Style()) if named is not None else Style()
    return refined(style, paragraph)


def whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0


# --- Tables ---------------------------------------------------------------------------------------


def read_table(table: etree._Element, context: Context) -> Iterator[Block]:
    """Each row with its columns' names. A table of one column is a frame around paragraphs."""
    rows = list(own(table, "tr"))
    if max((len(list(own(row, "tc"))) for row in rows), default=0) < 2:
        for row in rows:
            for cell in own(row, "tc"):
                yield from read_frame(cell, context)
        return
    has_header = bool(rows) and is_on(child(rows[0], "trPr", "tblHeader"))
    for text in read_table_rows(read_rows(rows), has_header=has_header):
        yield context.trail.block(text)


def read_frame(cell: etree._Element, context: Context) -> Iterator[Block]:
    for element in cell:
        if local_name(element) == "p":
            yield from read_paragraph(element, context)
        elif local_name(element) == "tbl":
            yield from read_table(element, context)


def own(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """The rows of a table, the cells of a row: not those of a table inside, but those in content
    controls.
    """
    for node in element:
        if local_name(node) == name:
            yield node
        elif local_name(node) in ("sdt", "sdtContent", "ins", "customXml"):
            yield from own(node, name)


def read_rows(rows: Sequence[etree._Element]) -> list[Row]:
    """Cells by column: a cell that spans columns stands in the first, one that spans rows in each
    of them.
    """
    above: dict[int, str] = {}
    table: list[Row] = []
    for number, row in enumerate(rows, start=1):
        cells: list[str] = []
        for cell in own(row, "tc"):
            text = above.get(len(cells), "") if continues_above(cell) else cell_text(cell)
            above[len(cells)] = text
            cells += [text, *[""] * (span_of(cell) - 1)]
            if len(cells) > COLUMNS_MAX:
                break
        table.append(Row(number, tuple(cells[:COLUMNS_MAX])))
    return table


def cell_text(cell: etree._Element) -> str:
    return clean(" ".join(paragraph_text(paragraph) for paragraph in cell.iter("{*}p")))


def continues_above(cell: etree._Element) -> bool:
    merge = child(cell, "tcPr", "vMerge")
    return merge is not None and attribute(merge, "val", "continue") == "continue"


def span_of(cell: etree._Element) -> int:
    span = child(cell, "tcPr", "gridSpan")
    return min(max(whole_number(attribute(span, "val")), 1), COLUMNS_MAX) if span is not None else 1
