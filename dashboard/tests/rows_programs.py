"""Rows of the programs that use a workspace: everybody lets in, and ends, their own."""

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from accounts.models import Membership, Role, Tenant
from accounts.tests.factories import make_access, make_program, make_user
from dashboard.tests.matrix import EVERYBODY, PageRow

ALLOW = "dashboard/programs/allow"
REDIRECT_URI = "https://claude.example/callback"
VERIFIER = "a-verifier-of-forty-three-characters-at-least"
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
)


def asked(**over: str) -> dict[str, str]:
    """What a program sends a person to the page with; a new one unless told."""
    known = {"redirect_uris": [REDIRECT_URI], "name": "Claude"}
    return {
        "response_type": "code",
        "client_id": over.get("client_id") or make_program(**known).client_id,
        "redirect_uri": REDIRECT_URI,
        "scope": "ask sources",
        "state": "a state",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "resource": settings.MCP_RESOURCE,
        **over,
    }


def newest_member(tenant: Tenant) -> Membership:
    """The browser's that asks, which signed in last."""
    found = Membership.objects.for_tenant(tenant).order_by("-created_at").first()
    return found or make_user(tenant, role=Role.MEMBER).memberships.get()


class NewestAccess:
    """In an address: an access that whoever asks permitted. Known only when it is written."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant

    def __str__(self) -> str:
        return str(make_access(newest_member(self.tenant)).pk)


def access(tenant: Tenant) -> Mapping[str, Any]:
    return {"access_id": NewestAccess(tenant)}


def answer(tenant: Tenant) -> Mapping[str, Any]:
    return {"membership": str(newest_member(tenant).pk), "answer": "allow"}


ROWS = [
    PageRow("GET", ALLOW, EVERYBODY, query=asked),
    PageRow("POST", ALLOW, EVERYBODY, query=asked, body=answer),
    PageRow("GET", "dashboard/workspace/programs", EVERYBODY),
    PageRow("POST", "dashboard/workspace/programs/<uuid:access_id>/end", EVERYBODY, target=access),
    PageRow("GET", "dashboard/workspace/elsewhere", EVERYBODY),
]
