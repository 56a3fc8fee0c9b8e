"""The blocks of a page, however deep they lie in one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from connectors.notion.body import Node
from connectors.notion.calls import NOT_FOUND, Notion, clean_id
from connectors.notion.shapes import mapping, string
from reasons import Reason
from sources.connectors.calling import CallRefused
from sources.connectors.remote import DocumentRefused

BLOCKS_MAX = 20_000  # of one page
CALLS_MAX = 2_000  # likewise: one for each block that has others in it
# Each level is a list that stays open while its children are read.
NESTING_MAX = 60
OF_THEIR_OWN = frozenset({"child_page", "child_database"})
TOO_LARGE = Reason("too_many_blocks", count=BLOCKS_MAX)


@dataclass
class Walk:
    """Goes through one page, depth first. `child_pages`: the ids of those that lie in it;
    `unshared`: how many of its blocks show what lies in a page that we may not read."""

    notion: Notion
    page_id: str
    child_pages: set[str] = field(default_factory=set)
    unshared: int = 0

    def nodes(self) -> Iterator[Node]:
        """Yields the nodes in reading order. Raises DocumentRefused if there are too many, and as
        Notion's calls do: for the page itself 404 too."""
        opened = {self.page_id}
        lists = [(0, self.notion.children(self.page_id))]
        count = 0
        while lists:
            level, blocks = lists[-1]
            block = self._next(blocks, is_page=len(lists) == 1)
            if block is None:
                lists.pop()
                continue
            count += 1
            if count > BLOCKS_MAX or len(opened) > CALLS_MAX:
                raise DocumentRefused(TOO_LARGE, is_final=True)
            node = node_of(block, level)
            if node.kind == "child_page":
                self.child_pages.add(clean_id(block.get("id")))
            yield node
            inside = inside_of(node, block)
            if inside and inside not in opened and len(lists) < NESTING_MAX:
                opened.add(inside)  # a synced block may show itself
                lists.append((node.level_inside, self.notion.children(inside)))

    def _next(
        self, blocks: Iterator[Mapping[str, object]], *, is_page: bool
    ) -> Mapping[str, object] | None:
        try:
            return next(blocks, None)
        except CallRefused as refused:
            if is_page or refused.status != NOT_FOUND:
                raise
            self.unshared += 1
            return None


def node_of(block: Mapping[str, object], level: int) -> Node:
    kind = string(block.get("type"))
    content = mapping(block.get(kind))
    return Node(kind, content, level, has_inside=block.get("has_children") is True)


def inside_of(node: Node, block: Mapping[str, object]) -> str:
    """The id of the block whose children are to be read; "" for none. A synced block shows the
    content of its original (developers.notion.com/reference/block#synced-block, read 2026-11-22).
    """
    if node.kind in OF_THEIR_OWN:
        return ""
    original = clean_id(mapping(node.content.get("synced_from")).get("block_id"))
    return original or (clean_id(block.get("id")) if node.has_inside else "")
