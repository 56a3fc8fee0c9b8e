"""Somebody's help centre, and one sync of it at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from accounts.models import Tenant
from connectors.json_api.connector import JsonApiConnector
from connectors.json_api.fields import FIELDS
from connectors.tests.providers.json_api_server import (
    KEY_HEADER,
    PASSWORD,
    TOKEN,
    USER,
    JsonApiServer,
)
from reading.passages import ReadDocument
from reasons import Reason
from sources.connections import keep_credentials
from sources.connectors.interface import Checked, Cut, Failed, Item
from sources.models import Connection, Source
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Reply

ALWAYS = float("inf")
# What somebody types, by the way in which the list is paged.
PAGED = {
    "link": {"paging": "link"},
    "next": {"paging": "next", "items": "/data", "next": "/links/next"},
    "cursor": {
        "paging": "cursor",
        "items": "/items",
        "next": "/meta/next",
        "parameter": "after",
    },
    "page": {"paging": "page", "items": "/results"},
    "offset": {"paging": "offset", "items": "/results"},
}
ARTICLE = {"id": "/id", "title": "/title", "body": "/body", "link": "/url"}
OPENED = {
    "bearer": {"auth": "bearer", "auth_secret": TOKEN},
    "header": {"auth": "header", "auth_name": KEY_HEADER, "auth_secret": TOKEN},
    "basic": {"auth": "basic", "auth_name": USER, "auth_secret": PASSWORD},
    "": {"auth": "none"},
}


class HelpCentre(JsonApiServer):
    """With what somebody types to have it read. `over`: other fields."""

    def __init__(self, tenant: Tenant, **how: Any) -> None:
        super().__init__(**how)
        self.tenant = tenant
        self.over: dict[str, str] = {}

    @property
    def fields(self) -> dict[str, str]:
        """All of them, as `check_connection` is given them."""
        nothing = {field.name: "" for field in FIELDS}
        typed = {"url": self.list_url, **ARTICLE, **PAGED[self.paging], **OPENED[self.wants]}
        return nothing | typed | self.over

    def source(self) -> Source:
        connection = Connection(tenant=self.tenant, provider="api", account=self.list_url)
        sealed = {field.name: self.fields[field.name] for field in FIELDS if not field.is_selection}
        keep_credentials(connection, sealed)
        selection = JsonApiConnector().clean_selection(self.fields)
        return Source.objects.for_tenant(self.tenant).create(
            name="Help", source_type="api", connection=connection, selection=selection
        )

    def checked(self, **over: str) -> Checked:
        return JsonApiConnector().check_connection(self.fields | over)


Open = Callable[..., HelpCentre]  # how it is paged and opened, by name


def read(server: HelpCentre, run: FakeRun | None = None) -> list[Item]:
    """One sync. `calls` are those of it alone."""
    server.calls.clear()
    return list(JsonApiConnector().read(server.source(), run or FakeRun()))


def read_twice(server: HelpCentre, between: Callable[[], object]) -> list[Item]:
    """What the second sync tells, after what happened between them."""
    run = FakeRun()
    run = run.next(read(server, run))
    between()
    return read(server, run)


def the_only(items: list[Item]) -> ReadDocument:
    [item] = items
    assert isinstance(item, ReadDocument)
    return item


def text_of(item: Item) -> list[str]:
    assert isinstance(item, ReadDocument)
    return [passage.text for passage in item.passages]


def reasons(items: list[Item]) -> dict[str, Reason]:
    return {item.external_id: item.reason for item in items if isinstance(item, Failed)}


def serve(server: HelpCentre, content: object, *, times: float = 1, **headers: str) -> None:
    """One answer of the list in the place of its own. In ASCII: it may hold half characters."""
    body = json.dumps(content).encode()
    server.fail("GET /v1/articles", Reply(200, body, headers), times=times)


def cut_of(items: list[Item]) -> Cut:
    assert isinstance(items[-1], Cut)
    return items[-1]
