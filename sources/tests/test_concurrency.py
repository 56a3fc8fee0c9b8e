"""What holds when several connections act at once. Rows are committed here, and deleted after."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest
from django.db import connection

from accounts.models import Tenant
from config.database.acting import over_all_tenants
from config.errors import PlanLimitReached
from sources.errors import SyncTooSlow
from sources.models import Chunk, ChunkEmbedding, ChunkTerms, Lane, Source
from sources.originals.files import store_original
from sources.services.uploads import create_upload, ingest_file, settle_upload, upload_file
from sources.syncing import runs, sync
from sources.tests.conftest import files_below
from sources.tests.factories import long_paragraph, text_file
from sources.tests.test_sync import rewrite_original, run_sync

WAIT_SECONDS = 20


def in_thread(work: Any) -> Any:
    """A thread has a connection of its own, which it must close."""

    def run(*args: Any) -> Any:
        try:
            with over_all_tenants():
                return work(*args)
        finally:
            connection.close()

    return run


def test_uploads_at_the_same_time_fill_the_plan_exactly(
    committed_tenant: Tenant, stored_files: Path, monkeypatch: pytest.MonkeyPatch
):
    committed_tenant.plan.blocks_overage = True
    committed_tenant.plan.max_documents = 3
    committed_tenant.plan.save()
    start = Barrier(8)

    def store_together(*args: Any) -> str:
        start.wait(WAIT_SECONDS)  # all have passed the first look at the limit
        return store_original(*args)

    def upload(number: int) -> bool:
        file = text_file(filename=f"{number}.txt")
        try:
            ingest_file(committed_tenant, file=file, filename=f"{number}.txt")
        except PlanLimitReached:
            return False
        return True

    monkeypatch.setattr("sources.services.uploads.store_original", store_together)
    with ThreadPoolExecutor(8) as threads:
        won = sum(threads.map(in_thread(upload), range(8)))

    assert won == 3
    assert Source.objects.for_tenant(committed_tenant).count() == 3
    assert len(files_below(stored_files)) == 3


def test_readers_see_all_old_or_all_new_chunks(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    source = ingest_file(committed_tenant, file=text_file("Old text."), filename="a.txt")
    rewrite_original(source, long_paragraph("returns"), long_paragraph("shipping"))
    replaced, seen = Event(), Event()

    def end_and_pause(*args: Any, **options: Any) -> None:
        runs.end_run(*args, **options)
        replaced.set()
        assert seen.wait(WAIT_SECONDS)

    def counts() -> tuple[int, ...]:
        source = Source.objects.for_tenant(committed_tenant).get()
        searched = [
            table.objects.for_tenant(committed_tenant)
            .filter(generation__lte=source.generation, removed_in__gt=source.generation)
            .count()
            for table in (ChunkEmbedding, ChunkTerms)
        ]
        chunks = Chunk.objects.for_tenant(committed_tenant).live().count()
        return (chunks, *searched, source.chunks_count)

    monkeypatch.setattr("sources.syncing.sync.end_run", end_and_pause)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(in_thread(run_sync), source)
        assert replaced.wait(WAIT_SECONDS)
        while_replacing = counts()
        seen.set()
        running.result(WAIT_SECONDS)

    assert while_replacing == (1, 1, 1, 1)
    assert counts() == (2, 2, 2, 2)


def test_a_run_that_commits_at_the_deadline_wins_or_loses_as_a_whole(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    """The request gives up while the worker is in its transaction: it waits, and finds it done."""
    replaced, given_up = Event(), Event()

    def end_and_pause(*args: Any, **options: Any) -> None:
        runs.end_run(*args, **options)
        replaced.set()
        given_up.wait(0.2)  # the other one is blocked by our lock, so this can only time out

    def work(run_id: Any) -> None:
        sync.sync_source(committed_tenant, source.pk, run_id=run_id)

    source, run_id = create_upload(
        committed_tenant, file=text_file(), filename="a.txt", name="", lane=Lane.UPLOADS
    )
    monkeypatch.setattr("sources.syncing.sync.end_run", end_and_pause)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(in_thread(work), run_id)
        assert replaced.wait(WAIT_SECONDS)
        runs.fail_run(committed_tenant, source.pk, run_id=run_id, error=SyncTooSlow())
        given_up.set()
        running.result(WAIT_SECONDS)

    settled = settle_upload(source)
    assert (settled.sync_status, settled.error_message, settled.chunks_count) == ("synced", "", 1)


def test_a_waiting_upload_holds_no_connection(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    held = []

    def run_instead_of_waiting(tenant: Tenant, run_id: Any, **kwargs: Any) -> None:
        held.append(connection.connection)
        source = Source.objects.for_tenant(tenant).get()
        sync.sync_source(tenant, source.pk, run_id=run_id)

    monkeypatch.setattr("sources.services.uploads.wait_for_run_end", run_instead_of_waiting)
    monkeypatch.setattr("sources.services.uploads.tell_lane", lambda *args: None)

    source = upload_file(committed_tenant, file=text_file(), filename="a.txt")

    assert source.sync_status == "synced"
    assert held == [None]
