"""The order in which the boxes of a slide are read: from top to bottom and from left to right, but
columns that have their own headings one after the other, each box under its heading.

What looks like a table without being one (labels and values in rows of boxes) is read by row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean

from reading.extractors.prose import section_path
from reading.passages import Block

LINE_CM = 0.8  # boxes whose tops differ by less stand beside each other
HEADING_MAX_WORDS = 8
TITLE_MAX_WORDS = 12
HEADING_MIN_LETTERS = 2
GROUPS_MAX = 50  # in each other
# Of a slide that people read; a hostile one has any number
COLUMNS_MAX = 12
COLUMN_ROWS_MAX = 60
HEADINGS_TRIED = 30  # rows that are held against what is below them
DIGITS = re.compile(r"\d[\d.,:]*")


@dataclass(frozen=True)
class SlideFrame:
    """A place on a slide, in centimetres from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def is_over(self, other: SlideFrame) -> bool:
        return self.left <= other.right and other.left <= self.right


@dataclass(frozen=True)
class SlideBox:
    """A shape with text. `frame`: None where the file does not tell its place; `size`: of its type
    in points, 0 where the file does not tell it."""

    texts: tuple[str, ...]
    frame: SlideFrame | None = None
    is_bold: bool = False
    size: float = 0.0

    @property
    def is_long(self) -> bool:
        return len(self.texts) > 1 or len(self.texts[0].split()) > HEADING_MAX_WORDS

    def could_be_heading(self, words_max: int = HEADING_MAX_WORDS) -> bool:
        text = self.texts[0]
        return (
            len(self.texts) == 1
            and "\n" not in text
            and len(text.split()) <= words_max
            and sum(map(str.isalpha, text)) >= HEADING_MIN_LETTERS
            and not text.endswith((".", ",", ";"))
        )


@dataclass(frozen=True)
class SlideGroup:
    """Shapes that their author has joined."""

    members: tuple[Node, ...]


Node = SlideBox | SlideGroup


@dataclass(frozen=True)
class PlacedBox:
    """`frame` and `boxes` of one box, or of a card: a group that begins with its heading."""

    frame: SlideFrame
    boxes: tuple[SlideBox, ...]

    @property
    def box(self) -> SlideBox:
        return self.boxes[0]

    @property
    def is_card(self) -> bool:
        return len(self.boxes) > 1

    @property
    def is_long(self) -> bool:
        return self.is_card or self.box.is_long

    @property
    def could_be_heading(self) -> bool:
        return not self.is_card and self.box.could_be_heading()


Rows = Sequence[Sequence[PlacedBox]]


@dataclass
class SlideColumn:
    """Boxes that are read together; `heading`: "" where they have none of their own."""

    heading: str = ""
    boxes: list[SlideBox] = field(default_factory=list)


@dataclass(frozen=True)
class SlideOrder:
    """`title`: the box above all columns, on a slide that names no title itself; else ""."""

    columns: Sequence[SlideColumn]
    title: str = ""

    def blocks(self, location: str, title: str) -> Iterator[Block]:
        """`title`: the slide's own, "" where it has none; then that of its columns is a block."""
        if self.title and not title:
            title = self.title
            yield Block(title, location, title, is_heading=True)
        for column in self.columns:
            section = section_path([title, column.heading])
            if column.heading:
                yield Block(column.heading, location, section, is_heading=True)
            for box in column.boxes:
                for text in box.texts:
                    yield Block(text, location, section)


def arrange(nodes: Sequence[Node], *, has_title: bool = False) -> SlideOrder:
    """The boxes in the order in which they are read; as they are stored where the place of one is
    not known. `has_title`: the slide names one, so that none is sought among the boxes."""
    placed = place_nodes(nodes)
    if placed is None:
        return SlideOrder([SlideColumn(boxes=list(boxes_of(nodes)))])
    columns = list(find_columns(rows_of(placed)))
    first = columns[0].boxes if columns and not columns[0].heading else []
    has_columns = any(column.heading for column in columns)
    if has_columns and not has_title and len(first) == 1:
        (box,) = first
        if box.could_be_heading(TITLE_MAX_WORDS):
            return SlideOrder(columns[1:], box.texts[0])
    return SlideOrder(columns)


