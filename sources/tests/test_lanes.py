"""Whose run is next: tenants take turns in a lane, and nobody takes it for himself."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Tenant
from accounts.tests.factories import make_tenant
from config.errors import TooManyRequests
from config.tests.parallel import look_over_all_tenants
from sources import tasks
from sources.errors import SyncAbandoned, SyncWaitedTooLong
from sources.models import Lane, LaneTurn, Source
from sources.syncing import dispatch, lanes, runs
from sources.syncing.batches import Staging
from sources.syncing.lanes import claim_next_run, count_claimable
from sources.tests.factories import make_source
from sources.tests.test_concurrency import in_thread

MINUTE = timedelta(minutes=1)
Hints = list[tuple[str, dict[str, float]]]


@pytest.fixture(autouse=True)
def three_slots(settings) -> None:
    settings.LANE_SLOTS = {Lane.UPLOADS: 3, Lane.BACKGROUND: 3}


@pytest.fixture
def hints(monkeypatch: pytest.MonkeyPatch) -> Hints:
    told: Hints = []

    def enqueue(task: Any, *arguments: str, **times: float) -> bool:
        told.append((task.name.rpartition(".")[2], times))
        return True

    monkeypatch.setattr(tasks, "enqueue", enqueue)
    return told


def wait_in_lane(tenant: Tenant, *, minutes: float = 1, lane: Lane = Lane.UPLOADS) -> Source:
    """A run that has waited for so long."""
    return make_source(
        tenant,
        **runs.fields_of_new_run(uuid.uuid4(), lane=lane)
        | {"sync_due_at": timezone.now() - minutes * MINUTE},
    )


def claim(lane: Lane = Lane.UPLOADS) -> uuid.UUID | None:
    source = claim_next_run(lane)
    return source.pk if source else None


def end(source: Source) -> None:
    Source.objects.for_tenant(source.tenant).filter(pk=source.pk).update(
        sync_run_id=None, sync_worker_id=None, sync_lease_until=None
    )


def change(source: Source, **fields: Any) -> None:
    Source.objects.for_tenant(source.tenant).filter(pk=source.pk).update(**fields)


# --- Turns ----------------------------------------------------------------------------------------


def test_of_one_tenant_the_oldest_run_comes_first(tenant: Tenant):
    younger, older = wait_in_lane(tenant, minutes=1), wait_in_lane(tenant, minutes=2)

    assert [claim(), claim()] == [older.pk, younger.pk]


def test_a_tenant_that_has_nothing_under_way_comes_before_one_that_has(
    tenant: Tenant, other_tenant: Tenant
):
    many = [wait_in_lane(tenant, minutes=60 - number) for number in range(3)]
    note = wait_in_lane(other_tenant, minutes=0)

    assert [claim(), claim(), claim()] == [many[0].pk, note.pk, None]


def test_the_last_free_slot_is_never_a_tenants_that_has_another(
    tenant: Tenant, other_tenant: Tenant
):
    for _ in range(5):
        wait_in_lane(tenant)

    assert None not in (claim(), claim())
    assert claim() is None
    note = wait_in_lane(other_tenant)
    assert claim() == note.pk


def test_a_lane_of_one_slot_is_everybodys(tenant: Tenant, settings):
    settings.LANE_SLOTS = {Lane.UPLOADS: 1, Lane.BACKGROUND: 1}
    first, second = wait_in_lane(tenant, minutes=2), wait_in_lane(tenant, minutes=1)

    assert (claim(), claim()) == (first.pk, None)
    end(first)
    assert claim() == second.pk


def test_tenants_with_as_much_under_way_take_turns(tenant: Tenant, other_tenant: Tenant, settings):
    """One that sends a hundred has its turn as often as one that sends two."""
    for number in range(6):
        wait_in_lane(tenant, minutes=60 - number)
    for _ in range(3):
        wait_in_lane(other_tenant, minutes=1)
    settings.LANE_SLOTS = {Lane.UPLOADS: 1, Lane.BACKGROUND: 1}
    served = []
    for _ in range(6):
        source = claim_next_run(Lane.UPLOADS)
        assert source is not None
        served.append(source.tenant)
        end(source)

    assert served == 3 * [tenant, other_tenant]


def test_what_failed_and_left_nothing_was_a_turn_too(tenant: Tenant, other_tenant: Tenant):
    for owner in (tenant, other_tenant):
        for _ in range(2):
            wait_in_lane(owner, minutes=5 if owner == tenant else 1)
    first = claim_next_run(Lane.UPLOADS)
    assert first is not None
    first.delete()  # as an upload that cannot be read

    second = claim_next_run(Lane.UPLOADS)

    assert (first.tenant, second and second.tenant) == (tenant, other_tenant)
    assert LaneTurn.objects.for_tenant(tenant).get().lane == Lane.UPLOADS


def test_lanes_do_not_wait_for_each_other(tenant: Tenant):
    background = wait_in_lane(tenant, lane=Lane.BACKGROUND)
    for _ in range(3):
        wait_in_lane(tenant)
        claim()

    assert claim(Lane.BACKGROUND) == background.pk


def test_a_claim_costs_as_many_queries_for_two_tenants_as_for_twelve(
    tenant: Tenant, other_tenant: Tenant, django_assert_num_queries
):
    for owner in (tenant, other_tenant):
        wait_in_lane(owner)
    with django_assert_num_queries(11):
        claim()
    for number in range(10):
        wait_in_lane(make_tenant(f"tenant-{number}"))
    with django_assert_num_queries(11):
        claim()


# --- What may be claimed --------------------------------------------------------------------------


def test_a_run_that_waits_for_its_next_attempt_is_not_claimed_before(tenant: Tenant):
    source = wait_in_lane(tenant)
    change(source, sync_due_at=timezone.now() + MINUTE)

    assert claim() is None


def test_a_deleted_source_is_not_claimed(tenant: Tenant, admin_api):
    source = wait_in_lane(tenant)
    admin_api.delete(f"/ingest/sources/{source.pk}")

    assert claim() is None


def test_a_run_whose_worker_died_waits_again_after_its_lease(tenant: Tenant):
    source = wait_in_lane(tenant)
    claim()
    assert claim() is None
    change(source, sync_lease_until=timezone.now() - timedelta(seconds=1))

    again = claim_next_run(Lane.UPLOADS)

    assert again is not None
    assert (again.pk, again.sync_attempts) == (source.pk, 2)


def test_a_dead_worker_holds_no_slot(tenant: Tenant):
    dead = [wait_in_lane(tenant) for _ in range(2)]
    assert None not in (claim(), claim())
    for source in dead:
        change(source, sync_lease_until=timezone.now() - timedelta(seconds=1))

    assert {claim(), claim()} == {source.pk for source in dead}


def test_a_yielding_run_goes_behind_those_that_wait(tenant: Tenant):
    """Of one tenant. A long sync that gives its run back lets the short ones through."""
    long, short = wait_in_lane(tenant, minutes=9), wait_in_lane(tenant, minutes=5)
    source = claim_next_run(Lane.UPLOADS)
    assert source is not None
    assert source.sync_run_id is not None
    runs.release_run(source, run_id=source.sync_run_id, wait_seconds=0)

    assert [claim(), claim()] == [short.pk, long.pk]


# --- Many at once ---------------------------------------------------------------------------------


@pytest.fixture
def second_committed_tenant(django_db_setup: None, django_db_blocker) -> Iterator[Tenant]:
    with django_db_blocker.unblock():
        tenant = make_tenant()
        yield tenant
        tenant.delete()
        connection.close()


def test_many_workers_at_once_claim_each_run_once_and_leave_the_last_slot(
    committed_tenant: Tenant, second_committed_tenant: Tenant
):
    waiting = {wait_in_lane(committed_tenant).pk for _ in range(6)}
    start = Barrier(6)

    def claim_together(_: int) -> uuid.UUID | None:
        start.wait()
        return claim()

    with ThreadPoolExecutor(6, initializer=look_over_all_tenants) as threads:
        claimed = [each for each in threads.map(in_thread(claim_together), range(6)) if each]

    assert len(claimed) == len(set(claimed)) == 2
    assert set(claimed) <= waiting
    note = wait_in_lane(second_committed_tenant)
    assert claim() == note.pk


def test_a_row_that_somebody_has_locked_is_passed_over(
    committed_tenant: Tenant, second_committed_tenant: Tenant
):
    locked = wait_in_lane(committed_tenant, minutes=9)
    free = wait_in_lane(second_committed_tenant)

    with transaction.atomic():
        list(Source.objects.for_tenant(committed_tenant).select_for_update().filter(pk=locked.pk))
        with ThreadPoolExecutor(1, initializer=look_over_all_tenants) as threads:
            claimed = threads.submit(in_thread(claim)).result(20)

    assert claimed == free.pk


# --- Messages -------------------------------------------------------------------------------------


def test_at_the_end_of_a_run_the_next_is_told(
    tenant: Tenant, hints: Hints, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tasks, "work_on_run", lambda source, run_id: end(source))
    for _ in range(2):
        wait_in_lane(tenant, lane=Lane.BACKGROUND)

    tasks.sync_in_background()
    assert hints == [("sync_in_background", {"countdown_seconds": 0})]
    tasks.sync_in_background()
    tasks.sync_in_background()
    assert len(hints) == 1


def test_a_message_that_comes_again_after_its_workers_death_comes_once_more(
    tenant: Tenant, hints: Hints
):
    wait_in_lane(tenant)
    claim()  # by the worker that died

    for is_redelivered in (True, False):
        tasks.ingest_upload.push_request(delivery_info={"redelivered": is_redelivered})
        tasks.ingest_upload.run()
        tasks.ingest_upload.pop_request()

    seconds = runs.WORK_LEASE.total_seconds() + 1
    assert hints == [("ingest_upload", {"countdown_seconds": seconds})]


def test_beat_tells_of_as_much_as_free_workers_can_do(
    tenant: Tenant, other_tenant: Tenant, hints: Hints
):
    for owner in (tenant, other_tenant):
        for _ in range(4):
            wait_in_lane(owner)
    wait_in_lane(tenant, lane=Lane.BACKGROUND)
    claim()

    tasks.tend_runs()

    assert [name for name, _ in hints] == ["ingest_upload", "ingest_upload", "sync_in_background"]
    assert {times["expires_seconds"] for _, times in hints} == {10}


def test_beat_says_nothing_when_nothing_waits(tenant: Tenant, hints: Hints):
    wait_in_lane(tenant)
    claim()

    tasks.tend_runs()

    assert (hints, count_claimable(Lane.UPLOADS)) == ([], 0)


# --- What takes too long --------------------------------------------------------------------------


def test_an_upload_that_takes_a_worker_too_long_goes_on_in_the_background(
    tenant: Tenant, hints: Hints, monkeypatch: pytest.MonkeyPatch
):
    def work(*_: Any, **__: Any) -> Any:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(Staging, "read", work)
    source = wait_in_lane(tenant)

    tasks.ingest_upload()

    source.refresh_from_db()
    assert (source.sync_status, source.sync_lane) == ("syncing", Lane.BACKGROUND)
    assert ("sync_in_background", {"countdown_seconds": 0}) in hints
    tasks.sync_in_background()
    source.refresh_from_db()
    assert (source.sync_status, source.error_code) == ("error", "SYNC_TOO_SLOW")


@pytest.mark.parametrize("had_worker", [False, True])
def test_a_run_that_no_worker_comes_for_ends_with_a_reason(tenant: Tenant, had_worker: bool):
    now, past = timezone.now(), timezone.now() - dispatch.WAITING_MAX - MINUTE
    source = wait_in_lane(tenant)
    if had_worker:
        change(source, sync_worker_id=uuid.uuid4(), sync_lease_until=past)
    else:
        change(source, sync_due_at=past)

    dispatch.end_forgotten_runs(now)

    source.refresh_from_db()
    error = SyncAbandoned if had_worker else SyncWaitedTooLong
    assert (source.sync_status, source.error_code) == ("error", error.code)
    assert source.error_message == str(error.default_message)


def test_a_run_that_has_waited_for_eleven_hours_waits_on(tenant: Tenant):
    source = wait_in_lane(tenant, minutes=11 * 60)

    dispatch.end_forgotten_runs(timezone.now())

    assert claim() == source.pk


def test_the_uploads_of_a_tenant_that_wait_are_counted_whichever_lane_they_are_in(
    tenant: Tenant, other_tenant: Tenant, settings
):
    settings.UPLOADS_WAITING_MAX = 2
    make_source(tenant)
    wait_in_lane(tenant)
    lanes.check_room(tenant)
    wait_in_lane(tenant, lane=Lane.BACKGROUND)
    lanes.check_room(other_tenant)

    with pytest.raises(TooManyRequests):
        lanes.check_room(tenant)
    claim()
    lanes.check_room(tenant)
