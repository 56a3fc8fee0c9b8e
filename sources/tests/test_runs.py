"""The sync lock: one run at a time, a dead one is noticed, and a stale one changes nothing."""

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Tenant
from config.tests.parallel import look_over_all_tenants, wait_until_somebody_waits_for_us
from reading.passages import ChunkLevel, Passage, ReadDocument
from reasons import as_reason
from sources import tasks
from sources.api.serializers import with_codes
from sources.connectors.interface import Cut, Failed, Item, SyncContext, Unchanged
from sources.errors import (
    OriginUnavailable,
    ReauthRequired,
    SyncFailed,
    SyncSuperseded,
)
from sources.models import Chunk, Connection, Document, Source, SyncEvent
from sources.syncing import runs, sync
from sources.tests.factories import make_source

MINUTE = timedelta(minutes=1)


class ScriptedConnector:
    """Reads what a test says: items, or an error to raise."""

    provider = "scripted"

    def __init__(self, *script: Item | Exception) -> None:
        self.script = script

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        for number, step in enumerate(self.script):
            context.report(done=number, total=len(self.script))
            if isinstance(step, Exception):
                raise step
            yield step


def page(name: str, text: str) -> ReadDocument:
    passage = Passage(text, location=name, section_title="", level=ChunkLevel.PARAGRAPH)
    return ReadDocument(name, name, "text/html", text, (passage,))


@pytest.fixture
def source(tenant: Tenant) -> Source:
    return make_source(tenant, source_type="web", sync_status="pending")


def script(monkeypatch: pytest.MonkeyPatch, *steps: Item | Exception) -> None:
    monkeypatch.setattr(sync, "get_connector", lambda source: ScriptedConnector(*steps))


def begin(source: Source) -> uuid.UUID:
    run_id = runs.begin_run(source.tenant, source.pk)
    assert run_id is not None
    return run_id


def change(source: Source, **fields: Any) -> None:
    Source.objects.for_tenant(source.tenant).filter(pk=source.pk).update(**fields)


def now(source: Source) -> Source:
    return Source.objects.for_tenant(source.tenant).get(pk=source.pk)


def actions(source: Source) -> list[str]:
    events = SyncEvent.objects.for_tenant(source.tenant).filter(source=source)
    return list(events.order_by("created_at").values_list("action", flat=True))


# --- Taking the lock ------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["pending", "synced", "error", "reauth_required"])
def test_a_free_lock_is_taken_from_any_state(tenant: Tenant, status: str):
    source = make_source(tenant, sync_status=status)

    run_id = runs.begin_run(tenant, source.pk)

    assert run_id is not None
    assert (now(source).sync_status, now(source).sync_run_id) == ("syncing", run_id)
    assert actions(source) == ["sync_started"]


@pytest.mark.parametrize(("age", "is_taken"), [(29 * MINUTE, False), (31 * MINUTE, True)])
def test_a_held_lock_is_overwritten_after_thirty_minutes(
    source: Source, age: timedelta, is_taken: bool
):
    first = begin(source)
    change(source, sync_started_at=timezone.now() - age)

    second = runs.begin_run(source.tenant, source.pk)

    assert (second is not None) is is_taken
    assert now(source).sync_run_id == (second or first)


def test_another_tenants_source_cannot_be_locked(source: Source, other_tenant: Tenant):
    assert runs.begin_run(other_tenant, source.pk) is None
    assert now(source).sync_run_id is None


def test_a_deleted_source_cannot_be_locked(source: Source):
    change(source, deleted_at=timezone.now())

    assert runs.begin_run(source.tenant, source.pk) is None


