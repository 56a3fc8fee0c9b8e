"""XML of documents: sections with titles, paragraphs, lists, tables. Elements are known by the
names that DocBook, DITA, JATS, TEI, WordML and docutils share; whatever holds text is a paragraph.
"""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from reading.extractors.data.xml_tree import XmlTree, name_of_tag
from reading.extractors.headings import DEPTH_MAX, HeadingTrail
from reading.extractors.prose import has_content
from reading.extractors.tables import Row, read_table_rows
from reading.passages import Block

ROOTS = frozenset({
    "book", "article", "chapter", "part", "preface", "appendix", "section", "refentry", "set",
    "topic", "concept", "task", "reference", "dita", "tei", "tei.2", "document", "worddocument",
    "package", "svg", "dtbook", "guide", "lewisdoc", "doc",
})  # fmt: skip
PARAGRAPHS = frozenset({"p", "para", "simpara", "paragraph", "formalpara"})
TITLES = frozenset({"title", "head"})
# Their title is a caption, no heading.
CAPTIONED = frozenset({
    "figure", "table", "example", "informalexample", "note", "tip", "warning", "caution",
    "important", "fig", "table-wrap", "equation", "sidebar", "mediaobject", "admonition", "svg",
    "g",
})  # fmt: skip
ITEMS = frozenset({"listitem", "li", "item", "list_item", "list-item"})
ORDERED = frozenset({"orderedlist", "ol", "procedure", "steps", "enumerated_list"})
# Read after the paragraph that they stand in.
INNER = frozenset({
    "itemizedlist", "variablelist", "simplelist", "ul", "list", "table", "informaltable",
    "programlisting", "screen", "codeblock", "footnote", "fn", "note", "figure", "fig",
    "annotation",
}) | ORDERED  # fmt: skip
# Neither shown nor told
SKIPPED = frozenset({
    "indexterm", "remark", "comment", "script", "style", "instrtext", "deltext", "del", "bindata",
    "fonts", "styles", "ppr", "rpr",
})  # fmt: skip
ROWS, CELLS = (
    frozenset({"row", "tr", "strow", "sthead"}),
    frozenset({"entry", "td", "th", "cell", "tc", "stentry"}),
)
ROW_GROUPS = ROWS | {"thead", "tbody", "tfoot"}


def is_document(tree: XmlTree) -> bool:
    """True if the root says so, or if paragraphs make up most of it."""
    if name_of_tag(tree.root) in ROOTS:
        return True
    texts = paragraphs = 0
    pending = [tree.root]
    while pending:
        element = pending.pop()
        is_paragraph = name_of_tag(element) in PARAGRAPHS
        paragraphs += is_paragraph
        texts += is_paragraph or tree.has_text(element)
        if not is_paragraph:
            pending += element.iterchildren(etree.Element)
    return paragraphs > 0 and paragraphs * 2 >= texts


class DocumentWalker:
    def __init__(self, tree: XmlTree) -> None:
        self._tree = tree
        self._trail = HeadingTrail(is_location=True)
        self._mark = ""  # "2. " for the first paragraph of an item

    def walk(self, element: etree._Element, depth: int = 1) -> Iterator[Block]:
        """`depth` that a title in it has."""
        name = name_of_tag(element)
        if isinstance(element, etree._Entity) or name in SKIPPED:
            return
        if name in TITLES:
            yield from self._write_title(element, depth - 1)
        elif any(name_of_tag(node) in ROW_GROUPS for node in element):
            yield from self._walk_table(element, depth)
        elif name in PARAGRAPHS or not len(element) or self._tree.has_text(element):
            yield from self._write(self._tree.text(element, skipped=SKIPPED | INNER))
            for node in inner_elements(element):
                yield from self.walk(node, depth)
        else:
            has_title = any(name_of_tag(node) in TITLES for node in element)
            is_section = has_title and name not in CAPTIONED
            yield from self._walk_children(element, depth + is_section)
            if is_section:
                self._trail.leave(depth)

    def _walk_children(self, element: etree._Element, depth: int) -> Iterator[Block]:
        name = name_of_tag(element)
        number = 0
        for node in element:
            if name_of_tag(node) in ITEMS or (name in ORDERED and name_of_tag(node) == "step"):
                number += 1
                self._mark = f"{number}. " if name in ORDERED else "- "
            yield from self.walk(node, depth)

    def _write_title(self, title: etree._Element, depth: int) -> Iterator[Block]:
        text = self._tree.text(title, skipped=SKIPPED | INNER)
        parent = title.getparent()
        if not has_content(text):
            return
        if parent is None or name_of_tag(parent) in CAPTIONED:
            yield self._trail.block(text)
        else:
            yield self._trail.enter(text, min(max(depth, 1), DEPTH_MAX))

    def _write(self, text: str) -> Iterator[Block]:
        if has_content(text):
            mark, self._mark = self._mark, ""
            yield self._trail.block(mark + text)

    def _walk_table(self, table: etree._Element, depth: int) -> Iterator[Block]:
        """Yields the table's rows; text in it beside its rows is its caption."""
        groups = [node for node in table if name_of_tag(node) in ROW_GROUPS]
        for node in table:
            if name_of_tag(node) not in ROW_GROUPS:
                yield from self.walk(node, depth)
        rows = [
            row for group in groups for row in group.iter(etree.Element) if name_of_tag(row) in ROWS
        ]
        texts = [
            tuple(self._tree.text(cell, separator=" ") for cell in cells_of(row)) for row in rows
        ]
        read = [Row(number, cells) for number, cells in enumerate(texts, start=1)]
        has_header = name_of_tag(groups[0]) in ("thead", "sthead")
        for text in read_table_rows(read, has_header=has_header):
            yield self._trail.block(text)


def cells_of(row: etree._Element) -> list[etree._Element]:
    """The cells of a row: the named ones; else its children; else the row itself."""
    named = [node for node in row if name_of_tag(node) in CELLS]
    return named or list(row.iterchildren(etree.Element)) or [row]


def inner_elements(element: etree._Element) -> Iterator[etree._Element]:
    """Yields the outermost inner elements."""
    for node in element:
        if name_of_tag(node) in INNER:
            yield node
        else:
            yield from inner_elements(node)
