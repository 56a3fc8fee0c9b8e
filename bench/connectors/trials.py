"""What is particular to each connector and its stand-in."""

from __future__ import annotations

from typing import Any

from bench.connectors.trial import SignedInTrial, TrialMaker
from sources.tests.providers.google_drive_server import GoogleDriveServer
from sources.tests.providers.server import Call


class GoogleDriveTrial(SignedInTrial):
    kind = "cloud_drive_a"
    lists = r"GET /drive/v3/(files$|changes)"
    contents = r"GET /drive/v3/files/[^/]+(/export)?$"

    def __init__(self) -> None:
        self.server = self.drive = GoogleDriveServer()
        self.authorization = self.drive.authorization

    def settings(self) -> dict[str, Any]:
        return {
            "GOOGLE_CLIENT": ("a-client", "a-client-secret"),
            "GOOGLE_SIGN_IN_URL": self.server.url,
            "GOOGLE_TOKEN_URL": self.server.url,
            "GOOGLE_API_URL": self.server.url,
        }

    def fill(self, count: int) -> None:
        top = self.drive.content.fill(count)
        self.selection = {"chosen": [{"id": top, "name": "Filled"}]}

    def change(self, count: int) -> None:
        files = [id for id, item in self.drive.content.items.items() if item.content]
        for id in files[:count]:
            self.drive.content.edit(id, f"Changed: {id} has moved to hall 99.")

    def document_of(self, call: Call) -> str | None:
        is_content = call.query.get("alt") == "media"
        return call.path.rsplit("/", 1)[-1] if is_content else None


TRIALS: dict[str, TrialMaker] = {trial.kind: trial for trial in (GoogleDriveTrial,)}
