"""Presentations (PPTX): each slide's title, texts, tables by row, charts, notes and comments; what
stands on every slide once.

Left out: slide numbers, and, said, hidden slides. ECMA-376 part 1, 19 (PresentationML) and 21.1
(DrawingML).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.interface import TOO_LARGE, Extraction, list_numbers, list_places
from reading.extractors.office.charts import read_graphics
from reading.extractors.office.drawings import (
    description_of,
    drop_fallbacks,
    paragraphs_of,
)
from reading.extractors.office.package import (
    DamagedPart,
    OfficePackage,
    attribute,
    child,
    local_name,
    relation_id,
)
from reading.extractors.office.slide_frames import (
    LayoutFrames,
    Placement,
    inherited_frame,
    is_all_bold,
    read_layout,
    size_of,
)
from reading.extractors.office.word_text import whole_number
from reading.extractors.prose import clean, has_content
from reading.extractors.slides import Node, SlideBox, SlideGroup, arrange
from reading.extractors.tables import Row, read_table_rows
from reading.passages import Block
from reasons import Reason

USUAL_MAIN = "ppt/presentation.xml"
TITLE_KINDS = ("title", "ctrTitle")
REPEATED_KINDS = ("ftr", "dt", "hdr")  # on every slide: read once
NUMBER_KIND = "sldNum"
LEFT_TO_OTHERS = (*TITLE_KINDS, *REPEATED_KINDS, NUMBER_KIND)  # read by themselves, or not at all
OBJECT_KINDS = ("package", "oleObject")
NESTING_MAX = 50  # of grouped shapes
SLIDES_MAX = 10_000  # the list may name one slide a million times


@dataclass(frozen=True)
class Slide:
    number: int
    part: str


@dataclass
class Deck:
    """The data that the reader of a slide needs beside it. The lists hold the numbers of slides of
    which something was not read; `said`: texts that stand on many slides, once read."""

    package: OfficePackage
    damaged: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    notes: list[int] = field(default_factory=list)
    graphics: list[int] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    said: set[str] = field(default_factory=set)
    backgrounds: set[str] = field(default_factory=set)
    layouts: dict[str, LayoutFrames] = field(default_factory=dict)

    def frames_of(self, layout: str) -> LayoutFrames:
        """The places that a layout gives; it is the same of many slides."""
        if layout not in self.layouts:
            self.layouts[layout] = read_layout(self.package, layout)
        return self.layouts[layout]

    def warnings(self) -> Iterator[Reason]:
        for slides, code in (
            (self.damaged, "parts_not_read"),
            (self.cut, "parts_read_in_part"),
            (self.notes, "parts_notes_read_in_part"),
            (self.graphics, "parts_graphic_read_in_part"),
            (self.objects, "parts_object_left_out"),
        ):
            if slides:
                yield Reason(code, places=list_places("slide", slides))


def extract(data: bytes) -> Extraction:
    package = OfficePackage.open(data, kind="presentation")
    deck = Deck(package)
    slides, hidden = list_slides(deck)
    warnings = [Reason("hidden_slides_left_out", names=list_numbers(hidden))] if hidden else []
    return Extraction(
        blocks=read_slides(deck, slides, warnings),
        warnings=warnings,
        pages=len(slides) + len(hidden) + len(deck.damaged),
    )


def list_slides(deck: Deck) -> tuple[list[Slide], list[int]]:
    """(the slides that are shown, the numbers of the hidden ones). Where the list of slides is
    lost, they come as their parts are numbered.
    """
    package = deck.package
    main = package.main_part(USUAL_MAIN)
    related = package.related(main)
    root = package.read(main).root
    listed = child(root, "sldIdLst") if root is not None else None
    entries = list(listed.iter("{*}sldId")) if listed is not None else []
    if len(entries) > SLIDES_MAX:
        raise UnreadableFile(TOO_LARGE)
    parts = [related.get(relation_id(entry), ("", ""))[1] for entry in entries]
    if not any(parts):
        parts = package.names(r"ppt/slides/slide\d+\.xml")
    slides, hidden = [], []
    for number, part in enumerate(parts, start=1):
        slide = package.read(part).root
        if slide is None:
            deck.damaged.append(number)
        elif attribute(slide, "show", "1") in ("0", "false"):
            hidden.append(number)
        else:
            slides.append(Slide(number, part))
    return slides, hidden


def read_slides(deck: Deck, slides: list[Slide], warnings: list[Reason]) -> Iterator[Block]:
    """Raises DamagedPart when there are slides and none can be read."""
    if deck.damaged and not slides:
        raise DamagedPart
    authors = read_authors(deck.package)
    for slide in slides:
        part = deck.package.read(slide.part)
        if not part.is_whole:
            deck.cut.append(slide.number)
        if part.root is not None:
            drop_fallbacks(part.root)
            yield from read_slide(deck, slide, part.root, authors)
    warnings += deck.warnings()


def read_slide(
    deck: Deck, slide: Slide, root: etree._Element, authors: dict[str, str]
) -> Iterator[Block]:
    shapes = list(shapes_of(root))
    title = clean(
        " ".join(shape_text(shape) for shape in shapes if placeholder(shape) in TITLE_KINDS)
    )
    location = f"slide {slide.number}"
    title = title if has_content(title) else ""
    if title:
        yield Block(title, location, title, is_heading=True)
    order = arrange(list(read_nodes(deck, slide, root)), has_title=bool(title))
    yield from order.blocks(location, title)
    kinds = deck.package.related_kinds(slide.part)
    if any(kinds.get(kind) for kind in OBJECT_KINDS):
        deck.objects.append(slide.number)
    for text in [
        *(
            text
            for shape in shapes
            if placeholder(shape) in REPEATED_KINDS
            for text in once(deck, shape)
        ),
        *background_texts(deck, kinds),
        *notes_texts(deck, slide, kinds),
        *comment_texts(deck, slide, kinds, authors),
    ]:
        yield Block(text, location, title or order.title)


def read_nodes(deck: Deck, slide: Slide, root: etree._Element) -> Iterator[Node]:
    """Yields the slide's shapes with text, and its groups; not its title, its number and what
    stands on every slide."""
    related = deck.package.related(slide.part)
    layouts = deck.package.related_kinds(slide.part).get("slideLayout", ())
    inherited = deck.frames_of(layouts[0]) if layouts else {}

    def read(tree: etree._Element, place: Placement, nesting: int) -> Iterator[Node]:
        for node in children_of(tree):
            if local_name(node) == "grpSp":
                if nesting < NESTING_MAX:
                    inner = place.within(node)
                    yield SlideGroup(tuple(read(node, inner, nesting + 1)))
            elif placeholder(node) not in LEFT_TO_OTHERS and (
                texts := tuple(shape_texts(deck, slide, node, related))
            ):
                frame = place.frame_of(node) or inherited_frame(node, inherited)
                yield SlideBox(texts, frame, is_all_bold(node), size_of(node))

    tree = next(root.iter("{*}spTree"), None)
    if tree is not None:
        yield from read(tree, Placement(), 0)


def shape_texts(
    deck: Deck, slide: Slide, shape: etree._Element, related: Mapping[str, tuple[str, str]]
) -> Iterator[str]:
    table = next(shape.iter("{*}tbl"), None)
    if table is not None:
        yield from read_table_rows(read_rows(table))
    else:
        yield from paragraphs_of(shape)
    for graphic in read_graphics(deck.package, related, shape):
        if not graphic.is_whole:
            deck.graphics.append(slide.number)
        yield from filter(has_content, [graphic.title, *graphic.texts])
    if description := description_of(shape):
        yield description


def once(deck: Deck, shape: etree._Element) -> Iterator[str]:
    """Yields texts that stand on many slides, once; a date that changes with the day is left
    out."""
    if next(shape.iter("{*}fld"), None) is None:
        for text in paragraphs_of(shape):
            if text not in deck.said:
                deck.said.add(text)
                yield text


def notes_texts(deck: Deck, slide: Slide, kinds: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name in kinds.get("notesSlide", ()):
        notes = deck.package.read(name)
        if not notes.is_whole:
            deck.notes.append(slide.number)
        for shape in shapes_of(notes.root) if notes.root is not None else ():
            if placeholder(shape) in ("", "body"):
                yield from paragraphs_of(shape)
            elif placeholder(shape) in REPEATED_KINDS:
                yield from once(deck, shape)


def background_texts(deck: Deck, kinds: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yields the texts that the slide's layout and master show on every slide; their placeholders
    only tell authors where to write."""
    layouts = kinds.get("slideLayout", ())
    masters = [
        master
        for layout in layouts
        for master in deck.package.related_kinds(layout).get("slideMaster", ())
    ]
    for name in [*masters, *layouts]:
        if name not in deck.backgrounds:
            deck.backgrounds.add(name)
            root = deck.package.read(name).root
            for shape in shapes_of(root) if root is not None else ():
                if not placeholder(shape):
                    yield from once(deck, shape)


