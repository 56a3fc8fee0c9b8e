"""Pages of leads."""

import csv
import io

import pytest
from django.http import StreamingHttpResponse
from django.test import Client

from accounts.models import Role, Tenant
from accounts.tests.factories import make_user
from agents.tests.factories import make_agent
from dashboard.tests.factories import pages_of
from query.models import Lead, LeadNote
from query.tests.factories import (
    make_conversation,
    make_lead,
    make_message,
    make_note,
    make_notification,
)

URL = "/dashboard/leads"
POISON = '<script>alert("x")</script>'


@pytest.fixture
def lead(tenant: Tenant) -> Lead:
    return make_lead(make_agent(tenant, name="Sales"), name="Eva Soto", email="eva@example.org")


def download(pages: Client, **filters: str) -> list[list[str]]:
    answer = pages.get(f"{URL}/export", filters)
    assert isinstance(answer, StreamingHttpResponse)
    assert answer["Content-Disposition"].startswith('attachment; filename="leads-')
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text)))


def test_a_company_without_leads_is_told_where_they_come_from(pages: Client) -> None:
    assert b"No leads yet" in pages.get(URL).content


def test_the_list_shows_who_wants_what(pages: Client, lead: Lead) -> None:
    page = pages.get(URL).content.decode()

    assert f'href="{URL}/{lead.pk}"' in page
    assert all(text in page for text in ("Eva Soto", "eva@example.org", "I want to buy", "Sales"))


def test_pages_of_the_list_follow_each_other(pages: Client, tenant: Tenant) -> None:
    agent = make_agent(tenant)
    made = [make_lead(agent, session_id=str(number)) for number in range(51)]

    first = pages.get(URL)
    second = pages.get(URL, {"before": first.context["page"].older})

    assert [*first.context["page"].rows, *second.context["page"].rows] == made[::-1]


def test_filters_narrow_keep_what_was_typed_and_tell_what_is_wrong(
    pages: Client, lead: Lead
) -> None:
    found = pages.get(URL, {"words": "eva", "since": "2020-01-01", "status": "new"})
    nothing = pages.get(URL, {"words": "leo"})
    wrong = pages.get(URL, {"words": "eva", "since": "tomorrow"})

    assert found.context["page"].rows == [lead]
    assert b"Nothing found" in nothing.content
    assert b'value="leo"' in nothing.content
    assert (wrong.status_code, list(wrong.context["filters"].errors)) == (400, ["since"])


@pytest.mark.parametrize("page", ["/dashboard/leads", "/dashboard/leads/export"])
@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_the_calendar_are_days_too(pages: Client, page: str, day: str) -> None:
    answer = pages.get(page, {"since": day, "until": day})

    assert answer.status_code == 200


def test_what_is_shown_is_downloaded(pages: Client, lead: Lead) -> None:
    make_lead(make_agent(lead.tenant), name="=1+1")

    heading, *rows = download(pages)
    assert heading[:4] == ["Date", "Status", "Name", "E-mail"]
    assert [row[2] for row in rows] == ["'=1+1", "Eva Soto"]
    assert [row[2] for row in download(pages, words="eva")[1:]] == ["Eva Soto"]


def test_a_lead_shows_where_it_came_from(pages: Client, lead: Lead) -> None:
    assert lead.agent is not None
    without = pages.get(f"{URL}/{lead.pk}").content.decode()
    conversation = make_conversation(lead.agent)
    make_message(conversation)
    with_it = pages.get(f"{URL}/{lead.pk}").content.decode()

    assert "The conversation was not kept" in without
    assert f'href="/dashboard/conversations/{conversation.pk}"' in with_it
    assert 'href="mailto:eva@example.org"' in with_it


def test_a_lead_is_worked_on_to_its_end(pages: Client, lead: Lead) -> None:
    colleague = make_user(lead.tenant, role=Role.MEMBER).memberships.get()
    url = f"{URL}/{lead.pk}"

    for path, given in (
        ("status", {"status": "contacted"}),
        ("assignee", {"assignee": str(colleague.pk)}),
        ("notes", {"text": "Rang twice"}),
        ("status", {"status": "won"}),
    ):
        answer = pages.post(f"{url}/{path}", given)
        assert (answer.status_code, answer["Location"]) == (302, url)

    lead.refresh_from_db()
    assert (lead.status, lead.assignee, lead.contacted_at is None) == ("won", colleague, False)
    page = pages.get(url).content.decode()
    assert all(text in page for text in ("Rang twice", colleague.user.email, "Won"))


