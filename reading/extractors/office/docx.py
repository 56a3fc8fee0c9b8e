"""Word documents (DOCX), streamed: headings, paragraphs, lists, text boxes, notes, comments, tables
by row, charts; page headers and footers once each.

Left out: deleted, struck out and hidden text, and the table of contents where it repeats the
headings. ECMA-376 part 1, 17 (WordprocessingML).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.headings import DEPTH_MAX, HeadingTrail
from reading.extractors.html import document
from reading.extractors.interface import Extraction
from reading.extractors.office.charts import read_graphics
from reading.extractors.office.drawings import description_of, drop_fallbacks
from reading.extractors.office.numbering import Numbering
from reading.extractors.office.package import (
    DamagedPart,
    OfficePackage,
    attribute,
    child,
    local_name,
    relation_id,
)
from reading.extractors.office.word_text import (
    PAGE_NUMBER,
    STRIKES,
    drop_struck,
    is_on,
    mark_page_numbers,
    paragraph_text,
    whole_number,
)
from reading.extractors.prose import clean, clean_lines, has_content
from reading.extractors.tables import Row, read_table_rows
from reading.extractors.text.encoding import decode
from reading.passages import Block
from reasons import Reason

USUAL_MAIN = "word/document.xml"
BOLD_HEADING_DEPTH = DEPTH_MAX  # a bold line stands under whatever real heading is above it
BOLD_HEADING_MAX_WORDS = 12
COLUMNS_MAX = 200  # that spans may make: w:gridSpan may claim millions
STYLES_DEPTH_MAX = 20  # of w:basedOn, which may run in a circle
NOTE_PARTS = {
    "footnoteReference": "footnotes",
    "endnoteReference": "endnotes",
    "commentReference": "comments",
}
FRAME_KINDS = {"header": "page header", "footer": "page footer"}
# "Page 3 of 12": beside the numbers of pages, so few words say nothing
PAGE_WORDS_MAX = 3
OBJECT_KINDS = ("package", "oleObject")
CHUNK_KIND = "aFChunk"
DAMAGED_BODY = Reason("document_read_in_part")
DAMAGED_NOTES = Reason("notes_read_in_part")
DAMAGED_FRAMES = Reason("frames_read_in_part")
# The w:numId that takes a paragraph out of its style's list; no list's id begins with it
OWN_STYLE = re.compile(r"^(title|heading|toc)(?: ([1-9]))?$", re.IGNORECASE)
NO_LIST = "0"
WRAPPERS = (
    "sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag", "AlternateContent", "Choice",
)  # fmt: skip
REPEATED_MAX_CHARS = 300  # a longer paragraph is no line of a table of contents


@dataclass(frozen=True)
class Style:
    """The style of a paragraph. `depth` of its heading from 1, 0 for none; `list_id` "" outside
    lists; `is_contents`: it is for lines of the table of contents."""

    depth: int = 0
    list_id: str = ""
    list_level: int = 0
    is_bold: bool = False
    is_struck: bool = False
    is_contents: bool = False


@dataclass
class Context:
    """The data that the reader of a paragraph needs beside it. `struck`: the ids of styles that
    strike text out; `notes`: those that no paragraph has referred to yet; `said`: the letters of
    each short paragraph so far, for the table of contents.
    """

    package: OfficePackage
    related: Mapping[str, tuple[str, str]]
    styles: dict[str, Style]
    struck: Set[str]
    numbering: Numbering
    notes: dict[tuple[str, str], str]
    trail: HeadingTrail = field(default_factory=lambda: HeadingTrail(is_location=True))
    contents: list[str] = field(default_factory=list)
    said: set[int] = field(default_factory=set)
    unread_graphics: int = 0
    unread_insertions: int = 0


def extract(data: bytes) -> Extraction:
    package = OfficePackage.open(data, kind="document")
    warnings: list[Reason] = []
    blocks = read_document(package, package.main_part(USUAL_MAIN), warnings)
    return Extraction(blocks=blocks, warnings=warnings)


def read_document(package: OfficePackage, main: str, warnings: list[Reason]) -> Iterator[Block]:
    kinds = package.related_kinds(main)
    styles = read_styles(package, part_of("styles", package, kinds))
    struck = {name for name, style in styles.items() if style.is_struck}
    context = Context(
        package=package,
        related=package.related(main),
        styles=styles,
        struck=struck,
        numbering=Numbering(package, part_of("numbering", package, kinds)),
        notes=read_notes(package, kinds, warnings, struck),
    )
    yield from read_body(main, context, warnings)
    for line in context.contents:
        if letters_of(line) not in context.said:
            yield Block(line)
    for text in filter(has_content, context.notes.values()):  # nothing refers to them
        yield Block(text)
    yield from read_frames(kinds, context, warnings)
    if context.unread_graphics:
        warnings.append(Reason("graphics_read_in_part", count=context.unread_graphics))
    if context.unread_insertions:
        warnings.append(Reason("inserted_texts_left_out", count=context.unread_insertions))
    if objects := sum(len(kinds.get(kind, ())) for kind in OBJECT_KINDS):
        warnings.append(Reason("embedded_objects_left_out", count=objects))


def part_of(kind: str, package: OfficePackage, kinds: Mapping[str, Sequence[str]]) -> str:
    """The name of a part; if nothing leads to it, the name that most programs give it."""
    return next(iter([*kinds.get(kind, ()), *package.names(rf"word/{kind}\.xml")]), "")


def read_body(main: str, context: Context, warnings: list[Reason]) -> Iterator[Block]:
    """Raises DamagedPart when nothing of it can be read."""
    has_text = False
    try:
        for element in body_elements(context.package, main):
            drop_struck(element, context.struck)
            for block in read_element(element, context):
                has_text = True
                if len(block.text) <= REPEATED_MAX_CHARS:
                    context.said.add(letters_of(block.text))
                yield block
    except DamagedPart:
        if not has_text:
            raise
        warnings.append(DAMAGED_BODY)


def letters_of(line: str) -> int:
    """The same for a heading and its line in the table of contents, which has a page number."""
    return hash("".join(filter(str.isalpha, line)).casefold())


def body_elements(package: OfficePackage, main: str) -> Iterator[etree._Element]:
    """Paragraphs, tables and inserted files that stand in no other one, whatever wraps them. Each
    is gone once the next is asked for.
    """
    depth = 0
    tags = ("{*}p", "{*}tbl", "{*}altChunk")
    for event, element in package.iterparse(main, tags=tags, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if event == "end" and depth == 0:
            drop_fallbacks(element)
            yield element
            forget(element)


def forget(element: etree._Element) -> None:
    """Frees the element and what stood before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def read_element(element: etree._Element, context: Context) -> Iterator[Block]:
    match local_name(element):
        case "tbl":
            yield from read_table(element, context)
        case "p":
            yield from read_paragraph(element, context)
        case "altChunk":
            yield from read_insertion(element, context)


