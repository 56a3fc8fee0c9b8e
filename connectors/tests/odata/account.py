"""An ERP with five articles, and what tests ask of its connector."""

from __future__ import annotations

from accounts.models import Tenant
from connectors.odata.connector import ODataConnector
from connectors.tests.providers.odata_model import EntitySet, Property
from connectors.tests.providers.odata_server import TOKEN_PATH, ODataServer
from reading.passages import ReadDocument
from sources.connections import keep_credentials
from sources.connectors.interface import Cut, Item, LeftOut
from sources.models import Connection, Source
from sources.tests.connectors.context import FakeRun

ALWAYS = float("inf")


def make_items(*, tracks_changes: bool = True) -> EntitySet:
    return EntitySet(
        "Items",
        ("ID",),
        (
            Property("ID", "Edm.Int32"),
            Property("displayName", "Edm.String", "Name"),
            Property("unitPrice", "Edm.Decimal"),
            Property("picture", "Edm.Binary"),
            Property("lastModifiedDateTime", "Edm.DateTimeOffset"),
        ),
        "Articles",
        tracks_changes=tracks_changes,
    )


def make_lines() -> EntitySet:
    return EntitySet(
        "Lines",
        ("Order", "Line"),
        (Property("Order"), Property("Line", "Edm.Int32"), Property("Text")),
    )


def fill(server: ODataServer, count: int = 5) -> None:
    for number in range(1, count + 1):
        server.add(
            "Items",
            ID=number,
            displayName=f"Bicycle {number}",
            unitPrice=f"{number}00.50",
            picture="AAAA",
            lastModifiedDateTime=f"2026-11-0{1 + number % 9}T10:00:00Z",
        )


def typed(erp: ODataServer, **over: str) -> dict[str, str]:
    fields = {each.name: "" for each in ODataConnector.connection_fields}
    own = {
        "basic": {"username": erp.user, "password": erp.password},
        "key": {"key_header": erp.key_header, "key": erp.key},
        "client": {
            "token_url": erp.url + TOKEN_PATH,
            "client_id": erp.client_id,
            "client_secret": erp.client_secret,
            "scope": erp.scope,
        },
    }[erp.sign_in]
    return {**fields, "service_url": erp.root_url, "sign_in": erp.sign_in, **own, **over}


def make_source(tenant: Tenant, fields: dict[str, str], *chosen: str) -> Source:
    connection = Connection(tenant=tenant, provider="erp_b")
    keep_credentials(connection, fields)
    listed = [{"id": each, "name": each} for each in chosen or ("Items",)]
    return Source(
        tenant=tenant, source_type="erp_b", connection=connection, selection={"chosen": listed}
    )


def read(source: Source, run: FakeRun) -> list[Item]:
    return list(ODataConnector().read(source, run))


def sync(source: Source, run: FakeRun | None = None) -> tuple[dict[str, Item], FakeRun]:
    """(what was told by external id, the run after it)."""
    run = run or FakeRun()
    items = read(source, run)
    told: dict[str, Item] = {
        each.external_id: each for each in items if not isinstance(each, Cut | LeftOut)
    }
    assert len(told) == len(items)
    return told, run.next(items)


def text_of(item: Item) -> str:
    assert isinstance(item, ReadDocument)
    [passage] = item.passages
    return passage.text


def paths(erp: ODataServer) -> list[str]:
    return [call.path.rpartition("/shop/")[2] for call in erp.calls]
