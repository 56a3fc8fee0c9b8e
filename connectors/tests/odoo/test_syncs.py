"""Odoo: what is read of a shop, and what of it again."""

from __future__ import annotations

import pytest

from connectors.odoo import connector
from connectors.tests.odoo.reading import (
    HOUSE_BLEND,
    PRODUCTS,
    before_records,
    both,
    items,
    reads,
    texts,
)
from connectors.tests.providers.odoo_server import OdooServer
from connectors.tests.providers.odoo_shop import fill
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors.interface import Cut, Unchanged
from sources.models import Connection
from sources.tests.connectors.context import FakeRun

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


def test_a_shop_without_end_is_read_up_to_a_limit(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anything may answer as Odoo does, and name ever more records."""
    monkeypatch.setattr(connector, "RECORDS_MAX", 2)
    *read, last = items(connection, FakeRun())
    assert len(read) == 2
    assert last == Cut(Reason("records_cut", count=2), keeps_rest=False)
