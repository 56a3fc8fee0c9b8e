"""Paragraphs, lists, tables, notes and drawings: what texts and presentations have in common.

OpenDocument 1.3 part 3, 5 to 7, 9 and 10. Left out: deleted, struck
out and hidden text, indexes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from reading.extractors.headings import DEPTH_MAX
from reading.extractors.office.package import attribute, child, local_name
from reading.extractors.opendocument.objects import is_readable, object_texts
from reading.extractors.opendocument.package import OpenDocument, whole_number
from reading.extractors.opendocument.styles import Counters, Styles
from reading.extractors.prose import clean, clean_lines, has_content
from reading.extractors.tables import Row, read_table_rows

BOLD_HEADING_DEPTH = DEPTH_MAX  # a bold line stands under whatever real heading is above it
BOLD_HEADING_MAX_WORDS = 12
PARAGRAPHS = frozenset({"p", "h"})
LISTS = frozenset({"list", "list-item", "list-header"})
DRAWN = frozenset({
    "frame", "custom-shape", "rect", "ellipse", "circle", "line", "polyline", "polygon", "path",
    "regular-polygon", "connector", "caption", "measure", "g", "text-box", "scene",
})  # fmt: skip
# What is no text of the document. Tables of contents say again what stands elsewhere.
SKIPPED = frozenset({
    "tracked-changes", "forms", "sequence-decls", "variable-decls", "user-field-decls",
    "table-of-content", "illustration-index", "table-index", "object-index", "user-index",
    "alphabetical-index", "bibliography-source", "glue-point", "image", "title", "desc", "shapes",
    "event-listeners",
})  # fmt: skip
# Within a paragraph: what is drawn there is read after it, and the rest is no text of it.
NOT_INLINE = frozenset({
    "ruby-text", "number", "script", "event-listeners", "annotation-end", "page-number",
    "page-count",
})  # fmt: skip
CHARACTERS = {"s": " ", "tab": " ", "line-break": "\n"}
WHITE_SPACE = re.compile(r"\s+")  # a line end in the file is a space
REPEATED_MAX = 50  # rows or columns that say the same; more of them say nothing else
COLUMNS_MAX = 200  # table:number-columns-spanned may claim millions


@dataclass(frozen=True)
class Piece:
    """A paragraph, a list item, a row; `depth` of a heading from 1, else 0."""

    text: str
    depth: int = 0


@dataclass
class Inline:
    """The text of a paragraph, and what hangs on it."""

    parts: list[str] = field(default_factory=list)
    attached: list[etree._Element] = field(default_factory=list)  # notes, comments, drawings

    @property
    def text(self) -> str:
        return clean_lines("".join(self.parts))


@dataclass
class OpenList:
    """`start`: what the item under way says of its number; `waits`: its number is not yet drawn."""

    counters: Counters
    style: str
    waits: bool = False
    start: int | None = None


class ContentReader:
    """Made for one document; lists are counted on from one call to the next.

    Args:
        with_chart_values: of a chart, its numbers too, not only its titles.
    """

    def __init__(self, document: OpenDocument, *, with_chart_values: bool = True) -> None:
        self.styles = Styles()
        self._with_chart_values = with_chart_values
        self._document = document
        self._lists: list[OpenList] = []
        self._ended: dict[str, Counters] = {}  # by the list's id, and by its style
        self._deletions: set[str] = set()  # tracked changes by their ids
        self._deleting: set[str] = set()  # of these, the ones whose text is being read

    def read(self, element: etree._Element) -> Iterator[Piece]:
        """A paragraph, a list, a table, a drawing, or what wraps them."""
        name = local_name(element)
        if name in PARAGRAPHS:
            yield from self._read_paragraph(element)
        elif name == "table":
            yield from self._read_table(element)
        elif name == "object":
            root = self._document.embedded(element)
            if root is not None and is_readable(root):
                yield from map(Piece, object_texts(root, with_values=self._with_chart_values))
            elif root is not None:
                self._document.add_unread_object()
        elif name == "object-ole":
            self._document.add_unread_object()
        elif name == "note":
            body = child(element, "note-body")
            text = " ".join(self._texts(body)) if body is not None else ""
            if has_content(text):
                yield Piece(text)
        elif name == "annotation":
            yield Piece(self.comment_text(element))
        elif name == "tracked-changes":
            self._deletions |= {
                attribute(region, "id")
                for region in element
                if child(region, "deletion") is not None
            }
        elif not self.is_left_out(element):
            self.enter(element)
            for each in element:
                yield from self.read(each)
            self.leave(element)

    def is_left_out(self, element: etree._Element) -> bool:
        is_hidden = (
            attribute(element, "display") == "none" or attribute(element, "is-hidden") == "true"
        )
        return local_name(element) in SKIPPED or is_hidden

    def inline_text(self, element: etree._Element) -> str:
        return self._inline(element).text

    # --- Paragraphs -------------------------------------------------------------------------------

    def _read_paragraph(self, paragraph: etree._Element) -> Iterator[Piece]:
        inline = self._inline(paragraph)
        text = inline.text
        depth = self._heading_depth(paragraph, text)
        if has_content(text):
            label = self._take_label(paragraph, is_heading=depth > 0)
            yield Piece(label + (clean(text) if depth else text), depth)
        yield from self._read_attached(inline)

    def _read_attached(self, inline: Inline) -> Iterator[Piece]:
        lists, self._lists = self._lists, []  # what hangs on it has lists of its own
        for element in inline.attached:
            yield from self.read(element)
        self._lists = lists

    def comment_text(self, annotation: etree._Element) -> str:
        """The text of a comment, after its author."""
        text = " ".join(self._texts(annotation))
        creator = next(annotation.iter("{*}creator"), None)
        name = clean(creator.text or "") if creator is not None else ""
        return f"{name}: {text}" if name else text

    def _texts(self, element: etree._Element) -> Iterator[str]:
        """Yields all paragraphs below the element, each on one line."""
        for each in element:
            for piece in self.read(each) if local_name(each) not in ("creator", "date") else ():
                yield clean(piece.text)

    def _inline(self, element: etree._Element) -> Inline:
        inline = Inline()
        self._add_inline(element, inline, is_struck=False)
        return inline

    def _add_inline(self, element: etree._Element, inline: Inline, *, is_struck: bool) -> None:
        own = self._own_strike(element)
        is_struck = is_struck if own is None else own
        self._add_text(element.text, inline, is_struck=is_struck)
        for node in element:
            name = local_name(node)
            if name == "change-start":
                self._deleting |= {attribute(node, "change-id")} & self._deletions
            elif name == "change-end":
                self._deleting.discard(attribute(node, "change-id"))
            elif name in CHARACTERS:
                inline.parts.append(CHARACTERS[name])
            elif name in ("note", "annotation") or name in DRAWN:
                inline.attached.append(node)
            elif name == "a" and any(local_name(each) in DRAWN for each in node):
                inline.attached += [each for each in node if local_name(each) in DRAWN]
            elif name not in NOT_INLINE and not self._is_hidden(node):
                self._add_inline(node, inline, is_struck=is_struck)
            self._add_text(node.tail, inline, is_struck=is_struck)

    def _own_strike(self, element: etree._Element) -> bool | None:
        """True if its style strikes text out; None where the style says nothing about that."""
        style = attribute(element, "style-name")
        return self.styles.style(style).is_struck if style else None

    def _add_text(self, text: str | None, inline: Inline, *, is_struck: bool) -> None:
        """Deleted text may still stand in its place."""
        if text and not self._deleting and not is_struck:
            inline.parts.append(WHITE_SPACE.sub(" ", text))

    def _is_hidden(self, element: etree._Element) -> bool:
        style = attribute(element, "style-name")
        return attribute(element, "is-hidden") == "true" or bool(
            style and self.styles.style(style).is_hidden
        )

    # --- Headings ---------------------------------------------------------------------------------

    def _heading_depth(self, paragraph: etree._Element, text: str) -> int:
        if local_name(paragraph) == "h":
            return min(max(whole_number(attribute(paragraph, "outline-level", "1")), 1), DEPTH_MAX)
        style = self.styles.style(attribute(paragraph, "style-name"))
        if style.depth:
            return style.depth
        return BOLD_HEADING_DEPTH if self._is_bold_heading(paragraph, text) else 0

    def _is_bold_heading(self, paragraph: etree._Element, text: str) -> bool:
        """A short line that is bold from end to end, and neither a sentence nor an entry."""
        if self._lists or "\n" in text or len(text.split()) > BOLD_HEADING_MAX_WORDS:
            return False
        if text.endswith((".", ",", ";")) or ":" in text[:-1]:
            return False
        is_bold = bool(self.styles.style(attribute(paragraph, "style-name")).is_bold)
        return self._is_all_bold(paragraph, is_bold=is_bold)

    def _is_all_bold(self, element: etree._Element, *, is_bold: bool) -> bool:
        if not is_bold and has_content(element.text or ""):
            return False
        for node in element:
            if not is_bold and has_content(node.tail or ""):
                return False
            name = attribute(node, "style-name") if local_name(node) in ("span", "a") else ""
            own = self.styles.style(name).is_bold if name else None
            if not self._is_all_bold(node, is_bold=is_bold if own is None else own):
                return False
        return True

    # --- Lists ------------------------------------------------------------------------------------

    def enter(self, element: etree._Element) -> None:
        """Enters a list, an item or a header, before its content is read."""
        match local_name(element):
            case "list":
                self._lists.append(self._opened(element))
            case "list-item" if self._lists:
                start = attribute(element, "start-value")
                self._lists[-1].waits = True
                self._lists[-1].start = whole_number(start) if start else None
            case "list-header" if self._lists:
                self._lists[-1].waits = False

    def leave(self, element: etree._Element) -> None:
        if local_name(element) == "list" and self._lists:
            ended = self._lists.pop()
            if not self._lists:
                self._ended[ended.style] = ended.counters
                self._ended[attribute(element, "id") or ended.style] = ended.counters

    def _opened(self, element: etree._Element) -> OpenList:
        if self._lists:  # a level of its own in the list around it
            outer = self._lists[-1]
            outer.waits = False
            style = attribute(element, "style-name")
            if style and style != outer.style:
                return OpenList(self.styles.new_list(style), style)
            return OpenList(outer.counters, outer.style)
        style = attribute(element, "style-name")
        continued = attribute(element, "continue-list")
        if not continued and attribute(element, "continue-numbering") == "true":
            continued = style
        return OpenList(self._ended.get(continued) or self.styles.new_list(style), style)

    def _take_label(self, paragraph: etree._Element, *, is_heading: bool) -> str:
        """ "2. ", "b) ", "- " before the first paragraph of an item, and before a heading."""
        if self._lists:
            innermost = self._lists[-1]
            if not innermost.waits:
                return ""
            innermost.waits = False
            label = innermost.counters.count(len(self._lists), innermost.start)
            return "" if is_heading and not has_content(label) else label
        if local_name(paragraph) != "h" or attribute(paragraph, "is-list-header") == "true":
            return ""
        return self.styles.outline.count(whole_number(attribute(paragraph, "outline-level", "1")))

    # --- Tables -----------------------------------------------------------------------------------

    def _read_table(self, table: etree._Element) -> Iterator[Piece]:
        """Each row with its columns' names. A table of one column is a frame around paragraphs."""
        rows = list(own_rows(table))
        if max((len(row) for _, row in rows), default=0) < 2:
            for _, row in rows:
                for cell in row:
                    for each in cell:
                        yield from self.read(each)
            return
        attached: list[Inline] = []
        has_header = bool(rows) and rows[0][0]
        read = self._read_rows([row for _, row in rows], attached)
        for text in read_table_rows(read, has_header=has_header):
            yield Piece(text)
        for inline in attached:
            yield from self._read_attached(inline)

    def _read_rows(self, rows: list[etree._Element], attached: list[Inline]) -> list[Row]:
        """Cells by column: a cell that spans columns stands in the first, one that spans rows in
        each of them.
        """
        above: dict[int, tuple[str, int]] = {}  # by column: its text, and rows still to be covered
        table: list[Row] = []
        for row in rows:
            cells: list[str] = []
            spans: dict[int, int] = {}
            for cell in row:
                if local_name(cell) not in ("table-cell", "covered-table-cell"):
                    continue
                if len(cells) >= COLUMNS_MAX:
                    break  # each may say that it is repeated
                if (width := repeated(cell, "number-columns-spanned", COLUMNS_MAX)) > 1:
                    spans[len(cells)] = width
                for _ in range(repeated(cell, "number-columns-repeated", COLUMNS_MAX)):
                    text, left = above.get(len(cells), ("", 0))
                    if local_name(cell) == "table-cell":
                        text = self._cell_text(cell, attached)
                        left = whole_number(attribute(cell, "number-rows-spanned", "1"))
                    if left > 1:
                        above[len(cells)] = (text, left - 1)
                    else:
                        above.pop(len(cells), None)
                    cells.append(text if left else "")
            for _ in range(repeated(row, "number-rows-repeated", REPEATED_MAX)):
                table.append(Row(len(table) + 1, tuple(cells[:COLUMNS_MAX]), spans))
        return table

    def _cell_text(self, cell: etree._Element, attached: list[Inline]) -> str:
        texts = []
        for paragraph in own_paragraphs(cell):
            inline = self._inline(paragraph)
            texts.append(inline.text)
            if inline.attached:
                attached.append(inline)
        return clean(" ".join(texts))


def own_rows(
    table: etree._Element, *, is_header: bool = False
) -> Iterator[tuple[bool, etree._Element]]:
    """(whether it is declared to be a header, the row); not those of a table inside."""
    for node in table:
        name = local_name(node)
        if name == "table-row":
            yield is_header, node
        elif name in ("table-header-rows", "table-rows", "table-row-group"):
            yield from own_rows(node, is_header=name == "table-header-rows")


def own_paragraphs(element: etree._Element) -> Iterator[etree._Element]:
    """Yields the paragraphs of a cell, without those of things anchored to one of them."""
    for node in element:
        if local_name(node) in PARAGRAPHS:
            yield node
        elif local_name(node) not in SKIPPED:
            yield from own_paragraphs(node)


def repeated(element: etree._Element, name: str, limit: int) -> int:
    return min(max(whole_number(attribute(element, name, "1")), 1), limit)