@pytest.mark.parametrize(
    ("path", "given", "status"),
    [
        ("status", {"status": "sold"}, 400),
        ("status", {}, 400),
        ("assignee", {"assignee": "nobody"}, 404),
        ("assignee", {"assignee": "00000000-0000-0000-0000-000000000000"}, 404),
        ("notes", {"text": " "}, 400),
        ("notes", {"text": "x" * 4001}, 400),
    ],
)
def test_what_cannot_be_is_a_page_that_says_so(
    pages: Client, lead: Lead, path: str, given: dict[str, str], status: int
) -> None:
    answer = pages.post(f"{URL}/{lead.pk}/{path}", given)

    assert (answer.status_code, answer["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert LeadNote.objects.for_tenant(lead.tenant).count() == 0


def test_an_admin_of_another_tenant_looks_after_no_lead(
    pages: Client, lead: Lead, other_tenant: Tenant
) -> None:
    stranger = make_user(other_tenant).memberships.get()

    answer = pages.post(f"{URL}/{lead.pk}/assignee", {"assignee": str(stranger.pk)})

    assert answer.status_code == 404
    lead.refresh_from_db()
    assert lead.assignee is None


def test_a_lead_without_agent_or_details_is_shown_all_the_same(
    pages: Client, tenant: Tenant
) -> None:
    lead = make_lead(make_agent(tenant))
    Lead.objects.for_tenant(tenant).update(agent=None)

    for url in (URL, f"{URL}/{lead.pk}"):
        assert b"Left no details" in pages.get(url).content


def test_stored_text_does_not_run(pages: Client, tenant: Tenant) -> None:
    fields = {"name": POISON, "email": POISON, "phone": POISON[:20], "intent_text": POISON}
    lead = make_lead(make_agent(tenant, name=POISON), channel="<b>", **fields)
    make_note(lead, text=POISON)

    for url in (URL, f"{URL}/{lead.pk}"):
        page = pages.get(url).content.decode()
        assert "<script>alert" not in page
        assert "javascript:" not in page
        assert "&lt;script&gt;" in page


def test_more_leads_cost_no_more_queries(
    pages: Client, lead: Lead, django_assert_num_queries
) -> None:
    pages.get(URL)  # which notes the visit
    for count in (1, 20):
        for number in range(count):
            member = make_user(lead.tenant, role=Role.MEMBER).memberships.get()
            make_lead(make_agent(lead.tenant), session_id=f"{count}-{number}", assignee=member)
            make_note(lead)
        with django_assert_num_queries(3):
            pages.get(URL)
        with django_assert_num_queries(7):
            pages.get(f"{URL}/{lead.pk}")


def test_a_viewer_sees_no_leads_and_no_link_to_them(tenant: Tenant) -> None:
    pages = pages_of(tenant, role=Role.VIEWER)

    assert pages.get(URL).status_code == 403
    home = pages.get("/dashboard/").content.decode()
    assert f'href="{URL}"' not in home
    assert 'id="bell-count"' not in home


def test_a_person_is_replied_to_with_their_question_quoted(pages: Client, tenant: Tenant) -> None:
    lead = make_lead(
        make_agent(tenant), email="eva@example.org", phone="+34600111222", intent_text="50 & más"
    )

    page = pages.get(f"{URL}/{lead.pk}").content.decode()

    assert 'href="mailto:eva@example.org?subject=' in page
    assert "%3E%2050%20%26%20m%C3%A1s" in page
    assert 'href="https://wa.me/34600111222?text=%C2%AB50%20%26%20m%C3%A1s%C2%BB"' in page


def test_opening_a_lead_reads_its_notification(pages: Client, lead: Lead) -> None:
    make_notification(lead)
    assert "1" in pages.get("/dashboard/notifications/bell").content.decode()

    pages.get(f"{URL}/{lead.pk}")

    assert "1" not in pages.get("/dashboard/notifications/bell").content.decode()


def test_an_export_in_spanish_opens_in_a_spanish_spreadsheet(tenant: Tenant, lead: Lead) -> None:
    answer = pages_of(tenant).get(
        f"{URL}/export", {"lang": "es"}, headers={"accept-language": "es"}
    )

    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]

    assert text.splitlines()[0].startswith('"Fecha";"Estado";')
    assert '"Nuevo"' in text
