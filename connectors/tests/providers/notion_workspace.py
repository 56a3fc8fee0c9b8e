"""What a Notion workspace holds, and how its people change it: pages, blocks and data sources, as
the API of version 2026-03-11 tells of them (developers.notion.com/reference, read 2026-11-22)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from connectors.tests.providers.notion_blocks import Written, rich

USER = {"object": "user", "id": "00000000-0000-0000-0000-00000000aaaa"}


@dataclass
class WorkspaceItem:
    """A page or a data source. `parent`: the id of a page, of a block or (of a row) of a data
    source; "" is the workspace. `properties`: a page's values beside its title, a data source's
    columns. `database_id`: of a data source."""

    id: str
    title: str
    parent: str
    created: str
    edited: str
    properties: dict[str, Any] = field(default_factory=dict)
    database_id: str = ""
    is_trashed: bool = False


class Workspace:
    """`now`: its clock, which goes on by a minute with each change. `shared`: what its owner chose
    when they let us in: with all that is below."""

    def __init__(self) -> None:
        self.now = datetime(2025, 3, 3, 9, 0, 30, tzinfo=UTC)
        self.items: dict[str, WorkspaceItem] = {}
        self.blocks: dict[str, dict[str, Any]] = {}
        self.children: dict[str, list[str]] = {}
        self.parents: dict[str, str] = {}  # of blocks
        self.shared: set[str] = set()
        self.unlisted: set[str] = set()
        self._made = 0

    # --- What its people do -----------------------------------------------------------------------

    def add_page(
        self,
        title: str,
        *blocks: Written,
        under: str = "",
        properties: Mapping[str, Any] | None = None,
    ) -> str:
        """Its id. At the top it is shared with us; below, it is as what it is under is."""
        page = self._add(WorkspaceItem(self._new_id(), title, under, self.time(), self.time()))
        page.properties = dict(properties or {})
        if under not in self.items or not self.items[under].database_id:
            self._put_block(page.id, under, "child_page", {"title": title})
        self.write(page.id, *blocks)
        return page.id

    def add_data_source(self, title: str, *, under: str = "", columns: Iterable[str] = ()) -> str:
        """Its id, which is not that of its database."""
        made = WorkspaceItem(self._new_id(), title, under, self.time(), self.time())
        made.database_id = self._new_id()
        plain: dict[str, Any] = {"description": None, "type": "rich_text", "rich_text": {}}
        made.properties = {name: {"id": name, "name": name, **plain} for name in columns}
        self._put_block(made.database_id, under, "child_database", {"title": title})
        return self._add(made).id

    def write(self, page_id: str, *blocks: Written) -> None:
        """Instead of what its page said; child pages stay."""
        kept = [
            each
            for each in self.children.get(page_id, [])
            if self.blocks[each]["type"] in ("child_page", "child_database")
        ]
        self.children[page_id] = []
        for block in blocks:
            self.put(block, page_id)
        self.children[page_id] += kept
        self.touch(page_id)

    def put(self, block: Written, parent: str) -> str:
        """The new block's id."""
        block_id = self._put_block(self._new_id(), parent, block.kind, block.content)
        for each in block.inside:
            self.put(each, block_id)
        return block_id

    def rename(self, item_id: str, title: str) -> None:
        item = self.items[item_id]
        item.title = title
        if block := self.blocks.get(item.database_id or item_id):
            block[block["type"]] = {"title": title}
        self.touch(item_id)

    def set_property(self, page_id: str, name: str, value: Mapping[str, Any]) -> None:
        self.items[page_id].properties[name] = dict(value)
        self.touch(page_id)

    def move(self, item_id: str, *, under: str) -> None:
        """Its time of editing stays."""
        item = self.items[item_id]
        block_id = item.database_id or item_id
        self.children[item.parent].remove(block_id)
        self.children.setdefault(under, []).append(block_id)
        item.parent = self.parents[block_id] = under

    def trash(self, item_id: str) -> None:
        """With all that is below it."""
        for each in [item_id, *self.below(item_id)]:
            self.items[each].is_trashed = True

    def share(self, item_id: str) -> None:
        self.shared.add(item_id)

    def unshare(self, item_id: str) -> None:
        self.shared.discard(item_id)

    def forget_in_search(self, *item_ids: str) -> None:
        """Its index is not complete, and says so (…/search-optimizations-and-limitations)."""
        self.unlisted |= set(item_ids)

    def touch(self, item_id: str) -> None:
        self.items[item_id].edited = self.time()
        self.now += timedelta(minutes=1)

    # --- What the API tells of it -----------------------------------------------------------------

    def time(self) -> str:
        """Rounded down to the minute (…/changelog/last-edited-time-is-now-rounded-…)."""
        return f"{self.now:%Y-%m-%dT%H:%M}:00.000Z"

    def is_shared(self, item_id: str) -> bool:
        return any(each in self.shared for each in self.lineage(item_id))

    def lineage(self, item_id: str) -> Iterator[str]:
        """It, and what it lies in, up to the top."""
        while item_id:
            yield item_id
            item = self.items.get(item_id)
            item_id = item.parent if item else self.parents[item_id]

    def below(self, item_id: str) -> list[str]:
        return [
            each for each in self.items if each != item_id and item_id in list(self.lineage(each))
        ]

    def rows(self, data_source_id: str) -> list[WorkspaceItem]:
        return [item for item in self.items.values() if item.parent == data_source_id]

    def describe(self, item: WorkspaceItem) -> dict[str, Any]:
        told = self._describe_all(item)
        if item.database_id:
            return told | {
                "object": "data_source",
                "title": rich(item.title),
                "description": [],
                "is_inline": False,
                "parent": {"type": "database_id", "database_id": item.database_id},
                "database_parent": self.parent_object(item.parent),
                "properties": item.properties,
            }
        return told | {
            "object": "page",
            "is_locked": False,
            "is_archived": False,
            "parent": self.parent_object(item.parent),
            "properties": {
                **item.properties,
                "Name": {"id": "title", "type": "title", "title": rich(item.title)},
            },
        }

    def describe_database(self, item: WorkspaceItem) -> dict[str, Any]:
        """Of a data source; each has its own here."""
        told = self._describe_all(item)
        del told["created_by"], told["last_edited_by"]
        return told | {
            "object": "database",
            "id": item.database_id,
            "title": rich(item.title),
            "description": [],
            "is_inline": False,
            "is_locked": False,
            "parent": self.parent_object(item.parent),
            "data_sources": [{"id": item.id, "name": item.title}],
        }

    def parent_object(self, parent: str) -> dict[str, Any]:
        """…/reference/parent-object"""
        if not parent:
            return {"type": "workspace", "workspace": True}
        if parent in self.blocks and parent not in self.items:
            return {"type": "block_id", "block_id": parent}
        if database_id := self.items[parent].database_id:
            return {
                "type": "data_source_id",
                "data_source_id": parent,
                "database_id": database_id,
            }
        return {"type": "page_id", "page_id": parent}

    def blocks_in(self, parent: str) -> list[dict[str, Any]]:
        """In their order, without those in the trash."""
        return [
            self.describe_block(each)
            for each in self.children.get(parent, [])
            if each not in self.items or not self.items[each].is_trashed
        ]

    def describe_block(self, block_id: str) -> dict[str, Any]:
        return {
            **self.blocks[block_id],
            "parent": self.parent_object(self.parents[block_id]),
            "has_children": bool(self.children.get(block_id)),
        }

    # --- Within -----------------------------------------------------------------------------------

    def _describe_all(self, item: WorkspaceItem) -> dict[str, Any]:
        return {
            "id": item.id,
            "created_time": item.created,
            "last_edited_time": item.edited,
            "created_by": USER,
            "last_edited_by": USER,
            "in_trash": item.is_trashed,
            "icon": None,
            "cover": None,
            "url": f"https://www.notion.so/{item.id.replace('-', '')}",
            "public_url": None,
        }

    def _new_id(self) -> str:
        self._made += 1
        return str(UUID(int=0x1F_0000_0000_0000_0000_0000_0000_0000 + self._made))

    def _add(self, item: WorkspaceItem) -> WorkspaceItem:
        self.items[item.id] = item
        if not item.parent:
            self.shared.add(item.id)
        return item

    def _put_block(self, block_id: str, parent: str, kind: str, content: Mapping[str, Any]) -> str:
        self.children.setdefault(parent, []).append(block_id)
        self.blocks[block_id] = {
            "object": "block",
            "id": block_id,
            "created_time": self.time(),
            "last_edited_time": self.time(),
            "created_by": USER,
            "last_edited_by": USER,
            "in_trash": False,
            "type": kind,
            kind: dict(content),
        }
        self.parents[block_id] = parent
        return block_id
