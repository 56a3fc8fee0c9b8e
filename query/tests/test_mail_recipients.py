"""Mails to an address: at most sixty an hour from whomever, and none to whoever wants none."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail as django_mail
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.mail.deliveries import send_due
from accounts.models import OutgoingMail, Tenant
from accounts.tests.factories import make_user
from agents.models import Agent
from agents.tests.factories import make_agent
from config.security.rate_limits import Limit, LimitsUnavailable
from config.tests.parallel import in_parallel
from query.leads.notifications import notify_of_lead
from query.models import Lead, MailRecipient, Notification
from query.notifications import recipients
from query.notifications.recipients import mail_summaries, make_stop_link
from query.services.mail_stops import is_stopped
from query.tests.factories import make_lead

SALES = "sales@elsewhere.example"
HOUR = timedelta(hours=1)
HELD, STOPPED = Notification.Kind.MAILS_HELD, Notification.Kind.MAILS_STOPPED


def make_capturing_agent(tenant: Tenant, address: str = SALES) -> Agent:
    return make_agent(tenant, lead_capture_enabled=True, lead_notification_email=address)


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_capturing_agent(tenant)


def tell(agent: Agent) -> Lead:
    lead = make_lead(agent, session_id=uuid.uuid4().hex, notified_at=timezone.now())
    notify_of_lead(lead, agent)
    return lead


def mails(template: str = "lead") -> list[OutgoingMail]:
    return list(OutgoingMail.all_tenants.filter(template=template).order_by("created_at"))


def kinds(tenant: Tenant, kind: str) -> int:
    return Notification.objects.for_tenant(tenant).filter(kind=kind).count()


def recipient_of(tenant: Tenant, address: str = SALES) -> MailRecipient:
    return MailRecipient.objects.for_tenant(tenant).get(address=address)


def path_of(recipient: MailRecipient, *, is_page: bool = False) -> str:
    path = "/stop-mails/" + make_stop_link(recipient).rpartition("/")[2]
    return f"/dashboard{path}" if is_page else path


# --- How many -------------------------------------------------------------------------------------


def test_an_address_gets_sixty_an_hour_over_all_agents_and_tenants(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    agents = [make_capturing_agent(owner) for owner in (tenant, tenant, other_tenant, other_tenant)]

    for agent in agents * 24:
        tell(agent)

    assert len(mails()) == 60
    assert Lead.all_tenants.count() == 96
    assert kinds(tenant, "lead") + kinds(other_tenant, "lead") == 96
    assert [kinds(owner, HELD) for owner in (tenant, other_tenant)] == [1, 1]
    held = [recipient_of(owner).held_count for owner in (tenant, other_tenant)]
    assert sum(held) == 36


def test_of_a_hundred_at_once_sixty_are_mailed(committed_tenant: Tenant) -> None:
    agent = make_capturing_agent(committed_tenant)

    in_parallel(lambda: tell(agent), times=100)

    assert len(mails()) == 60
    assert recipient_of(committed_tenant).held_count == 40
    assert kinds(committed_tenant, HELD) == 1


def test_another_spelling_of_the_address_is_the_same_one(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_to(monkeypatch, 1)
    for address in (SALES, SALES.upper()):
        tell(make_capturing_agent(tenant, address))

    assert len(mails()) == 1


def test_what_was_held_back_is_told_in_one_mail_after_the_hour(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_to(monkeypatch, 1)
    for _ in range(4):
        tell(agent)
    now = timezone.now()

    mail_summaries(now)
    assert mails("mails_held") == []
    for _ in range(2):
        mail_summaries(now + HOUR)

    (summary,) = mails("mails_held")
    assert summary.recipient == SALES
    assert " 3 " in body_of(summary)
    assert (recipient_of(agent.tenant).held_count, recipient_of(agent.tenant).held_since) == (
        0,
        None,
    )


def test_outsiders_of_one_tenant_get_so_many_a_day(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipients, "MAILS_TO_OUTSIDERS", Limit("outsiders", 2, 86_400))
    for number in range(4):
        tell(make_capturing_agent(tenant, f"stranger-{number}@elsewhere.example"))
    make_user(tenant, email="ana@acme.es")
    tell(make_capturing_agent(tenant, "ana@acme.es"))

    assert [mail.recipient for mail in mails()] == [
        "stranger-0@elsewhere.example",
        "stranger-1@elsewhere.example",
        "ana@acme.es",
    ]


def test_without_redis_leads_are_mailed(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable(limit: Limit, key: str) -> int:
        raise LimitsUnavailable

    monkeypatch.setattr(recipients, "take", unavailable)
    tell(agent)

    assert len(mails()) == 1


def limit_to(monkeypatch: pytest.MonkeyPatch, amount: int) -> None:
    limit = Limit("lead_mails", amount, 3600)
    monkeypatch.setattr("query.leads.notifications.MAIL_LIMIT", limit)


def body_of(mail: OutgoingMail) -> str:
    return str(message_of(mail).body)


def message_of(mail: OutgoingMail) -> Any:

    send_due(OutgoingMail.objects.for_tenant(mail.tenant).filter(pk=mail.pk))
    return django_mail.outbox[-1]


# --- Stopping them --------------------------------------------------------------------------------


def test_an_outsider_finds_a_link_in_every_mail_and_a_member_none(
    agent: Agent, tenant: Tenant
) -> None:
    make_user(tenant, email="ana@acme.es")
    tell(agent)
    tell(make_capturing_agent(tenant, "ana@acme.es"))
    link = make_stop_link(recipient_of(tenant))

    to_outsider, to_member = (message_of(mail) for mail in mails())

    assert link in to_outsider.body
    assert link in to_outsider.alternatives[0][0]
    assert to_outsider.extra_headers["List-Unsubscribe"] == f"<{link}>"
    assert "stop-mails" not in to_member.body
    assert "List-Unsubscribe" not in to_member.extra_headers


def test_somebody_who_was_only_invited_is_an_outsider(tenant: Tenant) -> None:
    user = make_user(tenant, email="bea@acme.es")
    user.memberships.update(activated_at=None)
    tell(make_capturing_agent(tenant, "bea@acme.es"))

    assert "stop-mails" in message_of(mails()[0]).body


def test_a_mail_programs_own_button_stops_them(agent: Agent, tenant: Tenant) -> None:
    """RFC 8058: no cookie, no CSRF token, no page."""
    tell(agent)
    program = Client(enforce_csrf_checks=True)
    path = path_of(recipient_of(tenant))

    answer = program.post(path, {"List-Unsubscribe": "One-Click"})
    tell(agent)

    assert answer.status_code == 200
    assert recipient_of(tenant).stopped_at is not None
    (withdrawn,) = mails()  # the one that waited is not sent, and there is no other
    assert (withdrawn.failed_at is not None, bytes(withdrawn.encrypted_context)) == (True, b"")
    assert (kinds(tenant, STOPPED), kinds(tenant, "lead")) == (1, 2)


def test_opening_the_link_changes_nothing(agent: Agent, tenant: Tenant) -> None:
    tell(agent)
    recipient = recipient_of(tenant)
    browser = Client()

    answer = browser.get(path_of(recipient), follow=True)

    assert answer.redirect_chain[-1][0] == path_of(recipient, is_page=True)
    assert SALES in answer.content.decode()
    assert recipient_of(tenant).stopped_at is None


def test_the_reader_stops_them_and_alone_lets_them_come_again(
    agent: Agent, tenant: Tenant, admin_api: APIClient
) -> None:
    tell(agent)
    page, browser = path_of(recipient_of(tenant), is_page=True), Client()
    assert browser.post(page).status_code == 200
    assert browser.post(page).status_code == 200

    settings = {"lead_capture_enabled": True, "lead_notification_email": SALES}
    admin_api.patch(f"/agents/{agent.pk}", settings, "json")
    tell(make_capturing_agent(tenant))
    assert (len(mails()), kinds(tenant, STOPPED)) == (1, 1)

    browser.post(page, {"wish": "resume"})
    tell(agent)
    assert len(mails()) == 2


def test_a_stop_is_of_one_tenant(agent: Agent, tenant: Tenant, other_tenant: Tenant) -> None:
    tell(agent)
    Client().post(path_of(recipient_of(tenant)))

    tell(make_capturing_agent(other_tenant))

    assert [mail.tenant for mail in mails()] == [tenant, other_tenant]


@pytest.mark.parametrize("change", [lambda token: token[:-1], lambda token: "0" * 64, str.upper])
def test_a_forged_link_stops_nothing(agent: Agent, tenant: Tenant, change: Any) -> None:
    tell(agent)
    token = path_of(recipient_of(tenant)).rpartition("/")[2]
    forged = f"/stop-mails/{change(token)}"

    assert Client().post(forged).status_code == 404
    assert Client().get(f"/dashboard{forged}").status_code == 404
    assert recipient_of(tenant).stopped_at is None


def test_what_was_held_for_somebody_who_stopped_is_not_summed_up(
    agent: Agent, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_to(monkeypatch, 1)
    for _ in range(3):
        tell(agent)
    Client().post(path_of(recipient_of(tenant)))

    mail_summaries(timezone.now() + HOUR)

    assert mails("mails_held") == []


def test_the_agents_page_says_that_they_were_stopped(agent: Agent, tenant: Tenant) -> None:
    assert not is_stopped(tenant, SALES)
    tell(agent)
    Client().post(path_of(recipient_of(tenant)))

    assert is_stopped(tenant, SALES.upper())
    make_user(tenant, email=SALES)
    assert not is_stopped(tenant, SALES)
