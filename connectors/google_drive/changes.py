"""Compares the change logs since the last sync with the tree that was read then.

developers.google.com/workspace/drive/api/guides/about-changes, read 2026-11-22: a log tells how
things are now, each once, and a folder's change does not name what is in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from connectors.google_drive.answers import FOLDER, SHORTCUT, Change, DriveFile
from connectors.google_drive.drive import Drive
from connectors.google_drive.listing import document_of
from connectors.google_drive.tree import Folder, Tree
from sources.connectors.calling import CallRefused
from sources.connectors.interface import Gone, KnownDocument, SyncContext, Unchanged
from sources.connectors.remote import Listed

News = Mapping[str, DriveFile | None]  # files that changed, as they are now; None: gone


def follow_changes(drive: Drive, tree: Tree, chosen: frozenset[str]) -> News | None:
    """Takes the tree's logs to their current position and returns the news. None if that is not
    enough, and the drive has to be listed again: folders came, went or moved, or a log does not
    know our token any more. Raises as Drive."""
    news: dict[str, DriveFile | None] = {}
    for drive_id, token in tree.feeds.items():
        try:
            changes, tree.feeds[drive_id] = drive.changes_since(drive_id, token)
        except CallRefused:
            return None
        if not tree.feeds[drive_id] or any(alters(change, tree, chosen) for change in changes):
            return None
        told = {change.id: change.file for change in changes if not change.is_drive}
        # What moved to another drive is gone in one log, and there in the other.
        news |= {id: file or news.get(id) for id, file in told.items()}
    return news


def alters(change: Change, tree: Tree, chosen: frozenset[str]) -> bool:
    """True if the change affects the read folders, their names, or the targets of shortcuts."""
    folder = tree.folders.get(change.id)
    if change.is_drive:
        return change.id in chosen if folder is None else change.drive_name != folder.name
    file = change.file if change.file and not change.file.is_trashed else None
    is_awaited = change.id in chosen or change.id in tree.shortcuts.values()
    if is_awaited and (file is None) == (change.id in tree):
        return True
    if folder is not None:
        return file is None or is_elsewhere(file, folder)
    if change.id in tree.shortcuts:
        return True
    return file is not None and file.kind in (FOLDER, SHORTCUT) and file.parent in tree.folders


def is_elsewhere(file: DriveFile, folder: Folder) -> bool:
    """True if the folder was moved or renamed. Drive gives the top folder of a shared drive another
    name than the drive's."""
    is_renamed = file.name != folder.name and file.id != file.drive_id
    return is_renamed or file.parent != folder.parent


def retell(drive: Drive, tree: Tree, news: News, context: SyncContext) -> Iterator[Listed]:
    """Yields all known documents, and the news of them. Looks up again those that failed for a
    cause that may have passed, and those that only an unfinished run has read: no log tells that
    they went."""
    places = {folder.place for folder in tree.folders.values()}
    for id in dict.fromkeys((*context.known, *context.known_failures)):
        known, failure = context.known.get(id), context.known_failures.get(id)
        if id in news:
            yield from list(tell(news[id], tree)) or [Gone(id)]
        elif failure is not None and failure.etag:
            yield failure
        elif failure is None and known and (id in tree.files or place_around(known) in places):
            yield Unchanged(id)
        else:
            yield from tell(drive.find(id), tree)
    for id, file in news.items():
        if id not in context.known and id not in context.known_failures:
            yield from tell(file, tree)


def place_around(known: KnownDocument) -> str:
    """The place of the folder in which it was read; "" if it was not in a folder."""
    return known.place.removesuffix(known.title).removesuffix(" / ")


def tell(file: DriveFile | None, tree: Tree) -> Iterator[Listed]:
    """Yields the file as a document; nothing if it is gone, or is not in a folder that is read."""
    if file is None or file.is_trashed or file.kind in (FOLDER, SHORTCUT):
        return
    place = tree.place_around(file)
    if place is not None:
        yield document_of(file, place)
