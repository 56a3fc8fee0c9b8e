"""Syncs of a shop, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from connectors.odoo.connector import OdooConnector
from connectors.odoo.selection import clean_selection
from connectors.tests.providers.odoo_server import OdooServer
from reading.passages import ReadDocument
from sources.connectors.interface import Item
from sources.models import Connection, Source
from sources.tests.connectors.context import FakeRun

PRODUCTS = {"chosen": [{"id": "product.template", "name": "Products"}], "filters": {}}
HOUSE_BLEND = (
    "Name: House blend; Internal Reference: CAF-01; Sales Price: 18.50 EUR; Product Category:"
    " Coffee; Customer Taxes: VAT 10%; Quantity On Hand: 40 Units; Sales Description: Beans, 1"
    " kg"
)


both = pytest.mark.parametrize("shop", [18, 19], indirect=True, ids=["json-rpc", "json-2"])


def typed(shop: OdooServer, **over: str) -> dict[str, str]:
    fields = {"url": shop.url, "database": "shop", "login": shop.login, "api_key": shop.key}
    return {**fields, "models": "", "filters": "", **over}


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
