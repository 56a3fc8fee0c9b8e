"""A stand-in for Notion, with a small shop in it, and an account that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from connectors.tests.notion.account import NotionAccount, Shop
from connectors.tests.providers.notion_server import NotionServer
from sources.connectors import calling


@pytest.fixture
def notion(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[NotionServer]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with NotionServer() as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        settings.NOTION_API_URL = server.url
        settings.NOTION_CLIENT = ("a-client", "a-client-secret")
        yield server


@pytest.fixture
def account(notion: NotionServer, monkeypatch: pytest.MonkeyPatch) -> NotionAccount:
    return NotionAccount(notion, monkeypatch)


@pytest.fixture
def shop(notion: NotionServer) -> Shop:
    return Shop(notion)
