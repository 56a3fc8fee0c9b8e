"""GET /ingest/sources/{id}/preview (docs/specification.md, Sources 8)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.models import Tenant
from sources.models import Source
from sources.tests.factories import make_chunk, make_document, make_source

pytestmark = pytest.mark.django_db


def url(source: Source) -> str:
    return f"/ingest/sources/{source.pk}/preview"


def make_texts(source: Source, position: int, *texts: str) -> None:
    """A document with these chunks, of which the last is stored first."""
    document = make_document(source, position=position, chunks_count=len(texts))
    for number, text in reversed(list(enumerate(texts))):
        make_chunk(document, position=number, text=text)


def contents(client: APIClient, source: Source) -> list[str]:
    return [entry["content"] for entry in client.get(url(source)).json()]


def test_an_entry_tells_content_level_and_location(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    document = make_document(source, chunks_count=1)
    make_chunk(document, text="Tea: 3 euros", level="row", location="sheet Prices, row 12")

    response = admin_api.get(url(source))

    assert response.status_code == 200
    assert response.json() == [
        {"content": "Tea: 3 euros", "chunk_level": "row", "location": "sheet Prices, row 12"}
    ]


def test_the_first_three_in_order_of_document_and_position(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    make_texts(source, 2, "third page")
    make_texts(source, 1)  # nothing of it could be indexed
    make_texts(source, 0, "first page, top", "first page, bottom")
    make_texts(source, 3, "fourth page")

    assert contents(admin_api, source) == ["first page, top", "first page, bottom", "third page"]


def test_of_one_document_too(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    make_texts(source, 0, "a", "b", "c", "d")

    assert contents(admin_api, source) == ["a", "b", "c"]


def test_content_is_cut_to_two_hundred_characters(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    make_texts(source, 0, "ñ" * 201, "n" * 200)

    assert contents(admin_api, source) == ["ñ" * 200, "n" * 200]


def test_a_source_without_chunks_has_an_empty_preview(admin_api: APIClient, tenant: Tenant):
    assert admin_api.get(url(make_source(tenant))).json() == []


def test_chunks_of_other_sources_are_not_shown(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    make_texts(make_source(tenant), 0, "another source")

    assert contents(admin_api, source) == []


def test_many_documents_cost_no_more_queries_than_three(admin_api: APIClient, tenant: Tenant):
    def count_queries(documents_count: int) -> int:
        source = make_source(tenant)
        for number in range(documents_count):
            make_texts(source, number, "text")
        with CaptureQueriesContext(connection) as queries:
            admin_api.get(url(source))
        return len(queries)

    # who is calling, the source, the first documents, the chunks of each
    assert (count_queries(3), count_queries(20)) == (6, 6)
