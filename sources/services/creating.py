"""New sources without a file: websites, and connectors in reference mode."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from accounts.activity import record
from accounts.models import Action, Tenant
from config.connections import release_connection
from config.errors import Conflict
from sources.connectors.registry import CONNECTORS, CREATED_KINDS
from sources.errors import InvalidSourceType
from sources.models import Source, SyncEvent
from sources.services.new_sources import check_connectors_limit, lock_tenant, next_position
from sources.syncing.runs import record_event


def create_source(tenant: Tenant, *, name: str, source_type: str, **given: str) -> Source:
    """Makes a source that is `pending` until its first sync. May ask a name server.

    Args:
        given: the fields of its kind (sources/connectors/). More is left out, what lacks is "".

    Raises:
        InvalidSourceType: there is none of this name, or it is uploaded.
        MissingFields, InvalidValue: what its kind says of the fields.
        Conflict: the tenant has the same source already.
        SourceLimitReached: the plan holds no further one.
    """
    if source_type not in CREATED_KINDS:
        raise InvalidSourceType(f"source_type must be one of: {', '.join(CREATED_KINDS)}.")
    connector = CONNECTORS[source_type]
    fields = {field.name: given.get(field.name, "") for field in connector.fields}
    release_connection()
    identity = connector.identify(fields)
    source = Source(
        tenant=tenant, name=name, source_type=source_type, normalized_url=identity, **fields
    )
    save_connector(source)
    return source


@transaction.atomic
def save_connector(source: Source) -> None:
    """Raises Conflict, SourceLimitReached."""
    tenant = lock_tenant(source.tenant)
    refuse_duplicate(source)
    check_connectors_limit(tenant)
    source.position = next_position(tenant)
    try:
        with transaction.atomic():
            source.save(force_insert=True)
    except IntegrityError:  # the second wall: whoever wrote the other one held no lock
        refuse_duplicate(source)
        raise
    record_event(tenant, source, SyncEvent.Action.SOURCE_CREATED)
    record(tenant, Action.SOURCE_CREATED, source)


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
