"""What lies in the drives of the stand-in for Microsoft Graph, what people there do with it, and
how Graph shows it (learn.microsoft.com/graph/api/resources/driveitem, read 2026-11-22)."""

from __future__ import annotations

import base64
import hashlib
import itertools
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import quote

WEB = "https://company-my.sharepoint.com"


class Kind(StrEnum):
    ROOT = "root"
    FOLDER = "folder"
    FILE = "file"
    NOTEBOOK = "package"
    SHORTCUT = "remoteItem"


@dataclass(eq=False)
class Item:
    """`changed_at`: a count of all that happened, for the feed of changes. `content_changes` stands
    in its cTag, `changes` in its eTag. `refusal`: status and code that its content is answered by.
    """

    id: str
    drive: Drive
    kind: Kind
    name: str
    parent: Item | None
    content: bytes = b""
    target: Item | None = None
    changed_at: int = 0
    changes: int = 1
    content_changes: int = 1
    is_deleted: bool = False
    refusal: tuple[int, str] | None = None

    @property
    def children(self) -> list[Item]:
        return [each for each in self.drive.items.values() if each.parent is self and each.is_there]

    @property
    def is_there(self) -> bool:
        return not self.is_deleted and (self.parent is None or self.parent.is_there)

    @property
    def path(self) -> str:
        """Below the root: "/Reports/May.txt"; "" of the root."""
        return "" if self.parent is None else f"{self.parent.path}/{self.name}"

    def lies_in(self, folder: Item) -> bool:
        """Also when it is that folder."""
        return self is folder or (self.parent is not None and self.parent.lies_in(folder))


@dataclass
class Drive:
    """`type`: "personal", "business" or "documentLibrary". `is_closed`: nobody may read it."""

    id: str
    name: str
    type: str
    clock: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    items: dict[str, Item] = field(default_factory=dict)
    is_closed: bool = False

    def __post_init__(self) -> None:
        self.root = self._add(Kind.ROOT, "root", None)

    def add_folder(self, name: str, *, into: Item | None = None) -> Item:
        return self._add(Kind.FOLDER, name, into or self.root)

    def add_file(self, name: str, content: bytes | str, *, into: Item | None = None) -> Item:
        item = self._add(Kind.FILE, name, into or self.root)
        item.content = content.encode() if isinstance(content, str) else content
        return item

    def add_notebook(self, name: str, *, into: Item | None = None) -> Item:
        return self._add(Kind.NOTEBOOK, name, into or self.root)

    def add_shortcut(self, target: Item, *, into: Item | None = None) -> Item:
        """What another shared, added to this drive."""
        item = self._add(Kind.SHORTCUT, target.name, into or self.root)
        item.target = target
        return item

    def edit(self, item: Item, content: str) -> None:
        item.content = content.encode()
        item.content_changes += 1
        self._touch(item)

    def rename(self, item: Item, name: str) -> None:
        item.name = name
        self._touch(item)

    def move(self, item: Item, *, into: Item) -> None:
        item.parent = into
        self._touch(item)

    def trash(self, item: Item) -> None:
        item.is_deleted = True
        self._touch(item)

    def fill(self, files: int, *, a_folder: int = 100, suffix: str = ".txt") -> None:
        """With short texts, each another one, `a_folder` of them in a folder."""
        for number in range(files):
            if number % a_folder == 0:
                folder = self.add_folder(f"Folder {number // a_folder:03}")
            self.add_file(
                f"Note {number:05}{suffix}", f"Shelf {number} holds box {number}.", into=folder
            )

    def _add(self, kind: Kind, name: str, parent: Item | None) -> Item:
        # As the ids of SharePoint, they tell nothing, and sort in another order than they came.
        digest = hashlib.sha256(f"{self.id} {len(self.items)}".encode()).digest()
        item = Item(f"01{base64.b32encode(digest)[:20].decode()}", self, kind, name, parent)
        self.items[item.id] = item
        self._touch(item)
        item.changes = 1
        return item

    def _touch(self, item: Item) -> None:
        item.changed_at = next(self.clock)
        item.changes += 1


def show_drive(drive: Drive) -> dict[str, Any]:
    return {
        "id": drive.id,
        "name": drive.name,
        "driveType": drive.type,
        "webUrl": f"{WEB}/{quote(drive.name)}",
        "createdDateTime": "2026-01-05T08:00:00Z",
        "owner": {"user": {"displayName": "Somebody"}},
    }


def show_item(item: Item) -> dict[str, Any]:
    """As it is asked for itself, or as a child of a folder."""
    return {**show_reference(item), **show_facet(item), **show_versions(item)}


def show_change(item: Item, *, is_gone: bool) -> dict[str, Any]:
    """As the feed of changes tells it: by ids, without paths, and at OneDrive for Business without
    cTag, and without the name of what is gone (learn.microsoft.com/graph/api/driveitem-delta).
    """
    shown = {**show_item(item)}
    shown["parentReference"] = {k: v for k, v in shown["parentReference"].items() if k != "path"}
    is_business = item.drive.type != "personal"
    if is_business or is_gone:
        shown.pop("cTag", None)
    if is_gone:
        shown.pop("name" if is_business else "size", None)
        shown["deleted"] = {"state": "deleted"}
    return shown


def show_reference(item: Item) -> dict[str, Any]:
    parent: dict[str, Any] = {"driveId": item.drive.id, "driveType": item.drive.type}
    if item.parent is not None:
        parent["id"] = item.parent.id
        parent["path"] = f"/drives/{item.drive.id}/root:{item.parent.path}"
    return {
        "id": item.id,
        "name": item.name,
        "size": len(item.content),
        "webUrl": f"{WEB}/{quote(item.drive.name)}{quote(item.path)}",
        "parentReference": parent,
        "createdDateTime": "2026-01-05T08:00:00Z",
        "lastModifiedDateTime": f"2026-02-01T08:00:00.{item.changed_at % 10**6:06}Z",
    }


def show_versions(item: Item) -> dict[str, Any]:
    versions = {"eTag": f'"{{{item.id}}},{item.changes}"'}
    if item.kind is Kind.FILE:
        versions["cTag"] = f'"c:{{{item.id}}},{item.content_changes}"'
    return versions


def show_facet(item: Item) -> dict[str, Any]:
    match item.kind:
        case Kind.ROOT:
            return {"root": {}, "folder": {"childCount": len(item.children)}}
        case Kind.FOLDER:
            # The feed of changes is known to say 0 for folders that hold something.
            return {"folder": {"childCount": 0}}
        case Kind.FILE:
            # The algorithm of QuickXorHash does not matter here: another content, another hash.
            quick = base64.b64encode(hashlib.sha256(item.content).digest()[:20]).decode()
            return {"file": {"mimeType": "text/plain", "hashes": {"quickXorHash": quick}}}
        case Kind.NOTEBOOK:
            return {"package": {"type": "oneNote"}}
        case Kind.SHORTCUT:
            target = item.target
            assert target is not None
            return {"remoteItem": {**show_reference(target), **show_facet(target)}}
