"""A sync: fetch → extract → chunk → embed → stage, batch by batch (batches.py), then one small
transaction that begins the new generation.

Readers see all old or all new; what did not change is neither fetched, embedded nor written again.
sources/syncing/runs.py has the lock that makes sure of one run at a time.
"""

import logging
import time
import uuid
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, transaction
from django.utils import timezone

from accounts.models import Tenant
from config.errors import ServiceError
from config.http import TooLarge
from reasons import Reason
from sources.connectors.calling import CallRefused
from sources.connectors.registry import get_connector
from sources.connectors.remote import refuse_to_list
from sources.errors import (
    AskedToWait,
    FileProcessingFailed,
    ReaderNotConfigured,
    ReadingNotPermitted,
    SyncAbandoned,
    SyncFailed,
    SyncSuperseded,
    SyncTooSlow,
)
from sources.indexing.generations import clear_generations, next_generation
from sources.indexing.postings import post_chunks
from sources.indexing.rows import describe_documents
from sources.models import Lane, Source, SyncEvent, SyncStatus
from sources.syncing.batches import SliceOver, Staging, StepClock
from sources.syncing.changes import Changes
from sources.syncing.runs import (
    MAX_ATTEMPTS,
    Heartbeat,
    RunIsAlive,
    claim_run,
    end_run,
    fail_run,
    lock_run,
    record_event,
    release_run,
)

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = (5.0, 30.0)  # before the second and third attempt, when the cause may pass
CLEAR_SECONDS = 300.0  # spent on what is old, when nobody waits for it any more

# What failed, by the step that an unexpected error interrupted.
CAUSES = {
    "fetch": Reason("our_fault_fetching"),
    "extract": Reason("our_fault_reading"),
    "chunk": Reason("our_fault_dividing"),
    "embed": Reason("our_fault_embedding"),
    "index": Reason("our_fault_saving"),
}
# Of these, the customer reads the message. Others are ours alone.
EXPLAINED = (FileProcessingFailed, SyncFailed, ReaderNotConfigured, ReadingNotPermitted)


class RetryLater(Exception):
    """The run failed by a cause that may pass; it waits for its next attempt."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"in {seconds:.0f} s")


class GoesOn(Exception):
    """The run has come further and waits in `lane`: to be enqueued again, behind the others."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        super().__init__(f"in the lane {lane}")


