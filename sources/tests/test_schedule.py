"""GET and PUT /ingest/sources/{id}/schedule (docs/specification.md, Sources 9), and what beat
does with it."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier, Event
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework.test import APIClient

from accounts.models import Plan, Tenant
from accounts.tests.factories import client_of, make_tenant
from config.tests.parallel import look_over_all_tenants
from sources import tasks
from sources.models import Lane, Schedule, Source, SyncEvent
from sources.services.reading import lock_source
from sources.syncing import dispatch
from sources.tests.factories import make_schedule, make_source
from sources.tests.test_concurrency import in_thread

NOW = datetime(2025, 3, 10, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
WAIT_SECONDS = 20


def url(source: Source) -> str:
    return f"/ingest/sources/{source.pk}/schedule"


def put(client: APIClient, source: Source, frequency: object):
    return client.put(url(source), {"frequency": frequency}, format="json")


def state(schedule: Schedule) -> tuple[bool, datetime | None]:
    row = Schedule.objects.for_tenant(schedule.tenant).get(pk=schedule.pk)
    return row.enabled, row.next_sync_at


def claimed(now: datetime) -> list[uuid.UUID]:
    return dispatch.begin_due_syncs(now)


# --- The endpoints ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frequency", "interval"),
    [
        ("1h", timedelta(hours=1)),
        ("6h", timedelta(hours=6)),
        ("24h", timedelta(hours=24)),
        ("weekly", timedelta(days=7)),
    ],
)
def test_the_next_sync_is_one_interval_from_now(
    admin_api: APIClient, tenant: Tenant, frequency: str, interval: timedelta
):
    source = make_source(tenant)
    before = timezone.now()

    response = put(admin_api, source, frequency)

    answer = response.json()
    next_sync_at = parse_datetime(answer.pop("next_sync_at"))
    assert response.status_code == 200
    assert answer == {"source_id": str(source.pk), "frequency": frequency, "enabled": True}
    assert next_sync_at is not None
    assert before + interval <= next_sync_at <= timezone.now() + interval
    assert Schedule.objects.for_tenant(tenant).get().next_sync_at == next_sync_at


def test_manual_stops_a_schedule(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    put(admin_api, source, "1h")

    response = put(admin_api, source, "manual")

    assert response.status_code == 200
    assert response.json() == {
        "source_id": str(source.pk),
        "frequency": "manual",
        "enabled": False,
    }
    assert state(Schedule.objects.for_tenant(tenant).get()) == (False, None)


def test_a_schedule_that_was_never_set_is_manual(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant, last_synced_at=NOW)

    response = admin_api.get(url(source))

    assert response.status_code == 200
    assert response.json() == {
        "source_id": str(source.pk),
        "frequency": "manual",
        "enabled": False,
    }


def test_reading_tells_the_last_sync_too(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant, last_synced_at=NOW)
    make_schedule(source, frequency="6h", next_sync_at=NOW + HOUR)

    assert admin_api.get(url(source)).json() == {
        "source_id": str(source.pk),
        "frequency": "6h",
        "next_sync_at": "2025-03-10T13:00:00.000000Z",
        "enabled": True,
        "last_sync_at": "2025-03-10T12:00:00.000000Z",
    }


def test_a_manual_one_that_was_set_tells_it_as_well(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    put(admin_api, source, "manual")

    assert admin_api.get(url(source)).json() == {
        "source_id": str(source.pk),
        "frequency": "manual",
        "enabled": False,
        "last_sync_at": None,
    }


@pytest.mark.parametrize(
    ("frequency", "code"),
    [
        (None, "MISSING_FIELDS"),
        ("", "MISSING_FIELDS"),
        ("2h", "VALIDATION_ERROR"),
        ("1H", "VALIDATION_ERROR"),
        (" 1h", "VALIDATION_ERROR"),
        (24, "VALIDATION_ERROR"),
        (["1h"], "VALIDATION_ERROR"),
    ],
)
def test_only_the_five_frequencies_are_taken(
    admin_api: APIClient, tenant: Tenant, frequency: object, code: str
):
    response = put(admin_api, make_source(tenant), frequency)

    assert (response.status_code, response.json()["error"]["code"]) == (400, code)
    assert not Schedule.objects.for_tenant(tenant).exists()


@pytest.mark.parametrize(
    ("plan", "allowed"),
    [
        ("free", {"manual"}),
        ("starter", {"manual", "24h", "weekly"}),
        ("pro", {"manual", "24h", "weekly", "6h"}),
        ("enterprise", {"manual", "24h", "weekly", "6h", "1h"}),
    ],
)
@pytest.mark.django_db
def test_each_plan_has_its_frequencies(plan: str, allowed: set[str]):
    tenant = make_tenant(plan=plan)
    client, source = client_of(tenant), make_source(tenant)
    answers = {
        frequency: put(client, source, frequency)
        for frequency in ("1h", "6h", "24h", "weekly", "manual")
    }

    assert {name for name, answer in answers.items() if answer.status_code == 200} == allowed
    refused = [answer for answer in answers.values() if answer.status_code != 200]
    assert all(
        (answer.status_code, answer.json()["error"]["code"]) == (402, "PLAN_LIMIT_REACHED")
        for answer in refused
    )


@pytest.mark.django_db
def test_a_refusal_says_what_the_plan_has_and_changes_nothing():
    tenant = make_tenant(plan="starter")
    schedule = make_schedule(make_source(tenant), frequency="24h", next_sync_at=NOW)

    response = put(client_of(tenant), schedule.source, "1h")

    assert response.json()["error"]["message"] == (
        "The Starter plan does not include the frequency 1h."
        " Choose one of: manual, 24h, weekly; or change the plan."
    )
    assert state(schedule) == (True, NOW)


# --- What is due --------------------------------------------------------------------------------


def test_a_due_sync_begins_and_the_next_keeps_its_phase(tenant: Tenant):
    due = NOW - timedelta(seconds=40)
    schedule = make_schedule(make_source(tenant), frequency="6h", next_sync_at=due)

    begun = dispatch.begin_due_syncs(NOW)

    source = Source.objects.for_tenant(tenant).get()
    assert begun == [source.pk]
    assert (source.sync_status, source.sync_lane) == ("syncing", Lane.BACKGROUND)
    assert SyncEvent.objects.for_tenant(tenant).get().action == "sync_started"
    assert state(schedule) == (True, due + timedelta(hours=6))


def test_what_is_not_due_waits(tenant: Tenant):
    make_schedule(make_source(tenant), next_sync_at=NOW + timedelta(seconds=1))
    make_schedule(make_source(tenant), frequency="manual", enabled=False, next_sync_at=None)

    assert claimed(NOW) == []


def test_runs_missed_for_three_days_happen_once(tenant: Tenant):
    due = NOW - timedelta(days=3, minutes=10)
    schedule = make_schedule(make_source(tenant), next_sync_at=due)

    assert claimed(NOW) == [schedule.source_id]
    assert claimed(NOW) == []
    assert state(schedule) == (True, NOW + timedelta(minutes=50))


def test_one_that_is_due_this_very_moment_comes_again_after_its_interval(tenant: Tenant):
    schedule = make_schedule(make_source(tenant), next_sync_at=NOW)

    assert claimed(NOW) == [schedule.source_id]
    assert state(schedule) == (True, NOW + HOUR)


def test_a_source_that_is_being_synced_is_left_to_its_next_slot(tenant: Tenant):
    run_id = uuid.uuid4()
    source = make_source(
        tenant, sync_status="syncing", sync_run_id=run_id, sync_started_at=timezone.now()
    )
    schedule = make_schedule(source, next_sync_at=NOW)

    assert claimed(NOW) == []
    assert Source.objects.for_tenant(tenant).get().sync_run_id == run_id
    assert state(schedule) == (True, NOW + HOUR)


def test_a_frequency_that_the_plan_has_no_more_stops_with_a_reason(tenant: Tenant):
    schedule = make_schedule(make_source(tenant, source_type="web"), next_sync_at=NOW)
    tenant.plan = Plan.objects.get(slug="starter")
    tenant.save()

    assert claimed(NOW) == []
    assert state(schedule) == (False, None)
    assert Source.objects.for_tenant(tenant).get().sync_status == "synced"
    event = SyncEvent.objects.for_tenant(tenant).get()
    assert event.action == "schedule_stopped"
    assert event.details == {
        "provider": "web",
        "frequency": "1h",
        "reason": "The Starter plan does not include the frequency 1h.",
    }


def test_all_tenants_and_more_than_one_batch_get_their_turn(
    tenant: Tenant, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(dispatch, "SCHEDULES_AT_ONCE", 2)
    due = [
        make_schedule(make_source(owner), next_sync_at=NOW)
        for owner in (tenant, other_tenant, tenant, other_tenant, tenant)
    ]

    assert sorted(claimed(NOW)) == sorted(schedule.source_id for schedule in due)


def test_beat_tells_workers_of_the_runs(tenant: Tenant, monkeypatch: pytest.MonkeyPatch):
    told: list[object] = []
    monkeypatch.setattr(tasks, "enqueue", lambda task, **_: told.append(task))
    make_schedule(make_source(tenant), next_sync_at=NOW)

    tasks.start_due_syncs()

    assert told == [tasks.sync_in_background]


# --- Many at once -------------------------------------------------------------------------------


def test_many_beats_at_once_begin_each_sync_once(committed_tenant: Tenant):
    sources = [make_source(committed_tenant) for _ in range(12)]
    for source in sources:
        make_schedule(source, next_sync_at=NOW)
    start = Barrier(4)

    def claim() -> list[uuid.UUID]:
        ours = {source.pk for source in sources}  # not those of tests beside this one
        return [source_id for source_id in claimed(NOW) if source_id in ours]

    def claim_with_the_others(_: int) -> list[uuid.UUID]:
        start.wait(WAIT_SECONDS)
        return claim()

    with ThreadPoolExecutor(4, initializer=look_over_all_tenants) as threads:
        claims = list(threads.map(in_thread(claim_with_the_others), range(4)))

    # Those that one beat skipped, because another one held them, are due again at the next.
    begun = [source_id for ids in [*claims, claim()] for source_id in ids]
    assert sorted(begun) == sorted(source.pk for source in sources)
    started = SyncEvent.objects.for_tenant(committed_tenant).filter(action="sync_started")
    assert started.count() == 12


def test_a_source_that_somebody_holds_is_skipped_and_not_waited_for(committed_tenant: Tenant):
    """A commit or a delete holds the source: to wait for it with the schedule in hand would be a
    deadlock."""
    source = make_source(committed_tenant)
    schedule = make_schedule(source, next_sync_at=NOW)
    locked, looked = Event(), Event()

    def hold() -> None:
        with transaction.atomic():
            lock_source(committed_tenant, source.pk)
            locked.set()
            assert looked.wait(WAIT_SECONDS)

    with ThreadPoolExecutor(1, initializer=look_over_all_tenants) as threads:
        holding = threads.submit(in_thread(hold))
        assert locked.wait(WAIT_SECONDS)
        while_held: Any = source.pk in claimed(NOW)
        looked.set()
        holding.result(WAIT_SECONDS)

    assert while_held is False
    assert state(schedule) == (True, NOW)
    assert source.pk in claimed(NOW)
