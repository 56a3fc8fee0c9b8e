"""Presentations of before 2007 (PPT): each slide's title, texts, tables by row, comments, and the
speaker's notes; footers once each.

Left out: hidden slides, dates and slide numbers. Our own reader ([MS-PPT]): office_oxide
lost the texts of placeholders of some files, and counted a title master as a slide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from reading.extractors.interface import Extraction, list_places
from reading.extractors.legacy.ppt_records import (
    NOTES,
    OUTLINE_REF,
    SLIDE,
    STRING,
    TEXT_BYTES,
    TEXT_CHARS,
    TEXT_HEADER,
    ListedSlide,
    Presentation,
    Record,
    Text,
    read_records,
)
from reading.extractors.prose import clean, clean_lines, has_content
from reading.extractors.slides import SlideBox, SlideFrame, arrange
from reading.extractors.tables import Row, read_table_rows
from reading.passages import Block
from reasons import Reason

SLIDE_ATOM, SHOW_INFO, DRAWING = 0x03EF, 0x03F9, 0x040C
FOOTERS, FOOTERS_ATOM, FOOTER, HAS_FOOTER = 0x0FD9, 0x0FDA, 2, 0x0020
BLOB, COMMENT = 0x138B, 0x2EE0
HIDDEN = 0x0004  # of SlideShowSlideInfoAtom
GROUP, SHAPE, CLIENT_ANCHOR, CHILD_ANCHOR = 0xF003, 0xF004, 0xF010, 0xF00F
PROPERTIES, PLACEHOLDER, TEXT_BOX = 0xF122, 0x0BC3, 0xF00D
TABLE_PROPERTY = 0x039F
TITLE_TEXTS, NOTES_TEXT = (0, 6), 2
REPEATED_PLACEHOLDERS = (7, 8, 9, 10)  # date, slide number, footer, header
GROUP_UNITS = 0xF009
UNITS_PER_CM = 576 / 2.54
GROUPS_MAX = 50  # in each other


@dataclass(frozen=True)
class PlacedShape:
    """`table`: the texts of a table by row, instead of `texts`; `frame`: None where the file does
    not tell its place."""

    texts: Sequence[Text] = ()
    table: Sequence[Row] = ()
    placeholder: int = 0
    frame: SlideFrame | None = None


@dataclass(frozen=True)
class Units:
    """Of a group: its place on the slide, and the numbers for its edges that its members use."""

    frame: SlideFrame
    inner: SlideFrame

    def on_slide(self, frame: SlideFrame) -> SlideFrame:
        left, right = (self._x(x) for x in (frame.left, frame.right))
        top, bottom = (self._y(y) for y in (frame.top, frame.bottom))
        return SlideFrame(left, top, right, bottom)

    def _x(self, x: float) -> float:
        width = (self.inner.right - self.inner.left) or 1.0
        share = (x - self.inner.left) / width
        return self.frame.left + share * (self.frame.right - self.frame.left)

    def _y(self, y: float) -> float:
        height = (self.inner.bottom - self.inner.top) or 1.0
        share = (y - self.inner.top) / height
        return self.frame.top + share * (self.frame.bottom - self.frame.top)


def extract(data: bytes) -> Extraction:
    presentation = Presentation(data)
    warnings: list[Reason] = []
    return Extraction(
        blocks=read_slides(presentation, warnings),
        warnings=warnings,
        pages=len(presentation.slides),
    )


def read_slides(presentation: Presentation, warnings: list[Reason]) -> Iterator[Block]:
    notes = {listed.identifier: listed for listed in presentation.notes}
    hidden, lost = [], []
    said: set[str] = set()
    for number, listed in enumerate(presentation.slides, start=1):
        slide = presentation.find(listed, SLIDE)
        if slide is None:
            lost.append(number)
        elif is_hidden(slide):
            hidden.append(number)
            continue
        spoken = notes.get(notes_of(slide)) if slide else None
        page = presentation.find(spoken, NOTES) if spoken else None
        yield from read_slide(slide, listed, page, f"slide {number}")
        if slide:
            footers = [text for text in footers_of(slide) if text not in said]
            said.update(footers)
            for text in (*comments_of(slide), *footers):
                yield Block(text, f"slide {number}")
    if hidden:
        warnings.append(Reason("hidden_slides_left_out", names=", ".join(map(str, hidden))))
    if lost:
        warnings.append(Reason("parts_of_damaged_file", places=list_places("slide", lost)))
    if presentation.objects_count:
        warnings.append(Reason("embedded_objects_left_out", count=presentation.objects_count))


def is_hidden(slide: Record) -> bool:
    return any(
        info.numbers("<iIBBH")[4] & HIDDEN for info in slide.children() if info.kind == SHOW_INFO
    )


def comments_of(slide: Record) -> Iterator[str]:
    """[MS-PPT] 2.5.23: they came with PowerPoint 2002, which put them into a blob."""
    for blob in slide.below(BLOB):
        for comment in read_records(blob.body):
            strings = {
                child.instance: clean(child.text())
                for child in comment.children()
                if comment.kind == COMMENT and child.kind == STRING
            }
            author, text = strings.get(0, ""), strings.get(1, "")
            if has_content(text):
                yield f"{author}: {text}" if author else text


def footers_of(slide: Record) -> Iterator[str]:
    for record in slide.children():
        if record.kind == FOOTERS:
            children = list(record.children())
            flags = next((c.numbers("<HH")[1] for c in children if c.kind == FOOTERS_ATOM), 0)
            for child in children:
                text = clean(child.text()) if child.kind == STRING else ""
                if child.instance == FOOTER and flags & HAS_FOOTER and has_content(text):
                    yield text


def notes_of(slide: Record) -> int:
    atom = next((child for child in slide.children() if child.kind == SLIDE_ATOM), None)
    return atom.numbers("<6I")[4] if atom else 0


def read_slide(
    slide: Record | None, listed: ListedSlide, notes: Record | None, location: str
) -> Iterator[Block]:
    shapes = list(shapes_of(slide, listed.outline)) if slide else []
    told = [text for shape in shapes for text in shape.texts]
    # What no shape refers to is read all the same.
    placed = set(told)
    loose = [text for text in listed.outline if text not in placed]
    title = " ".join(clean(each.text) for each in [*told, *loose] if each.kind in TITLE_TEXTS)
    title = title if has_content(title) else ""
    if title:
        yield Block(title, location, title, is_heading=True)
    for text in loose:
        for line in lines_of(text) if text.kind not in TITLE_TEXTS else ():
            yield Block(line, location, title)
    boxes = [
        SlideBox(lines, shape.frame) for shape in shapes if (lines := tuple(lines_of_shape(shape)))
    ]
    order = arrange(boxes, has_title=bool(title))
    yield from order.blocks(location, title)
    for line in notes_lines(notes) if notes else ():
        yield Block(line, location, title or order.title)


def lines_of_shape(shape: PlacedShape) -> Iterator[str]:
    yield from read_table_rows(shape.table)
    if shape.placeholder not in REPEATED_PLACEHOLDERS:
        for text in shape.texts:
            if text.kind not in TITLE_TEXTS:
                yield from lines_of(text)


def lines_of(text: Text) -> Iterator[str]:
    for paragraph in text.text.split("\r"):
        if has_content(line := clean_lines(paragraph.replace("\v", "\n"))):
            yield line


def notes_lines(notes: Record) -> list[str]:
    return [
        line
        for shape in shapes_of(notes, ())
        for text in shape.texts
        if text.kind == NOTES_TEXT
        for line in lines_of(text)
    ]


# --- Shapes ---------------------------------------------------------------------------------------


def shapes_of(slide: Record, outline: Sequence[Text]) -> Iterator[PlacedShape]:
    for drawing in slide.children():
        if drawing.kind == DRAWING:
            for record in drawing.below(GROUP, SHAPE):
                yield from read_shapes(record, outline, None)


def read_shapes(
    record: Record, outline: Sequence[Text], units: Units | None, nesting: int = 0
) -> Iterator[PlacedShape]:
    """Yields the shapes. `units`: those of the group around them; None on the slide itself."""
    if record.kind == SHAPE:
        yield read_shape(record, outline, units)
        return
    members = [child for child in record.children() if child.kind in (GROUP, SHAPE)]
    if members and is_table(members[0]):
        rows = read_table(members[1:], outline)
        yield PlacedShape(table=rows, frame=frame_of(members[0], units))
        return
    # The first member tells of the group itself; the outermost group is the whole slide.
    inner = units_of(members[0], units) if members and nesting else None
    for member in members if nesting < GROUPS_MAX else ():
        yield from read_shapes(member, outline, inner, nesting + 1)


def units_of(group: Record, outer: Units | None) -> Units | None:
    frame = frame_of(group, outer)
    told = next((child for child in group.children() if child.kind == GROUP_UNITS), None)
    if frame is None or told is None:
        return None
    left, top, right, bottom = told.numbers("<4i")
    return Units(frame, SlideFrame(left, top, right, bottom))


def read_shape(record: Record, outline: Sequence[Text], units: Units | None = None) -> PlacedShape:
    placeholder = next(record.below(PLACEHOLDER), None)
    return PlacedShape(
        texts=[
            text
            for box in record.children()
            if box.kind == TEXT_BOX
            for text in texts_of(box, outline)
        ],
        placeholder=placeholder.numbers("<iB")[1] if placeholder else 0,
        frame=frame_of(record, units),
    )


def texts_of(box: Record, outline: Sequence[Text]) -> Iterator[Text]:
    kind = 4
    for child in box.children():
        if child.kind == TEXT_HEADER:
            (kind,) = child.numbers("<I")
        elif child.kind in (TEXT_CHARS, TEXT_BYTES):
            yield Text(kind, child.text())
        elif child.kind == OUTLINE_REF and (index := child.numbers("<I")[0]) < len(outline):
            yield outline[index]


def frame_of(shape: Record, units: Units | None) -> SlideFrame | None:
    """Its place on the slide, or within a group of unknown place in that group's own units."""
    for anchor in shape.children():
        if anchor.kind == CLIENT_ANCHOR:
            edges = anchor.numbers("<4h" if len(anchor.body) < 16 else "<4i")
            top, left, right, bottom = (edge / UNITS_PER_CM for edge in edges)
            return SlideFrame(left, top, right, bottom)
        if anchor.kind == CHILD_ANCHOR:
            frame = SlideFrame(*anchor.numbers("<4i"))
            return units.on_slide(frame) if units else frame
    return None


