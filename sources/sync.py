"""A sync: fetch → extract → chunk → embed, then one transaction that replaces what has changed.

Readers see all old or all new; what did not change is neither fetched, embedded nor written again.
sources/runs.py has the lock that makes sure of one run at a time.
"""

import logging
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, transaction
from django.utils import timezone

from accounts.models import Tenant
from config.errors import ServiceError
from sources.changes import Changes, collect_changes
from sources.connectors.interface import KnownDocument
from sources.connectors.registry import get_connector
from sources.errors import (
    FileProcessingFailed,
    ReaderNotConfigured,
    SyncAbandoned,
    SyncFailed,
    SyncSuperseded,
    SyncTooSlow,
)
from sources.ingestion.index import EmbeddedDocument, embed_documents, replace_documents
from sources.models import Document, Source, SyncEvent, SyncStatus
from sources.runs import (
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

# What failed, by the step that an unexpected error interrupted.
CAUSES = {
    "fetch": "The content could not be fetched",
    "extract": "The file could not be read",
    "chunk": "The text could not be divided into passages",
    "embed": "The passages could not be prepared for search",
    "index": "The passages could not be saved",
}
# Of these, the customer reads the message. Others are ours alone.
EXPLAINED = (FileProcessingFailed, SyncFailed, ReaderNotConfigured)


class RetryLater(Exception):
    """The run failed by a cause that may pass; it waits for its next attempt."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"in {seconds:.0f} s")


class StepClock:
    """Seconds spent in each step of a run. `current`: the step that runs or was interrupted."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.current = ""

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        self.current = name
        started = time.monotonic()
        yield
        self.seconds[name] = round(self.seconds.get(name, 0) + time.monotonic() - started, 3)


class RunContext:
    """What a connector uses of its run: interface.SyncContext."""

    def __init__(
        self, known: Mapping[str, KnownDocument], clock: StepClock, heartbeat: Heartbeat
    ) -> None:
        self.known = known
        self._clock = clock
        self._heartbeat = heartbeat

    def step(self, name: str) -> AbstractContextManager[None]:
        return self._clock.step(name)

    def report(self, *, done: int, total: int | None) -> None:
        self._heartbeat.report(step="read", documents_done=done, documents_total=total)


def sync_source(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> None:
    """Runs one sync to its end and records the outcome in the row.

    Does nothing when the run is over or superseded. Seconds to minutes; never call it inside a
    transaction.

    Raises:
        RunIsAlive: another worker has the run, or had it until a moment ago.
        RetryLater: it failed by a cause that may pass, and waits.
        OperationalError: the database went away, nothing was recorded.
        After each of these the same call may succeed later.
    """
    source = claim_run(tenant, source_id, run_id=run_id)
    if source is None:
        logger.info("run %s of source %s is over or superseded", run_id, source_id)
        return
    clock = StepClock()
    try:
        check_attempts(source)
        with Heartbeat(source, run_id=run_id) as heartbeat:
            changes, documents = prepare(source, clock, heartbeat)
        commit_run(
            tenant, source_id, run_id=run_id, changes=changes, documents=documents, clock=clock
        )
    except OperationalError:
        raise
    except SyncSuperseded:
        logger.warning("run %s of source %s was superseded", run_id, source_id)
        record_event(tenant, source, SyncEvent.Action.SYNC_SUPERSEDED, run_id=run_id)
    except Exception as error:  # noqa: BLE001 - the pipeline's boundary: every failure is recorded
        retry_or_fail(source, run_id=run_id, error=error, clock=clock)


def sync_to_end(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> None:
    """`sync_source` with its retries in this process: for commands, which have no queue."""
    while True:
        try:
            sync_source(tenant, source_id, run_id=run_id)
            return
        except (RetryLater, RunIsAlive) as later:
            time.sleep(later.seconds)


def check_attempts(source: Source) -> None:
    """Raises SyncAbandoned for a run that has ended its workers again and again."""
    if source.sync_attempts > MAX_ATTEMPTS:
        raise SyncAbandoned(
            f"Indexing was stopped {MAX_ATTEMPTS} times before its end."
            " The content may be too large: split it, then sync the source to try again."
        )


def prepare(
    source: Source, clock: StepClock, heartbeat: Heartbeat
) -> tuple[Changes, list[EmbeddedDocument]]:
    """All the slow work, outside any transaction."""
    known = known_documents(source)
    connector = get_connector(source)
    changes = collect_changes(connector.read(source, RunContext(known, clock, heartbeat)), known)
    with clock.step("embed"):
        documents = embed_documents(
            source.tenant, source.pk, changes.documents, on_progress=heartbeat.report
        )
    return changes, documents


def known_documents(source: Source) -> dict[str, KnownDocument]:
    stored = Document.objects.for_tenant(source.tenant).filter(source=source)
    return {
        row.external_id: KnownDocument(
            external_id=row.external_id,
            title=row.title,
            content_hash=row.content_hash,
            etag=row.etag,
            last_modified=row.last_modified,
        )
        for row in stored.order_by("position")
    }


@transaction.atomic
def commit_run(
    tenant: Tenant,
    source_id: uuid.UUID,
    *,
    run_id: uuid.UUID,
    changes: Changes,
    documents: list[EmbeddedDocument],
    clock: StepClock,
) -> None:
    """Puts the new documents in the place of the old: readers see all old or all new.

    Raises SyncSuperseded when the run has lost its lock; then nothing has changed.
    """
    source = lock_run(tenant, source_id, run_id=run_id)
    if source is None:
        raise SyncSuperseded
    with clock.step("index"):
        source.chunks_count = replace_documents(tenant, source_id, documents, kept=changes.kept)
    source.sync_status = SyncStatus.SYNCED
    source.last_synced_at = timezone.now()
    end_run(source, error_message="")
    record_event(
        tenant,
        source,
        SyncEvent.Action.SYNC_COMPLETED,
        run_id=run_id,
        chunks_written=source.chunks_count,
        chunks_embedded=sum(document.embedded_count for document in documents),
        seconds=clock.seconds,
        **changes.details(),
    )


def retry_or_fail(source: Source, *, run_id: uuid.UUID, error: Exception, clock: StepClock) -> None:
    """Raises RetryLater when the cause may pass and attempts are left; else records the failure."""
    attempt = source.sync_attempts
    if getattr(error, "retryable", False) and attempt < MAX_ATTEMPTS:
        seconds = RETRY_AFTER_SECONDS[min(attempt, len(RETRY_AFTER_SECONDS)) - 1]
        if release_run(source, run_id=run_id, wait_seconds=seconds):
            logger.warning("attempt %d of run %s failed: %s", attempt, run_id, error)
            raise RetryLater(seconds) from error
    explained = explain(error, clock)
    fail_run(source.tenant, source.pk, run_id=run_id, error=explained, attempts=attempt)


def explain(error: Exception, clock: StepClock) -> ServiceError:
    """What a customer reads. An error that nobody foresaw goes to the log, its step to them."""
    if isinstance(error, EXPLAINED):
        return error
    if isinstance(error, SoftTimeLimitExceeded):
        return SyncTooSlow()
    logger.error("step %r of a sync failed", clock.current, exc_info=error)
    cause = CAUSES.get(clock.current, "The source could not be indexed")
    return SyncFailed(f"{cause} because of a problem on our side. Sync the source to try again.")
