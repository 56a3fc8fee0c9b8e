"""Requests to a provider's token and revocation endpoints: Authlib's, over our own transport."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl

from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.auth import encode_client_secret_basic
from requests import RequestException

from config.database.pool import release_connection
from config.http import FetchError
from config.http.connections import Allowance, CheckedAdapter
from reasons import Reason
from sources.errors import OriginUnavailable
from sources.oauth.providers import OAuthProvider, callback_url

EXCHANGE_SECONDS = 20.0
EXCHANGE_MAX_BYTES = 256 * 1024


class GrantRefused(Exception):
    """The provider says no for good: the code or the refresh token opens nothing (RFC 6749, 5.2).
    `error`: its word for it."""

    def __init__(self, error: str) -> None:
        self.error = error
        super().__init__(error)


def exchange_code(provider: OAuthProvider, *, code: str, verifier: str) -> dict[str, Any]:
    """The provider's answer, with an `access_token`. Raises GrantRefused, OriginUnavailable."""
    proof = {"code_verifier": verifier} if provider.uses_pkce else {}
    with talking(provider) as session:
        token = session.fetch_token(
            provider.token_url, code=code, grant_type="authorization_code", **proof
        )
        return checked(provider, token)


def exchange_refresh_token(provider: OAuthProvider, refresh_token: str) -> dict[str, Any]:
    """Raises GrantRefused, OriginUnavailable."""
    with talking(provider) as session:
        return checked(provider, session.refresh_token(provider.token_url, refresh_token))


def revoke_token(provider: OAuthProvider, token: str) -> None:
    """Revokes a token (RFC 7009). Raises GrantRefused, OriginUnavailable."""
    if not provider.revoke_url:
        return
    with talking(provider) as session:
        session.revoke_token(provider.revoke_url, token)  # type: ignore[no-untyped-call]


@contextmanager
def talking(provider: OAuthProvider) -> Iterator[OAuth2Session]:
    """A session that goes where our own client would go, follows no redirect, and ends in time."""
    # A provider may take seconds to answer, and a connection of the database waits for nobody.
    release_connection()
    client_id, secret = provider.client
    allowance = Allowance(
        ends_at=time.monotonic() + EXCHANGE_SECONDS, bytes_left=EXCHANGE_MAX_BYTES
    )
    adapter = CheckedAdapter(allowance)
    session = OAuth2Session(
        client_id,
        secret,
        redirect_uri=callback_url(),
        token_endpoint_auth_method="json" if provider.is_json else "client_secret_post",
        revocation_endpoint_auth_method="json" if provider.is_json else "client_secret_post",
        default_timeout=EXCHANGE_SECONDS,
    )
    session.register_client_auth_method(("json", as_json))
    session.headers.update(provider.headers)
    session.trust_env = False
    session.max_redirects = 0
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    try:
        yield session
    except OAuthError as error:
        raise GrantRefused(str(error.error)[:100]) from error
    except (FetchError, RequestException, ValueError, RecursionError):
        # Their messages may hold what was sent.
        raise OriginUnavailable(Reason("origin_silent", label=provider.label)) from None
    finally:
        session.close()


def as_json(
    client: Any, method: str, uri: str, headers: dict[str, str], body: str
) -> tuple[str, dict[str, str], str]:
    """The client by HTTP Basic, the rest as JSON: Notion's way (developers.notion.com/reference,
    "Create a token", read 2026-11-22)."""
    uri, headers, body = encode_client_secret_basic(client, method, uri, headers, body)
    headers["Content-Type"] = "application/json"
    return uri, headers, json.dumps(dict(parse_qsl(body)))


def checked(provider: OAuthProvider, token: object) -> dict[str, Any]:
    """The provider's answer. Raises OriginUnavailable if it lacks what was asked for."""
    if isinstance(token, Mapping):
        access = token.get("access_token")
        if isinstance(access, str) and access.isprintable() and access.isascii():
            return dict(token)
    raise OriginUnavailable(Reason("origin_answer_unreadable_now", label=provider.label))
