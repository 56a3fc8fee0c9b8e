"""The log as admins read it."""

import csv
import io
from datetime import UTC, datetime

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.activity import Actor, acting_as, record
from accounts.models import Action, ActivityEntry, Role, Tenant, User
from accounts.services.staff_access import open_staff_access
from accounts.tests.factories import PASSWORD
from dashboard.activity.words import ACTIONS
from dashboard.tests.factories import pages_of

LOG = "/dashboard/activity"
ANA = Actor("ana@acme.es")


def write(tenant: Tenant, count: int, *, actor: Actor = ANA) -> None:
    """Each is named by its number, from 1."""
    for number in range(1, count + 1):
        ActivityEntry.objects.for_tenant(tenant).create(
            actor=actor.label, action="sign_in", target_name=f"no. {number}."
        )


def text_of(pages: Client, address: str = LOG) -> str:
    answer = pages.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_every_action_has_its_words() -> None:
    assert set(ACTIONS) == set(Action)


def test_the_newest_come_first_fifty_a_page(tenant: Tenant, pages: Client) -> None:
    write(tenant, 120)

    first = text_of(pages)
    oldest = ActivityEntry.objects.for_tenant(tenant).get(target_name="no. 71.")
    second = text_of(pages, f"{LOG}?before={oldest.pk}")

    assert first.index("no. 120.") < first.index("no. 71.")
    assert "no. 70." not in first
    assert f"before={oldest.pk}" in first
    assert "no. 70." in second
    assert "no. 21." in second
    assert "no. 20." not in second


def test_a_page_costs_the_same_for_any_number_of_entries(
    tenant: Tenant, pages: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    write(tenant, 50)

    with django_assert_max_num_queries(8):
        pages.get(LOG)


def test_details_are_words_and_names_stay_names(tenant: Tenant, pages: Client) -> None:
    record(tenant, Action.ROLE_CHANGED, before="member", after="api_user")
    record(tenant, Action.WORKSPACE_RENAMED, before="member", after="daily")
    record(tenant, Action.CHANNEL_CONNECTED, channel="messenger_a")
    record(tenant, Action.SCHEDULE_CHANGED, frequency="6h")
    record(tenant, Action.AGENT_CHANGED, fields=["persona", "later_column"])

    page = text_of(pages)

    for words in (
        "Member → API user",
        "member → daily",
        ">Telegram<",
        ">every 6 hours<",
        ">instructions, later_column<",
    ):
        assert words in page


def test_it_is_narrowed_to_a_person_and_an_action(tenant: Tenant, pages: Client) -> None:
    write(tenant, 2)
    with acting_as(Actor("leo@acme.es")):
        record(tenant, Action.WORKSPACE_RENAMED, before="Old", after="New")

    of_leo = text_of(pages, f"{LOG}?person=leo@acme.es")
    of_kind = text_of(pages, f"{LOG}?action=sign_in")

    assert "Old → New" in of_leo
    assert "no. 1." not in of_leo
    assert "no. 1." in of_kind
    assert "Old → New" not in of_kind


@pytest.mark.parametrize("query", ["before=x", "before=-1", "before=9" * 9, "action=nonsense"])
def test_what_is_no_filter_narrows_nothing(tenant: Tenant, pages: Client, query: str) -> None:
    write(tenant, 1)

    assert "no. 1." in text_of(pages, f"{LOG}?{query}")


def test_nothing_of_another_tenant_is_shown(
    tenant: Tenant, other_tenant: Tenant, pages: Client
) -> None:
    write(other_tenant, 3)

    assert "no. 1." not in text_of(pages)
    assert b"no. 1." not in pages.get(f"{LOG}.csv").content


def test_texts_of_strangers_do_not_run(tenant: Tenant, pages: Client) -> None:
    ActivityEntry.objects.for_tenant(tenant).create(
        actor="<script>a</script>",
        action="<script>b</script>",
        target_name="<script>c</script>",
        details={"before": "<script>d</script>", "after": "<script>e</script>"},
        user_agent="<script>f</script>",
        address="x",
    )

    page = text_of(pages)

    assert "<script>" not in page.partition('class="table-frame"')[2]


def test_the_file_holds_what_the_filter_shows_and_no_formula(tenant: Tenant, pages: Client) -> None:
    write(tenant, 60)
    with acting_as(Actor("leo@acme.es")):
        record(tenant, Action.SOURCE_RENAMED, before="=1+1", after="@x")

    answer = pages.get(f"{LOG}.csv?person=leo@acme.es")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert len(rows) == 1
    assert (rows[0]["who"], rows[0]["details"]) == ("leo@acme.es", "'=1+1 → @x")
    assert len(pages.get(f"{LOG}.csv").content.splitlines()) == 62


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER, Role.API_USER])
def test_only_admins_read_it(tenant: Tenant, role: Role) -> None:
    pages = pages_of(tenant, role=role)

    assert "/dashboard/activity" not in text_of(pages, "/dashboard/")
    assert pages.get(LOG).status_code == 403


def test_what_is_done_in_the_dashboard_names_who_did_it(tenant: Tenant, pages: Client) -> None:
    pages.post("/dashboard/workspace/tokens", {"name": "Shop", "days": "30"})

    entry = ActivityEntry.objects.for_tenant(tenant).get()
    assert entry.action == "api_token_created"
    assert entry.target_name == "Shop"
    assert entry.actor.endswith("@example.com")
    assert entry.address == "127.0.0.1"


@pytest.mark.parametrize(
    ("language", "opened", "details"),
    [
        (
            "en",
            "Access to conversations and other content opened",
            "root@example.com, until 13:30: “Ticket 42: no leads”",
        ),
        (
            "es",
            "Acceso abierto a conversaciones y otros contenidos",
            "root@example.com, hasta las 13:30: «Ticket 42: no leads»",
        ),
    ],
)
def test_who_of_our_staff_read_why_and_until_when(
    tenant: Tenant, language: str, opened: str, details: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant.time_zone = "Europe/Madrid"
    tenant.save()
    noon = datetime(2026, 11, 26, 11, 30, tzinfo=UTC)
    with monkeypatch.context() as patch:
        patch.setattr("django.utils.timezone.now", lambda: noon)
        user = User.objects.create_superuser("root@example.com", PASSWORD)
        open_staff_access(tenant, user, reason="Ticket 42: no leads")

    page = text_of(pages_of(tenant, language=language))

    assert opened in page
    assert details in page
