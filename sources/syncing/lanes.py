"""The order of the runs that wait: tenants take turns, and none takes a lane for itself.

    uploads     somebody waits for the answer: an upload's first run
    background  nobody does: syncs by hand and by schedule, uploads that nobody waits for any more,
                and those of a tenant that has had much of the other one

What waits is in the database. A message in Redis says no more than that there is work in a lane;
the worker that gets it claims the run whose turn it is. A lost message delays, a second one does no
harm. docs/decisions/0022-fair-lanes.md tells why.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from accounts.models import Tenant
from config.database.acting import as_tenant, over_all_tenants
from config.errors import TooManyRequests
from sources.models import UPLOADED_TYPES, Lane, LaneTurn, Source
from sources.syncing.runs import LEASE, RunIsAlive, claim_run

LOCKS = 20_022  # of pg_advisory_xact_lock: the first of two keys, the second is the lane
RETRY_AFTER_SECONDS = 60  # of a tenant that has too much waiting
# Of a tenant's uploads within HEAVY_FOR, about twenty seconds of a worker. What is beyond goes into
# the background: others who wait come first.
HEAVY_PASSAGES = 4000
# After an hour without large uploads, a tenant's uploads come first again.
HEAVY_FOR = timedelta(hours=1)


@over_all_tenants()
@transaction.atomic
def claim_next_run(lane: Lane) -> Source | None:
    """The source of the run whose turn it is, claimed as by claim_run; None when no run can be
    claimed.

    The tenant with the fewest runs under way in this lane comes first; then the one that has waited
    longest for a turn; then the oldest run. A tenant that has a slot never gets the last free one,
    so that a tenant who comes later finds it free. One claim at a time of a lane, each a few
    milliseconds.
    """
    lock_lane(lane)
    now = timezone.now()
    running = count_running(lane, now)
    slots_free = settings.LANE_SLOTS[lane] - running.total()
    for source in in_turn(lane, waiting_first(lane, now), running):
        if running[source.tenant_id] and slots_free <= 1:
            return None  # nor may those behind it, who have as many or more
        with as_tenant(source.tenant_id):
            claimed = claim_if_free(source)
            if claimed is not None:
                take_turn(source.tenant, lane, now)
                return claimed
    return None


def lock_lane(lane: Lane) -> None:
    """Locks the lane to the end of the transaction. Two claims at once would see the same slots
    free."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCKS, list(Lane).index(lane)])


def in_turn(lane: Lane, waiting: Iterable[Source], running: Counter[uuid.UUID]) -> list[Source]:
    sources = list(waiting)
    turns = LaneTurn.all_tenants.filter(lane=lane, tenant__in={each.tenant_id for each in sources})
    last_turn = dict(turns.values_list("tenant_id", "taken_at"))
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(
        sources,
        key=lambda source: (
            running[source.tenant_id],
            last_turn.get(source.tenant_id, never),
            source.sync_due_at or never,
        ),
    )


def claim_if_free(source: Source) -> Source | None:
    """Claims the run. None when somebody else has locked the row (a lane does not wait for other
    transactions), or the run has ended or come to life again since it was found."""
    run_id = source.sync_run_id
    rows = Source.objects.for_tenant(source.tenant).filter(pk=source.pk)
    if run_id is None or not rows.select_for_update(skip_locked=True, no_key=True).first():
        return None
    with suppress(RunIsAlive):
        return claim_run(source.tenant, source.pk, run_id=run_id)
    return None


def take_turn(tenant: Tenant, lane: Lane, now: datetime) -> None:
    turns = LaneTurn.objects.for_tenant(tenant)
    if not turns.filter(lane=lane).update(taken_at=now):
        turns.create(lane=lane, taken_at=now)


# --- What waits, what runs ------------------------------------------------------------------------


def waiting_first(lane: Lane, now: datetime) -> QuerySet[Source]:
    """The run of each tenant that has waited longest."""
    rows = list_waiting(lane, now).select_related("tenant__plan")
    rows = rows.defer("sync_cursor", "known_failures")  # a claim that others wait for reads neither
    return rows.order_by("tenant_id", "sync_due_at").distinct("tenant_id")


def list_waiting(lane: Lane, now: datetime) -> QuerySet[Source]:
    """Runs that may be claimed, of all tenants: due, or left behind by a worker that has died."""
    rows = Source.all_tenants.filter(sync_run_id__isnull=False, sync_lane=lane)
    return rows.filter(LEASE.is_free(now), sync_due_at__lte=now)


def count_running(lane: Lane, now: datetime) -> Counter[uuid.UUID]:
    """The number of runs under way in the lane, by tenant."""
    rows = Source.all_tenants.filter(sync_run_id__isnull=False, sync_lane=lane)
    counts = (
        rows.filter(LEASE.is_held(now))
        .order_by()
        .values_list("tenant_id")
        .annotate(runs=Count("pk"))
    )
    return Counter(dict(counts))


@over_all_tenants()
def count_claimable(lane: Lane) -> int:
    """The number of further workers that would have something to do in this lane; at most as many
    as there are slots free."""
    now = timezone.now()
    slots_free = settings.LANE_SLOTS[lane] - count_running(lane, now).total()
    return list_waiting(lane, now)[: max(0, slots_free)].count()


# --- How much may wait ----------------------------------------------------------------------------


def check_room(tenant: Tenant) -> None:
    """Raises TooManyRequests when the tenant has UPLOADS_WAITING_MAX uploads that were never
    indexed and wait to be. Other runs are as many as its sources, and those the plan counts.
    """
    uploads = Source.objects.for_tenant(tenant).filter(
        source_type__in=UPLOADED_TYPES,
        last_synced_at=None,
        sync_run_id__isnull=False,
        sync_worker_id=None,
    )
    if uploads.count() >= settings.UPLOADS_WAITING_MAX:
        raise TooManyRequests(
            f"{settings.UPLOADS_WAITING_MAX} uploads of this workspace wait to be indexed."
            " Wait until some of them are, then upload the next.",
            retry_after_seconds=RETRY_AFTER_SECONDS,
        )


def is_heavy(tenant: Tenant) -> bool:
    """True if the tenant's uploads that were indexed lately, or are being indexed for the first
    time, have more than HEAVY_PASSAGES. Uploads that were deleted since do not count."""
    is_new = Q(last_synced_at=None, sync_run_id__isnull=False)
    is_recent = Q(last_synced_at__gte=timezone.now() - HEAVY_FOR)
    uploads = Source.objects.for_tenant(tenant).uploads().filter(is_new | is_recent)
    return uploads.sum_passages() > HEAVY_PASSAGES


def stop_waiting(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> None:
    """Notes that nobody waits for this upload any more: unless a worker has it, others go before
    it."""
    held = Source.objects.for_tenant(tenant).filter(pk=source_id).held_by(run_id)
    held.filter(sync_worker_id=None).update(sync_lane=Lane.BACKGROUND)
