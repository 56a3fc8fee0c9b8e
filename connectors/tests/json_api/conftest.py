"""A help centre whose lists are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from accounts.models import Tenant
from connectors.tests.json_api.help_centre import (
    HelpCentre,
    Open,
)
from sources.connectors import calling


@pytest.fixture
def open_centre(tenant: Tenant, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with ExitStack() as stack:

        def start(**how: Any) -> HelpCentre:
            server = stack.enter_context(HelpCentre(tenant, **how))
            settings.FETCH_ALLOWED_HOSTS = [server.host]
            return server

        yield start


@pytest.fixture
def centre(open_centre: Open) -> HelpCentre:
    return open_centre()
