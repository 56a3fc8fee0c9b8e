"""GET /ingest/sources/{id}/history."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from sources.models import Source, SyncEvent
from sources.services.uploads import ingest_file
from sources.tests.factories import make_event, make_source, text_file

pytestmark = pytest.mark.django_db


def url(source: Source, query: str = "") -> str:
    return f"/ingest/sources/{source.pk}/history{query}"


def make_events(source: Source, count: int) -> None:
    """One a minute; event number n says so in its details."""
    start = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)
    for number in range(count):
        event = make_event(source, details={"number": number})
        made = SyncEvent.objects.for_tenant(source.tenant).filter(pk=event.pk)
        made.update(created_at=start + timedelta(minutes=number))


def numbers(client: APIClient, source: Source, query: str = "") -> list[int]:
    return [entry["details"]["number"] for entry in client.get(url(source, query)).json()]


def test_an_entry_has_these_fields(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    make_events(source, 1)
    event = SyncEvent.objects.for_tenant(tenant).get()

    response = admin_api.get(url(source))

    assert response.status_code == 200
    assert response.json() == [
        {
            "id": str(event.pk),
            "action": "sync_completed",
            "details": {"provider": "upload", "chunks_written": 0, "number": 0},
            "created_at": "2025-03-01T09:00:00.000000Z",
        }
    ]


def test_a_completed_sync_tells_its_chunks_and_its_provider(admin_api: APIClient, tenant: Tenant):
    source = ingest_file(tenant, file=text_file(), filename="faq.txt")

    completed, started, created = admin_api.get(url(source)).json()

    assert [completed["action"], started["action"], created["action"]] == [
        "sync_completed",
        "sync_started",
        "source_created",
    ]
    assert completed["details"]["chunks_written"] == 1
    assert completed["details"]["provider"] == "upload"


def test_the_newest_twenty_come_first(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    make_events(source, 25)

    assert numbers(admin_api, source) == list(range(24, 4, -1))
    assert numbers(admin_api, source, "?limit=2") == [24, 23]
    assert len(numbers(admin_api, source, "?limit=100")) == 25


@pytest.mark.parametrize("limit", ["0", "-1", "101", "abc", "", "1.5", "1e1", "%00", "9" * 2000])
def test_a_limit_is_a_number_from_1_to_100(admin_api: APIClient, tenant: Tenant, limit: str):
    response = admin_api.get(url(make_source(tenant), f"?limit={limit}"))

    assert response.status_code == 400
    assert response.json()["error"]["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize("limit", ["1", "100"])
def test_the_bounds_themselves_are_fine(admin_api: APIClient, tenant: Tenant, limit: str):
    assert admin_api.get(url(make_source(tenant), f"?limit={limit}")).json() == []


def test_the_start_of_a_running_sync_tells_how_far_it_is(admin_api: APIClient, tenant: Tenant):
    run_id = uuid.uuid4()
    progress = {"step": "read", "documents_done": 12, "documents_total": 40}
    source = make_source(tenant, sync_status="syncing", sync_run_id=run_id, sync_progress=progress)
    make_event(source, action="sync_started", details={"run_id": str(uuid.uuid4())})
    make_event(source, action="sync_started", details={"run_id": str(run_id)})

    running, earlier = (entry["details"] for entry in admin_api.get(url(source)).json())

    assert (running["run_id"], running["progress"]) == (str(run_id), progress)
    assert "progress" not in earlier


def test_events_of_other_sources_are_not_shown(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    make_event(make_source(tenant))

    assert admin_api.get(url(source)).json() == []
