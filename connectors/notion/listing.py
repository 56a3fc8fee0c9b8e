"""The pages and data sources of a Notion workspace, and the place of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from connectors.notion.calls import Notion, clean_id
from connectors.notion.properties import title_of
from connectors.notion.shapes import line, mapping, rich_text, string
from sources.connectors.calling import CallRefused

TITLE_MAX_CHARS = 500  # as the column holds
UNTITLED = "Untitled"  # as Notion calls it
TIME_MAX_CHARS = 40
NESTING_MAX = 100  # of pages in one another, and of blocks from a page to the one that holds it


@dataclass(frozen=True, slots=True)
class NotionItem:
    """A page or a data source. `parent`: the id of the page, the data source or (`is_in_block`) the
    block that it lies in; "" at the top. `created` and `edited` as Notion writes them."""

    id: str
    is_page: bool
    title: str
    parent: str
    is_in_block: bool
    created: str
    edited: str
    properties: Mapping[str, object] = field(repr=False)


def item_of(answer: Mapping[str, object]) -> NotionItem | None:
    """The item; None if it is in the trash or the archive, or is of an unknown kind."""
    kind, item_id = answer.get("object"), clean_id(answer.get("id"))
    is_gone = any(answer.get(name) is True for name in ("in_trash", "archived", "is_archived"))
    if is_gone or not item_id or kind not in ("page", "data_source"):
        return None
    is_page = kind == "page"
    properties = mapping(answer.get("properties"))
    title = title_of(properties) if is_page else " ".join(rich_text(answer.get("title")).split())
    # A data source lies in a database, which has nothing else to tell.
    parent = mapping(answer.get("parent" if is_page else "database_parent"))
    parent_kind = string(parent.get("type"))
    return NotionItem(
        id=item_id,
        is_page=is_page,
        title=title[:TITLE_MAX_CHARS] or UNTITLED,
        parent=clean_id(parent.get(parent_kind)),
        is_in_block=parent_kind == "block_id",
        created=line(answer.get("created_time"))[:TIME_MAX_CHARS],
        edited=line(answer.get("last_edited_time"))[:TIME_MAX_CHARS],
        properties=properties if is_page else {},
    )


class NotionListing:
    """`items` by their ids. `owners`: of blocks that pages lie in (a column, a toggle), in which
    page those are; what stands there is not asked for again. `asks_max`: for how many blocks it may
    ask; a page in any other lies at the top then."""

    def __init__(self, notion: Notion, *, asks_max: int | None = None) -> None:
        self.items: dict[str, NotionItem] = {}
        self.owners: dict[str, str] = {}
        self._notion = notion
        self._asks_max = asks_max

    def search(self, *, limit: int | None = None) -> bool:
        """Adds what the search tells; True when there may be more than `limit`."""
        for count, answer in enumerate(self._notion.search(), 1):
            if limit is not None and count > limit:
                return True
            self.add(answer)
        return self._notion.is_cut

    def add(self, answer: Mapping[str, object]) -> NotionItem | None:
        item = item_of(answer)
        if item is not None:
            self.items.setdefault(item.id, item)
        return item

    def find(self, item_id: str, *kinds: str) -> None:
        """Adds one that no list has named, if it is there. `kinds`: as `Notion.find`."""
        for kind in kinds:
            if item_id not in self.items and (answer := self._notion.find(kind, item_id)):
                self.add(answer)

    def add_rows(self, data_source_id: str) -> None:
        """Adds all of them, which the search does not promise. Where Notion refuses the query, the
        rows that the search has named are all there is."""
        with suppress(CallRefused):
            for answer in self._notion.rows(data_source_id):
                self.add(answer)

    def parent_of(self, item: NotionItem) -> str:
        return self._owner_of(item.parent) if item.is_in_block else item.parent

    def lineage(self, item: NotionItem) -> Iterator[NotionItem]:
        """Yields the item, its parent, and so on, as far as they are shared with us."""
        seen: set[str] = set()
        above: NotionItem | None = item
        while above is not None and above.id not in seen and len(seen) < NESTING_MAX:
            seen.add(above.id)
            yield above
            above = self.items.get(self.parent_of(above))

    def within(self, chosen: Collection[str]) -> list[NotionItem]:
        """The chosen items and the items in them; everything if nothing is chosen. Ordered by the
        time of creation, which stays."""
        found = [
            item
            for item in self.items.values()
            if not chosen or any(each.id in chosen for each in self.lineage(item))
        ]
        return sorted(found, key=lambda item: (item.created, item.id))

    def _owner_of(self, block_id: str) -> str:
        """The id of the page that a block lies in, however deep; "" where that is not shared."""
        asked: list[str] = []
        owner = block_id
        for _ in range(NESTING_MAX):
            if owner in self.owners:
                owner = self.owners[owner]
                break
            if self._asks_max is not None and len(self.owners) + len(asked) >= self._asks_max:
                return ""
            asked.append(owner)
            parent = mapping(self._notion.find("blocks", owner).get("parent"))
            kind = string(parent.get("type"))
            owner = clean_id(parent.get(kind))
            if kind != "block_id" or not owner:
                break
        else:
            owner = ""
        self.owners |= dict.fromkeys(asked, owner)
        return owner
