"""What beat finds due, over all tenants."""

import logging
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from accounts.models import Tenant
from sources.errors import SyncAbandoned, SyncWaitedTooLong
from sources.models import Schedule, Source
from sources.runs import LOCK_LIFETIME, QUEUE_LEASE, begin_run, fail_run, lock_run
from sources.schedules import allows_frequency, next_slot, stop_schedule

logger = logging.getLogger(__name__)

# Past the lease: a task that comes again after its worker's death takes the run over before that.
GRACE = timedelta(seconds=10)
RUNS_AT_ONCE = 500
SCHEDULES_AT_ONCE = 100  # their rows are locked until all of them have their run


@dataclass(frozen=True)
class Run:
    """To be handed to a worker."""

    tenant_id: uuid.UUID
    source_id: uuid.UUID
    run_id: uuid.UUID

    @property
    def arguments(self) -> tuple[str, str, str]:
        """Of tasks.sync_in_background."""
        return str(self.tenant_id), str(self.source_id), str(self.run_id)


def tend_expired_runs() -> list[Run]:
    """Ends the runs whose worker has died, or that nobody took for half an hour. Returns those that
    wait on and whose task may be lost, to be enqueued again: a second copy does no harm.
    """
    due_before = timezone.now() - GRACE
    expired = (
        Source.all_tenants.select_related("tenant")
        .filter(sync_run_id__isnull=False, sync_lease_until__lt=due_before)
        .order_by("sync_lease_until")[:RUNS_AT_ONCE]
    )
    waiting = [
        tend_expired_run(source.tenant, source.pk, run_id=source.sync_run_id, due_before=due_before)
        for source in expired
        if source.sync_run_id
    ]
    return [run for run in waiting if run is not None]


@transaction.atomic
def tend_expired_run(
    tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID, due_before: datetime
) -> Run | None:
    """Looks again under the row's lock: a heartbeat may have come in between."""
    source = lock_run(tenant, source_id, run_id=run_id)
    if source is None or not source.sync_lease_until or source.sync_lease_until >= due_before:
        return None
    if source.sync_worker_id is not None:
        fail_run(tenant, source_id, run_id=run_id, error=SyncAbandoned())
        return None
    now = timezone.now()
    if source.sync_started_at is None or source.sync_started_at < now - LOCK_LIFETIME:
        fail_run(tenant, source_id, run_id=run_id, error=SyncWaitedTooLong())
        return None
    logger.warning("run %s of source %s waits for long: enqueued again", run_id, source_id)
    source.sync_lease_until = now + QUEUE_LEASE
    source.save(update_fields=["sync_lease_until"])
    return Run(tenant.pk, source_id, run_id)


def claim_due_schedules(now: datetime) -> Iterator[Run]:
    """Begins a run for each source whose sync is due; yields it after the commit, to be enqueued.

    Should the caller die between, tend_expired_runs finds the run. Many callers at a time never
    begin one twice.
    """
    while True:
        schedules_count, runs = claim_some_schedules(now)
        yield from runs
        if schedules_count < SCHEDULES_AT_ONCE:
            return


@transaction.atomic
def claim_some_schedules(now: datetime) -> tuple[int, list[Run]]:
    """How many were due, up to SCHEDULES_AT_ONCE, and the runs that they became.

    Skips what another transaction holds, of the schedule or of the source: it waits for nobody, so
    it cannot deadlock with a commit or a delete, and comes again in a minute.
    """
    due = (
        Schedule.all_tenants.select_related("tenant__plan", "source")
        .select_for_update(of=("self", "source"), skip_locked=True, no_key=True)
        .filter(enabled=True, next_sync_at__lte=now)
        .order_by("next_sync_at")[:SCHEDULES_AT_ONCE]
    )
    runs = [begin_scheduled_run(schedule, now) for schedule in due]
    return len(runs), [run for run in runs if run is not None]


def begin_scheduled_run(schedule: Schedule, now: datetime) -> Run | None:
    """None when the source is being synced already, or the plan has this frequency no more."""
    if schedule.next_sync_at is None or not allows_frequency(
        schedule.tenant.plan, schedule.frequency
    ):
        stop_schedule(schedule)
        return None
    schedule.next_sync_at = next_slot(schedule.frequency, due=schedule.next_sync_at, now=now)
    schedule.save(update_fields=["next_sync_at"])
    run_id = begin_run(schedule.tenant, schedule.source_id)
    return Run(schedule.tenant_id, schedule.source_id, run_id) if run_id else None