def comment_texts(
    deck: Deck, slide: Slide, kinds: Mapping[str, Sequence[str]], authors: Mapping[str, str]
) -> Iterator[str]:
    """Yields comments, old ones (p:text) and those in threads (paragraphs), each after its
    author."""
    for name in kinds.get("comments", ()):
        comments = deck.package.read(name)
        if not comments.is_whole:
            deck.notes.append(slide.number)
        for comment in (
            comments.root.iter("{*}cm", "{*}reply") if (comments.root is not None) else ()
        ):
            body = child(comment, "txBody")
            written = child(comment, "text")
            text = clean(
                " ".join(paragraphs_of(body)) if body is not None
                else (written.text or "") if written is not None else ""
            )  # fmt: skip
            author = authors.get(attribute(comment, "authorId"), "")
            if has_content(text):
                yield f"{author}: {text}" if author else text


def read_authors(package: OfficePackage) -> dict[str, str]:
    """Id → name, of both kinds of comments."""
    roots = [package.read(part).root for part in package.names(r"ppt/(?:comment)?authors\.xml")]
    return {
        attribute(author, "id"): clean(attribute(author, "name"))
        for root in roots
        if root is not None
        for author in root
    }


def shapes_of(element: etree._Element) -> Iterator[etree._Element]:
    """Shapes, tables, charts and pictures, those of groups too."""

    def within(tree: etree._Element, nesting: int) -> Iterator[etree._Element]:
        for node in children_of(tree):
            if local_name(node) != "grpSp":
                yield node
            elif nesting < NESTING_MAX:
                yield from within(node, nesting + 1)

    tree = next(element.iter("{*}spTree"), None)
    return iter(()) if tree is None else within(tree, 0)


