"""A run of a sync: what it writes, and that only the run that holds the lock writes."""

import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import OperationalError
from django.utils import timezone

from accounts.models import Tenant
from reasons import Reason, as_reason
from sources.connectors import files
from sources.errors import FileProcessingFailed
from sources.indexing.index import embed_documents
from sources.models import Chunk, ChunkEmbedding, ChunkTerms, Document, Source, SyncEvent
from sources.originals.files import original_key
from sources.services.uploads import discard_upload, ingest_file
from sources.syncing import batches, runs, sync
from sources.tasks import sync_in_background
from sources.tests.conftest import files_below
from sources.tests.factories import long_paragraph, text_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(tenant: Tenant) -> Source:
    """A synced upload of one passage, on returns."""
    return ingest_file(tenant, file=text_file(long_paragraph("returns")), filename="faq.txt")


def rewrite_original(source: Source, *paragraphs: str) -> None:
    key = original_key(source.tenant, source.pk)
    default_storage.delete(key)
    default_storage.save(key, ContentFile("\n\n".join(paragraphs).encode()))


def begin_run(source: Source) -> uuid.UUID:
    run_id = runs.begin_run(source.tenant, source.pk)
    assert run_id is not None
    return run_id


def overtake(source: Source) -> uuid.UUID:
    """Another run takes the lock over, as it may when that is stale."""
    stale = timezone.now() - runs.LOCK_LIFETIME - timedelta(seconds=1)
    Source.objects.for_tenant(source.tenant).filter(pk=source.pk).update(sync_started_at=stale)
    return begin_run(source)


def let_lease_end(source: Source) -> None:
    past = timezone.now() - timedelta(seconds=1)
    Source.objects.for_tenant(source.tenant).filter(pk=source.pk).update(sync_lease_until=past)


def run_sync(source: Source) -> Source:
    """A second run, from its lock to its end."""
    sync.sync_source(source.tenant, source.pk, run_id=begin_run(source))
    return Source.objects.for_tenant(source.tenant).get(pk=source.pk)


def texts(source: Source) -> list[str]:
    chunks = Chunk.objects.for_tenant(source.tenant).filter(source_id=source.pk)
    return [chunk.text for chunk in chunks.order_by("position")]


def last_event(source: Source) -> SyncEvent:
    event = SyncEvent.objects.for_tenant(source.tenant).order_by("created_at").last()
    assert event is not None
    return event


def raising(error: Exception) -> Any:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise error

    return fail


# --- A run that ends well -----------------------------------------------------------------------


def test_a_file_is_indexed_in_this_process(tenant: Tenant, source: Source):
    assert (source.sync_status, source.chunks_count, source.sync_run_id) == ("synced", 1, None)
    assert source.last_synced_at is not None
    assert timezone.now() - source.last_synced_at < timedelta(minutes=1)
    assert texts(source) == [long_paragraph("returns")]
    assert ChunkEmbedding.objects.for_tenant(tenant).count() == 1
    assert ChunkTerms.objects.for_tenant(tenant).count() == 1


def test_a_sync_replaces_all_chunks(source: Source):
    rewrite_original(source, long_paragraph("shipping"), long_paragraph("payment"))

    source = run_sync(source)

    assert texts(source) == [long_paragraph("shipping"), long_paragraph("payment")]
    assert source.chunks_count == 2


def test_history_tells_an_updated_from_an_unchanged_document(source: Source):
    run_sync(source)
    assert last_event(source).details["documents"]["unchanged"] == 1

    rewrite_original(source, long_paragraph("shipping"))
    run_sync(source)
    assert last_event(source).details["documents"] == {
        "added": 0,
        "updated": 1,
        "removed": 0,
        "unchanged": 0,
        "failed": 0,
    }


def test_a_document_that_is_gone_counts_as_removed(source: Source):
    Document.objects.for_tenant(source.tenant).update(external_id="old-name.txt")

    run_sync(source)

    documents = last_event(source).details["documents"]
    assert (documents["added"], documents["removed"]) == (1, 1)


def test_the_content_hash_is_of_the_stored_bytes(source: Source):
    document = Document.objects.for_tenant(source.tenant).get()
    rewrite_original(source, long_paragraph("returns"), "")  # other bytes, the same text

    run_sync(source)

    assert Document.objects.for_tenant(source.tenant).get().content_hash != document.content_hash
    assert texts(source) == [long_paragraph("returns")]


