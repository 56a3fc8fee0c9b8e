"""Nothing of one tenant's sources is counted or changed from another one, also behind the API.

What the API itself answers: config/tests/test_isolation_matrix.py.
"""

import uuid

import pytest
from django.db import IntegrityError

from accounts.models import Tenant
from accounts.models.tenancy import TenantRequired
from sources.errors import SourceNotFound, SyncFailed
from sources.models import Chunk, Schedule, Source, SyncEvent
from sources.services.creating import create_source
from sources.services.reading import get_source, list_sources
from sources.services.uploads import ingest_file
from sources.syncing import runs
from sources.syncing.sync import sync_source
from sources.tests.factories import make_chunk, make_document, make_schedule, make_source, text_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def theirs(other_tenant: Tenant) -> Source:
    """A source of the other tenant, in the middle of a run."""
    source = make_source(other_tenant, sync_status="syncing", sync_run_id=uuid.uuid4())
    make_chunk(make_document(source))
    make_schedule(source)
    return source


def state_of(source: Source) -> tuple[object, ...]:
    row = Source.all_tenants.values().get(pk=source.pk)
    chunks = Chunk.all_tenants.filter(source=source).values_list("pk", "text")
    events = SyncEvent.all_tenants.filter(source=source).count()
    schedules = Schedule.all_tenants.filter(source=source).values()
    return row, list(chunks), events, list(schedules)


def test_a_foreign_website_is_no_duplicate_and_no_connector_of_ours(
    tenant: Tenant, other_tenant: Tenant
):
    url = "http://93.184.216.34/help"
    for owner in (other_tenant, tenant):
        create_source(owner, name="Help", source_type="web", source_url=url)

    assert Source.objects.for_tenant(tenant).connectors().count() == 1


def test_a_service_finds_no_foreign_source(tenant: Tenant, theirs: Source):
    with pytest.raises(SourceNotFound):
        get_source(tenant, theirs.pk)
    assert list(list_sources(tenant)) == []


def test_a_run_of_a_foreign_source_does_nothing(tenant: Tenant, theirs: Source):
    before = state_of(theirs)
    assert theirs.sync_run_id is not None

    sync_source(tenant, theirs.pk, run_id=theirs.sync_run_id)

    assert state_of(theirs) == before


def test_a_run_cannot_be_ended_from_another_tenant(tenant: Tenant, theirs: Source):
    before = state_of(theirs)
    assert theirs.sync_run_id is not None

    runs.fail_run(tenant, theirs.pk, run_id=theirs.sync_run_id, error=SyncFailed())

    assert state_of(theirs) == before


def test_an_upload_leaves_other_tenants_alone(tenant: Tenant, theirs: Source):
    before = state_of(theirs)

    ingest_file(tenant, file=text_file(), filename="faq.txt")

    assert state_of(theirs) == before


def test_sources_cannot_be_read_without_a_tenant():
    with pytest.raises(TenantRequired):
        Source.objects.all()


def test_no_row_can_point_into_another_tenant(tenant: Tenant, theirs: Source):
    """The second wall: PostgreSQL refuses what code got wrong."""
    with pytest.raises(IntegrityError):
        SyncEvent.all_tenants.create(tenant=tenant, source=theirs, action="sync_started")