def children_of(tree: etree._Element, nesting: int = 0) -> Iterator[etree._Element]:
    """Yields shapes, tables, charts, pictures and groups."""
    for node in tree:
        name = local_name(node)
        if name in ("sp", "graphicFrame", "pic", "grpSp"):
            yield node
        elif name == "AlternateContent" and nesting < NESTING_MAX:
            choice = child(node, "Choice")
            yield from children_of(choice, nesting + 1) if choice is not None else ()


def placeholder(shape: etree._Element) -> str:
    """The part of the layout that a shape fills; "" if it does not fill any; a body is the kind
    without a name."""
    mark = next(shape.iter("{*}ph"), None)
    return attribute(mark, "type", "body") if mark is not None else ""


def shape_text(shape: etree._Element) -> str:
    return " ".join(paragraphs_of(shape))


def read_rows(table: etree._Element) -> list[Row]:
    """Cells by column; a cell that spans rows stands in each of them."""
    above: dict[int, str] = {}
    rows: list[Row] = []
    for number, row in enumerate(table.iter("{*}tr"), start=1):
        for index, cell in enumerate(row.iter("{*}tc")):
            if attribute(cell, "vMerge") not in ("1", "true"):
                above[index] = clean(" ".join(paragraphs_of(cell)))
        cells = list(row.iter("{*}tc"))
        spans = {
            index: width
            for index, cell in enumerate(cells)
            if (width := whole_number(attribute(cell, "gridSpan"))) > 1
        }
        rows.append(Row(number, tuple(above.get(index, "") for index in range(len(cells))), spans))
    return rows
