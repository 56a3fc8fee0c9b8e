"""Google's sign-in: OAuth 2.0 as of developers.google.com/identity/protocols/oauth2/web-server,
read 2026-11-22."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from sources.tests.providers.authorization import Authorization, Grant
from sources.tests.providers.server import Call, Reply, json_reply

READ_SCOPE = "https://www.googleapis.com/auth/drive.readonly"
ASKED = frozenset(
    ("client_id", "redirect_uri", "response_type", "scope", "state", "access_type", "prompt")
    + ("code_challenge", "code_challenge_method", "include_granted_scopes", "login_hint", "allow")
)
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Sign in - Google Accounts</title>
<style>
body {{ font: 16px/1.5 sans-serif; background: #f0f4f9; }}
main {{ max-width: 26rem; margin: 4rem auto; padding: 2rem; background: #fff; border-radius: 1em; }}
button {{ font: inherit; padding: .5rem 1.5rem; border-radius: 2rem; border: 1px solid #747775; }}
button[value=yes] {{ background: #0b57d0; border-color: #0b57d0; color: #fff; }}
</style>
<main><h1>Knowledge Agents wants to access your Google Account</h1>
<p><strong>{name}</strong><br>{email}</p>
<p>This will allow it to: see and download all your Google Drive files.</p>
<form method="post">{hidden}
<button name="allow" value="no">Cancel</button>
<button name="allow" value="yes">Continue</button></form></main></html>
"""


@dataclass
class GoogleSignIn(Authorization):
    """A refresh token comes only with `access_type=offline`, and, to who allowed it before, only
    with `prompt=consent`."""

    authorize_path: str = "/o/oauth2/v2/auth"
    revoke_path: str = "/revoke"
    scopes: frozenset[str] = frozenset({READ_SCOPE})
    without_refresh: list[Grant] = field(default_factory=list)

    def ask_person(self, call: Call) -> Reply:
        if problem := self.problem_of(call.query):
            return Reply(400, f"Error 400: {problem}".encode(), {"Content-Type": "text/plain"})
        hidden = "".join(
            f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
            for name, value in call.query.items()
        )
        person = self.signed_in
        page = PAGE.format(name=escape(person.name), email=escape(person.email), hidden=hidden)
        return Reply(200, page.encode(), {"Content-Type": "text/html; charset=utf-8"})

    def problem_of(self, asked: Mapping[str, str]) -> str:
        unknown = set(asked) - ASKED
        if unknown:
            return f"invalid_request: {sorted(unknown)[0]}"
        return super().problem_of(asked)

    def make_code(self, asked: Mapping[str, str]) -> str:
        code = super().make_code(asked)
        grant = self.codes[code].grant
        is_known = any(
            each.person == grant.person and not each.is_revoked and each.refresh_tokens
            for each in self.grants
        )
        if asked.get("access_type") != "offline" or (
            is_known and "consent" not in asked.get("prompt", "")
        ):
            self.without_refresh.append(grant)
        return code

    def tokens_of(self, grant: Grant, *, is_new: bool) -> dict[str, Any]:
        has_refresh = not any(each is grant for each in self.without_refresh)
        return super().tokens_of(grant, is_new=is_new and has_refresh)

    def revoke(self, call: Call) -> Reply:
        token = (call.form or call.query).get("token", "")
        is_known = any(
            token in grant.access_tokens or token in grant.refresh_tokens for grant in self.grants
        )
        return super().revoke(call) if is_known else json_reply({"error": "invalid_token"}, 400)
