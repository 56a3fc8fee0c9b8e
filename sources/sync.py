"""A sync: fetch → extract → chunk → embed, then one transaction that replaces everything.

A run is named by its id, which stands in `Source.sync_run_id` while the run holds the source's
lock. Whatever a run writes, it writes only if it still holds the lock: a run that was superseded
changes nothing.
"""

import logging
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, transaction
from django.utils import timezone

from accounts.models import Tenant
from config.errors import ServiceError
from sources.errors import FileProcessingFailed, SyncFailed, SyncSuperseded, SyncTooSlow
from sources.files import fetch_original
from sources.ingestion.chunk import chunk_document
from sources.ingestion.extract import extract_document
from sources.ingestion.index import EmbeddedDocument, embed_documents, replace_chunks
from sources.ingestion.passages import ReadDocument
from sources.models import Document, Source, SyncEvent, SyncStatus

logger = logging.getLogger(__name__)

PROVIDER_UPLOAD = "upload"

# What failed, by the step that an unexpected error interrupted.
CAUSES = {
    "fetch": "The stored file could not be opened",
    "extract": "The file could not be read",
    "chunk": "The text could not be divided into passages",
    "embed": "The passages could not be prepared for search",
    "index": "The passages could not be saved",
}


@dataclass(frozen=True)
class DocumentCounts:
    """What a sync did to the documents of a source."""

    added: int
    updated: int
    removed: int
    unchanged: int
    failed: int = 0


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
        self.seconds[name] = round(time.monotonic() - started, 3)


def sync_source(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> None:
    """Runs one sync to its end and records the outcome in the row.

    Does nothing when the run is over or superseded. Seconds to minutes; never call it inside a
    transaction. Raises only OperationalError: the database went away, nothing was recorded, and
    the same call may succeed later.
    """
    source = Source.objects.for_tenant(tenant).filter(id=source_id).held_by(run_id).first()
    if source is None:
        logger.info("run %s of source %s is over or superseded", run_id, source_id)
        return
    clock = StepClock()
    try:
        documents = [read_upload(source, clock)]
        with clock.step("embed"):
            embedded = embed_documents(documents)
        commit_run(tenant, source_id, run_id=run_id, documents=embedded, clock=clock)
    except OperationalError:
        raise
    except SyncSuperseded:
        logger.warning("run %s of source %s was superseded", run_id, source_id)
        record_event(tenant, source, SyncEvent.Action.SYNC_SUPERSEDED, run_id=run_id)
    except Exception as error:  # noqa: BLE001 - the pipeline's boundary: every failure is recorded
        fail_run(tenant, source_id, run_id=run_id, error=explain(error, clock))


def read_upload(source: Source, clock: StepClock) -> ReadDocument:
    """The one document of an upload. Raises FileProcessingFailed when nothing can be indexed."""
    with TemporaryDirectory(prefix="sync-") as folder:
        with clock.step("fetch"):
            original = fetch_original(source, Path(folder))
        with clock.step("extract"):
            extracted = extract_document(
                original.path, content_type=source.content_type, title=source.original_name
            )
    with clock.step("chunk"):
        passages = chunk_document(extracted)
    if not passages:
        raise FileProcessingFailed
    return ReadDocument(
        title=extracted.title,
        external_id=source.original_name,
        content_type=source.content_type,
        content_hash=original.sha256,
        outcome=extracted.outcome,
        passages=passages,
    )


@transaction.atomic
def commit_run(
    tenant: Tenant,
    source_id: uuid.UUID,
    *,
    run_id: uuid.UUID,
    documents: Sequence[EmbeddedDocument],
    clock: StepClock,
) -> None:
    """Replaces all that the source had: readers see all old or all new.

    Raises SyncSuperseded when the run has lost its lock; then nothing has changed.
    """
    source = lock_run(tenant, source_id, run_id=run_id)
    if source is None:
        raise SyncSuperseded
    with clock.step("index"):
        counts = count_changes(tenant, source_id, [embedded.document for embedded in documents])
        chunks_count = replace_chunks(tenant, source_id, documents)
    source.sync_status = SyncStatus.SYNCED
    source.last_synced_at = timezone.now()
    source.chunks_count = chunks_count
    end_run(source, error_message="")
    record_event(
        tenant,
        source,
        SyncEvent.Action.SYNC_COMPLETED,
        run_id=run_id,
        chunks_written=chunks_count,
        documents=asdict(counts),
        seconds=clock.seconds,
    )


@transaction.atomic
def fail_run(
    tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID, error: ServiceError
) -> None:
    """Ends a run with an error; what was indexed before stays.

    Does nothing when the run has ended or lost its lock.
    """
    source = lock_run(tenant, source_id, run_id=run_id)
    if source is None:
        logger.info("run %s of source %s has ended: %s", run_id, source_id, error.message)
        return
    source.sync_status = SyncStatus.ERROR
    end_run(source, error_message=error.message)
    details = {"code": error.code, "message": error.message}
    record_event(tenant, source, SyncEvent.Action.SYNC_FAILED, run_id=run_id, **details)


def lock_run(tenant: Tenant, source_id: uuid.UUID, *, run_id: uuid.UUID) -> Source | None:
    """The source, locked to the end of the transaction, if the run still holds it."""
    held = Source.objects.for_tenant(tenant).filter(id=source_id).held_by(run_id)
    return held.select_for_update(no_key=True).first()


def end_run(source: Source, *, error_message: str) -> None:
    source.sync_run_id = None
    source.error_message = error_message
    source.save(
        update_fields=[
            "sync_status",
            "sync_run_id",
            "last_synced_at",
            "error_message",
            "chunks_count",
        ]
    )


def count_changes(
    tenant: Tenant, source_id: uuid.UUID, documents: Sequence[ReadDocument]
) -> DocumentCounts:
    """Compares with what is indexed now, by external id and content hash."""
    stored = Document.objects.for_tenant(tenant).filter(source_id=source_id)
    old = dict(stored.values_list("external_id", "content_hash"))
    new = {document.external_id: document.content_hash for document in documents}
    kept = old.keys() & new.keys()
    unchanged = sum(old[external_id] == new[external_id] for external_id in kept)
    return DocumentCounts(
        added=len(new.keys() - old.keys()),
        updated=len(kept) - unchanged,
        removed=len(old.keys() - new.keys()),
        unchanged=unchanged,
    )


def explain(error: Exception, clock: StepClock) -> ServiceError:
    """What a customer reads. An error that nobody foresaw goes to the log, its step to them."""
    if isinstance(error, ServiceError) and not error.retryable:
        return error
    if isinstance(error, SoftTimeLimitExceeded):
        return SyncTooSlow()
    logger.error("step %r of a sync failed", clock.current, exc_info=error)
    cause = CAUSES.get(clock.current, "The source could not be indexed")
    return SyncFailed(f"{cause} because of a problem on our side. Sync the source to try again.")


def record_event(
    tenant: Tenant,
    source: Source,
    action: SyncEvent.Action,
    *,
    run_id: uuid.UUID,
    **details: Any,
) -> None:
    SyncEvent.objects.for_tenant(tenant).create(
        source=source,
        action=action,
        details={"provider": PROVIDER_UPLOAD, "run_id": str(run_id), **details},
    )
