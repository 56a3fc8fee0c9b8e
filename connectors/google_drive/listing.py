"""Lists all content of the choices: folder by folder, then the targets of shortcuts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from connectors.google_drive.answers import FOLDER, GOOGLE, SHORTCUT, DriveFile
from connectors.google_drive.drive import Drive
from connectors.google_drive.problems import GONE, LEADS_NOWHERE, NO_PERMISSION
from connectors.google_drive.tree import Folder, Tree
from reading.file_types import CONTENT_TYPES, DOCX, PPTX, XLSX, extension_of
from reading.passages import Description
from sources.connectors.interface import Failed
from sources.connectors.remote import UNSUPPORTED, Listed, RemoteDocument, place_of

# Google's own formats, and as what they are exported.
EXPORTS = {
    GOOGLE + "document": DOCX,
    GOOGLE + "spreadsheet": XLSX,
    GOOGLE + "presentation": PPTX,
}
UNTIL_CHANGED = "gone"  # the version of what is not there: the change log tells when it is again


class Listing:
    """A pass through a drive. `tree` is complete once all `documents` were taken.

    Args:
        chosen: each an "id" and a "name".
    """

    def __init__(self, drive: Drive, chosen: Sequence[Mapping[str, str]]) -> None:
        self.tree = Tree()
        self._drive = drive
        self._chosen = chosen
        self._folders: deque[tuple[str, str]] = deque()  # to be looked into: id, shared drive
        self._shortcuts: deque[tuple[DriveFile, str]] = deque()  # to be followed: and their place

    def documents(self) -> Iterator[Listed]:
        """Yields the chosen documents; one that is in two places comes twice. Raises as Drive."""
        self._follow_log("")
        for choice in self._chosen:
            file = self._drive.find(choice["id"])
            if file is None or file.is_trashed:
                yield Failed(choice["id"], GONE, title=choice["name"], etag=UNTIL_CHANGED)
            else:
                yield from self._enter(file, "")
        while self._folders or self._shortcuts:
            if self._folders:  # first: what is below them is told with its own place
                yield from self._look_into(*self._folders.popleft())
            else:
                yield from self._follow(*self._shortcuts.popleft())

    def _enter(self, file: DriveFile, place: str) -> Iterator[Listed]:
        """Takes a file that was not found in its folder, but chosen, or at the end of a
        shortcut."""
        self._follow_log(file.drive_id)
        if file.kind not in (FOLDER, SHORTCUT):
            self.tree.files.setdefault(file.id, place)
        yield from self._take(file, place)

    def _take(self, file: DriveFile, place: str) -> Iterator[Listed]:
        if file.kind == SHORTCUT:
            self.tree.shortcuts[file.id] = file.target
            self._shortcuts.append((file, place))
        elif file.kind != FOLDER:
            yield document_of(file, place)
        elif file.id not in self.tree.folders:  # shortcuts may lead in a circle
            is_drive = file.id == file.drive_id
            name = self._drive.shared_drives.get(file.id, file.name) if is_drive else file.name
            self.tree.folders[file.id] = Folder(file.parent, name, place_of([place, name]))
            self._folders.append((file.id, file.drive_id))

    def _look_into(self, folder: str, drive_id: str) -> Iterator[Listed]:
        place = self.tree.folders[folder].place
        for child in self._drive.children(folder, drive_id=drive_id):
            yield from self._take(child, place)

    def _follow(self, shortcut: DriveFile, place: str) -> Iterator[Listed]:
        target = self._drive.find(shortcut.target) if shortcut.target else None
        if target is None or target.is_trashed or target.kind == SHORTCUT:
            title = place_of([place, shortcut.name])
            yield Failed(shortcut.id, LEADS_NOWHERE, title=title, etag=UNTIL_CHANGED)
        else:
            yield from self._enter(target, place)

    def _follow_log(self, drive_id: str) -> None:
        """Notes the log's position before anything of the drive is listed, so that no change is
        missed. Files shared with the account out of other people's shared drives are in its own
        log."""
        is_ours = not drive_id or drive_id in self._drive.shared_drives
        if is_ours and drive_id not in self.tree.feeds:
            self.tree.feeds[drive_id] = self._drive.start_token(drive_id)


def document_of(file: DriveFile, place: str) -> RemoteDocument | Failed:
    """A file that lies in a folder of this place."""
    description = Description(
        title=file.name,
        etag=file.version,
        last_modified=file.modified_time,
        place=place_of([place, file.name]),
        link=file.link,
    )
    document = RemoteDocument(
        file.id,
        description,
        filename=filename_of(file),
        size_bytes=file.size_bytes,
        handle=file,
    )
    if file.kind.startswith(GOOGLE) and file.kind not in EXPORTS:
        return document.fails(UNSUPPORTED, is_final=True)
    return document if file.can_download else document.fails(NO_PERMISSION, is_final=True)


def filename_of(file: DriveFile) -> str:
    """The file's name, with the extension of its kind if people gave it none."""
    if file.kind in EXPORTS:
        return file.name + CONTENT_TYPES[EXPORTS[file.kind]].extensions[0]
    if file.kind in CONTENT_TYPES and not extension_of(file.name):
        return file.name + CONTENT_TYPES[file.kind].extensions[0]
    return file.name
