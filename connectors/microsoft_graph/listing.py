"""Turns the feeds of changes into the documents to be read, and those that stay as they are.

learn.microsoft.com/graph/api/driveitem-delta, read 2026-11-22. A folder that was renamed or moved
comes alone, without what lies in it; so does one that was deleted, moved away or moved in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from connectors.microsoft_graph.chosen import NOT_THERE, ChosenRoot, find_place, list_roots
from connectors.microsoft_graph.graph import ABSENT, MicrosoftGraph
from connectors.microsoft_graph.items import DriveItem, SharedTarget
from connectors.microsoft_graph.tree import FolderTree, tree_of
from reading.passages import Description
from reasons import Reason
from sources.connectors.calling import CallRefused
from sources.connectors.interface import Failed, Gone, SyncContext, Unchanged
from sources.connectors.remote import Listed, RemoteDocument, place_of

PACKAGE = Reason("onenote_not_read")
MALWARE = Reason("malware_found")


@dataclass
class RootChanges:
    """The content of all pages of a feed for a root: `items` by id. `is_all`: items that it did not
    name do not exist. `stale`: places of folders that were renamed, moved or removed. `since`: the
    latest time of modification that the feed had told before."""

    tree: FolderTree
    items: dict[str, DriveItem]
    is_all: bool
    stale: tuple[str, ...] = ()
    since: str = ""

    def may_hold(self, place: str) -> bool:
        """True if a document of that place, which the feed did not name, is still there."""
        return not self.is_all and not lies_in(place, self.stale)


class DriveListing:
    """Lists everything that was chosen, following shortcuts into other drives. `cursor`: the
    positions of the feeds after it."""

    def __init__(self, graph: MicrosoftGraph, context: SyncContext) -> None:
        self.cursor: dict[str, Any] = {}
        self._graph = graph
        self._context = context
        self._kept: Mapping[str, Any] = context.cursor.get("roots", {})
        self._waiting: deque[ChosenRoot] = deque()

    def list_documents(self, chosen: Iterable[Mapping[str, str]]) -> Iterator[Listed]:
        """Raises as MicrosoftGraph."""
        roots: dict[str, Any] = {}
        for each in chosen:
            for root in list_roots(self._graph, each):
                if isinstance(root, Failed):
                    yield root
                else:
                    self._waiting.append(root)
        while self._waiting:
            root = self._waiting.popleft()
            if root.key in roots:
                continue
            try:
                changes = self._catch_up(root)
            except CallRefused as refused:
                if refused.status not in ABSENT:
                    raise
                yield root.fails()
                continue
            roots[root.key] = changes.tree.to_json()
            yield from self._list_root(changes)
        self.cursor = {"roots": roots}

    # --- What happened there ----------------------------------------------------------------------

    def _catch_up(self, root: ChosenRoot) -> RootChanges:
        """Raises as MicrosoftGraph."""
        kept = self._kept.get(root.key)
        if kept and kept["delta_link"] and root.place in ("", kept["place"]):
            # The link is too old (410), or a folder went meanwhile: everything is listed again.
            with suppress(CallRefused):
                changes = self._tell_since(tree_of(replace(root, place=kept["place"]), kept))
                if root.place or not is_renamed(changes):
                    return changes
        if not root.place:
            root = replace(root, place=find_place(self._graph, root))
        items, delta_link = self._take(root, root.item_id)
        tree = FolderTree(root, delta_link)
        for item in items.values():
            tree.update(item)
        return RootChanges(tree, items, is_all=True)

    def _tell_since(self, tree: FolderTree) -> RootChanges:
        root, before = tree.root, replace(tree, nodes=dict(tree.nodes))
        items, tree.delta_link = self._take(root, root.item_id, since=tree.delta_link)
        changed = {item.id: item for item in items.values() if tree.update(item)}
        stale = [
            before.place_of_node(before.nodes[name]) for name in changed if name in before.nodes
        ]
        tree.drop_inside({item.id for item in items.values() if item.is_gone})
        folders = [item for item in changed.values() if item.is_folder and not item.is_gone]
        looked_into: set[str] = set()
        for folder in sorted(folders, key=lambda item: tree.place(item.id, "")):
            if folder.id not in looked_into:
                inside = self._look_into(tree, folder)
                looked_into |= inside.keys()
                items |= inside
        return RootChanges(tree, items, is_all=False, stale=tuple(stale), since=before.newest)

    def _look_into(self, tree: FolderTree, folder: DriveItem) -> dict[str, DriveItem]:
        """The content of a folder that came alone, by id."""
        inside, _ = self._take(tree.root, folder.id)
        inside.pop(folder.id, None)
        for item in inside.values():
            tree.update(item)
        return inside

    def _take(
        self, root: ChosenRoot, item_id: str, *, since: str = ""
    ) -> tuple[dict[str, DriveItem], str]:
        """The items of all pages of a feed, and the link for the changes after them."""
        items: dict[str, DriveItem] = {}
        link = ""
        for page in self._graph.tell_changes(root.drive_id, item_id, since=since):
            items |= {item.id: item for item in page.items}
            link = page.delta_link
        return items, link

    # --- What that means for documents ------------------------------------------------------------

    def _list_root(self, changes: RootChanges) -> Iterator[Listed]:
        tree = changes.tree
        packages = {item.id for item in changes.items.values() if item.is_package}
        for item in changes.items.values():
            if item.parent_id in packages:
                continue  # a section of a notebook, which is named as a whole
            external_id = f"{tree.root.drive_id}/{item.id}"
            if item.is_gone and external_id in self._context.known:
                yield Gone(external_id)
            elif (listed := to_document(item, tree)) is not None:
                yield listed
        for node in tree.nodes.values():
            if node.target is not None:
                yield from self._follow(node.target, tree.place_of_node(node))
        yield from self._list_failed(changes)
        for known in self._context.known.values():
            if not self._is_unnamed(known.external_id, known.place, changes):
                continue
            # A run that did not come to its end has read it: the feed need not say that it went.
            is_new = known.last_modified > changes.since
            if not is_new or self._find(*known.external_id.split("/")) is not None:
                yield Unchanged(known.external_id)

    def _follow(self, target: SharedTarget, place: str) -> Iterator[Listed]:
        if target.is_folder:
            self._waiting.append(ChosenRoot(target.drive_id, target.item_id, place))
            return
        item = self._find(target.drive_id, target.item_id)
        if item is not None and item.is_file:
            yield document_of(item, target.drive_id, place)
        else:
            yield Failed(f"{target.drive_id}/{target.item_id}", NOT_THERE, title=place)

    def _list_failed(self, changes: RootChanges) -> Iterator[Listed]:
        """Yields the documents that could not be read the last time, and perhaps can now."""
        for failed in self._context.known_failures.values():
            if not self._is_unnamed(failed.external_id, failed.title, changes):
                continue
            drive_id, _, item_id = failed.external_id.partition("/")
            item = None if failed.etag else self._find(drive_id, item_id)
            yield (item and to_document(item, changes.tree)) or failed

    def _find(self, drive_id: str, item_id: str) -> DriveItem | None:
        """The item; None if it does not exist, or this account may not read it."""
        try:
            return self._graph.find_item(drive_id, item_id)
        except CallRefused as refused:
            if refused.status not in ABSENT:
                raise
            return None

    def _is_unnamed(self, external_id: str, place: str, changes: RootChanges) -> bool:
        """True if it lay in this root, is still there, and the feed does not mention it."""
        drive_id, _, item_id = external_id.partition("/")
        root = changes.tree.root
        return (
            drive_id == root.drive_id
            and item_id not in changes.items
            and lies_in(place, (root.place,))
            and changes.may_hold(place)
        )


def is_renamed(changes: RootChanges) -> bool:
    """True if the root itself has another name now."""
    root = changes.tree.root
    item = changes.items.get(root.item_id)
    return item is not None and place_of([item.name]) != root.place.split(" / ")[-1]


def lies_in(place: str, folders: Iterable[str]) -> bool:
    return any(place.startswith(f"{folder} / ") for folder in folders)


def to_document(item: DriveItem, tree: FolderTree) -> Listed | None:
    """The document of an item; None for a folder, a stand-in for another item, or a deleted
    item."""
    if item.is_gone or not (item.is_file or item.is_package):
        return None
    document = document_of(item, tree.root.drive_id, tree.place(item.parent_id, item.name))
    if item.is_package:
        return document.fails(PACKAGE, is_final=True)
    if item.has_malware:
        return document.fails(MALWARE, is_final=True)
    return document


def document_of(item: DriveItem, drive_id: str, place: str) -> RemoteDocument:
    return RemoteDocument(
        external_id=f"{drive_id}/{item.id}",
        description=Description(
            title=item.name,
            etag=item.version,
            last_modified=item.modified_at,
            place=place,
            link=item.link,
        ),
        filename=item.name,
        size_bytes=item.size_bytes,
    )
