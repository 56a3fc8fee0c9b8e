"""The sync lock of a source: who may sync it, and what is done when that one dies.

A run is named by its id. `Source.sync_run_id` says which run holds the lock; whatever a run writes,
it writes only while it is named there. So the id is a fencing token: a run that was superseded and
wakes up late changes nothing (Kleppmann, "How to do distributed locking", 2016).

    begin_run ──> waits in its lane ──claim_run──> a worker has it ──> commit_run | fail_run
                        ^                           │   (Heartbeat renews the lease)
                        └───────release_run─────────┘   its slice is over, or it tries again later

Which of the runs that wait is claimed next, lanes.py knows. A worker has a lease; past it, it has
died, and its run waits in its lane again. What nobody claims is ended with a reason (dispatch.py),
so that no source says `syncing` for ever. A run may last for hours: limits are those of a batch, of
a slice and of a lease.
"""

from __future__ import annotations

import logging
import threading
import uuid
from contextlib import AbstractContextManager
from contextvars import copy_context
from datetime import UTC, timedelta
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import Tenant
from config.database.reasons import with_text
from config.errors import ServiceError
from config.jobs.leases import Lease
from reasons import Reason, join_reasons
from sources.connections import require_reauth
from sources.errors import LossUnconfirmed, OriginUnavailable, ReauthRequired, SyncSuperseded
from sources.indexing.generations import count_staged
from sources.models import (
    Connection,
    ConnectionState,
    Lane,
    Schedule,
    Source,
    SyncEvent,
    SyncStatus,
)
from sources.syncing.plan_places import check_place
from sources.syncing.signals import run_failed
from sources.syncing.storable import storable_reason

logger = logging.getLogger(__name__)

LOCK_LIFETIME = timedelta(minutes=30)  # an older lock is stale and overwritten (interface: Limits)
WORK_LEASE = timedelta(seconds=settings.SYNC_LEASE)
LEASE = Lease("sync_worker_id", "sync_lease_until", WORK_LEASE)
# Five beats may be lost, to a busy database say, before the run is taken for dead.
HEARTBEAT_SECONDS = settings.SYNC_LEASE / 6
# Of one run without coming further: each ended with its worker, or by a cause that may pass.
MAX_ATTEMPTS = 3


