"""The tree of the read part of a drive as of the last pass: kept from sync to sync, so that the
change logs can be understood."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from connectors.google_drive.answers import DriveFile

FORMAT = 1  # of the cursor: after one of another format everything is looked through again
# So it is after an older one: a log may miss what somebody else did in a folder that they share.
HOLDS_SECONDS = 7 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Folder:
    """`parent` and `name` as Drive says; `place`: as people read it, its name included."""

    parent: str
    name: str
    place: str


@dataclass
class Tree:
    """The read part of a drive, by ids: all `folders` that are read; `files` that were chosen
    themselves or that a shortcut leads to, each with its place; `shortcuts` with their targets.
    `feeds`: for each shared drive ("": the account), the position of its change log before the
    pass; `listed_at`: time.time() of that."""

    listed_at: float = field(default_factory=time.time)
    feeds: dict[str, str] = field(default_factory=dict)
    folders: dict[str, Folder] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    shortcuts: dict[str, str] = field(default_factory=dict)

    def __contains__(self, id: str) -> bool:
        return id in self.folders or id in self.files

    def place_around(self, file: DriveFile) -> str | None:
        """The place of the folder in which the file is read; None if it is not read."""
        folder = self.folders.get(file.parent)
        return folder.place if folder else self.files.get(file.id)

    def to_cursor(self) -> dict[str, Any]:
        folders = {id: list(asdict(folder).values()) for id, folder in self.folders.items()}
        return {**asdict(self), "folders": folders, "format": FORMAT}

    @classmethod
    def of(cls, cursor: Mapping[str, Any]) -> Tree | None:
        """The tree that `cursor` gave; None for anything else, and for a tree that is too old."""
        if cursor.get("format") != FORMAT or cursor["listed_at"] < time.time() - HOLDS_SECONDS:
            return None
        return cls(
            listed_at=cursor["listed_at"],
            feeds=dict(cursor["feeds"]),
            folders={id: Folder(*values) for id, values in cursor["folders"].items()},
            files=dict(cursor["files"]),
            shortcuts=dict(cursor["shortcuts"]),
        )
