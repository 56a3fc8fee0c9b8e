"""A shop, and a connection to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Tenant
from connectors.tests.odoo.reading import typed
from connectors.tests.providers.odoo_server import OdooServer
from connectors.tests.providers.odoo_shop import make_shop
from sources.connections import keep_credentials
from sources.connectors import calling
from sources.models import Connection


@pytest.fixture(params=[19])
def shop(
    request: pytest.FixtureRequest, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OdooServer]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with make_shop(request.param) as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        yield server


@pytest.fixture
def connection(shop: OdooServer, tenant: Tenant) -> Connection:
    made = Connection(tenant=tenant, provider="erp_a", account="shop")
    keep_credentials(made, typed(shop))
    return made
