"""Somebody signs in to a provider, and gives us the right to read their account there.

    begin ──> the provider's page ──> callback: `finish` ──> tokens, whose account it is

What the provider sends back is bound to the session that was sent there, and taken once
(RFC 9700, 4.7); the code is bound to us by PKCE.
"""

from __future__ import annotations

import re
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from authlib.integrations.requests_client import OAuth2Session

from reasons import Reason
from sources.errors import OriginUnavailable, SignInExpired, SignInFailed, SignInNotSetUp
from sources.oauth.exchange import GrantRefused, exchange_code
from sources.oauth.pending import hold, take
from sources.oauth.providers import OAuthProvider, callback_url

VERIFIER_BYTES = 48  # 64 characters: RFC 7636, 4.1 wants 43 to 128
CODE = re.compile(r"[!-~]{1,4096}")
TICKET = re.compile(r"[\w-]{43}", re.ASCII)


@dataclass(frozen=True)
class Intent:
    """The reason why somebody was sent to a provider. `connection_id`: the account to be connected
    again; `takes_other`: True if they may sign in to a different one."""

    tenant_id: uuid.UUID
    kind: str
    connection_id: uuid.UUID | None = None
    takes_other: bool = False


@dataclass(frozen=True)
class CameBack:
    """`code` and `verifier`: what the tokens are given for."""

    intent: Intent
    code: str
    verifier: str


def begin(provider: OAuthProvider, intent: Intent, *, session_id: uuid.UUID) -> str:
    """The address to which the browser is to be sent. Raises SignInNotSetUp, LimitsUnavailable."""
    if not provider.is_registered:
        raise SignInNotSetUp
    verifier = secrets.token_urlsafe(VERIFIER_BYTES)
    state = hold(
        session_id,
        {
            "tenant_id": str(intent.tenant_id),
            "kind": intent.kind,
            "connection_id": str(intent.connection_id or ""),
            "takes_other": intent.takes_other,
            "verifier": verifier,
        },
    )
    with OAuth2Session(
        provider.client[0],
        redirect_uri=callback_url(),
        scope=" ".join(provider.scopes) or None,
        code_challenge_method="S256" if provider.uses_pkce else None,
    ) as session:
        address, _ = session.create_authorization_url(
            provider.authorize_url, state=state, code_verifier=verifier, **provider.parameters
        )
    return str(address)


def come_back(given: Mapping[str, str], *, tenant_id: uuid.UUID, session_id: uuid.UUID) -> CameBack:
    """Returns what the provider sent somebody back with; `given`: the query of the callback.

    Raises:
        SignInExpired: not what this session was sent away with, or taken before.
        SignInFailed: they said no, or the provider did.
    """
    state = given.get("state", "")
    if not TICKET.fullmatch(state):
        raise SignInExpired
    held = take(session_id, state)
    intent = intent_of(held)
    if intent.tenant_id != tenant_id:
        raise SignInExpired
    if given.get("error") == "access_denied":
        raise SignInFailed(Reason("sign_in_without_right"))
    code = given.get("code", "")
    if not CODE.fullmatch(code):
        raise SignInFailed
    return CameBack(intent, code, str(held["verifier"]))


def intent_of(held: Mapping[str, Any]) -> Intent:
    connection_id = uuid.UUID(held["connection_id"]) if held["connection_id"] else None
    return Intent(
        uuid.UUID(held["tenant_id"]), held["kind"], connection_id, bool(held["takes_other"])
    )


def fetch_tokens(provider: OAuthProvider, came: CameBack) -> dict[str, Any]:
    """The token answer. Raises SignInFailed."""
    try:
        return exchange_code(provider, code=came.code, verifier=came.verifier)
    except (GrantRefused, OriginUnavailable) as error:
        raise SignInFailed(Reason("sign_in_unconfirmed", label=provider.label)) from error
