"""DELETE /ingest/sources/{id} (docs/specification.md, Sources 10)."""

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from rest_framework.test import APIClient

from accounts.models import ScheduleFrequency, Tenant
from sources.errors import SourceNotFound
from sources.indexing.generations import stage_documents
from sources.models import Chunk, Schedule, Source, SyncEvent
from sources.services import editing
from sources.services.editing import delete_source
from sources.services.scheduling import set_schedule
from sources.services.uploads import ingest_file
from sources.syncing import sync
from sources.tests.conftest import files_below
from sources.tests.factories import (
    long_paragraph,
    make_chunk,
    make_document,
    make_schedule,
    make_source,
    text_file,
)
from sources.tests.test_concurrency import in_thread
from sources.tests.test_sync import begin_run

WAIT_SECONDS = 20
SEARCHED = ("Document", "Chunk", "ChunkEmbedding", "ChunkTerms", "SourceTerm", "Schedule")


def url(source: Source) -> str:
    return f"/ingest/sources/{source.pk}"


def rows_of(source: Source) -> dict[str, int]:
    """How many rows of each model hang on the source."""
    models = (apps.get_model("sources", name) for name in SEARCHED)
    rows = ((model, model.all_tenants.filter(source_id=source.pk).count()) for model in models)
    return {model.__name__: count for model, count in rows}


NOTHING = dict.fromkeys(SEARCHED, 0)


def wait_until_somebody_waits_for_a_lock() -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() != (0,):
                return
    raise AssertionError("nobody waits for a lock")


def test_all_that_was_indexed_goes_with_its_schedule(admin_api: APIClient, tenant: Tenant):
    source = ingest_file(tenant, file=text_file(), filename="faq.txt")
    make_schedule(source)
    assert 0 not in rows_of(source).values()

    response = admin_api.delete(url(source))

    assert response.status_code == 200
    assert response.json() == {"status": "deleted"}
    assert rows_of(source) == NOTHING


def test_the_row_its_history_and_its_original_stay(
    admin_api: APIClient, tenant: Tenant, stored_files: Path
):
    source = ingest_file(tenant, file=text_file(), filename="faq.txt")

    admin_api.delete(url(source))

    row = Source.objects.with_deleted(tenant).get()
    assert row.deleted_at is not None
    assert row.chunks_count == 0
    assert files_below(stored_files) == [f"{tenant.pk}/{source.pk}/original"]
    events = SyncEvent.objects.for_tenant(tenant).filter(source=row)
    assert [event.action for event in events] == [
        "source_deleted",
        "sync_completed",
        "sync_started",
        "source_created",
    ]


def test_other_sources_keep_everything(admin_api: APIClient, tenant: Tenant):
    kept = ingest_file(tenant, file=text_file(), filename="faq.txt")
    make_schedule(kept)
    before = rows_of(kept)

    admin_api.delete(url(ingest_file(tenant, file=text_file(), filename="b.txt")))

    assert rows_of(kept) == before


@pytest.mark.parametrize("state", ["pending", "syncing", "synced", "error", "reauth_required"])
def test_it_works_in_every_state(admin_api: APIClient, tenant: Tenant, state: str):
    run_id = uuid.uuid4() if state == "syncing" else None
    source = make_source(tenant, sync_status=state, sync_run_id=run_id)
    make_chunk(make_document(source))

    assert admin_api.delete(url(source)).status_code == 200
    assert rows_of(source) == NOTHING
    row = Source.objects.with_deleted(tenant).get()
    assert (row.sync_run_id, row.sync_status == "syncing") == (None, False)


def test_it_is_gone_from_every_address(admin_api: APIClient, tenant: Tenant):
    source = ingest_file(tenant, file=text_file(), filename="faq.txt")
    unknown = admin_api.delete(f"/ingest/sources/{uuid.UUID(int=7)}")
    admin_api.delete(url(source))

    answers = [
        admin_api.delete(url(source)),
        admin_api.patch(url(source), {"name": "A"}, format="json"),
        admin_api.post(url(source) + "/sync"),
        admin_api.get(url(source) + "/status"),
        admin_api.get(url(source) + "/preview"),
        admin_api.get(url(source) + "/history"),
        admin_api.get(url(source) + "/schedule"),
        admin_api.put(url(source) + "/schedule", {"frequency": "1h"}, format="json"),
    ]

    assert {(answer.status_code, answer.content) for answer in answers} == {(404, unknown.content)}
    assert admin_api.get("/ingest/sources").json() == []
    assert SyncEvent.objects.for_tenant(tenant).filter(action="source_deleted").count() == 1


def test_it_counts_no_more_against_the_plan(tenant: Tenant):
    upload, website = make_source(tenant), make_source(tenant, source_type="web")
    for source in (upload, website):
        delete_source(tenant, source.pk)

    sources = Source.objects.for_tenant(tenant)
    assert (sources.uploads().count(), sources.connectors().count()) == (0, 0)


