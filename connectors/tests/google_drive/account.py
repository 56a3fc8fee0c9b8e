"""An account at the stand-in for Google Drive, and syncs of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from connectors.google_drive.connector import GoogleDriveConnector
from connectors.tests.providers.google_drive_server import GoogleDriveServer
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors.interface import Failed, Item, Unchanged
from sources.models import Connection, Source
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Call


@dataclass
class DriveAccount:
    """`run`: what the next sync will know. Nothing of it is in the database."""

    server: GoogleDriveServer
    connection: Connection
    run: FakeRun = field(default_factory=FakeRun)
    selection: dict[str, Any] = field(default_factory=dict)
    connector: GoogleDriveConnector = field(default_factory=GoogleDriveConnector)

    def choose(self, **chosen: str) -> None:
        """Names and ids. What was known of another choice is not known any more."""
        self.selection = {"chosen": [{"id": id, "name": name} for name, id in chosen.items()]}
        self.run = FakeRun(self.run.known.values())

    @property
    def source(self) -> Source:
        return Source(connection=self.connection, selection=self.selection)

    def sync(self) -> list[Item]:
        self.server.calls.clear()
        items = list(self.connector.read(self.source, self.run))
        self.run = self.run.next(items)
        return items

    def asked(self) -> list[str]:
        """Paths of the last sync's requests below the API's, in their order."""
        return [call.path.removeprefix("/drive/v3/") for call in self.server.calls]

    def downloads(self) -> list[Call]:
        return [
            call
            for call in self.server.calls
            if call.query.get("alt") == "media" or call.path.endswith("/export")
        ]


def places(items: list[Item]) -> list[str]:
    """Of those that were read."""
    return [item.place for item in items if isinstance(item, ReadDocument)]


def reasons(items: list[Item]) -> dict[str, Reason]:
    """Why what could not be read."""
    return {item.title: item.reason for item in items if isinstance(item, Failed)}


def retold(items: list[Item]) -> dict[str, str]:
    """Of what has not changed and is described anew: id and place."""
    return {
        item.external_id: item.description.place
        for item in items
        if isinstance(item, Unchanged) and item.description is not None
    }


def unchanged(items: list[Item]) -> list[str]:
    """Of what is as it was, its description too: ids."""
    return [
        item.external_id
        for item in items
        if isinstance(item, Unchanged) and item.description is None
    ]