# --- Tables ---------------------------------------------------------------------------------------


def is_table(shape: Record) -> bool:
    """[MS-ODRAW] 2.3.4.37: a group whose members are the cells and the borders of a table."""
    for properties in shape.children():
        if properties.kind == PROPERTIES:
            for index in range(min(properties.instance, len(properties.body) // 6)):
                name, value = Record(0, 0, 0, properties.body[index * 6 :]).numbers("<HI")
                if name & 0x3FFF == TABLE_PROPERTY:
                    return bool(value & 1)
    return False


def read_table(cells: Sequence[Record], outline: Sequence[Text]) -> list[Row]:
    """The table's rows, from the places of its cells: one row for each top, one column for each
    left edge."""
    shapes = [
        (shape, shape.frame or SlideFrame(0, 0, 0, 0))
        for shape in (read_shape(cell, outline) for cell in cells)
        if shape.texts
    ]
    lefts = sorted({frame.left for _, frame in shapes})
    column = {left: index for index, left in enumerate(lefts)}
    rows: list[Row] = []
    by_top = groupby(
        sorted(shapes, key=lambda cell: (cell[1].top, cell[1].left)), key=lambda cell: cell[1].top
    )
    for number, (_, members) in enumerate(by_top, start=1):
        texts = [""] * len(lefts)
        for shape, frame in members:
            texts[column[frame.left]] += clean(" ".join(text.text for text in shape.texts))
        rows.append(Row(number, tuple(texts)))
    return rows
