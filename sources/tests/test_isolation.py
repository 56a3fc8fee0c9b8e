"""Nothing of one tenant's sources can be seen, counted or changed from another tenant."""

import uuid

import pytest
from django.db import IntegrityError
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tenancy import TenantRequired
from sources import services, sync
from sources.errors import SourceNotFound, SyncFailed
from sources.models import Chunk, Source, SyncEvent
from sources.tasks import ingest_upload
from sources.tests.factories import make_chunk, make_document, make_source, text_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def theirs(other_tenant: Tenant) -> Source:
    """A source of the other tenant, in the middle of a run."""
    source = make_source(other_tenant, sync_status="syncing", sync_run_id=uuid.uuid4())
    make_chunk(make_document(source))
    return source


def state_of(source: Source) -> tuple[object, ...]:
    row = Source.all_tenants.values().get(pk=source.pk)
    chunks = Chunk.all_tenants.filter(source=source).values_list("pk", "text")
    events = SyncEvent.all_tenants.filter(source=source).count()
    return row, list(chunks), events


def test_every_address_of_a_foreign_source_is_a_404_and_changes_nothing(
    admin_api: APIClient, theirs: Source
):
    before = state_of(theirs)

    for method in ("get", "head", "post", "put", "patch", "delete"):
        response = getattr(admin_api, method)(f"/ingest/sources/{theirs.pk}/status")
        assert response.status_code in (404, 405)
    assert admin_api.get(f"/ingest/sources/{theirs.pk}/status").status_code == 404
    assert state_of(theirs) == before


def test_a_service_finds_no_foreign_source(tenant: Tenant, theirs: Source):
    with pytest.raises(SourceNotFound):
        services.get_source(tenant, theirs.pk)
    assert list(services.list_sources(tenant)) == []


def test_a_task_with_a_foreign_source_does_nothing(tenant: Tenant, theirs: Source):
    before = state_of(theirs)

    ingest_upload(str(tenant.pk), str(theirs.pk), str(theirs.sync_run_id))

    assert state_of(theirs) == before


def test_a_run_cannot_be_ended_from_another_tenant(tenant: Tenant, theirs: Source):
    before = state_of(theirs)
    assert theirs.sync_run_id is not None

    sync.fail_run(tenant, theirs.pk, run_id=theirs.sync_run_id, error=SyncFailed())

    assert state_of(theirs) == before


def test_an_upload_leaves_other_tenants_alone(tenant: Tenant, theirs: Source):
    before = state_of(theirs)

    services.ingest_file(tenant, file=text_file(), filename="faq.txt")

    assert state_of(theirs) == before


def test_sources_cannot_be_read_without_a_tenant():
    with pytest.raises(TenantRequired):
        Source.objects.all()


def test_no_row_can_point_into_another_tenant(tenant: Tenant, theirs: Source):
    """The second wall: PostgreSQL refuses what code got wrong."""
    with pytest.raises(IntegrityError):
        SyncEvent.all_tenants.create(tenant=tenant, source=theirs, action="sync_started")
