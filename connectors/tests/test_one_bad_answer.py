"""One bad answer of an account loses nothing, whatever its kind: a list that is short at once waits
for a second sync, and an error with status 200 is not taken for a list."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pytest

from accounts.models import Tenant
from connectors.odoo.selection import clean_selection as clean_models
from connectors.tests.notion.account import Shop
from connectors.tests.odata.account import fill, make_items
from connectors.tests.odata.account import typed as odata_fields
from connectors.tests.odoo.reading import PRODUCTS
from connectors.tests.odoo.reading import typed as odoo_fields
from connectors.tests.providers.google_drive_server import GoogleDriveServer
from connectors.tests.providers.notion_server import NotionServer
from connectors.tests.providers.odata_server import ODataServer
from connectors.tests.providers.odoo_server import OdooServer
from connectors.tests.providers.odoo_shop import make_shop
from connectors.tests.providers.whatsapp_business_server import (
    WhatsAppBusinessServer,
    make_business,
)
from sources.connections import keep_credentials
from sources.connectors import calling, remote
from sources.connectors.calling import FixedHeaders
from sources.models import Connection, Document, Source
from sources.syncing import runs, sync
from sources.tests.providers.server import Answer, Call, ProviderServer, Reply, json_reply

pytestmark = pytest.mark.django_db

ERROR = {"error": {"code": 1, "message": "Something went wrong."}}
ALWAYS = float("inf")


@dataclass(frozen=True)
class Account:
    """An account whose lists can be spoilt. `lists`: of the requests, "METHOD /path", that list
    documents; `key`: where the list stands in the answer, "" for the answer itself."""

    server: ProviderServer
    credentials: dict[str, str]
    selection: dict[str, Any]
    lists: str
    key: str

    def shorten_lists(self) -> None:
        """Cut all lists to their first entries."""

        def spoil(call: Call, answer: Answer) -> Reply:
            told = json.loads(answer(call).body)
            if not self.key:
                return json_reply(told[:1])
            return json_reply({**told, self.key: told[self.key][:1]})

        self.server.fail(self.lists, spoil, times=ALWAYS)


def chosen(*ids: str) -> dict[str, Any]:
    return {"chosen": [{"id": each, "name": each} for each in ids]}


def make_drive(server: GoogleDriveServer) -> Account:
    folder = server.content.add_folder("Handbook")
    for number in range(5):
        server.content.add_file(f"{number}.txt", f"Room {number} costs ten euros.", folder)
    return Account(server, {}, chosen(folder), "GET /drive/v3/files$", "files")


def make_odoo(shop: OdooServer) -> Account:
    products = shop.models["product.template"].rows
    for number in range(10, 13):
        products[number] = {**products[1], "id": number, "name": f"Product {number}"}
    return Account(shop, odoo_fields(shop), clean_models(PRODUCTS), "search_read$", "")


def make_odata(server: ODataServer) -> Account:
    fill(server)
    return Account(server, odata_fields(server), chosen("Items"), "/Items$", "value")


def make_whatsapp(server: WhatsAppBusinessServer) -> Account:
    server.add_products("900", *({"name": f"Product {number}"} for number in range(4)))
    products = chosen("profile", "catalogue:900")
    return Account(server, server.credentials, products, "/900/products$", "data")


def make_notion(server: NotionServer) -> Account:
    Shop(server)
    return Account(server, {}, {"chosen": []}, "/(search|query)$", "results")


Make = tuple[Callable[[], AbstractContextManager[Any]], Callable[[Any], Account]]
KINDS: dict[str, Make] = {
    "cloud_drive_a": (GoogleDriveServer, make_drive),
    "erp_a": (lambda: make_shop(19), make_odoo),
    "erp_b": (lambda: ODataServer(make_items()), make_odata),
    "messenger_b": (make_business, make_whatsapp),
    "notes_app": (NotionServer, make_notion),
}
ASKS_AGAIN = "notes_app"  # for each page that its list does not name
each_kind = pytest.mark.parametrize("account", KINDS, indirect=True)


@pytest.fixture
def account(
    request: pytest.FixtureRequest, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Account]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    start, make = KINDS[request.param]
    with start() as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        settings.GOOGLE_API_URL = settings.NOTION_API_URL = server.url
        settings.MESSENGER_B_API_URL = getattr(server, "api_url", "")
        if hasattr(server, "authorization"):
            token = server.authorization.sign_in()["access_token"]
            opens = FixedHeaders({"Authorization": f"Bearer {token}"})
            monkeypatch.setattr(remote, "SignedIn", lambda connection, provider: opens)
        yield make(server)


@pytest.fixture
def source(request: pytest.FixtureRequest, account: Account, tenant: Tenant) -> Source:
    """Synced once."""
    kind = request.node.callspec.params["account"]
    connection = Connection(tenant=tenant, provider=kind, account="shop")
    keep_credentials(connection, account.credentials)
    connection.save()
    made = Source.objects.for_tenant(tenant).create(
        name="Shop", source_type=kind, connection=connection, selection=account.selection
    )
    return sync_again(made)


def sync_again(source: Source) -> Source:
    """Lists everything: what a feed of changes remembers is put away."""
    rows = Source.objects.for_tenant(source.tenant).filter(pk=source.pk)
    rows.update(sync_cursor={})
    run_id = runs.begin_run(source.tenant, source.pk)
    assert run_id is not None
    for _ in range(runs.MAX_ATTEMPTS):
        try:
            sync.sync_source(source.tenant, source.pk, run_id=run_id)
            break
        except sync.RetryLater:
            continue
    return rows.get()


def titles(source: Source) -> set[str]:
    rows = Document.objects.for_tenant(source.tenant).live().filter(source=source)
    return set(rows.values_list("title", flat=True))


@pytest.mark.parametrize("account", [kind for kind in KINDS if kind != ASKS_AGAIN], indirect=True)
def test_a_list_that_is_short_at_once_waits_for_a_second_sync(
    account: Account, source: Source
) -> None:
    before = titles(source)
    assert (source.sync_status, len(before) >= 3) == ("synced", True)
    account.shorten_lists()

    first = sync_again(source)
    assert first.sync_status == "error"
    assert first.error is not None
    assert first.error.code == "loss_unconfirmed"
    assert titles(first) == before

    second = sync_again(first)
    assert second.sync_status == "synced"
    assert len(titles(second)) <= 2
    assert titles(second) < before


@pytest.mark.parametrize("account", [kind for kind in KINDS if kind != ASKS_AGAIN], indirect=True)
def test_a_list_that_is_whole_again_loses_nothing(account: Account, source: Source) -> None:
    before = titles(source)
    account.shorten_lists()
    sync_again(source)
    account.server.recover()

    source = sync_again(source)

    assert (source.sync_status, source.may_lose) == ("synced", False)
    assert titles(source) == before


@pytest.mark.parametrize("account", [ASKS_AGAIN], indirect=True)
def test_pages_that_a_short_list_does_not_name_are_asked_for(
    account: Account, source: Source
) -> None:
    before = titles(source)
    account.shorten_lists()

    source = sync_again(source)

    assert (source.sync_status, titles(source)) == ("synced", before)


@each_kind
def test_an_error_with_status_200_is_no_list(account: Account, source: Source) -> None:
    before = titles(source)
    account.server.fail(account.lists, json_reply(ERROR), times=ALWAYS)

    for _ in range(2):  # nor does it confirm anything
        source = sync_again(source)
        assert (source.sync_status, source.may_lose) == ("error", False)
        assert titles(source) == before
