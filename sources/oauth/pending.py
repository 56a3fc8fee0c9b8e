"""Sign-ins that wait for somebody to come back from a provider: sealed, for minutes, for their
session alone, and once.

They are kept in Redis: if one is lost, the account has to be connected again.
"""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Mapping
from typing import Any

from redis import RedisError

from config.jobs.redis_client import client
from config.security.encryption import CannotDecrypt, decrypt, digest, encrypt
from config.security.rate_limits import LimitsUnavailable
from sources.errors import SignInExpired

# Long enough to find a password and a phone at the provider; the ticket is of no use afterwards.
LIFETIME_SECONDS = 600


def hold(session_id: uuid.UUID, content: Mapping[str, Any]) -> str:
    """Returns the ticket that takes the content again: 43 characters that nobody guesses. Raises
    LimitsUnavailable when Redis does not answer."""
    ticket = secrets.token_urlsafe(32)
    sealed = encrypt(json.dumps(dict(content)).encode(), context=context_of(ticket, session_id))
    try:
        client().set(key_of(ticket), sealed, ex=LIFETIME_SECONDS)
    except RedisError as error:
        raise LimitsUnavailable from error
    return ticket


def take(session_id: uuid.UUID, ticket: str) -> dict[str, Any]:
    """Takes the content that `hold` has kept. Raises SignInExpired: taken before, too old, never
    given, or another session's."""
    try:
        sealed = client().getdel(key_of(ticket))
    except RedisError as error:
        raise LimitsUnavailable from error
    if not isinstance(sealed, bytes):
        raise SignInExpired
    try:
        content: dict[str, Any] = json.loads(
            decrypt(sealed, context=context_of(ticket, session_id))
        )
    except CannotDecrypt as error:
        raise SignInExpired from error
    return content


def key_of(ticket: str) -> str:
    """The key in Redis, which holds only the ticket's hash: a reader of Redis cannot come back in
    somebody's place."""
    return f"sign-in:{digest(ticket)}"


def context_of(ticket: str, session_id: uuid.UUID) -> str:
    return f"sources.oauth.pending:{session_id}:{digest(ticket)}"
