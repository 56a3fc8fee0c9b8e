"""Odoo: when the shop is busy, broken, closed, or lies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from connectors.tests.odoo.reading import (
    PRODUCTS,
    before_records,
    both,
    items,
    texts,
)
from connectors.tests.providers.odoo_server import OdooServer
from connectors.tests.providers.odoo_shop import fill
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors.calling import JSON_MAX_BYTES
from sources.connectors.interface import Failed, Unchanged
from sources.errors import OriginUnavailable, ReauthRequired
from sources.models import Connection
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Call, Reply, cut_in_half, json_reply


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
        Reason("odoo_forbidden"),
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
        ("no.such.model", "Odoo refuses this: "),
        ("product.template:no_such_field", "None of the chosen fields exists any more"),
    ],
)
def test_what_is_not_in_the_shop_is_said(connection: Connection, chosen: str, reason: str) -> None:
    [failed] = items(connection, FakeRun(), {"chosen": [{"id": chosen, "name": chosen}]})
    assert isinstance(failed, Failed)
    assert str(failed.reason).startswith(str(reason))


def test_a_filter_on_a_field_that_is_gone_is_said(connection: Connection) -> None:
    filters = {"product.template": [["x_season.name", "=", "winter"]]}
    [failed] = items(connection, FakeRun(), {**PRODUCTS, "filters": filters})
    assert isinstance(failed, Failed)
    assert failed.reason == Reason("filter_field_unknown", name="x_season")


def test_credentials_that_no_key_opens_have_to_be_given_again(connection: Connection) -> None:
    connection.encrypted_credentials = b"sealed by another server"
    with pytest.raises(ReauthRequired):
        items(connection, FakeRun())


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


def test_a_record_that_is_too_large_fails_alone(shop: OdooServer, connection: Connection) -> None:
    shop.edit("product.template", 2, description_sale="long " * (JSON_MAX_BYTES // 5))
    found = items(connection, FakeRun())
    assert list(texts(found)) == ["product.template,1", "product.template,3"]
    failed = found[1]
    assert isinstance(failed, Failed)
    assert (failed.reason, failed.title) == (Reason("too_large"), "Products / Decaf")
    assert failed.etag  # it is not asked for again as it is
