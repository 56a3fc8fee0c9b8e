"""GET /tenants/me/usage, and what an upload leaves in the counter of documents."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant, UsageCounter
from sources.errors import FileProcessingFailed
from sources.models import Source, SyncStatus
from sources.services.editing import delete_source
from sources.services.uploads import ingest_file
from sources.tests.factories import long_paragraph, make_source, text_file

PATH = "/tenants/me/usage"
NOVEMBER = date(2026, 11, 1)


@pytest.fixture(autouse=True)
def in_november(monkeypatch: pytest.MonkeyPatch) -> None:
    def now() -> date:
        return NOVEMBER

    monkeypatch.setattr("accounts.plans.usage.this_month", now)
    monkeypatch.setattr("sources.services.usage.this_month", now)


def set_plan(tenant: Tenant, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(tenant.plan, name, value)
    tenant.plan.save()


def make_counter(tenant: Tenant, metric: str, used: int, overage: int, **over: Any) -> None:
    fields: Any = {"metric": metric, "period_start": NOVEMBER, "used": used, "overage": overage}
    UsageCounter.objects.for_tenant(tenant).create(**(fields | over))


def upload(tenant: Tenant, *paragraphs: str) -> Source:
    return ingest_file(tenant, file=text_file(*paragraphs), filename="faq.txt")


def recorded(tenant: Tenant, metric: str = "documents") -> list[tuple[int, int]]:
    """The most that were kept, and over the limit."""
    rows = UsageCounter.objects.for_tenant(tenant).filter(metric=metric)
    return list(rows.values_list("used", "overage"))


# --- What it answers ------------------------------------------------------------------------------


def test_a_tenant_that_has_used_nothing(admin_api: APIClient) -> None:
    answer = admin_api.get(PATH)

    assert answer.status_code == 200
    assert answer.json() == {
        "plan": "enterprise",
        "period_start": "2026-11-01T00:00:00.000000Z",
        "documents": {"used": 0, "limit": None, "overage": 0},
        "passages": {"used": 0, "limit": None, "overage": 0},
        "queries": {"used": 0, "limit": None, "overage": 0},
        "connectors": {"used": 0, "limit": None},
    }


def test_a_tenant_over_its_limits(
    tenant: Tenant, other_tenant: Tenant, admin_api: APIClient
) -> None:
    set_plan(tenant, max_documents=1, max_passages=100, max_queries_per_month=40, max_connectors=3)
    for source_type in ("file", "audio", "file", "web", "notes_app"):
        make_source(tenant, source_type=source_type, chunks_count=30)
    make_source(tenant, deleted_at=datetime.now(UTC), chunks_count=30)
    make_source(tenant, source_type="web", sync_status=SyncStatus.ERROR)  # never indexed anything
    make_source(other_tenant, chunks_count=30)
    make_counter(tenant, "queries", 42, 2)
    make_counter(tenant, "queries", 99, 59, period_start=date(2026, 10, 1))
    make_counter(other_tenant, "queries", 7, 0)

    assert admin_api.get(PATH).json() == {
        "plan": "enterprise",
        "period_start": "2026-11-01T00:00:00.000000Z",
        "documents": {"used": 3, "limit": 1, "overage": 2},
        "passages": {"used": 150, "limit": 100, "overage": 50},
        "queries": {"used": 42, "limit": 40, "overage": 2},
        "connectors": {"used": 2, "limit": 3},
    }


@pytest.mark.parametrize(
    ("limit", "blocks_overage", "overage"), [(2, False, 4), (0, False, 5), (0, True, 0)]
)
def test_overage_of_documents_is_the_highest_of_the_month_or_what_it_is_now(
    tenant: Tenant, admin_api: APIClient, limit: int, *, blocks_overage: bool, overage: int
) -> None:
    set_plan(tenant, max_documents=limit, blocks_overage=blocks_overage)
    make_counter(tenant, "documents", 9, 4)
    for _ in range(5):
        make_source(tenant)

    documents = admin_api.get(PATH).json()["documents"]

    assert documents == {"used": 5, "limit": limit, "overage": overage}


def test_it_costs_the_same_however_much_was_used(
    tenant: Tenant, admin_api: APIClient, django_assert_num_queries: Any
) -> None:
    for sources_count in (2, 20):
        for _ in range(sources_count):
            make_source(tenant)
        # The caller, the counters, documents, passages, connectors
        with django_assert_num_queries(5):
            admin_api.get(PATH)


# --- What uploads record --------------------------------------------------------------------------


def test_uploads_over_the_limit_of_a_paid_plan_are_recorded(tenant: Tenant) -> None:
    set_plan(tenant, max_documents=1)

    first, *_ = [upload(tenant) for _ in range(3)]
    assert recorded(tenant) == [(3, 2)]

    delete_source(tenant, first.pk)
    upload(tenant)
    assert recorded(tenant) == [(3, 2)]


def test_passages_over_the_limit_of_a_paid_plan_are_indexed_and_recorded(tenant: Tenant) -> None:
    set_plan(tenant, max_passages=1)

    first, *_ = [upload(tenant, long_paragraph("boats"), long_paragraph("sails")) for _ in range(2)]
    assert first.sync_status == SyncStatus.SYNCED
    assert recorded(tenant, "passages") == [(4, 3)]

    delete_source(tenant, first.pk)
    upload(tenant)
    assert recorded(tenant, "passages") == [(4, 3)]


def test_an_unreadable_file_is_not_billed(tenant: Tenant) -> None:
    set_plan(tenant, max_documents=0)

    with pytest.raises(FileProcessingFailed):
        upload(tenant, "")

    assert recorded(tenant) == []


def test_an_upload_that_is_kept_in_error_counts(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("sources.syncing.batches.embed_documents", fail)

    assert upload(tenant).sync_status == SyncStatus.ERROR
    assert recorded(tenant) == [(1, 0)]


def test_others_in_their_first_run_do_not_count_yet(tenant: Tenant) -> None:
    """They may turn out to be unreadable."""
    make_source(tenant, sync_status=SyncStatus.SYNCING)
    make_source(tenant, sync_status=SyncStatus.SYNCING, last_synced_at=datetime.now(UTC))

    upload(tenant)

    assert recorded(tenant) == [(2, 0)]