def elements_in(element: etree._Element) -> Iterator[etree._Element]:
    """Paragraphs and tables of a cell, a text box or a page header, whatever wraps them."""
    for node in element:
        if local_name(node) in ("p", "tbl", "altChunk"):
            yield node
        elif local_name(node) in WRAPPERS:
            yield from elements_in(node)


# --- Paragraphs -----------------------------------------------------------------------------------


def read_paragraph(paragraph: etree._Element, context: Context) -> Iterator[Block]:
    text = clean_lines(paragraph_text(paragraph))
    style = effective_style(paragraph, context.styles)
    if style.is_contents:
        context.contents.append(text)
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
    yield from read_drawn(paragraph, context)


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


# --- What stands beside the text ------------------------------------------------------------------


def read_text_boxes(paragraph: etree._Element, context: Context) -> Iterator[Block]:
    """Boxes that float beside the paragraph, each as one text and the rows of its tables; a box in
    a box stands in the outer one's.
    """
    for box in paragraph.iter("{*}txbxContent"):
        if next(box.iterancestors("{*}txbxContent"), None) is not None:
            continue
        texts: list[str] = []
        rows: list[str] = []
        for element in elements_in(box):
            if local_name(element) == "tbl":
                rows += table_texts(element)
            else:
                texts += (clean_lines(paragraph_text(each)) for each in element.iter("{*}p"))
        for text in filter(has_content, ["\n".join(filter(None, texts)), *rows]):
            yield context.trail.block(text)


def read_notes(
    package: OfficePackage,
    kinds: Mapping[str, Sequence[str]],
    warnings: list[Reason],
    struck: Set[str],
) -> dict[tuple[str, str], str]:
    """(kind, id) → text; a comment begins with its author."""
    notes: dict[tuple[str, str], str] = {}
    for kind in NOTE_PARTS.values():
        name = part_of(kind, package, kinds)
        part = package.read(name)
        if name and not part.is_whole and DAMAGED_NOTES not in warnings:
            warnings.append(DAMAGED_NOTES)
        for note in part.root if part.root is not None else ():
            drop_fallbacks(note)
            drop_struck(note, struck)
            text = clean(" ".join(paragraph_text(each) for each in note.iter("{*}p")))
            author = clean(attribute(note, "author"))
            notes[kind, attribute(note, "id")] = (
                f"{author}: {text}" if author and has_content(text) else text
            )
    return notes


def read_notes_of(element: etree._Element, context: Context) -> Iterator[Block]:
    for name, kind in NOTE_PARTS.items():
        for reference in element.iter(f"{{*}}{name}"):
            text = context.notes.pop((kind, attribute(reference, "id")), "")
            if has_content(text):
                yield context.trail.block(text)


def read_drawn(element: etree._Element, context: Context) -> Iterator[Block]:
    """Charts, diagrams, and what pictures are said to show."""
    for drawing in element.iter("{*}drawing"):
        for graphic in read_graphics(context.package, context.related, drawing):
            context.unread_graphics += not graphic.is_whole
            for text in filter(has_content, [graphic.title, *graphic.texts]):
                yield context.trail.block(text)
        if description := description_of(drawing):
            yield context.trail.block(description)


