"""The back office shows sources to staff and changes nothing."""

import uuid

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Tenant, User
from accounts.tests.factories import make_staff_access, sign_staff_in
from sources.models import Source
from sources.tests.factories import (
    make_chunk,
    make_document,
    make_event,
    make_schedule,
    make_source,
)

MODELS = ("source", "document", "chunk", "syncevent", "schedule")


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    sign_staff_in(client, User.objects.create_superuser("staff@example.com", "a long password 1"))
    return client


def make_rows(tenant: Tenant, count: int) -> dict[str, object]:
    """`count` rows of every model, which staff opened; the ids of the last ones."""
    make_staff_access(tenant, User.objects.get(email="staff@example.com"))
    for _ in range(count):
        source = make_source(tenant, error_message="The file is damaged.")
        chunk = make_chunk(make_document(source), text="a" * 600)
        event = make_event(source)
        schedule = make_schedule(source)
    return {
        "source": source.pk,
        "document": chunk.document_id,
        "chunk": chunk.pk,
        "syncevent": event.pk,
        "schedule": schedule.pk,
    }


@pytest.mark.parametrize("model", MODELS)
def test_rows_of_all_tenants_are_listed_with_their_tenant(
    staff: Client, tenant: Tenant, other_tenant: Tenant, model: str
):
    make_rows(tenant, 1)
    make_rows(other_tenant, 1)

    page = staff.get(f"/admin/sources/{model}/").content.decode()

    assert tenant.slug in page
    assert other_tenant.slug in page


@pytest.mark.parametrize("model", MODELS)
def test_a_list_of_twenty_costs_as_many_queries_as_one_of_two(
    staff: Client, tenant: Tenant, model: str
):
    def count_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert staff.get(f"/admin/sources/{model}/").status_code == 200
        return len(queries)

    make_rows(tenant, 2)
    with_two = count_queries()
    make_rows(tenant, 18)

    assert count_queries() == with_two


@pytest.mark.parametrize("model", MODELS)
def test_a_row_can_be_looked_at_but_not_changed(staff: Client, tenant: Tenant, model: str):
    address = f"/admin/sources/{model}/{make_rows(tenant, 1)[model]}/"

    assert staff.get(address + "change/").status_code == 200
    assert staff.post(address + "change/", {"name": "x"}).status_code == 403
    assert staff.post(address + "delete/", {"post": "yes"}).status_code == 403
    assert staff.get(f"/admin/sources/{model}/add/").status_code == 403


@pytest.mark.parametrize("model", MODELS)
def test_searching_works(staff: Client, tenant: Tenant, model: str):
    make_rows(tenant, 1)

    assert staff.get(f"/admin/sources/{model}/?q=Source").status_code == 200


def test_a_long_text_is_cut(staff: Client, tenant: Tenant):
    page = staff.get(f"/admin/sources/chunk/{make_rows(tenant, 1)['chunk']}/change/")

    assert "a" * 500 in page.content.decode()
    assert "a" * 501 not in page.content.decode()


def test_a_source_shows_its_error(staff: Client, tenant: Tenant):
    page = staff.get(f"/admin/sources/source/{make_rows(tenant, 1)['source']}/change/")

    assert "The file is damaged." in page.content.decode()


def test_a_source_shows_how_its_sync_stands_and_its_schedule(staff: Client, tenant: Tenant):
    run_id = uuid.uuid4()
    source = make_source(
        tenant, sync_run_id=run_id, sync_progress={"documents_done": 7321}, sync_attempts=2
    )
    make_schedule(source, frequency="weekly")

    page = staff.get(f"/admin/sources/source/{source.pk}/change/").content.decode()

    assert str(run_id) in page
    assert "7321" in page
    assert "weekly" in page


def test_deleted_sources_are_listed_and_can_be_told(staff: Client, tenant: Tenant):
    make_source(tenant, name="Gone", deleted_at=timezone.now())
    make_source(tenant, name="There")

    def names(query: str) -> tuple[bool, bool]:
        page = staff.get(f"/admin/sources/source/{query}").content.decode()
        return "Gone" in page, "There" in page

    assert names("") == (True, True)
    assert names("?deleted_at__isempty=1") == (False, True)
    assert names("?deleted_at__isempty=0") == (True, False)


def test_staff_start_a_sync_and_are_told_why_another_cannot(staff: Client, tenant: Tenant):
    idle = make_source(tenant, name="Idle")
    running = make_source(
        tenant,
        name="Running",
        sync_status="syncing",
        sync_run_id=uuid.uuid4(),
        sync_started_at=timezone.now(),
    )

    page = staff.post(
        "/admin/sources/source/",
        {"action": "sync_now", "_selected_action": [idle.pk, running.pk]},
        follow=True,
    ).content.decode()

    assert "Idle: the sync has started." in page
    assert "Running: This source is being synced. Wait until the sync has finished." in page
    idle.refresh_from_db()
    assert idle.sync_status == "syncing"


def test_staff_who_may_only_look_cannot_start_a_sync(tenant: Tenant):
    source = make_source(tenant)
    user = User.objects.create_user("looks@example.com", "a long password 1", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_source"))
    client = Client()
    sign_staff_in(client, user)

    client.post("/admin/sources/source/", {"action": "sync_now", "_selected_action": [source.pk]})

    assert client.get("/admin/sources/source/").status_code == 200
    source.refresh_from_db()
    assert source.sync_status == "synced"


def test_the_rows_to_look_at_are_still_there(staff: Client, tenant: Tenant):
    make_rows(tenant, 1)
    staff.post("/admin/sources/source/", {"action": "delete_selected"})

    assert Source.objects.for_tenant(tenant).count() == 1
