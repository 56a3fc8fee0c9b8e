"""New sources without a file: websites, and connectors in reference mode."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from django.db import IntegrityError, transaction

from accounts.activity import record
from accounts.models import Action, Tenant
from config.database.pool import release_connection
from config.errors import Conflict, InvalidValue
from reasons import Reason
from sources.connectors.interface import Checked
from sources.connectors.registry import CONNECTORS, CREATED_KINDS
from sources.errors import ConnectionRefused, InvalidSourceType
from sources.models import Source, SyncEvent
from sources.services.checking import check_account_fields
from sources.services.connections import connect_account, get_connection
from sources.services.new_sources import next_position
from sources.services.reading import lock_source
from sources.syncing.plan_places import check_connectors_limit, lock_tenant
from sources.syncing.runs import record_event


def create_source(
    tenant: Tenant,
    *,
    name: str,
    source_type: str,
    connection: Mapping[str, str] | None = None,
    when_made: Callable[[Source], None] | None = None,
    **given: str,
) -> Source:
    """Makes a source that is `pending` until its first sync. May ask a name server.

    Args:
        connection: what opens the account that it is read from, and says what is read: the
            `connection_fields` of its kind. Checked first, which takes up to 40 seconds.
        when_made: called in the transaction that makes it: what it writes, and what it raises,
            holds for both.
        given: the fields of its kind (connectors/). More is left out, what lacks is "".

    Raises:
        InvalidSourceType: no kind has this name, or its sources are uploaded.
        MissingFields, InvalidValue: what its kind says of the fields; ConnectionRefused of those of
            the connection.
        TooManyRequests, ServiceUnavailable: the connection cannot be checked now.
        Conflict: the tenant has the same source already.
        SourceLimitReached: the plan holds no further one.
    """
    if source_type not in CREATED_KINDS:
        raise InvalidSourceType(f"source_type must be one of: {', '.join(CREATED_KINDS)}.")
    connector = CONNECTORS[source_type]
    fields = {field.name: given.get(field.name, "") for field in connector.fields}
    # The website is asked now, which may take long.
    release_connection()
    identity = connector.identify(fields)
    source = Source(
        tenant=tenant, name=name, source_type=source_type, normalized_url=identity, **fields
    )
    if connection is None:
        save_connector(source, when_made)
        return source
    if not connector.connection_fields:
        raise ConnectionRefused(Reason("connection_not_taken"))
    check_connectors_limit(tenant)
    checked = check_account_fields(tenant, source_type, connection)
    return save_connected(source, when_made, fields=connection, checked=checked)


@transaction.atomic
def save_connected(
    source: Source,
    when_made: Callable[[Source], None] | None,
    *,
    fields: Mapping[str, str],
    checked: Checked,
) -> Source:
    """Saves the source with a connection of its own. Raises the same errors as save_connector."""
    tenant, kind = source.tenant, source.source_type
    source.connection = connect_account(tenant, kind, fields, checked)
    source.selection = dict(checked.selection)
    save_connector(source, when_made)
    return source


def create_connected_source(
    tenant: Tenant, *, name: str, connection_id: uuid.UUID, selection: Mapping[str, Any]
) -> Source:
    """Makes a source of the chosen part of an account that is connected, `pending` until its first
    sync. Raises ConnectionNotFound, InvalidValue, SourceLimitReached."""
    connection = get_connection(tenant, connection_id)
    connector = CONNECTORS[connection.provider]
    source = Source(
        tenant=tenant,
        name=name,
        source_type=connection.provider,
        connection=connection,
        selection=connector.clean_selection(selection),
    )
    save_connector(source)
    return source


@transaction.atomic
def change_selection(
    tenant: Tenant, source_id: uuid.UUID | None, selection: Mapping[str, Any]
) -> Source:
    """Changes what the next sync reads. It lists the account from the beginning and forgets earlier
    failures. Raises SourceNotFound, InvalidValue."""
    source = lock_source(tenant, source_id)
    connector = CONNECTORS.get(source.source_type)
    if connector is None or source.connection is None:
        raise InvalidValue(Reason("nothing_to_choose"))
    source.selection = connector.clean_selection(selection)
    source.sync_cursor, source.known_failures, source.may_lose = {}, {}, True
    source.save(update_fields=["selection", "sync_cursor", "known_failures", "may_lose"])
    record(tenant, Action.SELECTION_CHANGED, source)
    return source


@transaction.atomic
def save_connector(source: Source, when_made: Callable[[Source], None] | None = None) -> None:
    """Raises Conflict, SourceLimitReached."""
    tenant = lock_tenant(source.tenant)
    refuse_duplicate(source)
    check_connectors_limit(tenant)
    source.position = next_position(tenant)
    try:
        with transaction.atomic():
            source.save(force_insert=True)
    except IntegrityError:  # the second wall: the other one was written without a lock
        refuse_duplicate(source)
        raise
    record_event(tenant, source, SyncEvent.Action.SOURCE_CREATED)
    record(tenant, Action.SOURCE_CREATED, source)
    if when_made is not None:
        when_made(source)


def refuse_duplicate(source: Source) -> None:
    """Raises Conflict, which names the source that is there."""
    if not source.normalized_url:
        return
    sources = Source.objects.for_tenant(source.tenant)
    same = sources.filter(
        source_type=source.source_type, normalized_url=source.normalized_url
    ).first()
    if same is not None:
        raise Conflict(f'The source "{same.name}" ({same.pk}) already has this address.')
