"""An account at the stand-in for Microsoft Graph, and a source that is read from it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from connectors.microsoft_graph.connector import MicrosoftGraphConnector
from connectors.tests.providers.microsoft_drives import Drive
from connectors.tests.providers.microsoft_drives import Item as DriveItem
from connectors.tests.providers.microsoft_server import MicrosoftServer, Site
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors import remote
from sources.connectors.interface import Failed, Item, Unchanged
from sources.models import Connection, Source
from sources.tests.connectors.context import FakeRun


class Opened:
    """calling.Authorization of whoever signed in, without a database."""

    def __init__(self, server: MicrosoftServer) -> None:
        self.tokens = server.authorization.sign_in()

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.tokens['access_token']}"}

    def renew(self, refused: Mapping[str, str]) -> bool:
        return False


class Reader:
    """Syncs again and again, each run knowing what the one before it found."""

    def __init__(self, server: MicrosoftServer, connection: Connection) -> None:
        self.server = server
        self.connection = connection
        self.connector = MicrosoftGraphConnector()
        self.chosen: list[dict[str, str]] = []
        self.run = FakeRun()

    def choose(self, *places: Drive | DriveItem | Site) -> None:
        self.chosen = [choice_of(place) for place in places]

    def sync(self) -> list[Item]:
        """What it yields; `server.calls` are those of this sync alone."""
        self.server.calls.clear()
        self.server.downloads.calls.clear()
        items = list(self.connector.read(self.source, self.run))
        self.run = self.run.next(items)
        return items

    @property
    def source(self) -> Source:
        return Source(connection=self.connection, selection={"chosen": self.chosen})

    @property
    def asked(self) -> list[str]:
        """The paths of what Graph was asked, without tokens and the ids of drives."""
        paths = [call.path.partition("(")[0] for call in self.server.calls]
        return [path.removeprefix("/v1.0/drives/") for path in paths]


def open_account(server: MicrosoftServer, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Of whoever signs in there, with all of their drive chosen. Without a database."""
    opened = Opened(server)
    monkeypatch.setattr(remote, "SignedIn", lambda connection, provider: opened)
    connection = Connection(pk=uuid.uuid4(), tenant_id=uuid.uuid4(), provider="cloud_drive_b")
    reader = Reader(server, connection)
    reader.choose(server.drive)
    return reader


def choice_of(place: Drive | DriveItem | Site) -> dict[str, str]:
    match place:
        case Drive():
            return {"id": f"drive/{place.id}", "name": place.name}
        case Site():
            return {"id": f"site/{place.id}", "name": place.name}
    return {"id": f"folder/{place.drive.id}/{place.id}", "name": place.name}


def id_of(item: DriveItem) -> str:
    return f"{item.drive.id}/{item.id}"


def read_in(items: Sequence[Item]) -> dict[str, str]:
    """Place and text of what was read."""
    return {
        item.place: " ".join(passage.text for passage in item.passages)
        for item in items
        if isinstance(item, ReadDocument)
    }


def failed_in(items: Sequence[Item]) -> dict[str, Reason]:
    """Place and reason."""
    return {item.title: item.reason for item in items if isinstance(item, Failed)}


def retold_in(items: Sequence[Item]) -> dict[str, str]:
    """The ids of what stayed as it is, but was told of anew; and its place."""
    return {
        item.external_id: item.description.place
        for item in items
        if isinstance(item, Unchanged) and item.description is not None
    }


def named_in(items: Sequence[Item]) -> set[Any]:
    return {getattr(item, "external_id", None) for item in items}
