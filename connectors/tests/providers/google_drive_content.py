"""What lies in the stand-in for Google Drive, who may see it, and its logs of changes."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

GOOGLE = "application/vnd.google-apps."
FOLDER = GOOGLE + "folder"
SHORTCUT = GOOGLE + "shortcut"
OFFICE = "application/vnd.openxmlformats-officedocument."
# What Google's own formats can be exported to, of many kinds (.../guides/ref-export-formats).
EXPORTS = {
    GOOGLE + "document": (OFFICE + "wordprocessingml.document", "application/pdf", "text/plain"),
    GOOGLE + "spreadsheet": (OFFICE + "spreadsheetml.sheet", "application/pdf", "text/csv"),
    GOOGLE + "presentation": (OFFICE + "presentationml.presentation", "application/pdf"),
    GOOGLE + "drawing": ("image/png", "application/pdf"),
}
EDITORS = {"document": "document", "spreadsheet": "spreadsheets", "presentation": "presentation"}
ROOT = "0AMyDriveOfAna0PVA"
BEGINNING = datetime(2026, 11, 2, 8, tzinfo=UTC)
FILLED_FOLDER_FILES = 100


@dataclass
class Item:
    """A file, folder or shortcut. `drive_id`: "" in My Drive. `content`: the bytes of a file, or
    what an export of Google's own formats gives. `parent`: "" where it is not ours to see."""

    id: str
    name: str
    mime_type: str
    parent: str = ""
    drive_id: str = ""
    content: bytes = b""
    target: str = ""  # of a shortcut
    modified_at: datetime = BEGINNING
    version: int = 1
    is_trashed: bool = False  # itself, not with a folder above
    is_hidden: bool = False  # from us: no right to see it any more
    is_given: bool = False  # to us, with what is in it, out of a shared drive of others
    can_download: bool = True

    @property
    def is_google(self) -> bool:
        return self.mime_type.startswith(GOOGLE)


