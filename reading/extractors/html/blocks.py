"""Boxes of a page as blocks of text in reading order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reading.extractors.headings import DEPTH_MAX, HeadingTrail
from reading.extractors.html.boxes import Box, whole_number
from reading.extractors.html.tables import flat_text, is_data_table, table_texts
from reading.extractors.prose import has_content
from reading.passages import Block

HEADING_MAX_CHARS = 300  # longer, and it is a text that was made large
SUMMARY_DEPTH = 7  # of what opens and shuts: below the headings h1 to h6
BULLET = "- "
# What reading rows and spans raises for a table of an unforeseen shape, or one nested too deep.
SHAPE_ERRORS = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def read_rows_of(table: Box) -> list[str] | None:
    """The rows of a table; None if its cells are to be written one by one: it only arranges a page,
    or is built in an unforeseen way."""
    try:
        return list(table_texts(table)) if is_data_table(table) else None
    except SHAPE_ERRORS:  # no table may cost the rest of the page, nor its own text
        return None


class BlockWriter:
    """`leaves_out` is asked of each box but the ones it is given. `folds_repeats`: leaves out what
    says again what stands right above it, as captions and sliders of a page do.
    """

    def __init__(self, leaves_out: Callable[[Box], bool], *, folds_repeats: bool = True) -> None:
        self._leaves_out = leaves_out
        self._folds_repeats = folds_repeats
        self._trail = HeadingTrail(is_location=True)
        # Of each open list the next item's number, None when it has bullets
        self._lists: list[int | None] = []
        self._mark = ""  # "2. " for the first paragraph of an item
        self._terms: list[str] = []  # being defined
        self._details = 0  # open ones
        self._last = ""

    def write(self, boxes: Sequence[Box]) -> Iterator[Block]:
        """A loop, not a recursion: a page may be nested 2,000 deep."""
        open_boxes: list[tuple[Box, Iterator[Box | str]]] = []
        top = Box("", items=list(boxes))
        open_boxes.append((top, iter(top.items)))
        while open_boxes:
            box, items = open_boxes[-1]
            match next(items, None):
                case None:
                    open_boxes.pop()
                    yield from self._leave(box)
                case str(text):
                    yield from self._write_text(text)
                case Box() as inner if box is top or not self._leaves_out(inner):
                    if (blocks := self._write_whole(inner)) is not None:
                        yield from blocks
                    else:
                        self._enter(inner)
                        open_boxes.append((inner, iter(inner.items)))

    def _write_whole(self, box: Box) -> Iterator[Block] | None:
        """Writes the box as a whole; None if its items are to be written one by one."""
        if box.heading_depth:
            return self._write_heading(flat_text(box), box.heading_depth)
        if box.tag == "summary":
            depth = min(SUMMARY_DEPTH - 1 + max(self._details, 1), DEPTH_MAX)
            return self._write_heading(flat_text(box), depth)
        if box.tag == "table" and (rows := read_rows_of(box)) is not None:
            return self._write_texts(iter(rows))
        if box.tag == "dt":
            return self._write_term(box)
        return None

    def _write_heading(self, text: str, depth: int) -> Iterator[Block]:
        if len(text) > HEADING_MAX_CHARS:
            yield from self._write_text(text)
        elif has_content(text):
            self._mark, self._last = "", text
            yield self._trail.enter(text, depth)

    def _write_texts(self, texts: Iterator[str]) -> Iterator[Block]:
        for text in texts:
            yield from self._write_text(text)

    def _write_text(self, text: str) -> Iterator[Block]:
        if not has_content(text) or (self._folds_repeats and text == self._last):
            return
        self._last = text
        label, self._mark = self._take_terms() + self._mark, ""
        yield self._trail.block(label + text)

    def _write_term(self, box: Box) -> Iterator[Block]:
        """Keeps the term until its definition comes."""
        if has_content(text := flat_text(box)):
            self._terms.append(text)
        yield from ()

    def _take_terms(self) -> str:
        terms, self._terms = self._terms, []
        label = ", ".join(terms)
        if not label:
            return ""
        return f"{label}: " if label[-1].isalnum() or label[-1] in ")\"'»”" else f"{label} "

    def _enter(self, box: Box) -> None:
        match box.tag:
            case "ul" | "menu" | "dir":
                self._lists.append(None)
            case "ol":
                self._lists.append(whole_number(box.attributes.get("start", ""), default=1))
            case "li":
                self._mark = self._next_mark(box)
            case "details":
                self._details += 1

    def _leave(self, box: Box) -> Iterator[Block]:
        match box.tag:
            case "ul" | "menu" | "dir" | "ol":
                self._lists.pop()
            case "li":
                self._mark = ""
            case "dl" if self._terms:
                yield self._trail.block(self._take_terms().rstrip(": "))
            case "details":
                self._trail.leave(min(SUMMARY_DEPTH - 1 + self._details, DEPTH_MAX))
                self._details -= 1

    def _next_mark(self, item: Box) -> str:
        """Numbers the item in the innermost list."""
        number = self._lists[-1] if self._lists else None
        if number is None:
            return BULLET
        number = whole_number(item.attributes.get("value", ""), default=number)
        self._lists[-1] = number + 1
        return f"{number}. "
