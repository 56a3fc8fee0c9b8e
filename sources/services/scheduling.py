"""The schedules by which sources are synced automatically."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.utils import timezone

from accounts.activity import record
from accounts.models import Action, ScheduleFrequency, Tenant
from sources.models import Schedule
from sources.services.reading import get_source, lock_source
from sources.syncing.schedules import check_frequency, first_slot


def get_schedule(tenant: Tenant, source_id: uuid.UUID | None) -> Schedule:
    """The schedule with its source. One that was never configured is not in the database: it is
    unsaved, manual.

    Raises SourceNotFound.
    """
    source = get_source(tenant, source_id)
    schedules = Schedule.objects.for_tenant(tenant).select_related("source")
    stored = schedules.filter(source=source).first()
    return stored or Schedule(
        tenant=tenant, source=source, frequency=ScheduleFrequency.MANUAL, enabled=False
    )


@transaction.atomic
def set_schedule(
    tenant: Tenant, source_id: uuid.UUID | None, *, frequency: ScheduleFrequency
) -> Schedule:
    """Sets the schedule. The first sync is due after one interval from now; `manual` stops them.

    Raises SourceNotFound, PlanLimitReached.
    """
    source = lock_source(tenant, source_id)
    check_frequency(tenant.plan, frequency)
    next_sync_at = first_slot(frequency, timezone.now())
    schedule, _ = Schedule.objects.for_tenant(tenant).update_or_create(
        source=source,
        defaults={
            "frequency": frequency,
            "enabled": next_sync_at is not None,
            "next_sync_at": next_sync_at,
        },
    )
    record(tenant, Action.SCHEDULE_CHANGED, source, frequency=frequency)
    return schedule
