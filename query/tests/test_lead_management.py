"""What a company's people do with leads."""

from __future__ import annotations

import csv
import io
import zoneinfo
from datetime import UTC, date, datetime

import pytest
from django.utils import timezone

from accounts.models import Role, Tenant
from accounts.services.members import remove_member
from accounts.tests.factories import make_user
from agents.tests.factories import make_agent
from config.errors import InvalidValue, NotFound
from query.conversations.erasure import erase_session
from query.models import Lead, LeadNote, LeadStatus
from query.services.leads import (
    COLUMNS,
    LeadExport,
    add_note,
    assign_lead,
    export_leads,
    find_conversation_of,
    get_lead,
    list_assignees,
    list_latest_leads,
    list_leads,
    list_notes,
    set_lead_status,
)
from query.tests.factories import make_conversation, make_lead, make_note

MADRID = zoneinfo.ZoneInfo("Europe/Madrid")
HEADINGS = {name: name.title() for name in COLUMNS}


@pytest.fixture
def lead(tenant: Tenant) -> Lead:
    return make_lead(
        make_agent(tenant, name="Sales"),
        name="Eva Soto",
        email="eva@example.org",
        phone="+34600111222",
        intent_text="Quiero comprar dos boyas",
    )


def cells(tenant: Tenant) -> list[dict[str, str]]:
    text = "".join(export_leads(tenant, list_leads(tenant), LeadExport(HEADINGS, MADRID)))
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text[1:])))


# --- Looking --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", ["eva", "SOTO eva", "example.org", "600111", "+34600", "boyas", "eva boyas"]
)
def test_a_lead_is_found_by_any_part_of_what_is_known(lead: Lead, words: str) -> None:
    make_lead(make_agent(lead.tenant), name="Leo")

    assert list(list_leads(lead.tenant, words=words)) == [lead]


def test_what_narrows_narrows(lead: Lead) -> None:
    tenant = lead.tenant
    other = make_lead(make_agent(tenant), channel="web", status=LeadStatus.WON)
    moments = {
        lead: datetime(2026, 3, 1, 22, 59, tzinfo=UTC),
        other: datetime(2026, 3, 1, 23, tzinfo=UTC),
    }
    for one, moment in moments.items():
        Lead.objects.for_tenant(tenant).filter(pk=one.pk).update(created_at=moment)

    assert list(list_leads(tenant)) == [other, lead]
    assert list(list_leads(tenant, status="won")) == [other]
    assert list(list_leads(tenant, channel="api")) == [lead]
    assert list(list_leads(tenant, agent_id=lead.agent_id)) == [lead]
    with timezone.override(MADRID):
        assert list(list_leads(tenant, until=date(2026, 3, 1))) == [lead]
        assert list(list_leads(tenant, since=date(2026, 3, 2))) == [other]


def test_the_latest_come_first_with_their_agents(lead: Lead, django_assert_num_queries) -> None:
    newer = [make_lead(make_agent(lead.tenant)) for _ in range(5)]

    with django_assert_num_queries(1):
        latest = list_latest_leads(lead.tenant)
        assert all(one.agent and one.agent.name for one in latest)
    assert latest == newer[::-1]


def test_nothing_of_another_tenant(lead: Lead, other_tenant: Tenant) -> None:
    assert list(list_leads(other_tenant)) == []
    assert list(list_notes(other_tenant, lead)) == []
    for touch in (
        lambda: get_lead(other_tenant, lead.pk),
        lambda: set_lead_status(other_tenant, lead.pk, "won"),
        lambda: assign_lead(other_tenant, lead.pk, None),
        lambda: add_note(other_tenant, lead.pk, text="x", by="a@a.es"),
    ):
        with pytest.raises(NotFound):
            touch()
    lead.refresh_from_db()
    assert lead.status == LeadStatus.NEW


def test_the_conversation_of_a_lead_is_that_of_its_session(lead: Lead) -> None:
    assert lead.agent is not None
    make_conversation(lead.agent, session_id="other")
    assert find_conversation_of(lead.tenant, lead) is None

    conversation = make_conversation(lead.agent)
    assert find_conversation_of(lead.tenant, lead) == conversation
    lead.agent = None
    assert find_conversation_of(lead.tenant, lead) is None


