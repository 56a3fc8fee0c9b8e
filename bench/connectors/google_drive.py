"""Google Drive on trial: what the measurement asks of its stand-in."""

from __future__ import annotations

import re
from typing import Any

from bench.connectors.trial import SignedInTrial
from sources.tests.providers.google_drive_language import refusal
from sources.tests.providers.google_drive_server import GoogleDriveServer
from sources.tests.providers.server import Call, Reply

FILE = re.compile(r"/drive/v3/files/([^/]+)")


class GoogleDriveTrial(SignedInTrial):
    kind = "cloud_drive_a"
    lists = "GET /drive/v3/(files|changes)$"
    contents = "GET /drive/v3/files/[^/]+$"

    def __init__(self) -> None:
        self.server: GoogleDriveServer = GoogleDriveServer()
        self.authorization = self.server.authorization

    def settings(self) -> dict[str, Any]:
        url = self.server.url
        return {
            "GOOGLE_CLIENT": (self.authorization.client_id, self.authorization.client_secret),
            "GOOGLE_SIGN_IN_URL": url,
            "GOOGLE_TOKEN_URL": url,
            "GOOGLE_API_URL": url,
        }

    def fill(self, count: int) -> None:
        folder = self.server.content.fill(count)
        self.selection = {"chosen": [{"id": folder, "name": "Filled"}]}

    def change(self, count: int) -> None:
        files = [item for item in self.server.content.items.values() if item.content]
        for file in files[:count]:
            self.server.content.edit(file.id, file.content + b"\n\nIt is sold again.\n")

    def document_of(self, call: Call) -> str | None:
        found = FILE.fullmatch(call.path)
        return found[1] if found and call.query.get("alt") == "media" else None

    def busy(self) -> Reply:
        return refusal(429, "rateLimitExceeded", "Rate Limit Exceeded", retry_after="1")
