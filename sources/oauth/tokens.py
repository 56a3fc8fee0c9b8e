"""The access token of a connected account: renewed before it expires, by one worker at a time."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from config.jobs.leases import Lease
from config.security.encryption import CannotDecrypt
from reasons import Reason
from sources.connections import (
    keep_renewed,
    open_credentials,
    require_reauth,
    row_of,
)
from sources.errors import OriginUnavailable, ReauthRequired
from sources.models import Connection, ConnectionState
from sources.oauth.exchange import EXCHANGE_SECONDS, GrantRefused, exchange_refresh_token
from sources.oauth.providers import OAuthProvider

EARLY = timedelta(minutes=5)  # before its end: what is sent with it takes a while too
# Providers rotate refresh tokens, and end the account when one is used twice: only one worker may
# renew, and nobody may take over while its call can still succeed.
LEASE = Lease("refresh_worker_id", "refresh_lease_until", timedelta(seconds=3 * EXCHANGE_SECONDS))
LOOK_EVERY_SECONDS = 0.1  # while another worker renews it

UNREADABLE = Reason("credentials_unreadable")


class SignedIn:
    """calling.Authorization of an account that somebody signed in to. For several threads."""

    def __init__(self, connection: Connection, provider: OAuthProvider) -> None:
        self._connection = connection
        self._provider = provider

    def headers(self) -> Mapping[str, str]:
        return bearer(current_token(self._connection, self._provider))

    def renew(self, refused: Mapping[str, str]) -> bool:
        """Replaces a token that the provider ended before its time; True if there is another one to
        try now."""
        token = current_token(
            self._connection, self._provider, refused=refused.get("Authorization", "")
        )
        return bearer(token) != refused


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def current_token(connection: Connection, provider: OAuthProvider, *, refused: str = "") -> str:
    """A good access token; waits while another worker renews it. `refused`: the Authorization
    header that the provider no longer accepts.

    Raises ReauthRequired when the account has to be connected again, OriginUnavailable when the
    provider does not answer.
    """
    gives_up_at = time.monotonic() + LEASE.lifetime.total_seconds()
    while True:
        row = find_row(connection)
        credentials = open_account(row)
        if is_good(row, credentials, refused):
            return str(credentials["access_token"])
        if not credentials.get("refresh_token"):
            reason = Reason("connection_ended", label=provider.label)
            require_reauth(row, reason)
            raise ReauthRequired(reason)
        if (holder := LEASE.take(row_of(connection))) is not None:
            return renew(row, provider, refused, holder=holder)
        if time.monotonic() > gives_up_at:
            raise OriginUnavailable(Reason("origin_silent", label=provider.label))
        time.sleep(LOOK_EVERY_SECONDS)


def find_row(connection: Connection) -> Connection:
    row = row_of(connection).first()
    if row is None:
        raise ReauthRequired(Reason("account_disconnected"))
    return row


def is_good(row: Connection, credentials: Mapping[str, Any], refused: str) -> bool:
    is_due = row.expires_at is not None and row.expires_at - EARLY < timezone.now()
    return not is_due and f"Bearer {credentials['access_token']}" != refused


def open_account(row: Connection) -> dict[str, Any]:
    """Raises ReauthRequired when there is nothing that could open it."""
    if row.state != ConnectionState.CONNECTED:
        raise ReauthRequired(row.error or Reason("account_needs_reconnecting"))
    try:
        return open_credentials(row)
    except CannotDecrypt as error:
        require_reauth(row, UNREADABLE)
        raise ReauthRequired(UNREADABLE) from error


def renew(
    connection: Connection, provider: OAuthProvider, refused: str, *, holder: uuid.UUID
) -> str:
    """Renews the token and returns it. Only the worker that holds the lease may write the answer: a
    refresh token that is good once must not be sent twice."""
    row = find_row(connection)  # another may have renewed it before we got the lease
    credentials = open_account(row)
    held = row_of(row).filter(refresh_worker_id=holder)
    if is_good(row, credentials, refused):
        held.update(refresh_lease_until=None)
        return str(credentials["access_token"])
    try:
        answer = exchange_refresh_token(provider, str(credentials["refresh_token"]))
    except GrantRefused as error:
        held.update(refresh_lease_until=None)
        if error.error != "invalid_grant":  # of us, not of the account (RFC 6749, 5.2)
            raise OriginUnavailable(
                Reason("server_refused", label=provider.label, name=error.error)
            ) from error
        reason = Reason("account_refused_by_name", label=provider.label, account=row.account)
        require_reauth(row, reason)
        raise ReauthRequired(reason) from error
    except OriginUnavailable:
        held.update(refresh_lease_until=None)
        raise
    kept = {**credentials, **credentials_of(answer)}
    keep_renewed(row, kept, expires_at=expiry_of(answer), holder=holder)
    return str(kept["access_token"])


def credentials_of(answer: Mapping[str, Any]) -> dict[str, str]:
    """The credentials in a token answer: a new refresh token only where the answer has one."""
    names = ("access_token", "refresh_token")
    return {name: value for name in names if isinstance(value := answer.get(name), str) and value}


def expiry_of(answer: Mapping[str, Any]) -> datetime | None:
    """The time when the token expires; None if the provider says that it does not, or says
    nothing."""
    match answer.get("expires_in"):
        case bool():
            return None
        case int() | float() as seconds if 0 < seconds < 10**9:
            return timezone.now() + timedelta(seconds=seconds)
        case str(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10:
            return timezone.now() + timedelta(seconds=int(digits))
    return None