class RunIsAlive(Exception):
    """Another worker has this run, or had it until a moment ago. Its lease ends in `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"its lease ends in {seconds:.0f} s")


def begin_run(tenant: Tenant, source_id: uuid.UUID) -> uuid.UUID | None:
    """Takes the lock by one conditional UPDATE: if it is free, or older than LOCK_LIFETIME. The run
    then waits in the background.

    None when a younger run holds it, or the source is not there. A caller that gets an id
    tells the workers after the commit. Raises SourceLimitReached: the plan has no place for this
    source.
    """
    run_id, now = uuid.uuid4(), timezone.now()
    free = Q(sync_run_id=None) | Q(sync_started_at__lt=now - LOCK_LIFETIME)
    taken = Source.objects.for_tenant(tenant).filter(free, id=source_id)
    with transaction.atomic():
        check_place(tenant, source_id)
        if not taken.update(**fields_of_new_run(run_id, lane=Lane.BACKGROUND)):
            return None
        source = Source.objects.for_tenant(tenant).get(id=source_id)
        record_event(tenant, source, SyncEvent.Action.SYNC_STARTED, run_id=run_id)
    return run_id


def refuse_run(source: Source, error: ServiceError) -> None:
    """Records why a run of the source, for which nobody waits, was not begun. In the caller's
    transaction."""
    idle = Source.objects.for_tenant(source.tenant).filter(pk=source.pk, sync_run_id=None)
    if idle.update(sync_status=SyncStatus.ERROR, error_code=error.code, **with_text(error.reason)):
        failed = SyncEvent.Action.SYNC_FAILED
        record_event(source.tenant, source, failed, code=error.code, message=error.reason.to_json())


def fields_of_new_run(run_id: uuid.UUID, *, lane: Lane) -> dict[str, Any]:
    now = timezone.now()
    return {
        "sync_status": SyncStatus.SYNCING,
        "sync_run_id": run_id,
        "sync_started_at": now,
        "sync_lane": lane,
        "sync_due_at": now,
        "sync_worker_id": None,
        "sync_lease_until": None,
        "sync_attempts": 0,
        "sync_batches": 0,
        "sync_progress": {},
    }


def claim_run(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> Source | None:
    """The source, for this worker alone until its lease ends; None when the run is over.

    Raises RunIsAlive: a task that was delivered twice, or again after its worker's death.
    """
    now = timezone.now()
    held = Source.objects.for_tenant(tenant).filter(id=source_id).held_by(run_id)
    claimed = LEASE.take(held, sync_attempts=F("sync_attempts") + 1)
    source = held.select_related("tenant__plan").first()
    if source is None:
        return None
    if not claimed:
        until = source.sync_lease_until or now
        raise RunIsAlive(max(0.0, (until - now).total_seconds()))
    return source


def release_run(
    source: Source, *, run_id: uuid.UUID, wait_seconds: float, lane: Lane | None = None
) -> bool:
    """Gives the run back to its lane, or to another, for a later attempt; True if it still held the
    lock."""
    held = Source.objects.for_tenant(source.tenant).filter(id=source.pk).held_by(run_id)
    return bool(
        held.update(
            sync_lane=lane or source.sync_lane,
            sync_due_at=timezone.now() + timedelta(seconds=wait_seconds),
            sync_worker_id=None,
            sync_lease_until=None,
        )
    )


@transaction.atomic
def fail_run(
    tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID, error: ServiceError, **details: Any
) -> bool:
    """Ends a run with an error; what was indexed before stays. False when the run has ended or
    lost its lock: then nothing has changed.
    """
    needs_account = isinstance(error, ReauthRequired)
    if needs_account:  # before the source: reconnecting locks in this order too
        named = Source.objects.for_tenant(tenant).filter(pk=source_id).values("connection_id")
        accounts = Connection.objects.for_tenant(tenant).filter(pk__in=named)
        list(accounts.select_for_update(no_key=True))
    source = lock_run(tenant, source_id, run_id=run_id)
    if source is None:
        logger.info("run %s of source %s has ended: %s", run_id, source_id, error.message)
        return False
    source.sync_status = SyncStatus.REAUTH_REQUIRED if needs_account else SyncStatus.ERROR
    source.reserved_count = count_staged(source)
    is_whole = isinstance(error, LossUnconfirmed)  # it has read everything
    source.may_lose = source.may_lose or is_whole
    again = next_try(source) if isinstance(error, OriginUnavailable) else []
    progress = [] if is_whole else how_far(source)
    reason = join_reasons(storable_reason(error.reason), *progress, *again)
    end_run(source, error_code=error.code, reason=reason)
    action = SyncEvent.Action.REAUTH_REQUIRED if needs_account else SyncEvent.Action.SYNC_FAILED
    record_event(
        tenant, source, action, run_id=run_id, code=error.code, message=reason.to_json(), **details
    )
    account = source.connection
    if needs_account and account is not None and account.state == ConnectionState.CONNECTED:
        require_reauth(account, reason)
    run_failed.send(Source, source=source)
    return True


def how_far(source: Source) -> list[Reason]:
    """Return what an interrupted run leaves to the next one; empty when that is nothing."""
    if not source.reserved_count:
        return []
    done, total = (source.sync_progress.get(f"documents_{key}") for key in ("done", "total"))
    if not source.sync_batches or not done or done == total:
        return []
    counts = {"done": done, "total": total} if total else {"done": done}
    noun = "document_read" if done == 1 else "sync_goes_on"
    read = Reason(f"{noun}_of_total" if total else noun, **counts)
    return [read, *[Reason("old_version_answers")] * bool(source.chunks_count)]


def next_try(source: Source) -> list[Reason]:
    """Return when the schedule syncs the source again; empty without a schedule. One query."""
    schedules = Schedule.objects.for_tenant(source.tenant).filter(source=source, enabled=True)
    due = schedules.values_list("next_sync_at", flat=True).first()
    return [Reason("next_try", time=f"{due.astimezone(UTC):%Y-%m-%d %H:%M}")] if due else []


def lock_run(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> Source | None:
    """The source, locked to the end of the transaction, if the run still holds it."""
    held = Source.objects.for_tenant(tenant).filter(id=source_id).held_by(run_id)
    return held.select_for_update(no_key=True).first()


def end_run(source: Source, *, error_code: str = "", reason: Reason | None = None) -> None:
    source.sync_run_id = source.sync_worker_id = source.sync_lease_until = None
    source.sync_due_at = None
    source.sync_progress = {}
    source.error_code, source.error, source.error_message = error_code, reason, str(reason or "")
    source.save(
        update_fields=[
            "sync_status",
            "sync_run_id",
            "sync_due_at",
            "sync_worker_id",
            "sync_lease_until",
            "sync_progress",
            "sync_cursor",
            "known_failures",
            "may_lose",
            "warnings",
            "last_synced_at",
            "error_code",
            "error",
            "error_message",
            "chunks_count",
            "reserved_count",
            "generation",
            "first_generation",
        ]
    )


def record_event(
    tenant: Tenant,
    source: Source,
    action: SyncEvent.Action,
    *,
    run_id: uuid.UUID | None = None,
    **details: Any,
) -> None:
    """Records an action in the history. Each names its provider; an action of a sync also its
    run."""
    run = {"run_id": str(run_id)} if run_id else {}
    SyncEvent.objects.for_tenant(tenant).create(
        source=source,
        action=action,
        details={"provider": source.provider, **run, **details},
    )


class Heartbeat(AbstractContextManager["Heartbeat"]):
    """Renews the lease of a claimed run from a thread of its own, and saves its progress.

    The thread has its own database connection. It proves that the process lives; that the work
    ends, the time limits of the tasks see to.
    """

    def __init__(self, source: Source, *, run_id: uuid.UUID) -> None:
        self._held = (
            Source.objects.for_tenant(source.tenant)
            .filter(id=source.pk, sync_worker_id=source.sync_worker_id)
            .held_by(run_id)
        )
        self._stopped = threading.Event()
        self._has_lost_lock = False
        self._progress: dict[str, Any] = {}
        self._thread = threading.Thread(
            target=copy_context().run, args=[self._beat], name="sync-heartbeat", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        self._thread.join()

    def report(self, **progress: Any) -> None:
        """Notes the progress that people see of a running sync; the next beat saves it.

        Raises SyncSuperseded when the run has lost its lock: what is still to do is in vain.
        """
        self._progress = progress
        if self._has_lost_lock:
            raise SyncSuperseded

    def _beat(self) -> None:
        try:
            while not self._stopped.wait(HEARTBEAT_SECONDS):
                self._renew()
        finally:
            connection.close()

    def _renew(self) -> None:
        try:
            renewed = LEASE.renew(self._held, sync_progress=self._progress)
        except DatabaseError as error:
            # The next beat may get through. If none does, the run is taken for dead: rightly so.
            logger.warning("a heartbeat of a sync failed: %s", error)
            connection.close()
            return
        self._has_lost_lock = self._has_lost_lock or not renewed