class DriveContent:
    """Its methods tell a story: `rename(file, "Rates")`. They answer ids, and write the logs.

    A folder's change is logged for the folder alone, not for what is in it: whoever reads the log
    has to know that it went along.
    """

    def __init__(self, lock: threading.RLock) -> None:
        self.lock = lock
        self.items: dict[str, Item] = {ROOT: Item(ROOT, "My Drive", FOLDER)}
        self.drives: dict[str, str] = {}  # names of shared drives that we are a member of
        self.log: list[tuple[str, str]] = []  # (drive, or "" for the user's own log; item or drive)
        self._count = 0
        self._now = BEGINNING

    # --- What is made -----------------------------------------------------------------------------

    def add_drive(self, name: str) -> str:
        """A shared drive: its id is also that of its top folder, which is called "Drive"."""
        with self.lock:
            id = self._next_id("0ADrive")
            self.drives[id] = name
            self.items[id] = Item(id, "Drive", FOLDER, drive_id=id)
            self.log.append(("", id))
            return id

    def add_folder(self, name: str, parent: str = ROOT) -> str:
        return self._add(name, FOLDER, parent)

    def add_shared_folder(self, name: str) -> str:
        """Of somebody else: it is below nothing that we see."""
        return self._add(name, FOLDER, "")

    def add_file(
        self, name: str, content: bytes | str, parent: str = ROOT, *, mime_type: str = "text/plain"
    ) -> str:
        return self._add(name, mime_type, parent, content=as_bytes(content))

    def add_google(self, name: str, kind: str, content: bytes, parent: str = ROOT) -> str:
        """`kind`: "document", "spreadsheet", "form" …; `content`: what an export gives."""
        return self._add(name, GOOGLE + kind, parent, content=content)

    def add_shortcut(self, name: str, target: str, parent: str = ROOT) -> str:
        return self._add(name, SHORTCUT, parent, target=target)

    def fill(self, count: int) -> str:
        """A folder with so many texts of a few sentences, a hundred in each folder below it."""
        top = self.add_folder("Filled")
        for number in range(count):
            if number % FILLED_FOLDER_FILES == 0:
                folder = self.add_folder(f"Shelf {number // FILLED_FOLDER_FILES + 1}", top)
            text = (
                f"Document {number} is about article {number:05d}, which is kept in hall"
                f" {number % 17 + 1}, row {number % 53 + 1}.\n\n"
                f"It costs {number % 97 + 3}.{number % 100:02d} euros, weighs {number % 31 + 1}"
                f" kilos, and is delivered within {number % 9 + 2} days.\n"
            )
            self.add_file(f"Document {number}.txt", text, folder)
        return top

    # --- What happens to it -----------------------------------------------------------------------

    def edit(self, id: str, content: bytes | str) -> None:
        with self.lock:
            self.items[id].content = as_bytes(content)
            self._change(id, is_modified=True)

    def rename(self, id: str, name: str) -> None:
        with self.lock:
            if id in self.drives:
                self.drives[id] = name
                self.log.append(("", id))
            else:
                self.items[id].name = name
                self._change(id)

    def move(self, id: str, parent: str) -> None:
        """Also between drives: then it is gone from the one, by its log, and new in the other."""
        with self.lock:
            before, after = self.items[id].drive_id, self.items[parent].drive_id
            self.items[id].parent = parent
            for item in self._with_descendants(id):
                item.drive_id = after
            if before != after:
                self.log.append((before, id))
            self._change(id)

    def trash(self, id: str) -> None:
        with self.lock:
            self.items[id].is_trashed = True
            self._change(id)

    def restore(self, id: str) -> None:
        with self.lock:
            self.items[id].is_trashed = False
            self._change(id)

    def delete(self, id: str) -> None:
        """For good, with all that is in it."""
        with self.lock:
            self._change(id)
            for item in list(self._with_descendants(id)):
                del self.items[item.id]

    def unshare(self, id: str) -> None:
        """We may not see it any more; `share` gives it back."""
        with self.lock:
            self.items[id].is_hidden = True
            self._change(id)

    def share(self, id: str) -> None:
        with self.lock:
            self.items[id].is_hidden = False
            self._change(id)

    def give(self, id: str) -> None:
        """Somebody lets us see it in a shared drive of which we are no member."""
        with self.lock:
            self.items[id].is_given = True
            self._change(id)

    def forbid_download(self, id: str) -> None:
        """Its owner: "Viewers cannot download, print or copy"."""
        with self.lock:
            self.items[id].can_download = False
            self._change(id)

    def allow_download(self, id: str) -> None:
        with self.lock:
            self.items[id].can_download = True
            self._change(id)

    def leave_drive(self, id: str) -> None:
        """We are no member any more."""
        with self.lock:
            del self.drives[id]
            self.log.append(("", id))

    # --- What is seen of it -----------------------------------------------------------------------

    def find(self, id: str) -> Item | None:
        """None when there is no such item, or none for us."""
        item = self.items.get(ROOT if id == "root" else id)
        return item if item is not None and self.is_visible(item) else None

    def is_visible(self, item: Item) -> bool:
        if item.drive_id and item.drive_id not in self.drives and not self.is_given(item):
            return False
        return not any(each.is_hidden for each in self._with_ancestors(item))

    def is_given(self, item: Item) -> bool:
        return any(each.is_given for each in self._with_ancestors(item))

    def is_trashed(self, item: Item) -> bool:
        return any(each.is_trashed for each in self._with_ancestors(item))

    def resource(self, item: Item) -> dict[str, Any]:
        """As files.get shows it, all fields that the stand-in has."""
        shown: dict[str, Any] = {
            "kind": "drive#file",
            "id": item.id,
            "name": item.name,
            "mimeType": item.mime_type,
            "trashed": self.is_trashed(item),
            "explicitlyTrashed": item.is_trashed,
            "modifiedTime": item.modified_at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "version": str(item.version),
            "copyRequiresWriterPermission": not item.can_download,
            "capabilities": {"canDownload": item.can_download and item.mime_type != FOLDER},
            "webViewLink": link_of(item),
        }
        if item.parent and self.find(item.parent):
            shown["parents"] = [item.parent]
        if item.drive_id:
            shown["driveId"] = item.drive_id
        if item.target:
            target = self.items.get(item.target)
            kind = target.mime_type if target else "application/octet-stream"
            shown["shortcutDetails"] = {"targetId": item.target, "targetMimeType": kind}
        if item.mime_type in EXPORTS:
            shown["size"] = "1024"
        elif not item.is_google:
            shown["size"] = str(len(item.content))
            shown["md5Checksum"] = hashlib.md5(item.content, usedforsecurity=False).hexdigest()
        return shown

    def changed_since(self, position: int, log: str) -> list[tuple[int, str]]:
        """Each item once, where it changed last: an older entry is replaced by a newer one."""
        last = {id: at for at, (name, id) in enumerate(self.log) if name == log and at >= position}
        return sorted((at, id) for id, at in last.items())

    # --- Within -----------------------------------------------------------------------------------

    def _add(
        self, name: str, mime_type: str, parent: str, *, content: bytes = b"", target: str = ""
    ) -> str:
        with self.lock:
            id = self._next_id("1Item")
            drive = self.items[parent].drive_id if parent else ""
            self.items[id] = Item(id, name, mime_type, parent, drive, content, target)
            self._change(id, is_modified=True)
            return id

    def _next_id(self, beginning: str) -> str:
        self._count += 1
        return f"{beginning}{self._count:06d}-aZ_9kQ7w2"

    def _change(self, id: str, *, is_modified: bool = False) -> None:
        item = self.items[id]
        self._now += timedelta(minutes=1)
        item.version += 1
        if is_modified:
            item.modified_at = self._now
        self.log.append((item.drive_id, id))
        if self.is_given(item):
            self.log.append(("", id))

    def _with_ancestors(self, item: Item) -> Iterator[Item]:
        above: Item | None = item
        while above is not None:
            yield above
            above = self.items.get(above.parent)

    def _with_descendants(self, id: str) -> Iterator[Item]:
        yield self.items[id]
        for child in [each.id for each in self.items.values() if each.parent == id]:
            yield from self._with_descendants(child)


def link_of(item: Item) -> str:
    if item.mime_type == FOLDER:
        return f"https://drive.google.com/drive/folders/{item.id}"
    editor = EDITORS.get(item.mime_type.removeprefix(GOOGLE))
    if editor is not None:
        return f"https://docs.google.com/{editor}/d/{item.id}/edit?usp=drivesdk"
    return f"https://drive.google.com/file/d/{item.id}/view?usp=drivesdk"


def as_bytes(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content
