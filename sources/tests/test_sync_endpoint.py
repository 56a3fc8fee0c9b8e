"""POST /ingest/sources/{id}/sync (docs/specification.md, States and Sources 7). The run itself:
test_sync.py; its lock: test_runs.py."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Tenant
from config.celery import app
from sources.models import Chunk, Lane, Source, SyncEvent
from sources.services.uploads import ingest_file
from sources.syncing.lanes import count_claimable
from sources.tests.factories import long_paragraph, make_source, text_file
from sources.tests.test_sync import rewrite_original, texts

pytestmark = pytest.mark.django_db


def url(source_id: object) -> str:
    return f"/ingest/sources/{source_id}/sync"


def stored(source: Source) -> Source:
    return Source.objects.for_tenant(source.tenant).get(pk=source.pk)


def hold_lock(source: Source, *, minutes: float) -> uuid.UUID:
    """A run that began so long ago."""
    run_id = uuid.uuid4()
    Source.objects.for_tenant(source.tenant).filter(pk=source.pk).update(
        sync_status="syncing",
        sync_run_id=run_id,
        sync_started_at=timezone.now() - timedelta(minutes=minutes),
    )
    return run_id


@pytest.mark.parametrize("state", ["pending", "synced", "error", "reauth_required"])
def test_a_sync_begins_in_any_state(admin_api: APIClient, tenant: Tenant, state: str):
    source = make_source(tenant, source_type="web", sync_status=state)

    response = admin_api.post(url(source.pk))

    assert response.status_code == 202
    assert response.json() == {
        "source_id": str(source.pk),
        "message": "The sync has started. The status of the source says when it has ended.",
    }
    assert stored(source).sync_status == "syncing"
    event = SyncEvent.objects.for_tenant(tenant).get(source=source)
    assert (event.action, event.details["provider"]) == ("sync_started", "web")


def test_workers_hear_of_it_after_the_commit_and_not_before(
    admin_api: APIClient,
    tenant: Tenant,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks,
):
    source, told = make_source(tenant), list[Lane]()
    monkeypatch.setattr("sources.services.syncing.tell_lane", told.append)

    with django_capture_on_commit_callbacks() as callbacks:
        admin_api.post(url(source.pk))
    before_commit = list(told)
    for callback in callbacks:
        callback()

    assert before_commit == []
    assert told == [Lane.BACKGROUND]
    assert stored(source).sync_lane == Lane.BACKGROUND


def test_a_worker_then_indexes_the_source_again(
    admin_api: APIClient,
    tenant: Tenant,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks,
):
    source = ingest_file(tenant, file=text_file("Old text."), filename="faq.txt")
    rewrite_original(source, long_paragraph("returns"), long_paragraph("shipping"))
    monkeypatch.setitem(app.conf, "task_always_eager", True)

    with django_capture_on_commit_callbacks(execute=True):
        admin_api.post(url(source.pk))

    synced = stored(source)
    assert (synced.sync_status, synced.sync_run_id, synced.chunks_count) == ("synced", None, 2)
    assert texts(source) == [long_paragraph("returns"), long_paragraph("shipping")]


def test_a_run_younger_than_thirty_minutes_is_not_disturbed(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    run_id = hold_lock(source, minutes=29.9)

    response = admin_api.post(url(source.pk))

    assert response.status_code == 409
    assert response.json() == {
        "error": {
            "code": "SYNC_IN_PROGRESS",
            "message": "This source is being synced. Wait until the sync has finished.",
        }
    }
    assert stored(source).sync_run_id == run_id
    assert not SyncEvent.objects.for_tenant(tenant).exists()


def test_an_older_run_is_overwritten(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    run_id = hold_lock(source, minutes=30.1)

    assert admin_api.post(url(source.pk)).status_code == 202
    assert stored(source).sync_run_id not in (run_id, None)


def test_without_a_broker_the_sync_waits_for_beat(
    admin_api: APIClient,
    tenant: Tenant,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks,
):
    monkeypatch.setitem(app.conf, "broker_write_url", "redis://127.0.0.1:1/0")
    source = make_source(tenant)

    with django_capture_on_commit_callbacks(execute=True):
        response = admin_api.post(url(source.pk))

    assert response.status_code == 202
    assert count_claimable(Lane.BACKGROUND) == 1


def test_a_body_is_not_looked_at(admin_api: APIClient, tenant: Tenant):
    response = admin_api.generic("POST", url(make_source(tenant).pk), "{", "application/json")

    assert response.status_code == 202


def test_while_a_sync_runs_the_old_chunks_stay(admin_api: APIClient, tenant: Tenant):
    source = ingest_file(tenant, file=text_file(), filename="faq.txt")

    admin_api.post(url(source.pk))

    assert Chunk.objects.for_tenant(tenant).filter(source_id=source.pk).count() == 1
    assert stored(source).chunks_count == 1
