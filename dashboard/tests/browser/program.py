"""A program that signs in as clients of MCP do: it registers itself, sends the person to a browser,
and fetches tokens for the code that comes back."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import requests

TIMEOUT_SECONDS = 120
REVISION = "2025-11-25"


@dataclass
class OAuthProgram:
    """`service`: where we answer. `callback`: where the person comes back to."""

    service: str
    callback: str
    name: str = "Claude"
    client_id: str = ""
    state: str = field(default_factory=secrets.token_urlsafe)
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @property
    def resource(self) -> str:
        return f"{self.service}/tenants/me/mcp"

    def register(self, redirect_uri: str = "") -> None:
        """With `callback` unless told."""
        about = {"client_name": self.name, "redirect_uris": [redirect_uri or self.callback]}
        self.client_id = self.post("/oauth/register", json=about)["client_id"]

    def consent_address(self) -> str:
        hashed = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.callback,
            "scope": "ask sources",
            "state": self.state,
            "code_challenge": base64.urlsafe_b64encode(hashed).decode().rstrip("="),
            "code_challenge_method": "S256",
            "resource": self.resource,
        }
        return f"{self.service}/dashboard/programs/allow?{urlencode(asked)}"

    def fetch_tokens(self, address: str) -> dict[str, Any]:
        """`address`: at which the browser came back, or its path."""
        heard = dict(parse_qsl(urlsplit(address).query))
        assert (heard["state"], heard["iss"]) == (self.state, self.service)
        return self.ask_for_tokens(
            grant_type="authorization_code",
            code=heard["code"],
            redirect_uri=self.callback,
            code_verifier=self.verifier,
        )

    def ask_for_tokens(self, **form: str) -> dict[str, Any]:
        known = {"client_id": self.client_id, "resource": self.resource}
        return self.post("/oauth/token", data=known | form)

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """What it says, also of a refusal."""
        answer = requests.post(self.service + path, timeout=TIMEOUT_SECONDS, **body)
        said: dict[str, Any] = answer.json()
        return said

    def call(self, token: str) -> requests.Response:
        """Begins to speak MCP."""
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": REVISION,
                "capabilities": {},
                "clientInfo": {"name": self.name, "version": "1"},
            },
        }
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
        }
        return requests.post(self.resource, json=hello, headers=headers, timeout=TIMEOUT_SECONDS)
