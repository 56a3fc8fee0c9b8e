"""The sync lock of a source: who may sync it, and what is done when that one dies.

A run is named by its id. `Source.sync_run_id` says which run holds the lock; whatever a run writes,
it writes only while it is named there. So the id is a fencing token: a run that was superseded and
wakes up late changes nothing (Kleppmann, "How to do distributed locking", 2016).

    begin_run ──> waits in its queue ──claim_run──> a worker has it ──> commit_run | fail_run
                        ^                            │   (Heartbeat renews the lease)
                        └───────release_run──────────┘   tries again later

A run that waits or works has a lease; past it, end_expired_runs (dispatch.py) puts it back into its
queue or ends it with a reason, so that no source says `syncing` for ever.
"""

from __future__ import annotations

import logging
import threading
import uuid
from contextlib import AbstractContextManager
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts.models import Tenant
from config.errors import ServiceError
from sources.errors import ReauthRequired, SyncSuperseded
from sources.models import UPLOADED_TYPES, Source, SyncEvent, SyncStatus

logger = logging.getLogger(__name__)

LOCK_LIFETIME = timedelta(minutes=30)  # an older lock is stale and overwritten (interface: Limits)
QUEUE_LEASE = timedelta(minutes=5)  # a run that waits longer may have been lost with its task
WORK_LEASE = timedelta(seconds=settings.SYNC_LEASE)
HEARTBEAT_SECONDS = settings.SYNC_LEASE / 6
MAX_ATTEMPTS = 3  # of one run: each ended with its worker, or by a cause that may pass

PROVIDER_UPLOAD = "upload"


class RunIsAlive(Exception):
    """Another worker has this run, or had it until a moment ago. Its lease ends in `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"its lease ends in {seconds:.0f} s")


def provider_of(source: Source) -> str:
    """How the history names where documents come from."""
    return PROVIDER_UPLOAD if source.source_type in UPLOADED_TYPES else source.source_type


def begin_run(
    tenant: Tenant, source_id: uuid.UUID, *, lease: timedelta = QUEUE_LEASE
) -> uuid.UUID | None:
    """Takes the lock by one conditional UPDATE: if it is free, or older than LOCK_LIFETIME.

    None when a younger run holds it, or the source is not there. Whoever gets an id enqueues it
    after the commit.
    """
    run_id, now = uuid.uuid4(), timezone.now()
    free = Q(sync_run_id=None) | Q(sync_started_at__lt=now - LOCK_LIFETIME)
    taken = Source.objects.for_tenant(tenant).filter(free, id=source_id)
    with transaction.atomic():
        if not taken.update(**fields_of_new_run(run_id, lease=lease)):
            return None
        source = Source.objects.for_tenant(tenant).get(id=source_id)
        record_event(tenant, source, SyncEvent.Action.SYNC_STARTED, run_id=run_id)
    return run_id


def fields_of_new_run(run_id: uuid.UUID, *, lease: timedelta) -> dict[str, Any]:
    now = timezone.now()
    return {
        "sync_status": SyncStatus.SYNCING,
        "sync_run_id": run_id,
        "sync_started_at": now,
        "sync_worker_id": None,
        "sync_lease_until": now + lease,
        "sync_attempts": 0,
        "sync_progress": {},
    }


def claim_run(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> Source | None:
    """The source, for this worker alone until its lease ends; None when the run is over.

    Raises RunIsAlive: a task that was delivered twice, or again after its worker's death.
    """
    now, worker_id = timezone.now(), uuid.uuid4()
    held = Source.objects.for_tenant(tenant).filter(id=source_id).held_by(run_id)
    claimed = held.filter(Q(sync_worker_id=None) | Q(sync_lease_until__lt=now)).update(
        sync_worker_id=worker_id,
        sync_lease_until=now + WORK_LEASE,
        sync_attempts=F("sync_attempts") + 1,
    )
    source = held.select_related("tenant__plan").first()
    if source is None:
        return None
    if not claimed:
        until = source.sync_lease_until or now
        raise RunIsAlive(max(0.0, (until - now).total_seconds()))
    return source


def release_run(source: Source, *, run_id: uuid.UUID, wait_seconds: float) -> bool:
    """Gives the run back to its queue, for a later attempt; whether it still held the lock."""
    lease = timedelta(seconds=wait_seconds) + QUEUE_LEASE
    held = Source.objects.for_tenant(source.tenant).filter(id=source.pk).held_by(run_id)
    return bool(held.update(sync_worker_id=None, sync_lease_until=timezone.now() + lease))


@transaction.atomic
def fail_run(
    tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID, error: ServiceError, **details: Any
) -> bool:
    """Ends a run with an error; what was indexed before stays. False when the run has ended or
    lost its lock: then nothing has changed.
    """
    source = lock_run(tenant, source_id, run_id=run_id)
    if source is None:
        logger.info("run %s of source %s has ended: %s", run_id, source_id, error.message)
        return False
    needs_account = isinstance(error, ReauthRequired)
    source.sync_status = SyncStatus.REAUTH_REQUIRED if needs_account else SyncStatus.ERROR
    end_run(source, error_message=error.message)
    action = SyncEvent.Action.REAUTH_REQUIRED if needs_account else SyncEvent.Action.SYNC_FAILED
    record_event(
        tenant, source, action, run_id=run_id, code=error.code, message=error.message, **details
    )
    return True


def lock_run(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> Source | None:
    """The source, locked to the end of the transaction, if the run still holds it."""
    held = Source.objects.for_tenant(tenant).filter(id=source_id).held_by(run_id)
    return held.select_for_update(no_key=True).first()


def end_run(source: Source, *, error_message: str) -> None:
    source.sync_run_id = source.sync_worker_id = source.sync_lease_until = None
    source.sync_progress = {}
    source.error_message = error_message
    source.save(
        update_fields=[
            "sync_status",
            "sync_run_id",
            "sync_worker_id",
            "sync_lease_until",
            "sync_progress",
            "last_synced_at",
            "error_message",
            "chunks_count",
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
    """Every action names its provider; one of a sync also its run."""
    run = {"run_id": str(run_id)} if run_id else {}
    SyncEvent.objects.for_tenant(tenant).create(
        source=source,
        action=action,
        details={"provider": provider_of(source), **run, **details},
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
        self._thread = threading.Thread(target=self._beat, name="sync-heartbeat", daemon=True)

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
        """What people see of a running sync, saved with the next beat.

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
            renewed = self._held.update(
                sync_lease_until=timezone.now() + WORK_LEASE, sync_progress=self._progress
            )
        except DatabaseError as error:
            # The next beat may get through. If none does, the run is taken for dead: rightly so.
            logger.warning("a heartbeat of a sync failed: %s", error)
            connection.close()
            return
        self._has_lost_lock = self._has_lost_lock or not renewed
