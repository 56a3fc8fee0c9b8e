"""The back office: every model of the project is in it, and every page of it opens."""

from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.core.checks import run_checks
from django.db import connection, models
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

import config.urls  # noqa: F401 - which has the back office find its pages
from accounts.admin.start_page import GROUPS
from accounts.models import Tenant, User
from accounts.services.staff_access import open_staff_access
from accounts.tests.factories import PASSWORD, make_tenant, make_user, sign_staff_in
from config.tests.rows import MAKERS
from query.models import Outcome, OutcomeCount
from sources.tests.factories import make_source

# Never shown, each for its reason.
UNREGISTERED = {
    "sources.ChunkEmbedding": "a composite primary key; numbers for the search alone",
    "sources.ChunkReading": "a composite primary key; signs for the choice of an answer alone",
    "sources.ChunkTerms": "a composite primary key; numbers for the search alone",
    "sources.EmbeddingSpace": "bin/manage reembed alone may change it",
    "sources.LaneTurn": "whose turn it is next: workers alone change it",
    "sources.TermPostings": "a composite primary key; numbers for the search alone",
    "sources.VectorSigns": "likewise",
    "sources.SourceTerm": "a composite primary key; numbers for the search alone",
}


def registered() -> list[Any]:
    ordered = sorted(admin.site._registry, key=lambda model: model._meta.label)
    return [pytest.param(model, id=model._meta.label) for model in ordered]


def page(model: type[models.Model], name: str, *args: Any) -> str:
    options = model._meta
    return reverse(f"admin:{options.app_label}_{options.model_name}_{name}", args=args)


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    sign_staff_in(client, User.objects.create_superuser("staff@example.com", PASSWORD))
    return client


def test_every_model_of_the_project_is_registered() -> None:
    ours = [m for m in apps.get_models() if (settings.BASE_DIR / m._meta.app_label).is_dir()]
    missing = {model._meta.label for model in ours if model not in admin.site._registry}

    assert missing == set(UNREGISTERED)


def test_django_finds_no_fault_with_pages_and_addresses() -> None:
    """`migrate` leaves these checks out, since they load all views."""
    assert run_checks() == []


def open_all_tenants() -> None:
    """To the one who is staff: some pages need a reason (test_customers_words.py)."""
    user = User.objects.get(email="staff@example.com")
    for tenant in Tenant.objects.all():
        open_staff_access(tenant, user, reason="Every page opens")


@pytest.mark.parametrize("model", registered())
def test_list_opens_and_costs_the_same_queries_for_any_number_of_rows(
    model: type[models.Model], staff: Client
) -> None:
    MAKERS[model]()
    make_tenant()
    open_all_tenants()
    staff.get(page(model, "changelist"))  # what is looked up once a process: content types
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            response = staff.get(page(model, "changelist"))
        assert response.status_code == 200
        counts.append(len(queries))
        for _ in range(4):
            MAKERS[model]()
        open_all_tenants()

    assert counts[0] == counts[1]


@pytest.mark.parametrize("model", registered())
def test_search_finds_without_an_error(model: type[models.Model], staff: Client) -> None:
    make_tenant()
    open_all_tenants()
    assert staff.get(page(model, "changelist"), {"q": "tea"}).status_code == 200


@pytest.mark.parametrize("model", registered())
def test_change_page_opens(model: type[models.Model], staff: Client) -> None:
    row = MAKERS[model]()
    open_all_tenants()

    assert staff.get(page(model, "change", row.pk)).status_code == 200


@pytest.mark.parametrize("model", registered())
def test_add_page_opens_where_adding_is_allowed(model: type[models.Model], staff: Client) -> None:
    request = RequestFactory().get("/")
    request.user = User.objects.get()
    allowed = admin.site._registry[model].has_add_permission(request)

    assert staff.get(page(model, "add")).status_code == (200 if allowed else 403)


@pytest.mark.django_db
def test_superuser_logs_in_with_password_and_sees_the_index() -> None:
    User.objects.create_superuser("staff@example.com", PASSWORD)
    client = Client()

    answer = client.post(
        "/admin/login/?next=/admin/",
        {"username": "Staff@Example.com", "password": PASSWORD},
        follow=True,
    )

    assert (answer.status_code, answer.request["PATH_INFO"]) == (200, "/admin/")


@pytest.mark.django_db
def test_a_tenants_admin_is_not_staff() -> None:
    client = Client()
    sign_staff_in(client, make_user(make_tenant()))

    assert client.get("/admin/").status_code == 302


def test_address_without_the_slash_leads_there(client: Client) -> None:
    assert client.get("/admin").headers["Location"] == "/admin/"


# --- The start page -------------------------------------------------------------------------------


def start_page(client: Client) -> str:
    answer = client.get("/admin/")
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_the_start_page_counts_what_staff_look_for(staff: Client) -> None:
    tenant = make_tenant(name="Nova")
    make_source(tenant, sync_status="error", error_code="origin_unavailable")
    OutcomeCount.objects.for_tenant(tenant).create(
        day=timezone.localdate(), outcome=Outcome.ANSWERED, count=1234
    )

    page = start_page(staff)

    for title in ("Workspaces", "Questions of 14 days", "Failed syncs", "Queues", "Mails of the"):
        assert title in page
    assert "1,234" in page
    assert "origin_unavailable" in page
    assert 'class="start-bars"' in page


def test_staff_see_the_cards_and_lists_that_their_role_may_view(db: None) -> None:
    person = User.objects.create_user("billing@example.com", PASSWORD, is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="view_plan"))
    client = Client()
    sign_staff_in(client, person)

    page = start_page(client)

    assert "Failed syncs" not in page
    assert 'href="/admin/accounts/plan/"' in page
    assert 'href="/admin/sources/source/"' not in page


def test_the_start_page_says_where_it_is(staff: Client) -> None:
    assert "Development" in start_page(staff)


def test_the_sidebar_names_models_that_there_are() -> None:
    known = {model._meta.label_lower for model in admin.site._registry}

    assert {model for _, entries in GROUPS for model, _, _ in entries} <= known
