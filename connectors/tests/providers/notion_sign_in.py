"""Notion's sign-in (developers.notion.com/guides/get-started/authorization, read 2026-11-22)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from connectors.tests.providers.notion_rules import refusal, version_refusal
from sources.tests.providers.authorization import Authorization, Grant, Person
from sources.tests.providers.server import Call, Reply, json_reply


def workspace_of(person: Person) -> tuple[str, str]:
    """(id, name): each person has their own."""
    return str(uuid5(NAMESPACE_OID, person.id)), f"{person.name}'s Notion"


@dataclass
class NotionAuthorization(Authorization):
    """Without PKCE and scopes: what may be read is chosen on Notion's own page. Refresh tokens are
    good once (…/guides/get-started/authorization, …/reference/create-a-token, …/refresh-a-token,
    …/revoke-token). `expires`: connections of before 2025 got a token for good, and no other."""

    authorize_path: str = "/v1/oauth/authorize"
    token_path: str = "/v1/oauth/token"
    revoke_path: str = "/v1/oauth/revoke"
    wants_pkce: bool = False
    wants_basic: bool = True
    takes_json: bool = True
    rotates: bool = True
    expires: bool = True

    def problem_of(self, asked: Mapping[str, str]) -> str:
        return super().problem_of(asked) or ("" if asked.get("owner") == "user" else "owner")

    def give_token(self, call: Call) -> Reply:
        if not call.headers.get("content-type", "").startswith("application/json"):
            return refusal(400, "invalid_json")
        return version_refusal(call) or super().give_token(call)

    def tokens_of(self, grant: Grant, *, is_new: bool) -> dict[str, Any]:
        tokens = super().tokens_of(grant, is_new=is_new and self.expires)
        workspace_id, workspace_name = workspace_of(grant.person)
        return {
            "access_token": tokens["access_token"],
            "token_type": "bearer",
            "refresh_token": tokens.get("refresh_token"),
            "bot_id": str(uuid5(NAMESPACE_OID, f"bot {grant.person.id}")),
            "workspace_id": workspace_id,
            "workspace_name": workspace_name,
            "workspace_icon": None,
            "owner": {
                "type": "user",
                "user": {
                    "object": "user",
                    "id": str(uuid5(NAMESPACE_OID, f"user {grant.person.id}")),
                    "name": grant.person.name,
                    "avatar_url": None,
                    "type": "person",
                    "person": {"email": grant.person.email},
                },
            },
            "duplicated_template_id": None,
            "request_id": "00000000-0000-0000-0000-00000000ffff",
        }

    def revoke(self, call: Call) -> Reply:
        if refused := version_refusal(call):
            return refused
        given = call.json
        if not self.is_client(call, given):
            return json_reply({"error": "invalid_client"}, 401)
        for grant in self.grants:
            if given.get("token") in grant.access_tokens:
                grant.is_revoked = True
        return json_reply({"request_id": "00000000-0000-0000-0000-00000000ffff"})