def find_columns(rows: Rows) -> Iterator[SlideColumn]:
    """Yields columns with a heading, and what stands between them in columns without one."""
    loose = SlideColumn()
    index = tried = 0
    while index < len(rows):
        end = None
        if tried < HEADINGS_TRIED and could_head_columns(rows[index]):
            tried += 1
            end = band_end(rows, index)
        found = [
            SlideColumn(each.box.texts[0], list(each.boxes[1:]))
            for each in rows[index]
            if each.is_card
        ]
        if end is not None:
            found = band_columns(rows[index:end])
        elif not found:
            loose.boxes += [each.box for each in rows[index]]
        else:
            loose.boxes += [each.box for each in rows[index] if not each.is_card]
        if found:
            if loose.boxes:
                yield loose
                loose = SlideColumn()
            yield from found
        index = end or index + 1
    if loose.boxes:
        yield loose


# --- Rows -----------------------------------------------------------------------------------------


def rows_of(placed: Sequence[PlacedBox]) -> list[list[PlacedBox]]:
    """The rows from top to bottom, each from left to right."""
    rows: list[list[PlacedBox]] = []
    for each in sorted(placed, key=lambda each: each.frame.top):
        if rows and each.frame.top - rows[-1][0].frame.top < LINE_CM:
            rows[-1].append(each)
        else:
            rows.append([each])
    return [sorted(row, key=lambda each: each.frame.left) for row in rows]


def boxes_of(nodes: Sequence[Node], nesting: int = 0) -> Iterator[SlideBox]:
    for node in nodes:
        if isinstance(node, SlideBox):
            yield node
        elif nesting < GROUPS_MAX:
            yield from boxes_of(node.members, nesting + 1)


def place_nodes(nodes: Sequence[Node], nesting: int = 0) -> list[PlacedBox] | None:
    """Boxes and cards; the boxes of groups that are not cards. None where a place is missing."""
    cards = find_cards(nodes)
    placed: list[PlacedBox] = []
    for node in nodes:
        if (card := cards.get(id(node))) is not None:
            placed.append(card)
        elif isinstance(node, SlideBox):
            if node.frame is None:
                return None
            placed.append(PlacedBox(node.frame, (node,)))
        elif nesting < GROUPS_MAX:
            members = place_nodes(node.members, nesting + 1)
            if members is None:
                return None
            placed += members
    return placed


def find_cards(nodes: Sequence[Node]) -> dict[int, PlacedBox]:
    """Groups beside each other of which each begins with a heading; one alone is not a card."""
    cards = {
        id(node): card
        for node in nodes
        if isinstance(node, SlideGroup) and (card := read_card(node)) is not None
    }
    rows = rows_of(list(cards.values()))
    are_apart = all(
        left.frame.right <= right.frame.left for row in rows for left, right in pairwise(row)
    )
    return cards if are_apart and any(len(row) > 1 for row in rows) else {}


def read_card(group: SlideGroup) -> PlacedBox | None:
    boxes = list(boxes_of([group]))
    frames = [box.frame for box in boxes if box.frame is not None]
    if len(boxes) < 2 or len(frames) < len(boxes):
        return None
    rows = rows_of([PlacedBox(frame, (box,)) for frame, box in zip(frames, boxes, strict=True)])
    if len(rows[0]) != 1 or not rows[0][0].could_be_heading:
        return None
    whole = SlideFrame(
        min(frame.left for frame in frames),
        min(frame.top for frame in frames),
        max(frame.right for frame in frames),
        max(frame.bottom for frame in frames),
    )
    return PlacedBox(whole, tuple(each.box for row in rows for each in row))


# --- Columns --------------------------------------------------------------------------------------


def could_head_columns(row: Sequence[PlacedBox]) -> bool:
    return 1 < len(row) <= COLUMNS_MAX and all(each.could_be_heading for each in row)


