"""What members are told of, what each has read, and what is mailed to whom."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from accounts.mail.deliveries import read_context
from accounts.models import Membership, OutgoingMail, Role, Tenant
from accounts.tests.factories import make_user
from agents.tests.factories import make_agent
from config.errors import InvalidValue, NotFound, ServiceError
from query.leads.notifications import notify_of_lead
from query.models import Lead, Notification
from query.notifications import source_failures
from query.services.notifications import (
    count_unread,
    get_mailed_kinds,
    get_notification,
    list_notifications,
    mark_all_read,
    mark_read,
    set_mailed_kinds,
    unread_ids,
)
from query.tests.factories import make_lead, make_notification
from reasons import Reason, as_reason
from sources.errors import ReauthRequired, SyncFailed
from sources.models import Source, SyncStatus
from sources.services.editing import delete_source
from sources.syncing.runs import begin_run, fail_run
from sources.tests.factories import make_source

Kind = Notification.Kind


@pytest.fixture
def ana(tenant: Tenant) -> Membership:
    return make_user(tenant, email="ana@acme.example").memberships.get()


@pytest.fixture
def leo(tenant: Tenant) -> Membership:
    return make_user(tenant, role=Role.MEMBER, email="leo@acme.example").memberships.get()


def notify(tenant: Tenant) -> Notification:
    return make_notification(make_lead(make_agent(tenant)))


def fail(source: Source, error: ServiceError) -> None:
    run_id = begin_run(source.tenant, source.pk)
    assert run_id is not None
    fail_run(source.tenant, source.pk, run_id=run_id, error=error)


def kinds(tenant: Tenant) -> list[str]:
    return [one.kind for one in list_notifications(tenant)]


# --- Reading --------------------------------------------------------------------------------------


def test_each_member_reads_their_own(ana: Membership, leo: Membership) -> None:
    first, second = notify(ana.tenant), notify(ana.tenant)

    mark_read(ana.tenant, ana, first)
    mark_read(ana.tenant, ana, first)

    assert (count_unread(ana.tenant, ana), count_unread(leo.tenant, leo)) == (1, 2)
    assert unread_ids(ana.tenant, ana, [first, second]) == {second.pk}
    first.refresh_from_db()
    assert first.read_at is not None


def test_all_are_read_at_once_and_what_comes_then_is_not(ana: Membership, leo: Membership) -> None:
    mark_read(ana.tenant, ana, notify(ana.tenant))
    notify(ana.tenant)

    mark_all_read(ana.tenant, ana)
    later = notify(ana.tenant)

    assert (count_unread(ana.tenant, ana), count_unread(leo.tenant, leo)) == (1, 3)
    assert unread_ids(ana.tenant, ana, list(list_notifications(ana.tenant))) == {later.pk}


def test_what_was_there_before_a_member_came_is_no_news(tenant: Tenant) -> None:
    notify(tenant)

    assert count_unread(tenant, make_user(tenant).memberships.get()) == 0


def test_no_more_are_counted_than_are_shown(
    ana: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("query.services.notifications.COUNTED_MAX", 2)
    for _ in range(3):
        notify(ana.tenant)

    assert count_unread(ana.tenant, ana) == 2


def test_another_tenants_notification_is_not_there(ana: Membership, other_tenant: Tenant) -> None:
    theirs = notify(other_tenant)

    assert (count_unread(ana.tenant, ana), list(list_notifications(ana.tenant))) == (0, [])
    with pytest.raises(NotFound):
        get_notification(ana.tenant, theirs.pk)


# --- Sources --------------------------------------------------------------------------------------


def test_a_source_that_fails_is_told_of_once_until_it_works_again(tenant: Tenant) -> None:
    source = make_source(tenant, last_synced_at=timezone.now() - timedelta(days=1))

    for _ in range(3):
        fail(source, SyncFailed("The website did not answer."))
    (told,) = list_notifications(tenant)
    assert (told.kind, told.source, told.lead) == (Kind.SOURCE_FAILED, source, None)

    Source.objects.for_tenant(tenant).update(last_synced_at=timezone.now())
    fail(source, SyncFailed("The website did not answer."))
    (again,) = list_notifications(tenant)
    assert again.pk != told.pk


def test_an_account_that_expired_is_told_of_as_such(tenant: Tenant) -> None:
    fail(make_source(tenant), ReauthRequired())

    assert kinds(tenant) == ["reauth_required"]


def test_a_run_ends_though_nobody_can_be_told(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseError("Failing row contains")

    monkeypatch.setattr(source_failures, "notify_once", refuse)
    source = make_source(tenant)

    fail(source, SyncFailed("The website did not answer."))

    source.refresh_from_db()
    assert source.sync_status == SyncStatus.ERROR
    assert f"nobody was told that source {source.pk} failed" in caplog.text


def test_a_run_that_has_ended_tells_nobody(tenant: Tenant) -> None:
    source = make_source(tenant)

    assert not fail_run(tenant, source.pk, run_id=uuid.uuid4(), error=SyncFailed())
    assert kinds(tenant) == []


def test_what_was_told_of_a_source_outlives_it(tenant: Tenant) -> None:
    source = make_source(tenant, name="acme.example")
    fail(source, SyncFailed("The website did not answer."))

    delete_source(tenant, source.pk)

    (told,) = list_notifications(tenant)
    assert told.source is not None
    assert told.source.name == "acme.example"


# --- Mails ----------------------------------------------------------------------------------------


def recipients(tenant: Tenant) -> list[str]:
    mails = OutgoingMail.objects.for_tenant(tenant)
    return sorted(mails.values_list("recipient", flat=True))


def make_reachable_lead(tenant: Tenant) -> Lead:
    agent = make_agent(tenant, lead_notification_email="sales@acme.example")
    return make_lead(agent, email="eva@example.org", notified_at=timezone.now())


def test_members_get_no_mail_unless_they_want_it(ana: Membership) -> None:
    fail(make_source(ana.tenant), SyncFailed("The website did not answer."))

    assert (recipients(ana.tenant), get_mailed_kinds(ana.tenant, ana)) == ([], [])


def test_who_wants_a_kind_is_mailed_that_kind(ana: Membership, leo: Membership) -> None:
    tenant = ana.tenant
    set_mailed_kinds(ana.tenant, ana, ["lead"])
    set_mailed_kinds(leo.tenant, leo, ["source_failed"])

    fail(make_source(tenant, name="acme.example"), SyncFailed("The website did not answer."))

    mail = OutgoingMail.objects.for_tenant(tenant).get()
    assert (mail.recipient, mail.template) == ("leo@acme.example", "source_failed")
    told = read_context(mail)
    assert told["source_name"] == "acme.example"
    assert Reason.from_json(json.loads(told["reason"])) == as_reason("The website did not answer.")


def test_leads_go_to_the_agents_address_and_to_members_who_want_them_once_each(
    ana: Membership, leo: Membership
) -> None:
    set_mailed_kinds(ana.tenant, ana, ["lead"])
    lead = make_reachable_lead(ana.tenant)
    assert lead.agent is not None

    notify_of_lead(lead, lead.agent)

    assert recipients(ana.tenant) == ["ana@acme.example", "sales@acme.example"]


def test_a_member_at_the_agents_address_gets_one_mail(ana: Membership) -> None:
    set_mailed_kinds(ana.tenant, ana, ["lead"])
    agent = make_agent(ana.tenant, lead_notification_email="Ana@acme.example")
    lead = make_lead(agent, email="eva@example.org", notified_at=timezone.now())

    notify_of_lead(lead, agent)

    assert recipients(ana.tenant) == ["Ana@acme.example"]


def test_who_may_not_see_leads_any_more_is_not_mailed_them(ana: Membership) -> None:
    set_mailed_kinds(ana.tenant, ana, ["lead"])
    ana.role = Role.VIEWER
    ana.save()
    lead = make_reachable_lead(ana.tenant)
    assert lead.agent is not None

    notify_of_lead(lead, lead.agent)

    assert recipients(ana.tenant) == ["sales@acme.example"]


def test_what_is_mailed_can_be_changed_and_is_one_of_the_kinds(ana: Membership) -> None:
    set_mailed_kinds(ana.tenant, ana, ["lead", "source_failed"])
    set_mailed_kinds(ana.tenant, ana, ["reauth_required"])

    with pytest.raises(InvalidValue):
        set_mailed_kinds(ana.tenant, ana, ["weather"])
    assert get_mailed_kinds(ana.tenant, ana) == ["reauth_required"]