# --- A run that fails ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "reason", "code"),
    [
        (
            FileProcessingFailed("This file is damaged."),
            as_reason("This file is damaged."),
            "FILE_PROCESSING_FAILED",
        ),
        (
            RuntimeError("secret detail"),
            Reason("our_fault_reading"),
            "SYNC_FAILED",
        ),
    ],
)
def test_a_failed_sync_keeps_the_old_chunks(
    source: Source, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: Reason, code: str
):
    monkeypatch.setattr(files, "extract_document", raising(error))

    failed = run_sync(source)

    assert (failed.sync_status, failed.error) == ("error", reason)
    assert failed.error_message == str(reason)
    assert failed.sync_run_id is None
    assert (failed.chunks_count, failed.last_synced_at) == (1, source.last_synced_at)
    assert texts(source) == [long_paragraph("returns")]
    event = last_event(source)
    assert (event.action, event.details["code"]) == ("sync_failed", code)
    assert event.details["message"] == reason.to_json()


def test_a_sync_after_a_failure_clears_the_message(source: Source, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patch:
        patch.setattr(batches, "embed_documents", raising(RuntimeError()))
        run_sync(source)

    source = run_sync(source)

    assert (source.sync_status, source.error_message) == ("synced", "")


def test_a_failure_while_replacing_leaves_all_as_it_was(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    rewrite_original(source, long_paragraph("shipping"))
    monkeypatch.setattr("sources.indexing.rows.write_search_rows", raising(RuntimeError()))

    failed = run_sync(source)

    assert failed.sync_status == "error"
    assert texts(source) == [long_paragraph("returns")]
    assert ChunkEmbedding.objects.for_tenant(source.tenant).count() == 1


def test_a_database_that_is_away_is_left_to_the_next_try(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    run_id = begin_run(source)
    with monkeypatch.context() as patch:
        patch.setattr(batches, "stage_documents", raising(OperationalError("gone")))
        with pytest.raises(OperationalError):
            sync.sync_source(source.tenant, source.pk, run_id=run_id)
    assert Source.objects.for_tenant(source.tenant).get().sync_run_id == run_id

    let_lease_end(source)
    sync.sync_source(source.tenant, source.pk, run_id=run_id)

    assert Source.objects.for_tenant(source.tenant).get().sync_status == "synced"


def test_a_file_at_fault_is_kept_when_it_was_indexed_before(
    source: Source, stored_files: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files, "extract_document", raising(FileProcessingFailed()))

    run_sync(source)

    assert Source.objects.for_tenant(source.tenant).exists()
    assert len(files_below(stored_files)) == 1


# --- A run that lost its lock -------------------------------------------------------------------


def test_a_run_that_loses_its_lock_while_it_works_changes_nothing(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    stale_run = begin_run(source)
    rewrite_original(source, long_paragraph("shipping"))

    def embed_while_another_run_begins(*args, **options):
        overtake(source)
        return embed_documents(*args, **options)

    monkeypatch.setattr(batches, "embed_documents", embed_while_another_run_begins)
    sync.sync_source(source.tenant, source.pk, run_id=stale_run)

    now = Source.objects.for_tenant(source.tenant).get()
    assert now.sync_status == "syncing"
    assert now.sync_run_id not in (None, stale_run)
    assert now.last_synced_at == source.last_synced_at
    assert texts(source) == [long_paragraph("returns")]
    event = last_event(source)
    assert (event.action, event.details["run_id"]) == ("sync_superseded", str(stale_run))


def test_a_stale_run_cannot_fail_the_run_that_took_over(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    stale_run = begin_run(source)

    def fail_while_another_run_begins(*args, **kwargs):
        overtake(source)
        raise FileProcessingFailed

    monkeypatch.setattr(files, "extract_document", fail_while_another_run_begins)
    sync.sync_source(source.tenant, source.pk, run_id=stale_run)

    assert Source.objects.for_tenant(source.tenant).get().sync_status == "syncing"


def test_a_message_that_is_delivered_twice_does_its_work_once(source: Source):
    begin_run(source)

    sync_in_background()
    chunk_ids = set(Chunk.objects.for_tenant(source.tenant).values_list("pk", flat=True))
    sync_in_background()

    assert set(Chunk.objects.for_tenant(source.tenant).values_list("pk", flat=True)) == chunk_ids
    assert last_event(source).action == "sync_completed"


def test_a_message_for_a_source_that_is_gone_does_nothing(source: Source):
    begin_run(source)
    discard_upload(source)

    sync_in_background()

    assert not SyncEvent.objects.for_tenant(source.tenant).exists()
