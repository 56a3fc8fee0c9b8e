"""Changes to a source, and its deletion."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.activity import record
from accounts.models import Action, Tenant
from config.database.limits import DELETION_SECONDS, allowing_statements
from sources.connections import forget_unused
from sources.errors import SourceNotFound
from sources.indexing.generations import delete_indexed
from sources.models import Schedule, Source, SyncEvent, SyncStatus
from sources.services.reading import lock_source
from sources.syncing.runs import record_event


@transaction.atomic
def rename_source(tenant: Tenant, source_id: uuid.UUID | None, *, name: str) -> Source:
    """Raises SourceNotFound."""
    source = lock_source(tenant, source_id)
    old_name, source.name = source.name, name
    source.save(update_fields=["name"])
    names: dict[str, Any] = {"from": old_name, "to": name}
    record_event(tenant, source, SyncEvent.Action.SOURCE_RENAMED, **names)
    record(tenant, Action.SOURCE_RENAMED, source, **names)
    return source


@transaction.atomic
def reorder_sources(tenant: Tenant, positions: Mapping[uuid.UUID, int]) -> None:
    """Puts each source at its position; others stay where they are.

    Raises SourceNotFound when one is not there: then none has moved.
    """
    locked = Source.objects.for_tenant(tenant).select_for_update(no_key=True)
    # In one order: two requests at the same time wait for each other instead of deadlocking.
    sources = list(locked.filter(id__in=positions).order_by("id"))
    if len(sources) != len(positions):
        raise SourceNotFound
    for source in sources:
        source.position = positions[source.pk]
    Source.objects.for_tenant(tenant).bulk_update(sources, ["position"])
    record(tenant, Action.SOURCES_REORDERED, count=len(sources))


@allowing_statements(DELETION_SECONDS)
@transaction.atomic
def delete_source(tenant: Tenant, source_id: uuid.UUID | None) -> None:
    """Removes all that was indexed, in any state. Its row, its history and its original stay.

    A sync that runs loses its lock, and writes nothing. Raises SourceNotFound.
    """
    source = lock_source(tenant, source_id)
    Schedule.objects.for_tenant(tenant).filter(source=source).delete()
    delete_indexed(tenant, source.pk)
    account = source.connection
    mark_deleted(source)
    if account is not None:
        forget_unused(account)
    record_event(tenant, source, SyncEvent.Action.SOURCE_DELETED)
    record(tenant, Action.SOURCE_DELETED, source)


def mark_deleted(source: Source) -> None:
    source.deleted_at = timezone.now()
    source.connection = None
    source.chunks_count = source.reserved_count = 0
    if source.sync_status == SyncStatus.SYNCING:  # it does so no more
        source.sync_status = SyncStatus.PENDING
    source.sync_run_id = source.sync_worker_id = source.sync_lease_until = None
    source.sync_due_at = None
    source.sync_progress = {}
    source.save(
        update_fields=[
            "deleted_at",
            "connection",
            "chunks_count",
            "reserved_count",
            "sync_status",
            "sync_run_id",
            "sync_due_at",
            "sync_worker_id",
            "sync_lease_until",
            "sync_progress",
        ]
    )