# --- While a sync runs --------------------------------------------------------------------------


def test_a_run_that_ends_later_writes_nothing(admin_api: APIClient, tenant: Tenant):
    source = ingest_file(tenant, file=text_file(), filename="faq.txt")
    run_id = begin_run(source)

    admin_api.delete(url(source))
    sync.sync_source(tenant, source.pk, run_id=run_id)

    assert rows_of(source) == NOTHING
    assert Source.objects.with_deleted(tenant).get().deleted_at is not None


def test_an_upload_that_is_deleted_while_it_waits_is_not_found(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    def delete_instead_of_waiting(*args: Any, **kwargs: Any) -> None:
        delete_source(tenant, Source.objects.for_tenant(tenant).get().pk)

    monkeypatch.setattr("sources.services.uploads.wait_for_run_end", delete_instead_of_waiting)

    response = admin_api.post("/ingest/sources/upload", {"file": text_file()}, format="multipart")

    assert (response.status_code, response.json()["error"]["code"]) == (404, "SOURCE_NOT_FOUND")


def test_a_delete_in_the_middle_of_a_commit_comes_after_it(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    source = ingest_file(committed_tenant, file=text_file(), filename="faq.txt")
    run_id = begin_run(source)
    staged, asked = Event(), Event()

    def stage_and_pause(*args: Any, **replaced: Any) -> Any:
        rows = stage_documents(*args, **replaced)
        staged.set()
        assert asked.wait(WAIT_SECONDS)
        return rows

    monkeypatch.setattr("sources.syncing.batches.stage_documents", stage_and_pause)
    with ThreadPoolExecutor(2) as threads:
        running = threads.submit(
            in_thread(lambda: sync.sync_source(committed_tenant, source.pk, run_id=run_id))
        )
        assert staged.wait(WAIT_SECONDS)
        deleting = threads.submit(in_thread(lambda: delete_source(committed_tenant, source.pk)))
        wait_until_somebody_waits_for_a_lock()
        asked.set()
        running.result(WAIT_SECONDS)
        deleting.result(WAIT_SECONDS)

    assert rows_of(source) == NOTHING
    assert Source.objects.with_deleted(committed_tenant).get().deleted_at is not None


def test_a_commit_in_the_middle_of_a_delete_writes_nothing(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    source = ingest_file(
        committed_tenant, file=text_file(long_paragraph("returns")), filename="faq.txt"
    )
    run_id = begin_run(source)
    prepared, deleted, embedded = Event(), Event(), Event()
    mark_deleted, commit_run = editing.mark_deleted, sync.commit_run

    def mark_and_pause(row: Source) -> None:
        mark_deleted(row)
        deleted.set()
        assert embedded.wait(WAIT_SECONDS)

    def announce_and_commit(*args: Any, **kwargs: Any) -> None:
        prepared.set()
        assert deleted.wait(WAIT_SECONDS)
        embedded.set()
        commit_run(*args, **kwargs)

    monkeypatch.setattr("sources.services.editing.mark_deleted", mark_and_pause)
    monkeypatch.setattr("sources.syncing.sync.commit_run", announce_and_commit)
    with ThreadPoolExecutor(2) as threads:
        running = threads.submit(
            in_thread(lambda: sync.sync_source(committed_tenant, source.pk, run_id=run_id))
        )
        assert prepared.wait(WAIT_SECONDS)  # else the delete may lock the run out before it began
        deleting = threads.submit(in_thread(lambda: delete_source(committed_tenant, source.pk)))
        deleting.result(WAIT_SECONDS)
        running.result(WAIT_SECONDS)

    assert rows_of(source) == NOTHING


def test_of_many_deletes_at_once_one_wins(committed_tenant: Tenant):
    source = ingest_file(committed_tenant, file=text_file(), filename="faq.txt")

    def delete(_: int) -> bool:
        try:
            delete_source(committed_tenant, source.pk)
        except SourceNotFound:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        won = sum(threads.map(in_thread(delete), range(4)))

    assert won == 1
    deletions = SyncEvent.objects.for_tenant(committed_tenant).filter(action="source_deleted")
    assert deletions.count() == 1


def test_a_schedule_set_at_the_same_time_does_not_outlive_the_source(committed_tenant: Tenant):
    source = ingest_file(committed_tenant, file=text_file(), filename="faq.txt")

    def act(number: int) -> None:
        try:
            if number % 2:
                delete_source(committed_tenant, source.pk)
            else:
                set_schedule(committed_tenant, source.pk, frequency=ScheduleFrequency.HOURLY)
        except SourceNotFound:
            assert Source.objects.with_deleted(committed_tenant).get().deleted_at is not None

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(in_thread(act), range(4)))

    assert not Schedule.objects.for_tenant(committed_tenant).exists()
    assert not Chunk.objects.for_tenant(committed_tenant).exists()
