"""The back office shows sources to staff and changes nothing."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Tenant, User
from sources.models import Source
from sources.tests.factories import make_chunk, make_document, make_event, make_source

MODELS = ("source", "document", "chunk", "syncevent")


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("staff@example.com", "a long password 1"))
    return client


def make_rows(tenant: Tenant, count: int) -> dict[str, object]:
    """`count` rows of every model; the ids of the last ones."""
    for _ in range(count):
        source = make_source(tenant, error_message="The file is damaged.")
        chunk = make_chunk(make_document(source), text="a" * 600)
        event = make_event(source)
    return {
        "source": source.pk,
        "document": chunk.document_id,
        "chunk": chunk.pk,
        "syncevent": event.pk,
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


def test_the_rows_to_look_at_are_still_there(staff: Client, tenant: Tenant):
    make_rows(tenant, 1)
    staff.post("/admin/sources/source/", {"action": "delete_selected"})

    assert Source.objects.for_tenant(tenant).count() == 1
