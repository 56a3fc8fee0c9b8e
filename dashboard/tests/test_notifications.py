"""The bell, the list of notifications, and what is mailed."""

import pytest
from django.test import Client

from accounts.models import Role, Tenant
from agents.tests.factories import make_agent
from dashboard.tests.factories import pages_of
from query.models import Notification, NotificationRead
from query.tests.factories import make_lead, make_notification
from sources.tests.factories import make_source

URL = "/dashboard/notifications"
POISON = '<script>alert("x")</script>'


def notify(tenant: Tenant, **over: str) -> Notification:
    return make_notification(make_lead(make_agent(tenant), **over))


def bell(pages: Client) -> str:
    return pages.get(f"{URL}/bell", headers={"HX-Request": "true"}).content.decode().strip()


def test_every_page_asks_for_the_bell_by_itself(pages: Client) -> None:
    page = pages.get("/dashboard/").content.decode()

    assert f'hx-get="{URL}/bell" hx-trigger="load, every 30s"' in page


def test_the_bell_counts_what_this_member_has_not_read(tenant: Tenant) -> None:
    ana, leo = pages_of(tenant), pages_of(tenant, role=Role.MEMBER)
    assert bell(ana) == ""
    first = notify(tenant)
    notify(tenant)

    ana.post(f"{URL}/{first.pk}/read")
    assert '<span class="count">1<' in bell(ana)
    assert '<span class="count">2<' in bell(leo)

    ana.post(f"{URL}/read")
    assert bell(ana) == ""
    assert '<span class="count">2<' in bell(leo)


def test_the_bell_of_hundreds_says_so(
    pages: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("query.services.notifications.COUNTED_MAX", 1)
    monkeypatch.setattr("dashboard.notifications.views.COUNTED_MAX", 1)
    notify(tenant)

    assert "99+" in bell(pages)


def test_the_bell_costs_three_queries(
    pages: Client, tenant: Tenant, django_assert_num_queries
) -> None:
    notify(tenant)
    bell(pages)  # which notes the visit

    with django_assert_num_queries(3):
        bell(pages)


def test_an_empty_list_says_what_will_be_there(pages: Client) -> None:
    assert b"No notifications yet" in pages.get(URL).content


def test_the_list_tells_of_leads_and_sources(pages: Client, tenant: Tenant) -> None:
    notify(tenant, name="Eva Soto")
    source = make_source(tenant, name="acme.example", error_message="It did not answer.")
    rows = Notification.objects.for_tenant(tenant)
    rows.create(kind="source_failed", source=source)
    rows.create(kind="reauth_required", source=source)

    page = pages.get(URL).content.decode()

    for text in ("Eva Soto", "acme.example", "It did not answer.", "could not be read", "again"):
        assert text in page


def test_opening_one_reads_it_and_leads_to_what_it_tells_of(pages: Client, tenant: Tenant) -> None:
    told = notify(tenant)
    source = make_source(tenant)
    rows = Notification.objects.for_tenant(tenant)
    of_source = rows.create(kind="source_failed", source=source)

    to_lead = pages.post(f"{URL}/{told.pk}/open")
    to_source = pages.post(f"{URL}/{of_source.pk}/open")

    assert to_lead["Location"] == f"/dashboard/leads/{told.lead_id}"
    assert to_source["Location"] == f"/dashboard/sources/{source.pk}"
    assert bell(pages) == ""


def test_a_channel_that_failed_names_its_agent_and_opens_its_channels(
    pages: Client, tenant: Tenant
) -> None:
    agent = make_agent(tenant, name="Marina")
    rows = Notification.objects.for_tenant(tenant)
    told = rows.create(kind="channel_failed", agent=agent)

    page = pages.get(URL).content.decode()
    opened = pages.post(f"{URL}/{told.pk}/open")

    assert "Marina" in page
    assert opened["Location"] == f"/dashboard/agents/{agent.pk}/channels"


def test_another_tenants_is_not_read(pages: Client, other_tenant: Tenant) -> None:
    theirs = notify(other_tenant)

    assert pages.post(f"{URL}/{theirs.pk}/read").status_code == 404
    pages.post(f"{URL}/read")

    theirs.refresh_from_db()
    assert theirs.read_at is None
    assert NotificationRead.all_tenants.count() == 0


def test_each_member_chooses_what_is_mailed(tenant: Tenant) -> None:
    ana, leo = pages_of(tenant), pages_of(tenant, role=Role.MEMBER)

    answer = ana.post(f"{URL}/mails", {"kinds": ["lead", "source_failed"]})

    assert answer["Location"] == f"{URL}/mails"
    assert ana.get(f"{URL}/mails").content.count(b"checked") == 2
    assert b"checked" not in leo.get(f"{URL}/mails").content


def test_a_kind_that_is_none_is_told_at_the_field(pages: Client) -> None:
    answer = pages.post(f"{URL}/mails", {"kinds": ["weather"]})

    assert (answer.status_code, list(answer.context["form"].errors)) == (400, ["kinds"])


def test_stored_text_does_not_run(pages: Client, tenant: Tenant) -> None:
    notify(tenant, name=POISON, intent_text=POISON)
    source = make_source(tenant, name=POISON, error_message=POISON)
    Notification.objects.for_tenant(tenant).create(kind="source_failed", source=source)

    page = pages.get(URL).content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_more_notifications_cost_no_more_queries(
    pages: Client, tenant: Tenant, django_assert_num_queries
) -> None:
    pages.get(URL)  # which notes the visit
    for count in (2, 18):
        for _ in range(count):
            notify(tenant)
        with django_assert_num_queries(4):
            pages.get(URL)