def read_insertion(element: etree._Element, context: Context) -> Iterator[Block]:
    """A file that Word would merge when it opens the document."""
    _, name = context.related.get(relation_id(element), ("", ""))
    try:
        data = b"".join(context.package.stream(name))
    except DamagedPart:
        data = b""
    if data and name.lower().endswith((".htm", ".html", ".xhtml")):
        try:
            blocks = document.extract(data).blocks
        except UnreadableFile:
            context.unread_insertions += 1
            return
        for block in blocks:
            yield context.trail.block(block.text)
    elif data and name.lower().endswith(".txt"):
        for line in clean_lines(decode(data)).splitlines():
            yield context.trail.block(line)
    else:
        context.unread_insertions += 1


def read_frames(
    kinds: Mapping[str, Sequence[str]], context: Context, warnings: list[Reason]
) -> Iterator[Block]:
    """Yields the texts of page headers and footers, once each and without page numbers."""
    said: set[str] = set()
    for kind, location in FRAME_KINDS.items():
        parts = [context.package.read(name) for name in kinds.get(kind, ())]
        if not all(part.is_whole for part in parts) and DAMAGED_FRAMES not in warnings:
            warnings.append(DAMAGED_FRAMES)
        for part in parts:
            text = frame_text(part.root, context.struck) if part.root is not None else ""
            if has_content(text) and text not in said:
                said.add(text)
                yield Block(text, location)


def frame_text(root: etree._Element, struck: Set[str]) -> str:
    drop_fallbacks(root)
    drop_struck(root, struck)
    mark_page_numbers(root)
    lines = []
    for paragraph in root.iter("{*}p"):
        parts = [
            part.replace(PAGE_NUMBER, " ")
            for part in paragraph_text(paragraph).split("\t")
            if PAGE_NUMBER not in part
            or len(part.replace(PAGE_NUMBER, " ").split()) > PAGE_WORDS_MAX
        ]
        lines.append(clean_lines(" ".join(parts)))
    return "\n".join(filter(has_content, dict.fromkeys(lines)))


# --- Styles ---------------------------------------------------------------------------------------


def read_styles(package: OfficePackage, part: str) -> dict[str, Style]:
    """Each paragraph style with what it inherits."""
    root = package.read(part).root
    if root is None:
        return {}
    elements = {attribute(style, "styleId"): style for style in root.iter("{*}style")}
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
    if bold is not None:
        style = replace(style, is_bold=is_on(bold))
    strikes = [each for name in STRIKES if (each := child(element, "rPr", name)) is not None]
    return replace(style, is_struck=any(map(is_on, strikes))) if strikes else style


def effective_style(paragraph: etree._Element, styles: dict[str, Style]) -> Style:
    named = child(paragraph, "pPr", "pStyle")
    style = styles.get(attribute(named, "val"), Style()) if named is not None else Style()
    return refined(style, paragraph)


# --- Tables ---------------------------------------------------------------------------------------


def read_table(table: etree._Element, context: Context) -> Iterator[Block]:
    """Each row with its columns' names. A table of one column is a frame around paragraphs."""
    rows = list(own(table, "tr"))
    if max((len(list(own(row, "tc"))) for row in rows), default=0) < 2:
        for row in rows:
            for cell in own(row, "tc"):
                for element in elements_in(cell):
                    yield from read_element(element, context)
        return
    for text in table_texts(table):
        yield context.trail.block(text)
    yield from read_notes_of(table, context)
    yield from read_drawn(table, context)


def table_texts(table: etree._Element) -> Iterator[str]:
    rows = list(own(table, "tr"))
    has_header = bool(rows) and is_on(child(rows[0], "trPr", "tblHeader"))
    return read_table_rows(read_rows(rows), has_header=has_header)


def own(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """The rows of a table, the cells of a row: not those of a table inside, but those in content
    controls.
    """
    for node in element:
        if local_name(node) == name:
            yield node
        elif local_name(node) in WRAPPERS:
            yield from own(node, name)


def read_rows(rows: Sequence[etree._Element]) -> list[Row]:
    """Cells by column: a cell that spans columns stands in the first, one that spans rows in each
    of them.
    """
    above: dict[int, str] = {}
    table: list[Row] = []
    for number, row in enumerate(rows, start=1):
        cells: list[str] = []
        spans: dict[int, int] = {}
        for cell in own(row, "tc"):
            if span_of(cell) > 1:
                spans[len(cells)] = span_of(cell)
            text = above.get(len(cells), "") if continues_above(cell) else cell_text(cell)
            above[len(cells)] = text
            cells += [text, *[""] * min(span_of(cell) - 1, max(COLUMNS_MAX - len(cells), 0))]
        table.append(Row(number, tuple(cells), spans))
    return table


def cell_text(cell: etree._Element) -> str:
    return clean(" ".join(paragraph_text(paragraph) for paragraph in cell.iter("{*}p")))


def continues_above(cell: etree._Element) -> bool:
    merge = child(cell, "tcPr", "vMerge")
    return merge is not None and attribute(merge, "val", "continue") == "continue"


def span_of(cell: etree._Element) -> int:
    span = child(cell, "tcPr", "gridSpan")
    return min(max(whole_number(attribute(span, "val")), 1), COLUMNS_MAX) if span is not None else 1
