"""The plan's number of connected sources holds whenever a sync begins, not only at the creation."""

from contextlib import suppress
from datetime import timedelta
from itertools import cycle
from threading import Lock

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Plan, Tenant
from config.tests.parallel import in_parallel
from sources.errors import SourceLimitReached, SyncInProgress
from sources.models import Connection, Schedule, Source, SyncEvent
from sources.services.connections import sync_again
from sources.services.editing import delete_source
from sources.services.syncing import start_sync
from sources.syncing import dispatch, runs
from sources.tests.factories import make_schedule, make_source

HOUR = timedelta(hours=1)


def hold(tenant: Tenant, places: int | None) -> None:
    Plan.objects.filter(pk=tenant.plan_id).update(max_connectors=places)


def make_failed(tenant: Tenant) -> Source:
    """Never indexed: it does not count against the plan."""
    return make_source(tenant, source_type="web", sync_status="error")


def make_synced(tenant: Tenant) -> Source:
    return make_source(tenant, source_type="web", last_synced_at=timezone.now())


def syncing(tenant: Tenant) -> list[Source]:
    return list(Source.objects.for_tenant(tenant).filter(sync_status="syncing"))


def begin(source: Source) -> type[Exception] | None:
    try:
        start_sync(source.tenant, source.pk)
    except SourceLimitReached as error:
        return type(error)
    return None


@pytest.mark.parametrize("make", [make_failed, make_synced])
def test_of_twenty_syncs_at_once_as_many_begin_as_the_plan_has_places(
    committed_tenant: Tenant, make
):
    hold(committed_tenant, 1)
    sources, lock = cycle([make(committed_tenant) for _ in range(20)]), Lock()

    def begin_next() -> type[Exception] | None:
        with lock:
            source = next(sources)
        return begin(source)

    outcomes = in_parallel(begin_next, times=20)

    assert (outcomes.count(None), outcomes.count(SourceLimitReached)) == (1, 19)
    assert len(syncing(committed_tenant)) == 1


def test_failed_sources_are_not_revived_beside_a_full_plan(tenant: Tenant, admin_api: APIClient):
    hold(tenant, 1)
    make_synced(tenant)
    failed = make_failed(tenant)

    answer = admin_api.post(f"/ingest/sources/{failed.pk}/sync")

    assert (answer.status_code, answer.json()["error"]["code"]) == (402, "SOURCE_LIMIT_REACHED")
    assert answer.json()["error"]["message"] == (
        f"Your {tenant.plan.name} plan's limit of connected sources (1) is reached. Delete one of"
        " them or change the plan, then sync this source."
    )
    assert syncing(tenant) == []
    assert not SyncEvent.objects.for_tenant(tenant).filter(source=failed).exists()


def test_after_a_change_to_a_smaller_plan_the_oldest_go_on(tenant: Tenant):
    first, second, third = (make_synced(tenant) for _ in range(3))
    hold(tenant, 2)

    assert [begin(each) for each in (third, second, first)] == [SourceLimitReached, None, None]


def test_a_place_that_is_given_up_is_anothers(tenant: Tenant):
    hold(tenant, 1)
    first, second = make_synced(tenant), make_synced(tenant)

    delete_source(tenant, first.pk)

    assert begin(second) is None


@pytest.mark.parametrize("places", [0, None])
def test_uploads_need_no_place_and_a_plan_without_limit_has_one_for_all(
    tenant: Tenant, places: int | None
):
    hold(tenant, places)
    sources = [make_source(tenant)] if places == 0 else [make_failed(tenant), make_synced(tenant)]

    assert [begin(each) for each in sources] == [None] * len(sources)


def test_a_schedule_without_a_place_stops_and_says_why(tenant: Tenant):
    hold(tenant, 1)
    make_synced(tenant)
    now = timezone.now()
    schedule = make_schedule(make_failed(tenant), next_sync_at=now)

    assert dispatch.begin_due_syncs(now) == []
    assert dispatch.begin_due_syncs(now + 2 * HOUR) == []

    stopped = Schedule.objects.for_tenant(tenant).get()
    assert (stopped.enabled, stopped.next_sync_at) == (False, None)
    event = SyncEvent.objects.for_tenant(tenant).get(source=schedule.source_id)
    assert event.action == "schedule_stopped"
    assert event.details["code"] == "SOURCE_LIMIT_REACHED"


def test_a_schedule_waits_for_nobody_who_holds_the_tenant(committed_tenant: Tenant):
    """It holds its source meanwhile: whoever has the tenant and wants the source would wait too."""
    schedule = make_schedule(make_synced(committed_tenant), next_sync_at=timezone.now())

    def begin_either_way() -> None:
        with suppress(SyncInProgress):
            begin(schedule.source)
        dispatch.begin_due_syncs(timezone.now())

    in_parallel(begin_either_way, times=25)

    assert len(syncing(committed_tenant)) == 1


def test_of_an_account_that_is_connected_again_those_with_a_place_are_synced(tenant: Tenant):
    hold(tenant, 1)
    first, second = (
        make_source(
            tenant,
            source_type="notes_app",
            sync_status="reauth_required",
            last_synced_at=timezone.now(),
            connection=make_connection(tenant),
        )
        for _ in range(2)
    )

    sync_again(tenant, [first, second])

    assert [each.pk for each in syncing(tenant)] == [first.pk]
    second.refresh_from_db()
    assert (second.sync_status, second.error_code) == ("error", "SOURCE_LIMIT_REACHED")
    assert SyncEvent.objects.for_tenant(tenant).get(source=second).action == "sync_failed"


def make_connection(tenant: Tenant) -> Connection:
    return Connection.objects.for_tenant(tenant).create(provider="notes_app", account="Notes")


def test_a_run_that_was_begun_in_time_ends_in_a_smaller_plan(tenant: Tenant):
    source = make_synced(tenant)
    run_id = runs.begin_run(tenant, source.pk)
    hold(tenant, 0)

    assert run_id is not None
    assert runs.claim_run(tenant, source.pk, run_id=run_id) is not None
