"""Outside accounts: their credentials, and how they are."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import RestrictedError
from django.utils import timezone

from accounts.models.tenancy import TenantQuerySet
from config.database.acting import over_all_tenants
from config.database.reasons import with_text
from config.security.encryption import current_key_id
from config.security.sealing import open_column, seal_column
from reasons import Reason
from sources.models import Connection, ConnectionState, Source, SyncEvent, SyncStatus

REASON_MAX_CHARS = 500


def open_credentials(connection: Connection) -> dict[str, Any]:
    """The decrypted credentials. Raises config.security.encryption.CannotDecrypt when no key of
    ours opens them."""
    credentials: dict[str, Any] = json.loads(open_column(connection, "encrypted_credentials"))
    return credentials


def keep_credentials(connection: Connection, credentials: Mapping[str, Any]) -> None:
    """Saves the connection as connected just now, new or not, with the credentials sealed under the
    first key."""
    content = json.dumps(dict(credentials)).encode()
    connection.encrypted_credentials = seal_column(connection, "encrypted_credentials", content)
    connection.key_id = current_key_id()
    connection.state = ConnectionState.CONNECTED
    connection.error, connection.reason = None, ""
    connection.refresh_worker_id = connection.refresh_lease_until = None
    connection.save(force_insert=connection._state.adding)


def keep_renewed(
    connection: Connection,
    credentials: Mapping[str, Any],
    *,
    expires_at: datetime | None,
    holder: uuid.UUID,
) -> None:
    """Stores the credentials that a provider gave in place of expiring ones, provided that `holder`
    is still renewing the connection: it may have been connected again meanwhile."""
    content = json.dumps(dict(credentials)).encode()
    row_of(connection).filter(refresh_worker_id=holder).update(
        encrypted_credentials=seal_column(connection, "encrypted_credentials", content),
        key_id=current_key_id(),
        expires_at=expires_at,
        refresh_worker_id=None,
        refresh_lease_until=None,
        updated_at=timezone.now(),
    )


def require_reauth(connection: Connection, reason: Reason) -> None:
    """Marks a connection whose credentials are refused or cannot be read: somebody has to connect
    it again. The same goes for the sources that are read from it, which go on answering; one that
    is syncing finds out itself."""
    with transaction.atomic():
        write_state(connection, ConnectionState.REAUTH_REQUIRED, reason)
        stop_sources(connection, reason)


def revoke(connection: Connection, reason: Reason) -> None:
    """Marks a connection whose owner took the right away, here or at the provider, and forgets its
    credentials."""
    with transaction.atomic():
        keep_credentials(connection, {})
        write_state(connection, ConnectionState.REVOKED, reason)
        stop_sources(connection, reason)


def stop_sources(connection: Connection, reason: Reason) -> None:
    """Stops the reading of the account's sources. Those that are stopped already are left alone."""
    stopped = (SyncStatus.PENDING, SyncStatus.SYNCED, SyncStatus.ERROR)
    sources = Source.objects.for_tenant(connection.tenant)
    found = list(sources.filter(connection=connection, sync_status__in=stopped))
    sources.filter(pk__in=[source.pk for source in found], sync_status__in=stopped).update(
        sync_status=SyncStatus.REAUTH_REQUIRED, error_code="REAUTH_REQUIRED", **with_text(reason)
    )
    SyncEvent.objects.for_tenant(connection.tenant).bulk_create(
        SyncEvent(
            tenant=connection.tenant,
            source=source,
            action=SyncEvent.Action.REAUTH_REQUIRED,
            details={"provider": source.provider, "message": reason.to_json()},
        )
        for source in found
    )


def mark_connected(connection: Connection) -> None:
    """Marks a connection whose credentials were accepted after all."""
    write_state(connection, ConnectionState.CONNECTED, None)


def write_state(connection: Connection, state: ConnectionState, reason: Reason | None) -> None:
    """Writes a connection's state; does nothing if the connection was deleted."""
    row_of(connection).update(
        state=state,
        updated_at=timezone.now(),
        **with_text(reason, text="reason", max_chars=REASON_MAX_CHARS),
    )


@over_all_tenants()
def is_held_elsewhere(provider: str, account_id: str) -> bool:
    """Tells whether a connection of any tenant still opens this account. Providers keep one right
    for each of their accounts and our application: to take it back for one tenant ends it for all.
    """
    others = Connection.all_tenants.filter(provider=provider, account_id=account_id)
    return bool(account_id) and others.filter(state=ConnectionState.CONNECTED).exists()


def row_of(connection: Connection) -> TenantQuerySet[Connection]:
    return Connection.objects.for_tenant(connection.tenant).filter(pk=connection.pk)


def forget_unused(connection: Connection) -> None:
    """Deletes the connection, with its credentials, unless a row still points to it."""
    try:
        connection.delete()
    except RestrictedError:
        return
