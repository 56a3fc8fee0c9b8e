"""Pages of long lists (config/rest/cursor_pages.py), over every endpoint that answers with one."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import signing
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import ApiToken, Membership, Tenant, User
from accounts.tests.factories import bearer, make_membership, make_tenant, make_user
from agents.models import Agent
from agents.tests.factories import make_agent
from config.rest.documentation import make_schema
from sources.models import Source
from sources.tests.factories import make_source

SOURCES = "/ingest/sources"
NEXT = re.compile(r'<http://[^/]+(/[^>]+)>; rel="next"')
CREATED_AT = datetime(2025, 2, 1, 8, 0, 0, 123456, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(tenant: Tenant) -> User:
    return make_user(tenant, email="zoe@acme.example")


@pytest.fixture
def client(person: User, tenant: Tenant) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=bearer(person, tenant)["Authorization"])
    return client


def next_of(response: Any) -> str:
    """The address of the next page; "" on the last one."""
    if "Link" not in response.headers:
        return ""
    match = NEXT.fullmatch(response.headers["Link"])
    assert match, response.headers["Link"]
    return match[1]


def walk(api: APIClient, path: str) -> list[list[dict[str, Any]]]:
    """The pages."""
    pages = []
    while path:
        response = api.get(path)
        assert response.status_code == 200, response.content
        pages.append(response.json())
        path = next_of(response)
    return pages


def make_sources(tenant: Tenant, positions: range) -> list[Source]:
    rows = [Source(tenant=tenant, name=f"{n}", source_type="file", position=n) for n in positions]
    return Source.objects.for_tenant(tenant).bulk_create(rows)


def error_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


# --- Every list -----------------------------------------------------------------------------------


def add_token(tenant: Tenant, person: User) -> None:
    ApiToken.objects.for_tenant(tenant).create(
        membership=Membership.objects.for_tenant(tenant).get(user=person),
        name="Shop",
        expires_at=timezone.now() + timedelta(days=1),
    )


# By path: adds a row, all of one moment, so that ids alone tell them apart.
LISTS: dict[str, Callable[[Tenant, User], object]] = {
    SOURCES: lambda tenant, person: make_source(tenant),
    "/agents": lambda tenant, person: make_agent(tenant),
    "/tenants/me/members": lambda tenant, person: make_user(tenant),
    "/tenants/me/api-tokens": add_token,
    "/auth/tenants": lambda tenant, person: make_membership(
        make_tenant(name="The same name"), person
    ),
}


def fill(path: str, tenant: Tenant, person: User) -> None:
    for _ in range(5):
        LISTS[path](tenant, person)
    for model in (Source, Agent, ApiToken, Membership):
        model.all_tenants.update(created_at=CREATED_AT)


@pytest.mark.parametrize("path", LISTS)
def test_the_pages_together_are_the_list(
    client: APIClient, tenant: Tenant, person: User, path: str
) -> None:
    fill(path, tenant, person)
    whole = client.get(path)
    assert "Link" not in whole.headers
    assert len(whole.json()) >= 5

    for limit in (1, 2, 5, 6, 1000):
        pages = walk(client, f"{path}?limit={limit}")

        assert [row for page in pages for row in page] == whole.json()
        assert {len(page) for page in pages[:-1]} <= {limit}
        assert 1 <= len(pages[-1]) <= limit


@pytest.mark.parametrize("path", LISTS)
def test_a_page_costs_as_many_queries_as_the_list(
    client: APIClient, tenant: Tenant, person: User, path: str
) -> None:
    fill(path, tenant, person)
    next_page = next_of(client.get(f"{path}?limit=2"))
    counts = []
    for address in (path, f"{path}?limit=2", next_page):
        with CaptureQueriesContext(connection) as queries:
            client.get(address)
        counts.append(len(queries))

    assert counts == [2, 2, 2]  # who asks, and the rows


@pytest.mark.parametrize("path", LISTS)
def test_a_cursor_is_of_one_list_and_one_workspace(
    client: APIClient, tenant: Tenant, person: User, other_api: APIClient, path: str
) -> None:
    fill(path, tenant, person)
    next_page = next_of(client.get(f"{path}?limit=1"))
    query = next_page.partition("?")[2]

    assert client.get(next_page).status_code == 200
    assert error_of(other_api.get(next_page)) == (400, "VALIDATION_ERROR")
    for other in LISTS.keys() - {path}:
        assert error_of(client.get(f"{other}?{query}")) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=1001", "limit=-1", "limit=", "limit=x", "limit=1.5"]
    + ["cursor=", "cursor=x", "cursor=%00", "cursor=%ff", "cursor=:::", f"cursor={'x' * 2001}"],
)
def test_what_is_malformed_is_said_so(client: APIClient, path: str, query: str) -> None:
    assert error_of(client.get(f"{path}?{query}")) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize("path", LISTS)
def test_what_else_is_asked_is_ignored_as_ever(client: APIClient, path: str) -> None:
    assert client.get(f"{path}?page=2").content == client.get(path).content


def test_a_cursor_that_was_changed_is_none(client: APIClient, tenant: Tenant) -> None:
    make_sources(tenant, range(2))
    address = next_of(client.get(f"{SOURCES}?limit=1"))
    forged = signing.dumps([0, "2025-01-01", "x"], key="another", salt="cursor")

    for cursor in (address[:-1], address + "A", f"{SOURCES}?cursor={forged}"):
        assert error_of(client.get(cursor)) == (400, "VALIDATION_ERROR")


def test_every_endpoint_that_answers_an_array_has_pages_or_a_limit() -> None:
    bounded = {
        "/ingest/sources/{source_id}/preview": "the first three passages",
        "/ingest/sources/{source_id}/history": "`limit`, of 100 at most",
        "/agents/{agent_id}/channels": "one of each kind",
    }
    arrays = {
        path
        for path, methods in make_schema()["paths"].items()
        if "get" in methods and schema_of(methods["get"]["responses"]["200"]).get("type") == "array"
    }

    assert arrays == LISTS.keys() | bounded.keys()


def schema_of(answer: dict[str, Any]) -> dict[str, Any]:
    content = answer.get("content", {}).get("application/json", {})
    schema: dict[str, Any] = content.get("schema", {})
    return schema


# --- Long lists -----------------------------------------------------------------------------------


def test_1000_rows_are_one_answer_and_one_more_has_a_link(
    client: APIClient, tenant: Tenant
) -> None:
    make_sources(tenant, range(1000))
    whole = client.get(SOURCES)
    assert (len(whole.json()), next_of(whole)) == (1000, "")

    make_sources(tenant, range(1000, 1001))
    first = client.get(SOURCES)

    assert first.content == whole.content
    assert [row["name"] for row in client.get(next_of(first)).json()] == ["1000"]


def test_2500_sources_are_seen_once_each_while_others_come_and_go(
    client: APIClient, tenant: Tenant
) -> None:
    """Before, at and after the place where somebody reads."""
    staying = {str(source.pk) for source in make_sources(tenant, range(0, 5000, 2))}
    seen: list[str] = []
    page_number, path = 0, f"{SOURCES}?limit=300"
    while path:
        response = client.get(path)
        seen += [row["source_id"] for row in response.json()]
        path = next_of(response)
        last = response.json()[-1]["position"]
        for near in (0, last - 1, last, last + 1, 4999):
            make_source(tenant, position=near)
        leaving = make_source(tenant, position=last)
        leaving.delete()
        if page_number == 2:  # the one that the cursor stands on goes itself
            Source.objects.for_tenant(tenant).filter(pk=seen[-1]).delete()
        page_number += 1

    assert page_number == 9
    assert len(seen) == len(set(seen))
    assert staying <= set(seen)
    assert len(set(seen) - staying) == 8 * 3  # of the new ones, those that came behind the reader


def test_who_reads_on_after_the_end_gets_nothing(client: APIClient, tenant: Tenant) -> None:
    make_sources(tenant, range(2))
    next_page = next_of(client.get(f"{SOURCES}?limit=1"))
    Source.objects.for_tenant(tenant).filter(position=1).delete()

    answer = client.get(next_page)

    assert (answer.json(), next_of(answer)) == ([], "")


def test_columns_that_descend_are_read_downwards(client: APIClient, tenant: Tenant) -> None:
    person = User.objects.get(email="zoe@acme.example")
    for _ in range(3):
        add_token(tenant, person)

    pages = walk(client, "/tenants/me/api-tokens?limit=1")

    times = [row["created_at"] for page in pages for row in page]
    assert times == sorted(times, reverse=True)
    assert len(pages) == 3
