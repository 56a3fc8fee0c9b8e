"""What a business publishes on WhatsApp as a source, against a stand-in for Meta's Graph API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Tenant
from config.errors import InvalidValue
from connectors.tests.providers.whatsapp_business_server import (
    WhatsAppBusinessServer,
    graph_error,
    make_business,
)
from connectors.whatsapp_business.connector import WhatsAppBusinessConnector
from reading.passages import ReadDocument
from reasons import Reason
from sources.connections import keep_credentials
from sources.connectors import calling
from sources.connectors.interface import Choice, Extent, Failed, Item, Unchanged
from sources.errors import OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection, Source
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Reply, cut_in_half, json_reply

TEMPLATES = f"templates:{WhatsAppBusinessServer.account}"
ALL = ("profile", TEMPLATES, "catalogue:900")


@pytest.fixture
def business(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[WhatsAppBusinessServer]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with make_business() as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        settings.MESSENGER_B_API_URL = server.api_url
        yield server


@pytest.fixture
def connection(business: WhatsAppBusinessServer, tenant: Tenant) -> Connection:
    made = Connection(tenant=tenant, provider="messenger_b", account=business.number)
    keep_credentials(made, business.credentials)
    return made


def items(connection: Connection, run: FakeRun, *chosen: str) -> list[Item]:
    given = [{"id": id_, "name": "Shop" if "catalogue" in id_ else id_} for id_ in chosen or ALL]
    selection = WhatsAppBusinessConnector().clean_selection({"chosen": given})
    source = Source(tenant=connection.tenant, connection=connection, selection=selection)
    return list(WhatsAppBusinessConnector().read(source, run))


def texts(found: list[Item]) -> dict[str, str]:
    """By place, of what was read."""
    return {
        item.place: "\n".join(passage.text for passage in item.passages)
        for item in found
        if isinstance(item, ReadDocument)
    }


def test_what_is_published_is_read(connection: Connection) -> None:
    assert texts(items(connection, FakeRun())) == {
        "Business profile / Casa Lucía": (
            "Name: Casa Lucía; Phone number: +34 600 000 000; Description: Coffee and machines.;"
            " About: Roasted here; Address: Calle Mayor 1, Madrid; Email: hola@casalucia.example;"
            " Websites: https://casalucia.example/; Industry: RETAIL"
        ),
        "Templates / order_sent (en)": (
            "On its way\nYour order … left our shop. It takes two days.\nCasa Lucía"
        ),
        "Shop / House blend": (
            "Name: House blend; Reference: CAF-01; Price: €18.50; Availability: in stock;"
            " Description: Beans, 1 kg"
        ),
        "Shop / Espresso machine": (
            "Name: Espresso machine; Reference: MAC-01; Availability: out of stock"
        ),
    }


def test_a_product_links_to_its_page(connection: Connection) -> None:
    links = [item.link for item in items(connection, FakeRun()) if isinstance(item, ReadDocument)]
    assert links == ["", "", "https://casalucia.example/house-blend", ""]


def test_pages_are_followed_to_the_end(
    business: WhatsAppBusinessServer, connection: Connection
) -> None:
    business.add_products("900", *({"name": f"Product {number}"} for number in range(248)))
    assert len(texts(items(connection, FakeRun(), "catalogue:900"))) == 250
    pages = business.calls_to("GET /v23.0/900/products")
    assert [call.query.get("after", "") != "" for call in pages] == [False, True, True]


def test_what_has_not_changed_is_not_read_again(
    business: WhatsAppBusinessServer, connection: Connection
) -> None:
    run = FakeRun().next(items(connection, FakeRun()))
    business.calls.clear()
    assert [type(item) for item in items(connection, run)] == [Unchanged] * 4
    assert len(business.calls) == 4  # the number, its profile, templates, products


def test_exactly_what_changed_is_read(
    business: WhatsAppBusinessServer, connection: Connection
) -> None:
    run = FakeRun().next(items(connection, FakeRun()))
    business.products["900"][0]["price"] = "€19.00"
    del business.products["900"][1]
    business.templates[1]["status"] = "APPROVED"
    business.profile["about"] = "Closed in August"

    found = items(connection, run)

    assert list(texts(found)) == [
        "Business profile / Casa Lucía",
        "Templates / autumn_sale (en)",
        "Shop / House blend",
    ]
    assert len(found) == 4


def test_what_the_system_user_may_not_see_fails_and_keeps_what_is_known(
    business: WhatsAppBusinessServer, connection: Connection
) -> None:
    run = FakeRun().next(items(connection, FakeRun()))
    business.scopes.remove("catalog_management")

    found = items(connection, run)

    [failed] = [item for item in found if isinstance(item, Failed)]
    assert (failed.external_id, failed.title) == ("catalogue:900", "Shop")
    assert str(failed.reason).startswith("The system user may not read this.")
    assert [item.external_id for item in found if isinstance(item, Unchanged)] == [
        "profile",
        f"{TEMPLATES}:594425479261596",
        "catalogue:900:70000",
        "catalogue:900:70001",
    ]


def test_a_catalogue_that_is_gone_fails_alone(connection: Connection) -> None:
    profile, failed = items(connection, FakeRun(), "profile", "catalogue:901")
    assert isinstance(profile, ReadDocument)
    assert isinstance(failed, Failed)
    assert failed.reason == Reason("whatsapp_gone")


def test_a_token_that_was_revoked(business: WhatsAppBusinessServer, connection: Connection) -> None:
    business.token = "another"
    with pytest.raises(ReauthRequired):
        items(connection, FakeRun())


def test_a_secret_that_is_not_the_apps_any_more(
    business: WhatsAppBusinessServer, connection: Connection
) -> None:
    business.app_secret = "another"
    with pytest.raises(ReauthRequired, match="Connect the agent's channel"):
        items(connection, FakeRun())


def test_credentials_that_no_key_opens_have_to_be_given_again(connection: Connection) -> None:
    connection.encrypted_credentials = b"sealed by another server"
    with pytest.raises(ReauthRequired):
        items(connection, FakeRun())


@pytest.mark.parametrize(
    "reply",
    [
        Reply(500),
        Reply(429, headers={"Retry-After": "0"}),
        graph_error(80008, status=400),
        graph_error(2, "An unexpected error has occurred."),
        cut_in_half,
    ],
)
def test_what_passes_is_tried_again(
    business: WhatsAppBusinessServer, connection: Connection, reply: Any
) -> None:
    business.fail("GET", reply, after=2)
    assert len(texts(items(connection, FakeRun()))) == 4


@pytest.mark.parametrize(
    "reply",
    [
        Reply(500),
        graph_error(4, "(#4) Application request limit reached"),
        Reply(404, b"<html>"),
        Reply(200, b'{"data": ['),
        json_reply([]),
        json_reply({"data": None}),
        json_reply({"data": [], "paging": {"next": "x", "cursors": {"after": "same"}}}),
        json_reply({"data": [], "paging": {"next": "x"}}),
    ],
)
def test_what_stays_wrong_may_be_another_time(
    business: WhatsAppBusinessServer, connection: Connection, reply: Reply
) -> None:
    business.fail("GET", reply, times=float("inf"))
    with pytest.raises(OriginUnavailable):
        items(connection, FakeRun(), TEMPLATES)


def test_it_may_be_down(business: WhatsAppBusinessServer, connection: Connection) -> None:
    with business.down(), pytest.raises(OriginUnavailable):
        items(connection, FakeRun())


@pytest.mark.parametrize(
    "product",
    [
        {"name": None, "price": {"a": 1}, "url": "javascript:alert(1)"},
        {"name": ["a", [None]], "url": "http://[::1"},
        {"name": "a\0\ud800", "url": "https://shop.example/\nx"},
    ],
)
def test_values_that_are_not_as_documented_are_no_text(
    business: WhatsAppBusinessServer, connection: Connection, product: dict[str, Any]
) -> None:
    product = {"id": "1", "description": "ok", **product}
    rows = [product, {"id": None}, {"id": "../me"}, None]
    business.fail("products", Reply(200, json.dumps({"data": rows}).encode()))
    [item] = items(connection, FakeRun(), "catalogue:900")
    assert isinstance(item, ReadDocument)
    assert item.link == ""
    [passage] = item.passages
    assert passage.text.endswith("Description: ok")
    assert "\0" not in passage.text
    passage.text.encode()  # no half of a surrogate pair


def test_no_chat_is_ever_asked_for(
    business: WhatsAppBusinessServer, connection: Connection
) -> None:
    items(connection, FakeRun())
    assert {call.method for call in business.calls} == {"GET"}
    assert not business.calls_to("messages$")


# --- Choosing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("tells_targets", [True, False])
def test_what_can_be_chosen(
    business: WhatsAppBusinessServer, connection: Connection, tells_targets: bool
) -> None:
    business.tells_targets = tells_targets
    assert WhatsAppBusinessConnector().browse(connection, inside="") == [
        Choice("profile", "Business profile"),
        Choice(TEMPLATES, "Approved message templates"),
        Choice("catalogue:900", "Shop"),
    ]


def test_without_the_permission_catalogues_cannot_be_chosen(
    business: WhatsAppBusinessServer, connection: Connection
) -> None:
    business.scopes.remove("catalog_management")
    choices = WhatsAppBusinessConnector().browse(connection, inside="")
    assert [choice.id for choice in choices] == ["profile", TEMPLATES]


def test_how_much_it_will_be(connection: Connection) -> None:
    chosen = [{"id": id_, "name": id_} for id_ in ALL]
    connector = WhatsAppBusinessConnector()
    assert connector.measure(connection, {"chosen": chosen}) == Extent(4)


@pytest.mark.parametrize("id_", ["me", "templates:1/../me", "catalogue:", "messages:1"])
def test_nothing_else_can_be_chosen(id_: str) -> None:
    with pytest.raises(InvalidValue):
        WhatsAppBusinessConnector().clean_selection({"chosen": [{"id": id_, "name": "x"}]})


def test_nothing_chosen_is_said(connection: Connection) -> None:
    source = Source(tenant=connection.tenant, connection=connection, selection={})
    with pytest.raises(SyncFailed, match="Nothing is chosen"):
        list(WhatsAppBusinessConnector().read(source, FakeRun()))


def test_a_profile_is_not_replaced_by_an_error_with_status_200(
    business: WhatsAppBusinessServer, connection: Connection
) -> None:
    error = {"error": {"code": 1, "message": "An unknown error has occurred."}}
    business.fail("/whatsapp_business_profile$", json_reply(error), times=99)
    with pytest.raises(OriginUnavailable):
        items(connection, FakeRun(), "profile")
