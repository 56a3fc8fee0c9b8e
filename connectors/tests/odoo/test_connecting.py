"""Odoo: connecting a shop, and choosing what is read of it."""

from __future__ import annotations

import pytest

from config.errors import InvalidValue
from connectors.odoo.connector import OdooConnector
from connectors.tests.odoo.reading import (
    HOUSE_BLEND,
    PRODUCTS,
    both,
    items,
    typed,
)
from connectors.tests.providers.odoo_server import OdooServer
from sources.connectors.interface import Choice
from sources.errors import ConnectionRefused, SyncFailed
from sources.models import Connection
from sources.tests.connectors.context import FakeRun


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
        ({"url": "https://169.254.169.254/web"}, "url"),
        ({"url": "http://shop.example/web"}, "url"),  # the key would be sent in the clear
        ({"url": "javascript:alert(1)"}, "url"),
        ({"models": "../../etc/passwd"}, "models"),
        ({"models": "no.such.model"}, "models"),
        ({"filters": "__import__('os')"}, "filters"),
        ({"filters": '{"product.template": [["no_such_field", "=", 1]]}'}, "filters"),
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
        Choice("knowledge.article", "Knowledge Article", is_open=True, hint="1 record"),
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


@pytest.mark.parametrize(
    "filters",
    [
        '{"product.template": [["list_price", "=", NaN]]}',
        '{"product.template": [["list_price", "<", 1e999]]}',
        r'{"product.template": [["name", "=", "\ud800"]]}',
        r'{"product.template": [["name", "in", ["\u0000"]]]}',
        r'{"\ud800": []}',
        '{"../web": []}',
    ],
)
def test_a_filter_that_cannot_be_kept_is_refused(filters: str) -> None:
    with pytest.raises(InvalidValue):
        OdooConnector().clean_selection({"filters": filters})


def test_a_number_of_a_filter_may_have_any_length() -> None:
    filters = {"product.template": [["list_price", "<", 10**400]]}
    assert OdooConnector().clean_selection({"filters": filters})["filters"] == filters
