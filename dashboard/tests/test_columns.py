"""The page on which admins decide which columns customers are told."""

import pytest
from django.test import Client

from accounts.models import Role, Tenant
from dashboard.tests.factories import pages_of
from query.tests.factories import index_texts
from reading.passages import ChunkLevel

PAGE = "/dashboard/sources/columns"
PROPOSED = "Hidden automatically because of its name. You can change this."


@pytest.fixture
def prices(tenant: Tenant) -> None:
    index_texts(tenant, "Item: buoy; Price: £5; Stock: 3", name="a.csv", level=ChunkLevel.ROW)


@pytest.mark.usefixtures("prices")
def test_proposed_columns_stand_first_with_a_note(pages: Client) -> None:
    page = pages.get(PAGE).content.decode()

    assert page.index("<bdi>Stock") < page.index("<bdi>Item") < page.index("<bdi>Price")
    assert page.count(PROPOSED) == 1


@pytest.mark.usefixtures("prices")
@pytest.mark.parametrize(
    ("is_told", "told", "marked"), [("yes", ["Stock"], []), ("no", [], ["Stock"])]
)
def test_a_column_is_decided_on(
    pages: Client, tenant: Tenant, is_told: str, told: list[str], marked: list[str]
) -> None:
    answer = pages.post(PAGE, {"name": "Stock", "is_told": is_told}, follow=True)

    assert PROPOSED not in answer.content.decode()
    tenant.refresh_from_db()
    assert (tenant.told_columns, tenant.hidden_columns) == (told, marked)
    log = pages.get("/dashboard/activity").content.decode()
    assert ("“Stock”: shown in answers" if told else "“Stock”: hidden from answers") in log


def test_without_tables_the_page_says_so_and_a_name_can_be_typed(pages: Client) -> None:
    assert "No tables yet" in pages.get(PAGE).content.decode()
    page = pages.post(PAGE, {"name": " Margen ", "is_told": "no"}, follow=True).content.decode()
    assert "<bdi>Margen</bdi>" in page


def test_only_admins_see_it_and_are_led_to_it(pages: Client, tenant: Tenant) -> None:
    assert PAGE in pages.get("/dashboard/sources").content.decode()
    member = pages_of(tenant, role=Role.MEMBER)

    assert PAGE not in member.get("/dashboard/sources").content.decode()
    assert member.get(PAGE).status_code == 403
    assert member.post(PAGE, {"name": "Stock", "is_told": "yes"}).status_code == 403
    tenant.refresh_from_db()
    assert tenant.told_columns == []


def test_another_companys_columns_are_not_shown(other_tenant: Tenant, pages: Client) -> None:
    index_texts(other_tenant, "Theirs: 1; Stock: 3", name="b.csv", level=ChunkLevel.ROW)
    assert "Theirs" not in pages.get(PAGE).content.decode()


@pytest.mark.parametrize("name", ["a\0b", "x" * 10_000, "_", ""])
def test_what_is_no_name_is_refused_beside_its_field(
    pages: Client, tenant: Tenant, name: str
) -> None:
    answer = pages.post(PAGE, {"name": name, "is_told": "no"})

    assert answer.status_code == 400
    assert 'class="problem"' in answer.content.decode()
    tenant.refresh_from_db()
    assert tenant.hidden_columns == []


def test_a_name_of_html_is_shown_as_text(pages: Client, tenant: Tenant) -> None:
    index_texts(tenant, "<script>x</script>: 1; B: 2", name="c.csv", level=ChunkLevel.ROW)
    page = pages.post(PAGE, {"name": "<script>x</script>", "is_told": "no"}, follow=True)

    assert "<script>x" not in page.content.decode()
    assert page.content.decode().count("&lt;script&gt;x") > 1