def sync_source(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> None:
    """Works on a sync, to its end or for a slice of it, and records the outcome in the row.

    Does nothing when the run is over or superseded. Seconds to minutes; never call it inside a
    transaction.

    Raises:
        GoesOn: there is more to do, which others need not wait for.
        RunIsAlive: another worker has the run, or had it until a moment ago.
        RetryLater: it failed by a cause that may pass, and waits.
        OperationalError: the database went away, nothing was recorded.
        After each of these the same call may succeed later.
    """
    source = claim_run(tenant, source_id, run_id=run_id)
    if source is None:
        logger.info("run %s of source %s is over or superseded", run_id, source_id)
        return
    work_on_run(source, run_id=run_id)


def work_on_run(source: Source, *, run_id: uuid.UUID) -> None:
    """`sync_source` of a run that the caller has claimed. Raises RetryLater and OperationalError as
    that does.
    """
    tenant, source_id = source.tenant, source.pk
    clock = StepClock()
    try:
        check_attempts(source)
        with Heartbeat(source, run_id=run_id) as heartbeat:
            staging = Staging(source, run_id=run_id, clock=clock, heartbeat=heartbeat)
            changes = staging.read(get_connector(source))
            staging.mark(changes)
        details = {
            "chunks_written": changes.chunks_count,
            "chunks_embedded": staging.embedded_count,
            "seconds": clock.seconds,
            **changes.details(),
        }
        commit_run(source, run_id=run_id, changes=changes, details=details)
    except OperationalError:
        raise
    except SyncSuperseded:
        logger.warning("run %s of source %s was superseded", run_id, source_id)
        record_event(tenant, source, SyncEvent.Action.SYNC_SUPERSEDED, run_id=run_id)
    except SliceOver as over:
        go_on_later(source, run_id=run_id, lane=over.lane)
    except Exception as error:  # noqa: BLE001 - the pipeline's boundary: every failure is recorded
        retry_or_fail(source, run_id=run_id, error=error, clock=clock)
    else:
        clear_generations(tenant, source_id, seconds=CLEAR_SECONDS)
        post_chunks(tenant, source_id, seconds=CLEAR_SECONDS)


def sync_to_end(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> None:
    """`sync_source` with its slices and retries in this process: for commands, which have no
    queue."""
    while True:
        try:
            sync_source(tenant, source_id, run_id=run_id)
            return
        except GoesOn:
            continue
        except (RetryLater, RunIsAlive) as later:
            time.sleep(later.seconds)


def check_attempts(source: Source) -> None:
    """Raises SyncAbandoned for a run that has ended its workers again and again."""
    if source.sync_attempts > MAX_ATTEMPTS:
        raise SyncAbandoned(Reason("sync_stopped_repeatedly", count=MAX_ATTEMPTS))


@transaction.atomic
def commit_run(
    source: Source, *, run_id: uuid.UUID, changes: Changes, details: dict[str, Any]
) -> None:
    """Lets the new generation answer: readers see all old or all new. Milliseconds, however much
    has changed. `details`: for the history, made before: others wait for the row meanwhile.

    Raises SyncSuperseded when the run has lost its lock; then nothing has changed.
    """
    held = lock_run(source.tenant, source.pk, run_id=run_id)
    if held is None:
        raise SyncSuperseded
    if changes.is_new:
        held.generation = next_generation(held)
        held.chunks_count = details["chunks_written"]
        if changes.replaces_all:
            held.first_generation = held.generation
    held.reserved_count = 0
    describe_documents(held.tenant, changes.described)
    if wanted_of(held) == wanted_of(source):  # else the next sync asks for everything again
        held.sync_cursor, held.known_failures = changes.for_next_sync()
    held.sync_status, held.may_lose = SyncStatus.SYNCED, False
    held.warnings = changes.left_out
    held.last_synced_at = timezone.now()
    end_run(held)
    record_event(
        held.tenant,
        held,
        SyncEvent.Action.SYNC_COMPLETED,
        run_id=run_id,
        **details,
    )


def wanted_of(source: Source) -> tuple[Any, str]:
    """The selection to be read, and the id of the account that it is read from."""
    return source.selection, source.connection.account_id if source.connection else ""


def go_on_later(source: Source, *, run_id: uuid.UUID, lane: Lane | None = None) -> None:
    """Raises GoesOn, if the run still holds its lock."""
    lane = lane or Lane(source.sync_lane)
    if release_run(source, run_id=run_id, wait_seconds=0, lane=lane):
        raise GoesOn(lane)
    logger.warning("run %s of source %s was superseded", run_id, source.pk)
    record_event(source.tenant, source, SyncEvent.Action.SYNC_SUPERSEDED, run_id=run_id)


def retry_or_fail(source: Source, *, run_id: uuid.UUID, error: Exception, clock: StepClock) -> None:
    """Raises RetryLater when the cause may pass and attempts are left; else records the failure."""
    attempt = max(source.sync_attempts, 1)  # 0 when this one has come further
    is_out_of_time = isinstance(error, SoftTimeLimitExceeded)
    # Nobody waits for it any more, and others wait for its worker.
    if (
        is_out_of_time
        and source.sync_lane == Lane.UPLOADS
        and release_run(source, run_id=run_id, wait_seconds=0, lane=Lane.BACKGROUND)
    ):
        raise RetryLater(0) from error
    if is_out_of_time and source.sync_attempts == 0:
        go_on_later(source, run_id=run_id)
        return
    if getattr(error, "retryable", False) and attempt < MAX_ATTEMPTS:
        seconds = RETRY_AFTER_SECONDS[min(attempt, len(RETRY_AFTER_SECONDS)) - 1]
        if isinstance(error, AskedToWait):
            seconds = max(seconds, error.wait_seconds)
        if release_run(source, run_id=run_id, wait_seconds=seconds):
            logger.warning("attempt %d of run %s failed: %s", attempt, run_id, error)
            raise RetryLater(seconds) from error
    explained = explain(error, clock)
    fail_run(source.tenant, source.pk, run_id=run_id, error=explained, attempts=attempt)


def explain(error: Exception, clock: StepClock) -> ServiceError:
    """Returns the error that a customer reads. An unforeseen error goes to the log; the customer
    learns in which step it came."""
    if isinstance(error, EXPLAINED):
        return error
    if isinstance(error, SoftTimeLimitExceeded):
        return SyncTooSlow()
    if isinstance(error, (CallRefused, TooLarge)):
        return refuse_to_list(error)
    logger.error("step %r of a sync failed", clock.current, exc_info=error)
    return SyncFailed(CAUSES.get(clock.current, Reason("our_fault_indexing")))