def test_of_many_at_once_one_gets_the_lock(committed_tenant: Tenant):
    source, together = make_source(committed_tenant), Barrier(6)

    def begin_together(_: int) -> uuid.UUID | None:
        try:
            together.wait()
            return runs.begin_run(committed_tenant, source.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(6, initializer=look_over_all_tenants) as threads:
        won = [run_id for run_id in threads.map(begin_together, range(6)) if run_id]

    assert won == [now(source).sync_run_id]
    assert actions(source) == ["sync_started"]


# --- A worker takes the run -----------------------------------------------------------------------


def test_a_run_is_worked_on_by_one_worker(source: Source):
    run_id = begin(source)
    runs.claim_run(source.tenant, source.pk, run_id=run_id)

    with pytest.raises(runs.RunIsAlive) as alive:
        runs.claim_run(source.tenant, source.pk, run_id=run_id)

    assert 0 < alive.value.seconds <= runs.WORK_LEASE.total_seconds()


def test_a_task_that_comes_again_takes_over_when_its_worker_is_silent(source: Source):
    run_id = begin(source)
    runs.claim_run(source.tenant, source.pk, run_id=run_id)
    change(source, sync_lease_until=timezone.now() - timedelta(seconds=1))

    taken = runs.claim_run(source.tenant, source.pk, run_id=run_id)

    assert taken is not None
    assert taken.sync_attempts == 2


def test_a_run_that_ended_its_workers_three_times_is_given_up(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    script(monkeypatch, page("/a", "Boats sail."))
    run_id = begin(source)
    change(source, sync_attempts=runs.MAX_ATTEMPTS)

    sync.sync_source(source.tenant, source.pk, run_id=run_id)

    assert now(source).sync_status == "error"
    assert "stopped 3 times" in now(source).error_message


# --- A cause that may pass ------------------------------------------------------------------------


def test_a_cause_that_may_pass_is_tried_again_with_a_growing_pause(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    script(monkeypatch, OriginUnavailable("The site does not answer."))
    run_id = begin(source)
    pauses = []
    for _ in range(runs.MAX_ATTEMPTS - 1):
        with pytest.raises(sync.RetryLater) as later:
            sync.sync_source(source.tenant, source.pk, run_id=run_id)
        pauses.append(later.value.seconds)
        assert now(source).sync_status == "syncing"

    sync.sync_source(source.tenant, source.pk, run_id=run_id)

    assert pauses == [5, 30]
    assert now(source).sync_status == "error"
    assert now(source).error_message == "The site does not answer."
    assert actions(source) == ["sync_started", "sync_failed"]


def test_a_cause_that_does_not_pass_is_not_tried_again(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    script(monkeypatch, SyncFailed("This page does not exist."))

    sync.sync_source(source.tenant, source.pk, run_id=begin(source))

    assert (now(source).sync_status, now(source).sync_attempts) == ("error", 1)
    assert now(source).error_message == "This page does not exist."


def test_the_error_stands_in_the_source_until_a_run_succeeds(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    script(monkeypatch, SyncFailed("This page does not exist."))
    sync.sync_source(source.tenant, source.pk, run_id=begin(source))
    assert now(source).error_code == "SYNC_FAILED"

    script(monkeypatch, page("/a", "Boats sail."))
    sync.sync_source(source.tenant, source.pk, run_id=begin(source))

    assert (now(source).error_code, now(source).error_message) == ("", "")


def test_workers_hear_of_it_again_after_the_pause(source: Source, monkeypatch: pytest.MonkeyPatch):
    script(monkeypatch, OriginUnavailable("The site does not answer."))
    begin(source)
    countdowns = []
    monkeypatch.setattr(
        tasks, "enqueue", lambda task, countdown_seconds: countdowns.append(countdown_seconds)
    )

    tasks.sync_in_background()

    assert set(countdowns) == {5}
    due_at = now(source).sync_due_at
    assert due_at is not None
    assert timedelta(seconds=4) < due_at - timezone.now() <= timedelta(seconds=5)


def test_whoever_connects_an_account_again_and_a_run_that_lost_it_wait_for_each_other_in_turn(
    committed_tenant: Tenant,
):
    """Both lock the account before its sources: else the database ends one of them."""
    account = Connection.objects.for_tenant(committed_tenant).create(
        provider="notes_app", account="Notes"
    )
    source = make_source(committed_tenant, source_type="notes_app", connection=account)
    run_id = begin(source)

    def lose_account() -> bool:
        try:
            error = ReauthRequired("Connect the account again.")
            return runs.fail_run(committed_tenant, source.pk, run_id=run_id, error=error)
        finally:
            connection.close()

    with ThreadPoolExecutor(1, initializer=look_over_all_tenants) as threads:
        with transaction.atomic():
            Connection.objects.for_tenant(committed_tenant).update(account="Notes, again")
            losing = threads.submit(lose_account)
            wait_until_somebody_waits_for_us()
            Source.objects.for_tenant(committed_tenant).select_for_update().get()
        assert losing.result()


def test_an_expired_account_is_told_from_a_failure(source: Source, monkeypatch: pytest.MonkeyPatch):
    script(monkeypatch, ReauthRequired("Connect the account again."))

    sync.sync_source(source.tenant, source.pk, run_id=begin(source))

    assert now(source).sync_status == "reauth_required"
    assert actions(source) == ["sync_started", "reauth_required"]


# --- Heartbeat ------------------------------------------------------------------------------------


@pytest.fixture
def quick_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "HEARTBEAT_SECONDS", 0.02)


def wait_until(condition: Any) -> None:
    """For at most ten seconds."""
    deadline = timezone.now() + timedelta(seconds=10)
    while not condition():
        assert timezone.now() < deadline


def claim(source: Source) -> tuple[Source, uuid.UUID]:
    run_id = begin(source)
    claimed = runs.claim_run(source.tenant, source.pk, run_id=run_id)
    assert claimed is not None
    return claimed, run_id


def test_a_heartbeat_renews_the_lease_and_saves_the_progress(
    committed_tenant: Tenant, quick_heartbeat: None
):
    source, run_id = claim(make_source(committed_tenant))
    change(source, sync_lease_until=timezone.now())

    with runs.Heartbeat(source, run_id=run_id) as heartbeat:
        heartbeat.report(step="read", documents_done=3, documents_total=9)
        wait_until(lambda: now(source).sync_progress.get("documents_done") == 3)

    assert now(source).sync_lease_until > timezone.now() + runs.WORK_LEASE / 2  # type: ignore[operator]


def test_a_run_that_was_overtaken_learns_it_while_it_works(
    committed_tenant: Tenant, quick_heartbeat: None
):
    source, run_id = claim(make_source(committed_tenant))

    def is_told() -> bool:
        try:
            heartbeat.report(step="read")
        except SyncSuperseded:
            return True
        return False

    with runs.Heartbeat(source, run_id=run_id) as heartbeat:
        change(source, sync_run_id=uuid.uuid4())
        wait_until(is_told)


def test_a_worker_that_was_taken_for_dead_stops_renewing(
    committed_tenant: Tenant, quick_heartbeat: None
):
    """Its run is the other's now: two heartbeats of one run would hide the death of either."""
    source, run_id = claim(make_source(committed_tenant))
    other_worker = uuid.uuid4()
    change(source, sync_worker_id=other_worker, sync_lease_until=None)

    with runs.Heartbeat(source, run_id=run_id) as heartbeat:
        wait_until(lambda: heartbeat._has_lost_lock)

    assert now(source).sync_lease_until is None


# --- What each document came to -------------------------------------------------------------------


def sync_now(source: Source) -> dict[str, Any]:
    """The details of its entry in the history."""
    sync.sync_source(source.tenant, source.pk, run_id=begin(source))
    event = SyncEvent.objects.for_tenant(source.tenant).order_by("created_at").last()
    assert event is not None
    return with_codes(event.details)


def texts(source: Source) -> set[str]:
    return set(Chunk.objects.for_tenant(source.tenant).values_list("text", flat=True))


def test_history_tells_what_became_of_each_document(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    script(monkeypatch, page("/a", "Boats."), page("/b", "Trains."), page("/c", "Planes."))
    sync_now(source)
    script(
        monkeypatch,
        page("/b", "Trams."),
        Failed("/c", as_reason("It did not answer.")),
        page("/d", "New."),
    )

    details = sync_now(source)

    assert details["documents"] == {
        "added": 1,
        "updated": 1,
        "removed": 1,
        "unchanged": 0,
        "failed": 1,
    }
    assert {
        (item["document"], item["outcome"], item["reason"]) for item in details["outcomes"]
    } == {
        ("/b", "updated", ""),
        ("/d", "added", ""),
        ("/c", "failed", "It did not answer."),
        ("/a", "removed", ""),
    }
    assert details["chunks_written"] == now(source).chunks_count == 3


def test_a_document_that_failed_keeps_what_was_indexed_of_it(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    script(monkeypatch, page("/a", "Boats."), page("/b", "Trains."))
    sync_now(source)
    script(monkeypatch, page("/a", "Ships."), Failed("/b", as_reason("It did not answer.")))

    sync_now(source)

    assert texts(source) == {"Ships.", "Trains."}


def test_an_unchanged_document_is_neither_read_nor_written_again(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    script(monkeypatch, page("/a", "Boats."), page("/b", "Trains."))
    sync_now(source)
    chunk = Chunk.objects.for_tenant(source.tenant).get(text="Boats.")
    script(monkeypatch, Unchanged("/a"), page("/b", "Trams."))

    details = sync_now(source)

    assert details["documents"]["unchanged"] == 1
    assert (details["chunks_written"], details["chunks_embedded"]) == (2, 1)
    assert Chunk.objects.for_tenant(source.tenant).get(text="Boats.").pk == chunk.pk


@pytest.mark.parametrize(
    ("keeps_rest", "left"), [(True, {"Boats.", "Trains."}), (False, {"Boats."})]
)
def test_a_sync_that_was_cut_says_why_and_what_it_left(
    source: Source, monkeypatch: pytest.MonkeyPatch, keeps_rest: bool, left: set[str]
):
    """Time that ran out says nothing of the rest; a limit of the plan does."""
    script(monkeypatch, page("/a", "Boats."), page("/b", "Trains."))
    sync_now(source)
    script(monkeypatch, Unchanged("/a"), Cut(as_reason("It took too long."), keeps_rest=keeps_rest))

    details = sync_now(source)

    assert details["cut"] == "It took too long."
    assert texts(source) == left
    assert now(source).warnings == (as_reason("It took too long."),)
    script(monkeypatch, page("/a", "Boats."))
    sync_now(source)
    assert now(source).warnings == ()


def test_a_sync_that_finds_nothing_keeps_what_was_indexed(
    source: Source, monkeypatch: pytest.MonkeyPatch
):
    script(monkeypatch, page("/a", "Boats."))
    sync_now(source)
    script(monkeypatch)

    sync_now(source)

    assert now(source).sync_status == "error"
    assert now(source).error_message == "Nothing was found that could be indexed."
    assert texts(source) == {"Boats."}


def test_a_failed_document_alone_is_a_failed_sync(source: Source, monkeypatch: pytest.MonkeyPatch):
    script(monkeypatch, Failed("/a", as_reason("It did not answer.")))

    sync_now(source)

    assert (now(source).sync_status, now(source).error_message) == ("error", "It did not answer.")
    assert not Document.objects.for_tenant(source.tenant).exists()
