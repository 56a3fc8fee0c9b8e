"""Odoo as a source, against a stand-in of both its APIs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from accounts.models import Tenant
from sources.connections import keep_credentials
from sources.connectors import calling
from sources.connectors.interface import Choice, Failed, Item, Unchanged
from sources.connectors.odoo.connector import OdooConnector
from sources.connectors.odoo.html import text_of_html
from sources.connectors.odoo.selection import clean_selection
from sources.errors import ConnectionRefused, OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection, Source
from sources.reading.passages import ReadDocument
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.odoo_server import OdooServer
from sources.tests.providers.odoo_shop import fill, make_shop
from sources.tests.providers.server import Call, Reply, cut_in_half, json_reply

PRODUCTS = {"chosen": [{"id": "product.template", "name": "Products"}], "filters": {}}
HOUSE_BLEND = (
    "Name: House blend; Internal Reference: CAF-01; Sales Price: 18.50 EUR; Product Category:"
    " Coffee; Customer Taxes: VAT 10%; Quantity On Hand: 40 Units; Sales Description: Beans, 1"
    " kg"
)


both = pytest.mark.parametrize("shop", [18, 19], indirect=True, ids=["json-rpc", "json-2"])


@pytest.fixture(params=[19])
def shop(
    request: pytest.FixtureRequest, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OdooServer]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with make_shop(request.param) as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        yield server


def typed(shop: OdooServer, **over: str) -> dict[str, str]:
    fields = {"url": shop.url, "database": "shop", "login": shop.login, "api_key": shop.key}
    return {**fields, "models": "", "filters": "", **over}


@pytest.fixture
def connection(shop: OdooServer, tenant: Tenant) -> Connection:
    made = Connection(tenant=tenant, provider="erp_a", account="shop")
    keep_credentials(made, typed(shop))
    return made


def items(
    connection: Connection, run: FakeRun, selection: Mapping[str, Any] = PRODUCTS
) -> list[Item]:
    source = Source(
        tenant=connection.tenant, connection=connection, selection=clean_selection(selection)
    )
    return list(OdooConnector().read(source, run))


def texts(found: list[Item]) -> dict[str, str]:
    """By external id, of what was read."""
    return {
        item.external_id: "\n".join(passage.text for passage in item.passages)
        for item in found
        if isinstance(item, ReadDocument)
    }


def before_records(shop: OdooServer) -> int:
    """Requests by POST before the first that lists records: signing in, and the fields."""
    return 3 if shop.version < 19 else 2


def reads(shop: OdooServer) -> int:
    """Requests that asked for whole records."""
    return sum(b"description_sale" in call.body for call in shop.calls)


# --- The first sync -------------------------------------------------------------------------------


@both
def test_a_product_is_read_with_its_fields_by_their_names(connection: Connection) -> None:
    first, *_ = items(connection, FakeRun())
    assert isinstance(first, ReadDocument)
    assert (first.external_id, first.title) == ("product.template,1", "House blend")
    assert first.place == "Products / House blend"
    assert first.link.endswith("/web#id=1&model=product.template&view_type=form")
    [passage] = first.passages
    assert (passage.text, passage.location) == (HOUSE_BLEND, "Products 1")


def test_empty_fields_and_stock_that_nobody_counts_are_left_out(connection: Connection) -> None:
    assert texts(items(connection, FakeRun()))["product.template,2"] == (
        "Name: Decaf; Sales Price: 21.00 EUR; Product Category: Coffee; Customer Taxes: VAT 10%"
    )


def test_names_and_values_are_in_the_language_of_the_user(
    shop: OdooServer, connection: Connection
) -> None:
    shop.lang = "es_ES"
    chosen = [
        {"id": f"product.template:{name}", "name": name}
        for name in ("name", "list_price", "sale_ok", "qty_available", "type")
    ]
    found = texts(items(connection, FakeRun(), {"chosen": chosen}))
    assert found["product.template,1"] == (
        "Nombre: Mezcla de la casa; Precio de venta: 18.50 EUR; Can be Sold: sí;"
        " Cantidad a mano: 40 Unidades; Product Type: Goods"
    )


def test_an_article_is_read_as_text(connection: Connection) -> None:
    chosen = [{"id": "knowledge.article", "name": "Articles"}]
    assert texts(items(connection, FakeRun(), {"chosen": chosen})) == {
        "knowledge.article,1": "Title: Returns; Body: Returns Within 30 days & unopened. Call us"
    }


def test_a_long_text_is_passages_of_its_own(shop: OdooServer, connection: Connection) -> None:
    body = "".join(f"<p>Paragraph {n} {'tells a lot about coffee ' * 16}</p>" for n in (1, 2))
    shop.edit("knowledge.article", 1, body=body)
    [item] = items(connection, FakeRun(), {"chosen": [{"id": "knowledge.article", "name": "A"}]})
    assert isinstance(item, ReadDocument)
    assert [passage.text[:11] for passage in item.passages] == [
        "Title: Retu",
        "Paragraph 1",
        "Paragraph 2",
    ]
    assert {passage.section_title for passage in item.passages} == {"Returns"}


def test_the_filter_says_which_records(connection: Connection) -> None:
    filters = {"product.template": ["|", ["name", "ilike", "decaf"], ["list_price", ">", 300]]}
    found = items(connection, FakeRun(), {**PRODUCTS, "filters": filters})
    assert list(texts(found)) == ["product.template,2", "product.template,3"]


@both
def test_two_thousand_are_read_page_by_page(shop: OdooServer, connection: Connection) -> None:
    fill(shop, 1997)
    shop.calls.clear()
    assert len(texts(items(connection, FakeRun()))) == 2000
    # Version, user and fields; five pages, of which the last is empty, four readings, the taxes.
    assert len(shop.calls) == 1 + before_records(shop) + 5 + 4 + 1
    assert reads(shop) == 4


# --- Again ----------------------------------------------------------------------------------------


@both
def test_what_has_not_changed_is_listed_and_not_read(
    shop: OdooServer, connection: Connection
) -> None:
    run = FakeRun().next(items(connection, FakeRun()))
    shop.calls.clear()

    found = items(connection, run)

    assert [type(item) for item in found] == [Unchanged] * 3
    assert len(shop.calls) == 1 + before_records(shop) + 2  # one page, the names of its taxes
    assert reads(shop) == 0


def test_exactly_what_changed_is_read(shop: OdooServer, connection: Connection) -> None:
    run = FakeRun().next(items(connection, FakeRun()))
    shop.edit("product.template", 1, name="House blend No. 2")
    shop.archive("product.template", 2)
    added = shop.add("product.template", name="Filter", list_price=4.0, currency_id=1, uom_id=1)
    shop.calls.clear()

    renamed, machine, new = items(connection, run)

    assert isinstance(renamed, ReadDocument)
    assert renamed.place == "Products / House blend No. 2"
    assert isinstance(machine, Unchanged)
    assert isinstance(new, ReadDocument)
    assert new.external_id == f"product.template,{added}"
    assert reads(shop) == 1


def test_what_was_saved_as_it_was_is_no_change(shop: OdooServer, connection: Connection) -> None:
    run = FakeRun().next(items(connection, FakeRun()))
    shop.edit("product.template", 1, sale_ok=False)  # which is not among what is read
    found = items(connection, run)
    assert [type(item) for item in found] == [Unchanged] * 3
    assert [type(item) for item in items(connection, run.next(found))] == [Unchanged] * 3
    assert reads(shop) == 2  # the first sync, and the one after the edit


def test_stock_and_the_names_of_taxes_are_read_although_no_product_was_written(
    shop: OdooServer, connection: Connection
) -> None:
    run = FakeRun().next(items(connection, FakeRun()))
    shop.move_stock(3, 2.0)
    shop.edit("account.tax", 2, name="Reduced VAT")
    found = texts(items(connection, run))
    assert list(found) == ["product.template,1", "product.template,2", "product.template,3"]
    assert "Quantity On Hand: 2 Units" in found["product.template,3"]
    assert "Customer Taxes: Reduced VAT" in found["product.template,1"]


def test_another_choice_of_fields_reads_them(shop: OdooServer, connection: Connection) -> None:
    run = FakeRun().next(items(connection, FakeRun()))
    chosen = [{"id": "product.template:name", "name": "Name"}]
    found = texts(items(connection, run, {"chosen": chosen}))
    assert found["product.template,1"] == "Name: House blend"


# --- What goes wrong ------------------------------------------------------------------------------


@both
def test_a_model_that_may_not_be_read_fails_alone_and_keeps_what_is_known(
    shop: OdooServer, connection: Connection
) -> None:
    both = [*PRODUCTS["chosen"], {"id": "knowledge.article", "name": "Articles"}]
    run = FakeRun().next(items(connection, FakeRun(), {"chosen": both}))
    shop.denied.add("product.template")

    found = items(connection, run, {"chosen": both})

    assert found[0] == Failed(
        "product.template",
        "The user whose API key it is may not read this in Odoo.",
        title="Products",
    )
    assert {item.external_id for item in found if isinstance(item, Unchanged)} == {
        "product.template,1",
        "product.template,2",
        "product.template,3",
        "knowledge.article,1",
    }


def test_taxes_that_may_not_be_read_are_left_out(shop: OdooServer, connection: Connection) -> None:
    shop.denied.add("account.tax")
    found = texts(items(connection, FakeRun()))
    assert "Taxes" not in found["product.template,1"]


@both
@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ("no.such.model", "Odoo refuses it: "),
        ("product.template:no_such_field", "None of the chosen fields is there any more"),
    ],
)
def test_what_is_not_in_the_shop_is_said(connection: Connection, chosen: str, reason: str) -> None:
    [failed] = items(connection, FakeRun(), {"chosen": [{"id": chosen, "name": chosen}]})
    assert isinstance(failed, Failed)
    assert failed.reason.startswith(reason)


@both
def test_a_key_that_was_revoked_has_to_be_given_again(
    shop: OdooServer, connection: Connection
) -> None:
    shop.key = "another"
    with pytest.raises(ReauthRequired):
        items(connection, FakeRun())


@both
def test_a_key_that_is_revoked_in_the_middle(shop: OdooServer, connection: Connection) -> None:
    fill(shop, 600)

    def revoke(call: Call, answer: Any) -> Reply:
        shop.key = "another"
        reply: Reply = answer(call)
        return reply

    shop.fail("POST", revoke, after=before_records(shop) + 2)
    with pytest.raises(ReauthRequired):
        items(connection, FakeRun())


@both
@pytest.mark.parametrize(
    "reply", [Reply(500), Reply(429, headers={"Retry-After": "0"}), cut_in_half]
)
def test_what_passes_is_tried_again(shop: OdooServer, connection: Connection, reply: Any) -> None:
    shop.fail("POST", reply, after=2)
    assert len(texts(items(connection, FakeRun()))) == 3


@both
@pytest.mark.parametrize(
    "reply",
    [
        Reply(500),
        Reply(200, b"<html>"),
        json_reply(None),
        json_reply({"result": {"id": 1}, "id": 1}),
        json_reply([{"id": None}, {"id": "1"}]),
    ],
)
def test_what_stays_wrong_may_be_another_time(
    shop: OdooServer, connection: Connection, reply: Reply
) -> None:
    shop.fail("POST", reply, times=float("inf"), after=before_records(shop))
    with pytest.raises(OriginUnavailable):
        items(connection, FakeRun())


def test_a_shop_that_is_down_may_be_back_later(shop: OdooServer, connection: Connection) -> None:
    with shop.down(), pytest.raises(OriginUnavailable):
        items(connection, FakeRun())


def test_a_page_that_comes_again_ends_the_sync(shop: OdooServer, connection: Connection) -> None:
    fill(shop, 600)
    rows = [{"id": number, "display_name": "x"} for number in range(1, 501)]
    again = json_reply(rows if shop.version >= 19 else {"result": rows})
    shop.fail("POST", again, times=float("inf"), after=before_records(shop))
    with pytest.raises(OriginUnavailable):
        items(connection, FakeRun())


@pytest.mark.parametrize(
    "values",
    [
        {"name": None, "list_price": None, "categ_id": None, "taxes_id": None},
        {"name": ["a"], "list_price": "free", "categ_id": "x", "taxes_id": {"1": 2}},
        {"name": "a\0b\ud800", "list_price": 10**300, "categ_id": [1], "taxes_id": [[[]]]},
        {"name": {"a": {}}, "list_price": 1e308, "categ_id": [{}, 1], "taxes_id": [None, True]},
    ],
)
def test_values_that_are_not_as_documented_are_no_text(
    shop: OdooServer, connection: Connection, values: dict[str, Any]
) -> None:
    row = {"id": 1, "display_name": "Coffee", "write_date": [], "description_sale": "ok", **values}
    shop.fail("search_read", Reply(200, json.dumps([row]).encode()), times=2)
    [item] = items(connection, FakeRun())
    assert isinstance(item, ReadDocument)
    [passage] = item.passages
    assert passage.text.endswith("Sales Description: ok")
    assert "\0" not in passage.text
    passage.text.encode()  # no half of a surrogate pair


def test_a_record_that_is_too_large_fails_alone(
    shop: OdooServer, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling.Api.call, "__kwdefaults__", {"headers": None, "max_bytes": 20_000})
    shop.edit("product.template", 2, description_sale="long " * 5000)
    found = items(connection, FakeRun())
    assert list(texts(found)) == ["product.template,1", "product.template,3"]
    failed = found[1]
    assert isinstance(failed, Failed)
    assert (failed.reason, failed.title) == ("It is too large to be read.", "Products / Decaf")


# --- Connecting -----------------------------------------------------------------------------------


@both
def test_a_check_tells_the_account_the_amount_and_three_passages(shop: OdooServer) -> None:
    checked = OdooConnector().check_connection(typed(shop, url=f"{shop.url}/web#action=1"))
    assert checked.account.label == f"Agent of knowledge · {shop.host}/shop"
    assert checked.account.id == f"{shop.host}/shop/7"
    assert [each["id"] for each in checked.selection["chosen"]] == [
        "product.template",
        "product.category",
        "account.tax",
        "knowledge.article",
    ]
    assert checked.amount is not None
    assert checked.amount.documents == 8
    assert len(checked.passages) == 3
    assert checked.passages[0] == HOUSE_BLEND


def test_what_is_typed_says_what_is_read(shop: OdooServer) -> None:
    models = "product.template:name, product.template:list_price"
    filters = '{"product.template": [["list_price", ">", 300]]}'
    checked = OdooConnector().check_connection(typed(shop, models=models, filters=filters))
    assert checked.amount is not None
    assert checked.amount.documents == 1
    assert checked.passages == ("Name: Espresso machine; Sales Price: 349.00 EUR",)
    assert checked.selection["filters"] == {"product.template": [["list_price", ">", 300]]}


@both
@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"api_key": "wrong"}, "api_key"),
        ({"database": "other"}, "database"),
        ({"url": "http://169.254.169.254/web"}, "url"),
        ({"url": "javascript:alert(1)"}, "url"),
        ({"models": "../../etc/passwd"}, "models"),
        ({"models": "no.such.model"}, "models"),
        ({"filters": "__import__('os')"}, "filters"),
        ({"filters": '{"product.template": [["a", "=", {}]]}'}, "filters"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    shop: OdooServer, over: dict[str, str], field: str
) -> None:
    with pytest.raises(ConnectionRefused) as refused:
        OdooConnector().check_connection(typed(shop, **over))
    assert refused.value.field == field


@pytest.mark.parametrize("shop", [18], indirect=True)
def test_before_19_a_login_is_needed(shop: OdooServer) -> None:
    with pytest.raises(ConnectionRefused) as refused:
        OdooConnector().check_connection(typed(shop, login=""))
    assert refused.value.field == "login"


@pytest.mark.parametrize("shop", [20], indirect=True)
def test_from_19_on_a_key_is_enough(shop: OdooServer) -> None:
    checked = OdooConnector().check_connection(typed(shop, login="", database=""))
    assert checked.account.id == f"{shop.host}/7"


def test_models_and_their_fields_can_be_chosen(shop: OdooServer, connection: Connection) -> None:
    shop.denied.add("account.tax")
    connector = OdooConnector()
    assert connector.browse(connection, inside="") == [
        Choice("product.template", "Product", is_open=True, hint="3 records"),
        Choice("product.category", "Product Category", is_open=True, hint="2 records"),
        Choice("knowledge.article", "Knowledge Article", is_open=True, hint="1 records"),
    ]
    fields = connector.browse(connection, inside="product.category")
    assert fields == [
        Choice("product.category:display_name", "Display Name"),
        Choice("product.category:id", "ID"),
        Choice("product.category:write_date", "Last Updated on"),
        Choice("product.category:name", "Name"),
        Choice("product.category:parent_id", "Parent Category"),
    ]
    amount = connector.measure(connection, PRODUCTS)
    assert amount is not None
    assert amount.documents == 3


def test_where_models_cannot_be_listed_each_is_tried(
    shop: OdooServer, connection: Connection
) -> None:
    shop.denied.add("ir.model")
    names = [choice.name for choice in OdooConnector().browse(connection, inside="")]
    assert names == ["Products", "Product categories", "Taxes", "Knowledge articles"]


def test_nothing_chosen_is_said(connection: Connection) -> None:
    with pytest.raises(SyncFailed, match="Nothing is chosen"):
        items(connection, FakeRun(), {"chosen": []})


# --- Text of HTML ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("<p>One<br>two</p><p>three</p>", "One\ntwo\nthree"),
        ("a<script>alert(1)</script>b<style>p {}</style>", "ab"),
        ("<table><tr><td>Size</td><td>XL</td></tr></table>", "Size XL"),
        ("1 &lt; 2 &amp;amp; 3", "1 < 2 &amp; 3"),
        ("<script>never closed", ""),
    ],
)
def test_html_becomes_text(written: str, text: str) -> None:
    assert text_of_html(written) == text
