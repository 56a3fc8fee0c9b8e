"""A program on somebody's own machine that signs in as clients of MCP do: it registers itself,
sends the person to a browser, and hears on loopback what they answered."""

from __future__ import annotations

import base64
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import requests

from config.tests.web_server import Site

TIMEOUT_SECONDS = 30
REVISION = "2025-11-25"


@dataclass
class LoopbackProgram:
    """`service`: where the service answers. `site`: the program's own, on a port that it has just
    chosen."""

    service: str
    site: Site
    name: str = "Claude"
    client_id: str = ""
    state: str = field(default_factory=secrets.token_urlsafe)
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    @property
    def resource(self) -> str:
        return f"{self.service}/tenants/me/mcp"

    @property
    def callback(self) -> str:
        return f"{self.site.url}/callback"

    def register(self) -> None:
        """With a port that it has not: on loopback any will do (RFC 8252, section 7.3)."""
        about = {"client_name": self.name, "redirect_uris": ["http://127.0.0.1:1/callback"]}
        self.client_id = self.post("/oauth/register", json=about)["client_id"]
        self.site.page("*", "You can close this window.")

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

    def hear(self) -> dict[str, str]:
        """What the browser has just brought."""
        [path] = [path for path in self.site.paths if path.startswith("/callback")]
        return dict(parse_qsl(urlsplit(path).query))

    def fetch_tokens(self) -> dict[str, Any]:
        heard = self.hear()
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
