"""GET /ingest/sources, and what else can be listed of sources."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Tenant
from sources.errors import SourceNotFound
from sources.models import Source, SyncStatus
from sources.services.reading import has_indexed, list_documents, list_sources
from sources.tests.factories import make_document, make_source

URL = "/ingest/sources"


def test_a_source_is_listed_with_these_fields(admin_api: APIClient, tenant: Tenant):
    source = make_source(
        tenant,
        name="Tarifas",
        position=3,
        chunks_count=12,
        last_synced_at=datetime(2025, 3, 1, 9, 30, tzinfo=UTC),
    )
    created_at = datetime(2025, 2, 1, 8, 0, 0, 123456, tzinfo=UTC)
    Source.objects.for_tenant(tenant).update(created_at=created_at)

    response = admin_api.get(URL)

    assert response.status_code == 200
    assert response.json() == [
        {
            "source_id": str(source.pk),
            "name": "Tarifas",
            "source_type": "file",
            "sync_status": "synced",
            "last_synced_at": "2025-03-01T09:30:00.000000Z",
            "created_at": "2025-02-01T08:00:00.123456Z",
            "chunks_count": 12,
            "position": 3,
        }
    ]


def test_what_syncs_keep_for_themselves_is_not_read(admin_api: APIClient, tenant: Tenant):
    """An origin may make megabytes of it: once a source, in as many requests as there are."""
    make_source(tenant, sync_cursor={"pages": ["x"] * 100})
    with CaptureQueriesContext(connection) as queries:
        admin_api.get(URL)
    assert "sync_cursor" not in str(queries.captured_queries)
    assert "known_failures" not in str(queries.captured_queries)


def test_without_sources_the_list_is_empty(admin_api: APIClient):
    assert admin_api.get(URL).json() == []


def test_a_source_that_was_never_synced_has_no_time(admin_api: APIClient, tenant: Tenant):
    make_source(tenant, sync_status="pending", last_synced_at=None)

    assert admin_api.get(URL).json()[0]["last_synced_at"] is None


def test_only_a_source_in_error_tells_a_cause(admin_api: APIClient, tenant: Tenant):
    make_source(tenant, position=1, sync_status="error", error_message="No access.")
    make_source(tenant, position=2, sync_status="syncing", error_message="No access.")

    failed, syncing = admin_api.get(URL).json()

    assert failed["error_message"] == "No access."
    assert "error_message" not in syncing


def test_order_is_by_position_then_creation(admin_api: APIClient, tenant: Tenant):
    for name, position in (("c", 2), ("a", 1), ("d", 2), ("b", 1)):
        make_source(tenant, name=name, position=position)

    assert [source["name"] for source in admin_api.get(URL).json()] == ["a", "b", "c", "d"]


def test_other_tenants_sources_are_not_listed(
    admin_api: APIClient, tenant: Tenant, other_tenant: Tenant
):
    mine = make_source(tenant)
    make_source(other_tenant)

    assert [source["source_id"] for source in admin_api.get(URL).json()] == [str(mine.pk)]


def test_twenty_sources_cost_as_many_queries_as_two(admin_api: APIClient, tenant: Tenant):
    def count_queries() -> int:
        with CaptureQueriesContext(connection) as queries:
            admin_api.get(URL)
        return len(queries)

    for _ in range(2):
        make_source(tenant)
    with_two = count_queries()
    for _ in range(18):
        make_source(tenant)

    assert (with_two, count_queries()) == (2, 2)  # who is calling, and the sources


def test_a_search_finds_by_name_whatever_the_case(tenant: Tenant) -> None:
    make_source(tenant, name="Prices of 2027")
    make_source(tenant, name="Opening hours")

    assert [source.name for source in list_sources(tenant, search="PRICES")] == ["Prices of 2027"]


def test_those_that_need_somebody_are_listed_alone(tenant: Tenant) -> None:
    for status in SyncStatus:
        make_source(tenant, name=status.value, sync_status=status)

    names = {source.name for source in list_sources(tenant, is_failing=True)}
    assert names == {"error", "reauth_required"}


def test_what_was_indexed_once_counts_when_it_is_deleted(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    make_source(tenant)
    make_source(other_tenant, last_synced_at=timezone.now())
    assert not has_indexed(tenant)

    make_source(tenant, last_synced_at=timezone.now(), deleted_at=timezone.now())

    assert has_indexed(tenant)


def test_documents_are_those_that_answer_in_their_order(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    source = make_source(tenant)
    second, first = (make_document(source, position=place) for place in (1, 0))
    make_document(source, generation=1)  # staged

    assert list(list_documents(tenant, source.pk)) == [first, second]
    with pytest.raises(SourceNotFound):
        list_documents(other_tenant, source.pk)
