"""OneDrive and SharePoint: a stand-in for Microsoft Graph, and an account that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from connectors.tests.microsoft_graph.account import Reader, open_account
from connectors.tests.providers.microsoft_server import MicrosoftServer
from sources.connectors import calling
from sources.oauth.providers import callback_url


@pytest.fixture
def server(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[MicrosoftServer]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with MicrosoftServer() as server:
        settings.FETCH_ALLOWED_HOSTS = list(server.hosts)
        settings.MICROSOFT_API_URL = server.url
        settings.MICROSOFT_SIGN_IN_URL = server.sign_in_url
        settings.MICROSOFT_CLIENT = ("a-client", "a-client-secret")
        server.authorization.redirect_uris = {callback_url()}
        yield server


@pytest.fixture
def reader(server: MicrosoftServer, monkeypatch: pytest.MonkeyPatch) -> Reader:
    return open_account(server, monkeypatch)
