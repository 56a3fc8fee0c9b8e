"""The feeds of changes of the stand-in for Microsoft Graph: one item stands twice, and the last is
right; children come before their parents, and unchanged parents come too; what lies in a folder
that is gone, was moved away or moved in is not told of.

learn.microsoft.com/graph/api/driveitem-delta, read 2026-11-22.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from connectors.tests.providers.microsoft_drives import Item, show_change

PAGE_ITEMS = 200  # unless $top says another number


@dataclass(frozen=True)
class Feed:
    """Where somebody stands: what happened until `since` was told, and `seen` are the ids that were
    there. `waiting`: what the pages to come tell, and `then` where they lead, None before they
    begin.
    """

    folder: Item
    select: str = ""
    page_items: int = PAGE_ITEMS
    since: int = 0
    seen: frozenset[str] = frozenset()
    waiting: tuple[str, ...] = ()
    then: Feed | None = None


def begin(feed: Feed) -> Feed:
    """What there is to tell now."""
    items = feed.folder.drive.items
    within = list_within(feed.folder)
    changed = {item for item in within if item.changed_at > feed.since}
    above = {each for item in changed for each in ancestors_of(item)}
    shown = [item for item in reversed(within) if item in changed | above]
    gone = {items[name] for name in feed.seen} - set(within)
    told = [item for item in items.values() if item in gone and item.parent not in gone]
    now = max(item.changed_at for item in items.values())
    return replace(
        feed,
        waiting=tuple(item.id for item in (*shown, *shown[:1], *told)),
        then=replace(feed, since=now, seen=frozenset(item.id for item in within)),
    )


def turn(feed: Feed) -> tuple[list[dict[str, Any]], Feed]:
    """The page that is next, and where one stands after it."""
    within = set(list_within(feed.folder))
    told = [feed.folder.drive.items[name] for name in feed.waiting[: feed.page_items]]
    page = [show_change(item, is_gone=item not in within) for item in told]
    if feed.waiting and feed.waiting[0] in feed.waiting[1:]:
        page[0]["name"] = "As it was called before"
    rest = feed.waiting[feed.page_items :]
    if rest or feed.then is None:
        return page, replace(feed, waiting=rest)
    return page, feed.then


def ancestors_of(item: Item) -> Iterator[Item]:
    while item.parent is not None:
        item = item.parent
        yield item


def list_within(folder: Item) -> list[Item]:
    items = folder.drive.items.values()
    return [item for item in items if item.is_there and item.lies_in(folder)]
