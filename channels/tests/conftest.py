"""Messengers for the tests of channels: stand-ins that speak their protocols."""

from collections.abc import Iterator
from typing import Any

import pytest

from channels.tests.telegram_server import TelegramServer, serve_telegram
from channels.tests.whatsapp_server import WhatsAppServer, serve_whatsapp


@pytest.fixture
def telegram(settings: Any) -> Iterator[TelegramServer]:
    with serve_telegram() as server:
        settings.MESSENGER_A_API_URL = server.url
        yield server


@pytest.fixture
def whatsapp(settings: Any) -> Iterator[WhatsAppServer]:
    with serve_whatsapp() as server:
        settings.MESSENGER_B_API_URL = server.url
        yield server