def band_end(rows: Rows, start: int) -> int | None:
    """The end of the columns whose headings are the row at `start`; None if it has none."""
    headings = rows[start]
    columns: list[list[PlacedBox]] = [[] for _ in headings]
    end = start + 1
    while end < len(rows) and not (end > start + 1 and is_heading_row(rows, end)):
        places = [column_of(each, headings) for each in rows[end]]
        if None in places:
            break
        for each, place in zip(rows[end], places, strict=True):
            columns[place or 0].append(each)
        end += 1
        if end - start > COLUMN_ROWS_MAX:
            return None
    if end < len(rows) and is_labelled(rows[end], headings):
        return None
    return end if all(columns) and are_columns(headings, columns, rows[start + 1 : end]) else None


def band_columns(rows: Rows) -> list[SlideColumn]:
    columns = [SlideColumn(each.box.texts[0]) for each in rows[0]]
    for row in rows[1:]:
        for each in row:
            place = column_of(each, rows[0])
            columns[place or 0].boxes += each.boxes
    return columns


def column_of(placed: PlacedBox, headings: Sequence[PlacedBox]) -> int | None:
    """The heading under which a box stands; None if it stands under several, or beside them."""
    under = [
        index
        for index, heading in enumerate(headings)
        if heading.frame.left <= placed.frame.middle <= heading.frame.right
        or placed.frame.left <= heading.frame.middle <= placed.frame.right
    ]
    return under[0] if len(under) == 1 else None


def is_labelled(row: Sequence[PlacedBox], headings: Sequence[PlacedBox]) -> bool:
    """True for the row of a table that has a label: one box has no heading above it, others do."""
    are_under = {any(each.frame.is_over(heading.frame) for heading in headings) for each in row}
    return len(are_under) > 1


def is_heading_row(rows: Rows, index: int) -> bool:
    """True if the row begins columns of its own: it stands out from the rows above and below it, or
    stands between long texts."""
    row, above = rows[index], rows[index - 1]
    below = rows[index + 1] if index + 1 < len(rows) else []
    if not below or not could_head_columns(row):
        return False
    around = [*above, *below]
    return all(each.is_long for each in around) or stand_out(row, around)


def stand_out(headings: Sequence[PlacedBox], bodies: Sequence[PlacedBox]) -> bool:
    """True if the headings are bolder or larger than everything below them."""
    above = [each.box for each in headings]
    below = [box for each in bodies for box in each.boxes]
    if all(box.is_bold for box in above) and not any(box.is_bold for box in below):
        return True
    return 0 < max(box.size for box in below) < min(box.size for box in above)


def are_columns(
    headings: Sequence[PlacedBox], columns: Sequence[Sequence[PlacedBox]], body: Rows
) -> bool:
    """True if boxes are to be read column by column, as plans or offers beside each other are.

    A table has rows, and a label in each: read by column, its values would lose their labels.
    """
    is_grid = all(len(row) == len(headings) for row in body)
    are_long = all(any(each.is_long for each in column) for column in columns)
    is_headed = stand_out(headings, [each for row in body for each in row])
    if is_grid and len(body) > 1:
        has_questions = any(each.box.texts[0].endswith("?") for each in columns[0])
        is_text = are_long and is_headed and not has_questions
        return is_text or are_rows_alike(headings, body)
    return are_long or is_headed or (is_grid and are_rows_alike(headings, body))


def are_rows_alike(headings: Sequence[PlacedBox], body: Rows) -> bool:
    """True if boxes beside each other say the same of different things ("12 EUR a month", "38 EUR a
    month"), and more so than those below each other."""
    words = [[words_of(each) for each in row] for row in body]
    count = len(headings)
    beside = min(
        fmean(
            likeness(row[column], row[other])
            for row in words
            for other in range(count)
            if other != column
        )
        for column in range(count)
    )
    rows = words if len(words) > 1 else [[words_of(each) for each in headings], *words]
    below = max(
        fmean(likeness(row[column], next_row[column]) for row, next_row in pairwise(rows))
        for column in range(count)
    )
    return beside > below


def words_of(placed: PlacedBox) -> frozenset[str]:
    """The words of a box, in which all numbers are alike."""
    text = " ".join(text for box in placed.boxes for text in box.texts)
    return frozenset(DIGITS.sub("0", text).casefold().split())


def likeness(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of common words, from 0 to 1."""
    return len(words & others) / max(len(words | others), 1)
