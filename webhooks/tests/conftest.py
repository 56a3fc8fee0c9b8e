"""Fixtures of the tests with stand-ins of messengers."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from channels.surfaces.telegram.surface import Telegram
from channels.tests.telegram_server import TelegramServer, serve_telegram
from channels.tests.whatsapp_server import WhatsAppServer, serve_whatsapp


@pytest.fixture
def telegram(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TelegramServer]:
    """Without our own pause between two messages to a chat, which a test would wait for."""
    monkeypatch.setattr(Telegram, "chat_pause_seconds", 0)
    with serve_telegram() as server:
        settings.MESSENGER_A_API_URL = server.url
        yield server


@pytest.fixture
def whatsapp(settings: Settings) -> Iterator[WhatsAppServer]:
    with serve_whatsapp() as server:
        settings.MESSENGER_B_API_URL = server.url
        yield server
