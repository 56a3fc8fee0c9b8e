"""A program that signs in, step by step: through HTTP, but for the page that asks the person."""

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from django.conf import settings
from rest_framework.test import APIClient

from accounts.models import Membership, Tenant, User
from accounts.services.programs import Consent, allow, read_consent

BACK = "https://program.example/back"
VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode()[:-1]
FORM = "application/x-www-form-urlencoded"


@dataclass
class SigningIn:
    """One program, and the person who lets it in."""

    membership: Membership
    client_id: str
    api: APIClient = field(default_factory=lambda: APIClient(raise_request_exception=False))

    def question(self, **over: str) -> dict[str, list[str]]:
        """What the program sends the person to our page with. "" leaves a parameter out."""
        said = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": BACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "scope": "ask sources",
            "state": "xyz",
            "resource": settings.MCP_RESOURCE,
        }
        return {name: [value] for name, value in (said | over).items() if value}

    def consent(self, **over: str) -> Consent:
        return read_consent(self.question(**over))

    def permit(self, **over: str) -> str:
        """The code."""
        membership = Membership.all_tenants.select_related("user", "tenant").get(
            pk=self.membership.pk
        )
        return parameters_of(allow(membership.tenant, membership, self.consent(**over)))["code"]

    def exchange(self, code: str, **over: str) -> Any:
        said = {
            "grant_type": "authorization_code",
            "client_id": self.client_id,
            "code": code,
            "redirect_uri": BACK,
            "code_verifier": VERIFIER,
            "resource": settings.MCP_RESOURCE,
        }
        return self.post("/oauth/token", said | over)

    def refresh(self, token: str, **over: str) -> Any:
        said = {
            "grant_type": "refresh_token",
            "client_id": self.client_id,
            "refresh_token": token,
        }
        return self.post("/oauth/token", said | over)

    def revoke(self, token: str, **over: str) -> Any:
        return self.post("/oauth/revoke", {"client_id": self.client_id, "token": token} | over)

    def post(self, path: str, form: dict[str, str], **headers: str) -> Any:
        body = urlencode({name: value for name, value in form.items() if value})
        return self.api.post(path, body, content_type=FORM, headers=headers)

    def sign_in(self, **over: str) -> dict[str, Any]:
        """The tokens."""
        answer = self.exchange(self.permit(**over))
        assert answer.status_code == 200, answer.content
        said: dict[str, Any] = answer.json()
        return said


def register(api: APIClient, **over: Any) -> Any:
    said = {"redirect_uris": [BACK], "client_name": "Assistant"}
    return api.post("/oauth/register", said | over, "json")


def signing_in(tenant: Tenant, user: User, **over: Any) -> SigningIn:
    api = APIClient(raise_request_exception=False)
    answer = register(api, **over)
    assert answer.status_code == 201, answer.content
    membership = Membership.objects.for_tenant(tenant).get(user=user)
    return SigningIn(membership, answer.json()["client_id"], api)


def parameters_of(url: str) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(url).query).items()}


def refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def call(token: str, path: str = "/mcp-caller") -> Any:
    """An address of accounts/tests/programs/mcp_urls.py."""
    api = APIClient(raise_request_exception=False)
    return api.get(path, headers={"Authorization": f"Bearer {token}"})
