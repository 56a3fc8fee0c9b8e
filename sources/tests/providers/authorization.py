"""A stand-in for a provider's sign-in: an authorization server of OAuth 2.0 (RFC 6749) with PKCE
(RFC 7636), token rotation and revocation (RFC 7009)."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import unquote, urlencode

from sources.tests.providers.server import Call, Reply, json_reply


@dataclass(frozen=True)
class Person:
    """Somebody with an account there: `id` is the provider's own, and stays."""

    id: str
    name: str
    email: str


@dataclass
class Grant:
    """What somebody allowed us. `refresh_tokens`: the last one alone is good."""

    person: Person
    scopes: frozenset[str]
    access_tokens: dict[str, float] = field(default_factory=dict)  # until, time.time()
    refresh_tokens: list[str] = field(default_factory=list)
    is_revoked: bool = False


@dataclass(frozen=True)
class Asked:
    """A code that waits to be exchanged."""

    grant: Grant
    redirect_uri: str
    challenge: str


@dataclass
class Authorization:
    """Paths and manners of one provider. `redirect_uris`: exact, as they were registered.

    `rotates`: each refresh gives a new refresh token and ends the old one; used again, an old one
    ends the grant (RFC 9700, 4.14.2). `signed_in`: who presses "Allow".
    """

    authorize_path: str = "/authorize"
    token_path: str = "/token"
    revoke_path: str = "/revoke"
    client_id: str = "a-client"
    client_secret: str = "a-client-secret"
    redirect_uris: set[str] = field(default_factory=set)
    scopes: frozenset[str] = frozenset()
    wants_pkce: bool = True
    wants_basic: bool = False  # the client's name and secret in a header alone
    takes_json: bool = False  # the body of a token request is JSON
    rotates: bool = False
    lives_seconds: float = 3600.0
    signed_in: Person = Person("1001", "Ana Gil", "ana@company.example")
    grants: list[Grant] = field(default_factory=list)
    codes: dict[str, Asked] = field(default_factory=dict)

    def answer(self, call: Call) -> Reply | None:
        """None when the call is for none of its paths."""
        match call.method, call.path:
            case "GET", self.authorize_path:
                return self.ask_person(call)
            case "POST", self.authorize_path:
                return self.decide(call)
            case "POST", self.token_path:
                return self.give_token(call)
            case "POST", self.revoke_path if self.revoke_path:
                return self.revoke(call)
        return None

    # --- In the browser ---------------------------------------------------------------------------

    def ask_person(self, call: Call) -> Reply:
        """A page with a form: "Allow" and "Deny"."""
        asked = call.query
        if problem := self.problem_of(asked):
            return Reply(400, problem.encode(), {"Content-Type": "text/plain"})
        hidden = "".join(
            f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
            for name, value in asked.items()
        )
        page = (
            f"<!doctype html><title>Sign in</title><h1>Hello {escape(self.signed_in.name)}</h1>"
            f'<form method="post">{hidden}<button name="allow" value="yes">Allow</button>'
            '<button name="allow" value="no">Deny</button></form>'
        )
        return Reply(200, page.encode(), {"Content-Type": "text/html; charset=utf-8"})

    def problem_of(self, asked: Mapping[str, str]) -> str:
        """Why nobody is sent back at all: where to would not be safe; "" when there is none."""
        if asked.get("client_id") != self.client_id:
            return "invalid_client"
        if asked.get("redirect_uri") not in self.redirect_uris:
            return "redirect_uri_mismatch"
        if asked.get("response_type") != "code" or not asked.get("state"):
            return "invalid_request"
        if self.wants_pkce and (
            asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge")
        ):
            return "invalid_request: code_challenge"
        if not set(asked.get("scope", "").split()) >= self.scopes:
            return "invalid_scope"
        return ""

    def decide(self, call: Call) -> Reply:
        asked = call.form
        if problem := self.problem_of(asked):
            return Reply(400, problem.encode(), {"Content-Type": "text/plain"})
        back = {"state": asked["state"]}
        if asked.get("allow") == "yes":
            back["code"] = self.make_code(asked)
        else:
            back["error"] = "access_denied"
        return Reply(303, b"", {"Location": f"{asked['redirect_uri']}?{urlencode(back)}"})

    def make_code(self, asked: Mapping[str, str]) -> str:
        code = secrets.token_urlsafe(24)
        grant = Grant(self.signed_in, frozenset(asked.get("scope", "").split()))
        self.codes[code] = Asked(grant, asked["redirect_uri"], asked.get("code_challenge", ""))
        return code

    # --- Tokens -----------------------------------------------------------------------------------

    def give_token(self, call: Call) -> Reply:
        given = call.json if self.takes_json else call.form
        if not self.is_client(call, given):
            return json_reply({"error": "invalid_client"}, 401)
        match given.get("grant_type"):
            case "authorization_code":
                asked = self.codes.pop(given.get("code", ""), None)  # once
                if (
                    asked is None
                    or given.get("redirect_uri") != asked.redirect_uri
                    or not is_challenge(asked.challenge, given.get("code_verifier", ""))
                ):
                    return json_reply({"error": "invalid_grant"}, 400)
                self.grants.append(asked.grant)
                return json_reply(self.tokens_of(asked.grant, is_new=True))
            case "refresh_token":
                return self.refresh(given.get("refresh_token", ""))
        return json_reply({"error": "unsupported_grant_type"}, 400)

    def is_client(self, call: Call, given: Mapping[str, str]) -> bool:
        kind, _, encoded = call.headers.get("authorization", "").partition(" ")
        if kind.lower() == "basic":
            name, _, secret = base64.b64decode(encoded).decode().partition(":")
            return (unquote(name), unquote(secret)) == (self.client_id, self.client_secret)
        own = (given.get("client_id"), given.get("client_secret"))
        return not self.wants_basic and own == (self.client_id, self.client_secret)

    def refresh(self, token: str) -> Reply:
        grant = next((each for each in self.grants if token in each.refresh_tokens), None)
        if grant is None or grant.is_revoked:
            return json_reply({"error": "invalid_grant"}, 400)
        if token != grant.refresh_tokens[-1]:
            grant.is_revoked = True  # somebody else has it too
            return json_reply({"error": "invalid_grant"}, 400)
        return json_reply(self.tokens_of(grant, is_new=self.rotates))

    def tokens_of(self, grant: Grant, *, is_new: bool) -> dict[str, Any]:
        access = f"access-{secrets.token_urlsafe(16)}"
        grant.access_tokens[access] = time.time() + self.lives_seconds
        answer: dict[str, Any] = {
            "access_token": access,
            "token_type": "Bearer",
            "expires_in": int(self.lives_seconds),
            "scope": " ".join(sorted(grant.scopes)),
        }
        if is_new:
            grant.refresh_tokens.append(f"refresh-{secrets.token_urlsafe(16)}")
            answer["refresh_token"] = grant.refresh_tokens[-1]
        return answer

    def revoke(self, call: Call) -> Reply:
        token = (call.form or call.query).get("token", "")
        for grant in self.grants:
            if token in grant.access_tokens or token in grant.refresh_tokens:
                grant.is_revoked = True
        return Reply(200)

    # --- For the rules of the API, and for tests --------------------------------------------------

    def grant_of(self, token: str, *, now: float | None = None) -> Grant | None:
        """None when the access token is unknown, has expired, or was revoked: 401."""
        now = time.time() if now is None else now
        for grant in self.grants:
            if grant.access_tokens.get(token, 0.0) > now and not grant.is_revoked:
                return grant
        return None

    def sign_in(self, person: Person | None = None) -> dict[str, Any]:
        """As if they had allowed it: what the token endpoint answers then."""
        grant = Grant(person or self.signed_in, self.scopes)
        self.grants.append(grant)
        return self.tokens_of(grant, is_new=True)

    def expire_access(self) -> None:
        """All access tokens that were given until now; refreshing gives others."""
        for grant in self.grants:
            grant.access_tokens = dict.fromkeys(grant.access_tokens, 0.0)

    def revoke_all(self) -> None:
        """Their owners took the right away, over there."""
        for grant in self.grants:
            grant.is_revoked = True


def is_challenge(challenge: str, verifier: str) -> bool:
    """Of the verifier, by SHA-256 (RFC 7636, 4.6). Without a challenge, nothing is asked."""
    if not challenge:
        return True
    hashed = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode() == challenge
