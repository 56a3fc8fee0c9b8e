"""The blocks of a page become text (developers.notion.com/reference/block, read 2026-11-22)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from connectors.notion.shapes import rich_text, sequence, string
from reading.extractors.headings import HeadingTrail
from reading.extractors.prose import clean, clean_lines, has_content
from reading.extractors.tables import Row, read_table_rows
from reading.passages import Block
from reasons import Reason

HEADINGS = {"heading_1": 1, "heading_2": 2, "heading_3": 3, "heading_4": 4}
# Depths of headings that a level of nesting takes: the four, and that of a toggle below them.
DEPTHS_A_LEVEL = 5
# What is in them stands where they stand.
TRANSPARENT = frozenset({"column_list", "column", "synced_block", "table", "tab"})
# Their first line names what is in them, as a heading does.
FOLDED = frozenset({"toggle", "meeting_notes"})
FILES = frozenset({"file", "pdf", "audio", "video"})
# What is left out, as people read it: one, several.
LEFT_OUT = {
    "file": ("attached file", "attached files"),
    "image": ("image", "images"),
    "unsupported": ("block that Notion does not give out", "blocks that Notion does not give out"),
    "unshared": ("block of a page that is not shared", "blocks of pages that are not shared"),
}


@dataclass(frozen=True)
class Node:
    """A block. `level`: in how many others it lies, those that only arrange (columns) aside."""

    kind: str
    content: Mapping[str, object]
    level: int
    has_inside: bool

    @property
    def level_inside(self) -> int:
        return self.level + (self.kind not in TRANSPARENT)


class Body:
    """Follows the blocks of one page. `left_out`: how many of each kind of LEFT_OUT there are."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self._trail = HeadingTrail(is_location=True)
        self._numbers: dict[int, int] = {}  # of the open numbered list of each level

    def read(self, nodes: Iterable[Node]) -> Iterator[Block]:
        """Yields blocks in reading order; for a table, a block for each row with its columns'
        names."""
        has_header = False
        for is_row, group in groupby(nodes, key=lambda node: node.kind == "table_row"):
            if is_row:
                rows = [row_of(number, node) for number, node in enumerate(group, 1)]
                yield from map(self._trail.block, read_table_rows(rows, has_header=has_header))
                continue
            for node in group:
                has_header = node.content.get("has_column_header") is True
                yield from self._read_node(node)

    def _read_node(self, node: Node) -> Iterator[Block]:
        base = node.level * DEPTHS_A_LEVEL
        self._trail.leave(base + DEPTHS_A_LEVEL)
        self._count(node)
        mark = self._mark_of(node)
        text = text_of(node)
        if not has_content(text):
            return
        if node.kind in HEADINGS:
            yield self._trail.enter(clean(text), base + HEADINGS[node.kind])
        elif node.kind in FOLDED and node.has_inside:
            yield self._trail.enter(clean(text), base + DEPTHS_A_LEVEL)
        else:
            yield self._trail.block(mark + text)

    def _count(self, node: Node) -> None:
        if node.kind in FILES:
            self.left_out["file"] += 1
        elif node.kind in LEFT_OUT:
            self.left_out[node.kind] += 1

    def _mark_of(self, node: Node) -> str:
        """The mark before a list's item."""
        self._numbers = {level: n for level, n in self._numbers.items() if level <= node.level}
        if node.kind == "numbered_list_item":
            self._numbers[node.level] = self._numbers.get(node.level, 0) + 1
            return f"{self._numbers[node.level]}. "
        self._numbers.pop(node.level, None)
        match node.kind:
            case "bulleted_list_item":
                return "- "
            case "to_do":
                return "[x] " if node.content.get("checked") is True else "[ ] "
        return ""


def text_of(node: Node) -> str:
    """The text of the block itself, and its caption. A child page is another document."""
    said = node.content.get("title" if node.kind == "meeting_notes" else "rich_text")
    parts = (rich_text(said), expression_of(node), rich_text(node.content.get("caption")))
    return "\n".join(filter(None, parts))


def expression_of(node: Node) -> str:
    return clean_lines(string(node.content.get("expression"))) if node.kind == "equation" else ""


def row_of(number: int, node: Node) -> Row:
    cells = (rich_text(cell) for cell in sequence(node.content.get("cells")))
    return Row(number, tuple(clean(cell) for cell in cells))


def warnings_of(left_out: Mapping[str, int]) -> tuple[Reason, ...]:
    """The warnings of ExtractedDocument about blocks that were left out."""
    named = [
        f"{count} {one if count == 1 else many}"
        for kind, (one, many) in LEFT_OUT.items()
        if (count := left_out.get(kind, 0))
    ]
    if not named:
        return ()
    return (Reason("notion_blocks_left_out", names=", ".join(named)),)
