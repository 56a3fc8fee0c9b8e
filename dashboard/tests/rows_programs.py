"""Rows of the programs that use a workspace: everybody lets in, and ends, their own."""

import base64
import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from accounts.models import Membership, Program, ProgramAccess, Role, Tenant
from accounts.tests.factories import make_user
from dashboard.tests.matrix import EVERYBODY, PageRow

ALLOW = "dashboard/programs/allow"
REDIRECT_URI = "https://claude.example/callback"
VERIFIER = "a-verifier-of-forty-three-characters-at-least"
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
)


def make_program(**over: Any) -> Program:
    fields = {"client_id": "a-program", "name": "Claude", "redirect_uris": [REDIRECT_URI], **over}
    return Program.objects.get_or_create(client_id=fields["client_id"], defaults=fields)[0]


def make_access(membership: Membership, program: Program, **over: Any) -> ProgramAccess:
    fields: dict[str, Any] = {
        "scope": "ask sources",
        "resource": settings.MCP_RESOURCE,
        "expires_at": timezone.now() + timedelta(days=30),
        **over,
    }
    accesses = ProgramAccess.objects.for_tenant(membership.tenant)
    return accesses.create(membership=membership, program=program, **fields)


def asked(**over: str) -> dict[str, str]:
    """What a program sends a person to the page with."""
    return {
        "response_type": "code",
        "client_id": make_program().client_id,
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
        return str(make_access(newest_member(self.tenant), make_program()).pk)


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
