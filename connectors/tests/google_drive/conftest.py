"""Google Drive: an account at its stand-in."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from connectors.tests.google_drive.account import DriveAccount
from connectors.tests.providers.google_drive_server import GoogleDriveServer
from sources.connectors import calling
from sources.connectors.calling import FixedHeaders
from sources.models import Connection


@pytest.fixture
def google(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleDriveServer]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with GoogleDriveServer() as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        settings.GOOGLE_CLIENT = (
            server.authorization.client_id,
            server.authorization.client_secret,
        )
        settings.GOOGLE_SIGN_IN_URL = settings.GOOGLE_TOKEN_URL = server.url
        settings.GOOGLE_API_URL = server.url
        yield server


@pytest.fixture
def drive(google: GoogleDriveServer, monkeypatch: pytest.MonkeyPatch) -> DriveAccount:
    """Opened by a token that nobody renews: no database is needed."""
    token = google.authorization.sign_in()["access_token"]
    monkeypatch.setattr(
        "sources.connectors.remote.SignedIn",
        lambda connection, provider: FixedHeaders({"Authorization": f"Bearer {token}"}),
    )
    return DriveAccount(google, Connection(id=uuid.uuid4(), tenant_id=uuid.uuid4()))
