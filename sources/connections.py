"""Outside accounts: their credentials, and how they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db.models import RestrictedError
from django.utils import timezone

from accounts.tenancy import TenantQuerySet
from config.security.encryption import current_key_id
from config.security.sealing import open_column, seal_column
from sources.models import Connection, ConnectionState

REASON_MAX_CHARS = 500


def open_credentials(connection: Connection) -> dict[str, Any]:
    """Raises config.security.encryption.CannotDecrypt when no key of ours opens them."""
    credentials: dict[str, Any] = json.loads(open_column(connection, "encrypted_credentials"))
    return credentials


def keep_credentials(connection: Connection, credentials: Mapping[str, Any]) -> None:
    """Saves it as connected just now, new or not, sealed under the first key."""
    content = json.dumps(dict(credentials)).encode()
    connection.encrypted_credentials = seal_column(connection, "encrypted_credentials", content)
    connection.key_id = current_key_id()
    connection.state = ConnectionState.CONNECTED
    connection.reason = ""
    connection.save(force_insert=connection._state.adding)


def require_reauth(connection: Connection, reason: str) -> None:
    """Its credentials are refused, or cannot be read: somebody has to connect it again."""
    write_state(connection, ConnectionState.REAUTH_REQUIRED, reason)


def mark_connected(connection: Connection) -> None:
    """Its credentials were accepted after all."""
    write_state(connection, ConnectionState.CONNECTED, "")


def write_state(connection: Connection, state: ConnectionState, reason: str) -> None:
    """Nothing once it is gone."""
    row_of(connection).update(
        state=state, reason=reason[:REASON_MAX_CHARS], updated_at=timezone.now()
    )


def row_of(connection: Connection) -> TenantQuerySet[Connection]:
    return Connection.objects.for_tenant(connection.tenant).filter(pk=connection.pk)


def forget_unused(connection: Connection) -> None:
    """Its credentials go with the last that points to it."""
    try:
        connection.delete()
    except RestrictedError:
        return