# --- Changing -------------------------------------------------------------------------------------


def test_contacted_notes_when_the_first_time(lead: Lead) -> None:
    first = set_lead_status(lead.tenant, lead.pk, "contacted").contacted_at
    assert first is not None
    assert set_lead_status(lead.tenant, lead.pk, "won").contacted_at == first
    assert set_lead_status(lead.tenant, lead.pk, "contacted").contacted_at == first
    with pytest.raises(InvalidValue):
        set_lead_status(lead.tenant, lead.pk, "sold")


def test_a_lead_is_looked_after_by_a_member_who_may_see_it(
    lead: Lead, other_tenant: Tenant
) -> None:
    tenant = lead.tenant
    member = make_user(tenant, role=Role.MEMBER).memberships.get()
    viewer = make_user(tenant, role=Role.VIEWER).memberships.get()
    stranger = make_user(other_tenant).memberships.get()

    assert list(list_assignees(tenant)) == [member]
    assert assign_lead(tenant, lead.pk, member.pk).assignee == member
    for nobody in (viewer, stranger):
        with pytest.raises(NotFound):
            assign_lead(tenant, lead.pk, nobody.pk)
    assert get_lead(tenant, lead.pk).assignee == member
    assert assign_lead(tenant, lead.pk, None).assignee is None


def test_a_lead_outlives_the_member_who_looked_after_it(lead: Lead) -> None:
    make_user(lead.tenant)
    member = make_user(lead.tenant, role=Role.MEMBER)
    assign_lead(lead.tenant, lead.pk, member.memberships.get().pk)
    add_note(lead.tenant, lead.pk, text="Rang twice", by=member.email)

    remove_member(lead.tenant, member.pk)

    assert get_lead(lead.tenant, lead.pk).assignee is None
    assert list_notes(lead.tenant, lead).get().by == member.email


@pytest.mark.parametrize("text", ["", "  ", "\0", "x" * 4001])
def test_a_note_that_is_none_is_refused(lead: Lead, text: str) -> None:
    with pytest.raises(InvalidValue):
        add_note(lead.tenant, lead.pk, text=text, by="a@a.es")


def test_notes_are_erased_with_their_lead(lead: Lead) -> None:
    make_note(lead)
    kept = make_note(make_lead(make_agent(lead.tenant), session_id="other"))

    assert erase_session(lead.tenant, lead.session_id).counts["lead_notes"] == 1
    assert list(LeadNote.objects.for_tenant(lead.tenant)) == [kept]


# --- Export ---------------------------------------------------------------------------------------


def test_all_that_is_known_of_a_lead_is_exported(lead: Lead) -> None:
    tenant = lead.tenant
    moment = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
    member = make_user(tenant).memberships.get()
    rows = Lead.objects.for_tenant(tenant).filter(pk=lead.pk)
    rows.update(created_at=moment, contacted_at=moment, status="contacted", assignee=member)
    make_note(lead, text="Rang twice")
    make_note(lead, text="Wants blue ones")

    assert cells(tenant) == [
        {
            "Created_At": "2026-03-01 23:30",
            "Status": "contacted",
            "Name": "Eva Soto",
            "Email": "eva@example.org",
            "Phone": "'+34600111222",
            "Intent_Text": "Quiero comprar dos boyas",
            "Agent": "Sales",
            "Channel": "api",
            "Assignee": member.user.email,
            "Contacted_At": "2026-03-01 23:30",
            "Notes": "Rang twice\nWants blue ones",
        }
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n=", "  =", "＝"])
def test_no_cell_is_a_formula(tenant: Tenant, start: str) -> None:
    text = f'{start}HYPERLINK("https://evil.example")'
    make_note(make_lead(make_agent(tenant, name=text), intent_text=text, name=text), text=text)

    (row,) = cells(tenant)

    assert {row[name] for name in ("Name", "Intent_Text", "Agent", "Notes")} == {f"'{text}"}


def test_an_export_costs_three_queries_for_hundreds(lead: Lead, django_assert_num_queries) -> None:
    for number in range(20):
        make_note(make_lead(make_agent(lead.tenant), session_id=str(number)))

    with django_assert_num_queries(3):  # the third writes down that it was made
        assert len(cells(lead.tenant)) == 21
