"""Accounts elsewhere that need nobody to answer, and the kinds that they are of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from accounts.models import Tenant
from reasons import as_reason
from sources.connections import keep_credentials
from sources.connectors.interface import (
    Account,
    Checked,
    Choice,
    ConnectionField,
    Connector,
    Extent,
    Item,
    SyncContext,
)
from sources.connectors.registry import CONNECTORS
from sources.errors import ConnectionRefused, SyncFailed
from sources.models import Connection, Source
from sources.tests.providers.plain_drive import PlainDriveConnector

DRIVE, SHOP = "cloud_drive_a", "api"
FOLDERS: Mapping[str, Sequence[Choice]] = {
    "": (
        Choice("handbook", "Handbook", is_open=True),
        Choice("letters", "Letters"),
        Choice("shared", "Shared drives", is_open=True, can_be_read=False),
    ),
    "handbook": (Choice("rates", "Rates.pdf", hint="1 MB"),),
}


class Shelves(PlainDriveConnector):
    """`problem`: why it cannot be looked at."""

    reads = "The folders that you choose."
    problem: SyncFailed | None = None

    def browse(self, connection: Connection, *, inside: str) -> Sequence[Choice]:
        if self.problem is not None:
            raise self.problem
        return FOLDERS.get(inside, ())

    def measure(self, connection: Connection, selection: Mapping[str, Any]) -> Extent | None:
        if self.problem is not None:
            raise self.problem
        return Extent(1200, size_bytes=3 * 1024 * 1024) if selection["chosen"] else None


class Shop(Connector):
    """Opened with the key "open sesame"."""

    kind = SHOP
    label = "JSON over HTTPS"
    connection_fields = (
        ConnectionField("address", "Address"),
        ConnectionField("key", "API key", is_secret=True),
        ConnectionField(
            "items", "Path", is_selection=True, choices=(("all", "All"), ("new", "New"))
        ),
    )

    def check_connection(self, fields: Mapping[str, str]) -> Checked:
        if fields["key"] != "open sesame":
            raise ConnectionRefused("The key is refused.", field="key")
        account = Account(fields["address"], fields["address"])
        return Checked(account, {"items": fields["items"]}, Extent(3), ("One.", "<b>Two.</b>"))

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        yield from ()


@pytest.fixture
def shelves(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Shelves:
    """Both kinds are in the registry; what `Shelves` signs in to does not answer."""
    settings.GOOGLE_CLIENT = ("a-client", "a-client-secret")
    drive = Shelves("http://127.0.0.1:1")
    monkeypatch.setitem(CONNECTORS, DRIVE, drive)
    monkeypatch.setitem(CONNECTORS, SHOP, Shop())
    return drive


def make_account(tenant: Tenant, **over: Any) -> Connection:
    """Connected; of the drive, unless told."""
    fields: Any = {
        "provider": DRIVE,
        "account": "ana@company.example",
        "account_id": "1001",
        **over,
    }
    connection = Connection(tenant=tenant, **fields)
    keep_credentials(connection, {"access_token": "a-token"})
    if "state" in over:
        Connection.objects.for_tenant(tenant).filter(pk=connection.pk).update(
            state=over["state"],
            reason=over.get("reason", ""),
            error=as_reason(over["reason"]) if over.get("reason") else None,
        )
        connection.refresh_from_db()
    return connection
