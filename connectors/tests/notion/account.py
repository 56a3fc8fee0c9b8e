"""Syncs of a workspace that we were let into, and what is in it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from connectors.notion.connector import NotionConnector
from connectors.tests.providers.notion_blocks import paragraph
from connectors.tests.providers.notion_server import NotionServer
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors import remote
from sources.connectors.calling import FixedHeaders
from sources.connectors.interface import Cut, Failed, Item, LeftOut, Unchanged
from sources.models import Connection, Source
from sources.oauth.tokens import bearer
from sources.tests.connectors.context import FakeRun


class NotionAccount:
    """A workspace that we were let into, and what the syncs of a source on it remember. Without a
    database: the token that opens it stays good."""

    def __init__(self, server: NotionServer, monkeypatch: pytest.MonkeyPatch) -> None:
        self.server = server
        self.run = FakeRun()
        self.connection = Connection(tenant_id=uuid.uuid4(), provider="notes_app")
        token = server.authorization.sign_in()["access_token"]
        opens = FixedHeaders(bearer(token))
        monkeypatch.setattr(remote, "SignedIn", lambda connection, provider: opens)

    def items(self, *chosen: str) -> Iterator[Item]:
        selection = {"chosen": [{"id": each, "name": each} for each in chosen]}
        source = Source(source_type="notes_app", connection=self.connection, selection=selection)
        return NotionConnector().read(source, self.run)

    def sync(self, *chosen: str) -> list[Item]:
        """To its end: the next one knows what it has read. `server.calls` are of this one alone."""
        self.server.calls.clear()
        items = list(self.items(*chosen))
        self.run = self.run.next(items)
        return items


def told(items: list[Item]) -> list[tuple[str | Reason, str | Reason]]:
    """What became of each, and its place (of what was not read: why)."""
    found: list[tuple[str | Reason, str | Reason]] = []
    for item in items:
        match item:
            case ReadDocument():
                found.append(("read", item.place))
            case Unchanged():
                found.append(("unchanged", item.description.place if item.description else ""))
            case Failed():
                found.append((item.reason, item.title))
            case Cut():
                found.append(("cut", item.reason))
    return found


def asked(server: NotionServer) -> list[str]:
    """ "POST search", "GET pages", "GET blocks children": ids apart."""
    return [
        " ".join([call.method, *(part for part in call.path.split("/")[2:] if "-" not in part)])
        for call in server.calls
    ]


def one_of(items: list[Item], page_id: str) -> Item:
    told = [each for each in items if not isinstance(each, Cut | LeftOut)]
    [found] = [each for each in told if each.external_id == page_id]
    return found


class Shop:
    """A small workspace: Handbook / (Returns, Team / Holidays), and Products, a database."""

    def __init__(self, server: NotionServer) -> None:
        add = server.workspace.add_page
        self.handbook = add("Handbook", paragraph("How we work at the shop."))
        self.returns = add("Returns", paragraph("Within 30 days."), under=self.handbook)
        self.team = add("Team", under=self.handbook)
        self.holidays = add("Holidays", paragraph("Closed in August."), under=self.team)
        self.products = server.workspace.add_data_source("Products", under=self.handbook)
        self.xaloc = add("Xaloc", under=self.products, properties={"Price": price(899)})


def price(value: float) -> dict[str, Any]:
    return {"id": "pr", "type": "number", "number": value}
