"""The work that beat finds due, over all tenants."""

import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from config.database.acting import over_all_tenants
from sources.errors import SourceLimitReached, SyncAbandoned, SyncWaitedTooLong
from sources.indexing.generations import clear_generations
from sources.indexing.postings import post_chunks
from sources.models import POSTED_AT_LEAST, EmbeddingSpace, Lane, Schedule, Source
from sources.syncing.lanes import list_waiting
from sources.syncing.runs import begin_run, fail_run
from sources.syncing.schedules import next_slot, stop_schedule

# A run that nobody has claimed for so long: no worker is running, or none gets to it.
WAITING_MAX = timedelta(hours=12)
SCHEDULES_AT_ONCE = 100  # their rows are locked until all of them have their run
# What is old is deleted by the run that replaced it; by beat, when that one died over it.
CLEARED_BY_ITS_RUN = timedelta(minutes=6)
# Beat has other sources to look at: it goes on with this one the next time.
CLEAR_SECONDS = 5.0


@over_all_tenants()
def end_forgotten_runs(now: datetime) -> None:
    """Ends the runs that no worker has come for in WAITING_MAX."""
    before = now - WAITING_MAX
    forgotten = Q(sync_worker_id=None, sync_due_at__lt=before) | Q(sync_lease_until__lt=before)
    for lane in Lane:
        for source in list_waiting(lane, now).filter(forgotten).select_related("tenant"):
            if source.sync_run_id:
                error = SyncAbandoned() if source.sync_worker_id else SyncWaitedTooLong()
                fail_run(source.tenant, source.pk, run_id=source.sync_run_id, error=error)


@over_all_tenants()
def clear_leftovers() -> None:
    """Deletes some of what runs that have ended left of older generations, and posts some chunks
    that they did not: seconds of work, and the rest the next time."""
    ended_before = timezone.now() - CLEARED_BY_ITS_RUN
    left = Source.all_tenants.select_related("tenant").filter(
        cleared_generation__lt=F("generation"), last_synced_at__lt=ended_before
    )
    for source in left.order_by("last_synced_at")[:1]:
        clear_generations(source.tenant, source.pk, seconds=CLEAR_SECONDS)
    active_spaces = EmbeddingSpace.objects.filter(is_active=True).values("pk")
    is_unposted = Q(chunks_count__gte=F("posted_count") + POSTED_AT_LEAST)
    is_unsigned = Q(posted_count__gt=0) & ~Q(signs_space__in=active_spaces)
    unposted = Source.all_tenants.select_related("tenant").filter(
        is_unposted | is_unsigned,
        deleted_at=None,
        last_synced_at__lt=ended_before,
    )
    for source in unposted.order_by("last_synced_at")[:1]:
        post_chunks(source.tenant, source.pk, seconds=CLEAR_SECONDS)


@over_all_tenants()
def begin_due_syncs(now: datetime) -> list[uuid.UUID]:
    """Begins a run for each source whose sync is due, and returns their ids. Many callers at a time
    never begin one twice."""
    begun: list[uuid.UUID] = []
    while True:
        due_count, some = begin_some_syncs(now)
        begun += some
        if due_count < SCHEDULES_AT_ONCE:
            return begun


@transaction.atomic
def begin_some_syncs(now: datetime) -> tuple[int, list[uuid.UUID]]:
    """Begins some of the runs that are due. Returns how many were due, up to SCHEDULES_AT_ONCE, and
    the sources of which a run was begun.

    Skips what another transaction holds, of the schedule, of the source or of the tenant, whose row
    a run begins under: it waits for nobody, so it cannot deadlock with a commit or a delete, and
    comes again in a minute.
    """
    due = (
        Schedule.all_tenants.select_related("tenant__plan", "source")
        .select_for_update(of=("self", "source", "tenant"), skip_locked=True, no_key=True)
        .filter(enabled=True, next_sync_at__lte=now)
        .order_by("next_sync_at")[:SCHEDULES_AT_ONCE]
    )
    schedules = list(due)
    begun = [each.source_id for each in schedules if begin_scheduled_run(each, now)]
    return len(schedules), begun


def begin_scheduled_run(schedule: Schedule, now: datetime) -> bool:
    """False when the source is being synced already, or the plan has no more this frequency, or a
    place for this source."""
    plan, frequency, due = schedule.tenant.plan, schedule.frequency, schedule.next_sync_at
    if due is None or not plan.includes_frequency(frequency):
        reason = f"The {plan.name} plan does not include the frequency {frequency}."
        stop_schedule(schedule, reason)
        return False
    try:
        run_id = begin_run(schedule.tenant, schedule.source_id)
    except SourceLimitReached as error:
        stop_schedule(schedule, error.message, code=error.code)
        return False
    schedule.next_sync_at = next_slot(frequency, due=due, now=now)
    schedule.save(update_fields=["next_sync_at"])
    return run_id is not None
