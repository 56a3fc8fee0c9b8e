"""Every page and action × {nobody, each role} × {own, another tenant's, missing target}. A new page
without a row fails here. The rows are in rows_<section>.py.
"""

import importlib
import pkgutil
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from accounts.models import Role, Tenant
from config import urls as product_urls
from config.tests.isolation.url_table import ANY_METHOD, Endpoint, list_pages
from dashboard.base import DashboardView
from dashboard.tests.accounts import Shelves, shelves  # noqa: F401 - a fixture
from dashboard.tests.factories import pages_of
from dashboard.tests.matrix import EVERYBODY, PageRow
from sources.tests.conftest import inline_worker  # noqa: F401 - a fixture

MODULES = [
    importlib.import_module(f"dashboard.tests.{module.name}")
    for module in pkgutil.iter_modules([str(Path(__file__).parent)])
    if module.name.startswith("rows_")
]
ROWS: list[PageRow] = [
    PageRow("GET", "dashboard/", EVERYBODY),
    *(row for module in MODULES for row in module.ROWS),
]
CLOSED = [row for row in ROWS if not row.is_public]
PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")


@pytest.fixture(autouse=True)
def nothing_outside(inline_worker: None, shelves: Shelves) -> None:  # noqa: F811 - the fixtures
    """No worker: what is enqueued is done at once. No provider: accounts answer by themselves."""


def address(row: PageRow, given: Mapping[str, Any]) -> str:
    path = "/" + PARAMETER.sub(lambda found: str(given[found[2]]), row.route)
    query = urlencode(row.query())
    return f"{path}?{query}" if query else path


def missing(given: Mapping[str, Any]) -> dict[str, Any]:
    """The same address, of what never existed."""
    return {name: absent(value) for name, value in given.items()}


def absent(value: Any) -> Any:
    if isinstance(value, uuid.UUID):
        return uuid.uuid4()
    return 2**40 if isinstance(value, int) else value


def is_page(answer: HttpResponse) -> bool:
    return answer["Content-Type"].startswith("text/html") and b"<html" in answer.content


def test_every_page_has_a_row() -> None:
    listed = {Endpoint(row.method, row.route) for row in ROWS}

    # A redirect to the same for everybody is one endpoint of any method.
    assert {page for page in list_pages() if page.method != ANY_METHOD} == listed


@pytest.mark.parametrize("row", CLOSED, ids=str)
def test_nobody_sees_it_without_signing_in(row: PageRow, tenant: Tenant) -> None:
    answer = post_or_get(Client(), row, row.target(tenant), tenant)

    assert answer.status_code in (302, 204)
    assert "/dashboard/sign-in" in answer.get("Location", answer.get("HX-Redirect", ""))


@pytest.mark.parametrize("row", CLOSED, ids=str)
@pytest.mark.parametrize("role", Role)
def test_each_role_sees_what_is_its_own(row: PageRow, role: Role, tenant: Tenant) -> None:
    target = row.target(tenant)

    answer = post_or_get(pages_of(tenant, role=role), row, target, tenant)

    if role in row.roles:
        assert answer.status_code in (200, 204, 302), answer.content[-2000:]
    else:
        assert answer.status_code == 403
        assert is_page(answer)


@pytest.mark.parametrize("row", [row for row in CLOSED if PARAMETER.search(row.route)], ids=str)
def test_what_is_another_tenants_is_as_if_it_had_never_been(
    row: PageRow, tenant: Tenant, other_tenant: Tenant
) -> None:
    theirs = row.target(other_tenant)
    pages = pages_of(tenant, role=min(row.roles, key=list(Role).index))

    answer = post_or_get(pages, row, theirs, other_tenant)
    never = post_or_get(pages, row, missing(theirs), other_tenant)

    assert (answer.status_code, never.status_code) == (404, 404)
    assert is_page(answer)
    assert strip_token(answer.content) == strip_token(never.content)


def post_or_get(
    client: Client, row: PageRow, target: Mapping[str, Any], tenant: Tenant
) -> HttpResponse:
    """`tenant`: whose rows the form names."""
    if row.method == "GET":
        return client.get(address(row, target))  # type: ignore[return-value]  # the test client's
    return client.post(address(row, target), row.form(tenant))  # type: ignore[return-value]


def strip_token(content: bytes) -> bytes:
    """Each page, and each form in it, has a CSRF token of its own."""
    return re.sub(rb'(X-CSRFToken": |csrfmiddlewaretoken" value=)"[^"]*"', b"", content)


def test_a_page_that_forgets_to_say_who_may_see_it_shows_itself_to_nobody(
    tenant: Tenant, settings: Any
) -> None:
    settings.ROOT_URLCONF = __name__

    assert pages_of(tenant).get("/dashboard/forgetful").status_code == 403


class ForgetfulView(DashboardView):
    def get(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse("everything")


urlpatterns = [path("dashboard/forgetful", ForgetfulView.as_view()), *product_urls.urlpatterns]
