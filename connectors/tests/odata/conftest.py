"""An ERP and a source of its articles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import Tenant
from connectors.tests.odata.account import (
    fill,
    make_items,
    make_lines,
    make_source,
    typed,
)
from connectors.tests.providers.odata_server import ODataServer
from sources.connectors import calling
from sources.models import Source


@pytest.fixture
def erp(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ODataServer]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with ODataServer(make_items(), make_lines()) as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        fill(server)
        yield server


@pytest.fixture
def source(erp: ODataServer, tenant: Tenant) -> Source:
    """Of all items; its connection is opened as `typed`."""
    return make_source(tenant, typed(erp))
