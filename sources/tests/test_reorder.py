"""PATCH /ingest/sources/reorder."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Tenant
from sources.models import Source
from sources.tests.factories import make_source

URL = "/ingest/sources/reorder"
SOME_ID = str(uuid.UUID(int=7))

pytestmark = pytest.mark.django_db


def place(source: Source, position: object) -> dict[str, Any]:
    return {"source_id": str(source.pk), "position": position}


def reorder(client: APIClient, body: object):
    return client.patch(URL, body, format="json")


def listed(client: APIClient) -> list[tuple[str, int]]:
    return [(source["name"], source["position"]) for source in client.get("/ingest/sources").json()]


def test_sources_are_listed_in_their_new_order(admin_api: APIClient, tenant: Tenant):
    a, b, c = (make_source(tenant, name=name, position=i) for i, name in enumerate("abc"))
    body = [place(c, 0), place(a, 5)]

    response = reorder(admin_api, body)

    assert response.status_code == 200
    assert response.json() == body
    assert listed(admin_api) == [("c", 0), ("b", 1), ("a", 5)]


def test_an_id_is_answered_as_it_is_written_elsewhere(admin_api: APIClient, tenant: Tenant):
    source = make_source(tenant)
    entry = {"source_id": source.pk.hex.upper(), "position": 1}

    assert reorder(admin_api, [entry]).json() == [place(source, 1)]


def test_nothing_to_do_is_fine(admin_api: APIClient):
    response = reorder(admin_api, [])

    assert (response.status_code, response.json()) == (200, [])


@pytest.mark.parametrize("source_id", [SOME_ID, "not-an-id"])
def test_an_unknown_id_moves_nothing(admin_api: APIClient, tenant: Tenant, source_id: str):
    source = make_source(tenant, position=1)

    response = reorder(admin_api, [place(source, 9), {"source_id": source_id, "position": 0}])

    assert (response.status_code, response.json()["error"]["code"]) == (404, "SOURCE_NOT_FOUND")
    assert Source.objects.for_tenant(tenant).get().position == 1


def test_neither_does_a_deleted_or_foreign_one(
    admin_api: APIClient, tenant: Tenant, other_tenant: Tenant
):
    mine = make_source(tenant, position=1)
    unknown = reorder(admin_api, [{"source_id": SOME_ID, "position": 0}])
    for other in (make_source(tenant, deleted_at=timezone.now()), make_source(other_tenant)):
        response = reorder(admin_api, [place(mine, 9), place(other, 7)])

        assert (response.status_code, response.content) == (404, unknown.content)
        assert Source.all_tenants.get(pk=other.pk).position == 0
    assert Source.objects.for_tenant(tenant).get().position == 1


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"source_id": SOME_ID, "position": 1}, "INVALID_REQUEST_BODY"),
        ("text", "INVALID_REQUEST_BODY"),
        (None, "INVALID_REQUEST_BODY"),
        ([{"position": 1}], "MISSING_FIELDS"),
        ([{"source_id": SOME_ID}], "MISSING_FIELDS"),
        ([{"source_id": None, "position": 1}], "MISSING_FIELDS"),
        ([{"source_id": SOME_ID, "position": None}], "MISSING_FIELDS"),
        ([SOME_ID], "VALIDATION_ERROR"),
        ([{"source_id": 7, "position": 1}], "VALIDATION_ERROR"),
        ([{"source_id": SOME_ID, "position": -1}], "VALIDATION_ERROR"),
        ([{"source_id": SOME_ID, "position": True}], "VALIDATION_ERROR"),
        ([{"source_id": SOME_ID, "position": "1"}], "VALIDATION_ERROR"),
        ([{"source_id": SOME_ID, "position": 1.0}], "VALIDATION_ERROR"),
        ([{"source_id": SOME_ID, "position": 2**31}], "VALIDATION_ERROR"),
        ([{"source_id": SOME_ID, "position": 1}] * 2, "VALIDATION_ERROR"),
        ([{"source_id": SOME_ID, "position": 1}] * 1001, "VALIDATION_ERROR"),
    ],
)
def test_the_body_is_an_array_of_ids_and_positions(admin_api: APIClient, body: object, code: str):
    response = reorder(admin_api, body)

    assert (response.status_code, response.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize("content", ["", "[", "[1,", "null", "1"])
def test_what_is_no_json_is_refused(admin_api: APIClient, content: str):
    response = admin_api.generic("PATCH", URL, content, "application/json")

    assert (response.status_code, response.json()["error"]["code"]) == (400, "INVALID_REQUEST_BODY")


def test_twenty_cost_as_many_queries_as_two(admin_api: APIClient, tenant: Tenant):
    def count_queries(count: int) -> int:
        body = [place(make_source(tenant), number) for number in range(count)]
        with CaptureQueriesContext(connection) as queries:
            reorder(admin_api, body)
        return len(queries)

    assert count_queries(2) == count_queries(20)
