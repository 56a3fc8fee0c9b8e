"""Our staff reads what a tenant's customers wrote for a reason, for an hour, and the tenant reads
that. That no page goes around it: config/tests/test_customers_words.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from accounts.leaving.expiry import delete_expired
from accounts.models import ActivityEntry, StaffAccess, StaffSession, Tenant, User
from accounts.services.staff_access import end_staff_access, list_running, open_staff_access
from accounts.tests.factories import PASSWORD, make_staff_access, sign_staff_in
from agents.tests.factories import make_agent
from query.models import Lead
from query.tests.factories import make_lead

PAGE = "/admin/access/"
LEADS = "/admin/query/lead/"
REASON = "Ticket 42: their leads do not arrive"
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root@example.com", PASSWORD)


@pytest.fixture
def staff(root: User) -> Client:
    return browser_of(root)


@pytest.fixture
def lead(tenant: Tenant) -> Lead:
    return make_lead(make_agent(tenant), name="Aldara Quintáns")


def browser_of(user: User) -> Client:
    client = Client()
    sign_staff_in(client, user)
    return client


@contextmanager
def passing(monkeypatch: pytest.MonkeyPatch, time: timedelta) -> Iterator[None]:
    """After so long, in which staff used their session."""
    then = timezone.now() + time
    StaffSession.objects.update(last_seen_at=then)
    with monkeypatch.context() as patch:
        patch.setattr("django.utils.timezone.now", lambda: then)
        yield


def open_tenant(staff: Client, tenant: Tenant, query: str = "", /, **over: str) -> Any:
    return staff.post(PAGE + query, {"tenant": tenant.slug, "reason": REASON, **over})


def reads(browser: Client, lead: Lead) -> bool:
    return lead.name in browser.get(f"{LEADS}{lead.pk}/change/").content.decode()


def told(tenant: Tenant) -> list[tuple[str, str, dict[str, Any]]]:
    entries = ActivityEntry.objects.for_tenant(tenant).order_by("id")
    return list(entries.values_list("actor", "action", "details"))


# --- Opened ---------------------------------------------------------------------------------------


def test_a_reason_opens_a_tenant_for_an_hour(staff: Client, tenant: Tenant, lead: Lead) -> None:
    before = reads(staff, lead)
    answer = open_tenant(staff, tenant, f"?next={LEADS}")

    assert (before, reads(staff, lead)) == (False, True)
    assert (answer.status_code, answer["Location"]) == (302, LEADS)
    access = StaffAccess.objects.for_tenant(tenant).get()
    assert (access.reason, access.ends_at - access.began_at) == (REASON, HOUR)
    assert "is open to you until" in staff.get(LEADS).content.decode()


def test_the_tenant_reads_who_why_and_until_when(staff: Client, tenant: Tenant) -> None:
    open_tenant(staff, tenant)

    access = StaffAccess.objects.for_tenant(tenant).get()
    details = {
        "staff": "root@example.com",
        "reason": REASON,
        "until": access.ends_at.isoformat(),
    }
    assert told(tenant) == [("staff", "staff_access_opened", details)]
    assert LogEntry.objects.get().object_id == str(access.pk)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"reason": "help"}, "at least 10 characters"),
        ({"reason": " " * 20}, "This field is required"),
        ({"reason": "x" * 301}, "at most 300 characters"),
        ({"tenant": "nobody"}, "no workspace with this short name"),
        ({"tenant": ""}, "This field is required"),
    ],
)
def test_no_reason_or_no_tenant_opens_nothing(
    staff: Client, tenant: Tenant, given: dict[str, str], said: str
) -> None:
    answer = open_tenant(staff, tenant, **given)

    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not StaffAccess.all_tenants.exists()
    assert told(tenant) == []


@pytest.mark.parametrize("wanted", ["//evil.example", "https://evil.example", "/dashboard/", ""])
def test_it_leads_on_within_the_back_office_alone(
    staff: Client, tenant: Tenant, wanted: str
) -> None:
    assert open_tenant(staff, tenant, f"?next={wanted}")["Location"] == PAGE


def test_the_page_that_asks_knows_whose_row_it_was(staff: Client, lead: Lead) -> None:
    page = staff.get(f"{LEADS}{lead.pk}/change/", follow=True).content.decode()

    assert f'value="{lead.tenant.slug}"' in page
    assert lead.name not in page


def test_who_may_not_open_does_not(tenant: Tenant, lead: Lead) -> None:
    """Looking at leads is one right, opening tenants another."""
    clerk = User.objects.create_user("clerk@example.com", PASSWORD, is_staff=True)
    clerk.user_permissions.set(Permission.objects.filter(codename="view_lead"))
    browser = browser_of(clerk)
    refused = [browser.get(PAGE).status_code, open_tenant(browser, tenant).status_code]

    clerk.user_permissions.add(Permission.objects.get(codename="add_staffaccess"))

    assert refused == [403, 403]
    assert open_tenant(browser, tenant).status_code == 302
    assert reads(browser, lead)


def test_opening_tenants_gives_no_right_to_look(tenant: Tenant, lead: Lead) -> None:
    clerk = User.objects.create_user("clerk@example.com", PASSWORD, is_staff=True)
    clerk.user_permissions.set(Permission.objects.filter(codename="add_staffaccess"))
    browser = browser_of(clerk)
    open_tenant(browser, tenant)

    assert browser.get(LEADS).status_code == 403
    assert browser.get(f"{LEADS}{lead.pk}/change/").status_code == 403


def test_whoever_left_the_browser_open_opens_nothing(staff: Client, tenant: Tenant) -> None:
    """Both factors are asked for first, and the reason after them."""
    StaffSession.objects.update(proved_at=timezone.now() - timedelta(minutes=16))
    asked = staff.get(PAGE)["Location"]
    StaffSession.objects.update(proved_at=timezone.now() - timedelta(minutes=31))
    answer = open_tenant(staff, tenant)

    assert asked.startswith("/admin/proof/")
    assert answer["Location"].startswith("/admin/proof/")
    assert told(tenant) == []


# --- For whom, and for how long -------------------------------------------------------------------


def test_another_tenant_stays_closed(
    staff: Client, tenant: Tenant, other_tenant: Tenant, lead: Lead
) -> None:
    theirs = make_lead(make_agent(other_tenant), name="Brais Outeiro")
    open_tenant(staff, tenant)

    assert (reads(staff, lead), reads(staff, theirs)) == (True, False)
    assert theirs.name not in staff.get(f"{LEADS}?q={theirs.pk}").content.decode()
    assert told(other_tenant) == []


def test_nobody_else_reads_by_it(staff: Client, tenant: Tenant, lead: Lead) -> None:
    other = browser_of(User.objects.create_superuser("other@example.com", PASSWORD))
    open_tenant(staff, tenant)
    access = StaffAccess.objects.for_tenant(tenant).get()

    other.post(f"{PAGE}{access.pk}/end/")

    assert (reads(staff, lead), reads(other, lead)) == (True, False)


def test_after_an_hour_it_is_over(
    staff: Client, lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_tenant(staff, lead.tenant)

    with passing(monkeypatch, HOUR - MINUTE):
        before = reads(staff, lead)
    with passing(monkeypatch, HOUR):
        after = reads(staff, lead)

    assert (before, after) == (True, False)


def test_the_database_knows_no_longer_one(root: User, tenant: Tenant) -> None:
    now = timezone.now()

    for wrong in ({"ends_at": now + HOUR + MINUTE}, {"reason": ""}):
        with pytest.raises(IntegrityError, match="accounts_staffaccess_"), transaction.atomic():
            make_staff_access(tenant, root, began_at=now, **wrong)


def test_it_is_ended_early_once_and_the_tenant_reads_that(
    staff: Client, tenant: Tenant, lead: Lead
) -> None:
    open_tenant(staff, tenant)
    access = StaffAccess.objects.for_tenant(tenant).get()

    for _ in range(2):
        answer = staff.post(f"{PAGE}{access.pk}/end/")

    assert (answer.status_code, reads(staff, lead)) == (302, False)
    ended = ("staff", "staff_access_ended", {"staff": "root@example.com"})
    assert told(tenant)[1:] == [ended]


def test_another_reason_begins_another_hour_and_ends_the_first(root: User, tenant: Tenant) -> None:
    first = open_staff_access(tenant, root, reason=REASON)
    second = open_staff_access(tenant, root, reason="Ticket 43: something else")

    assert list(list_running(root)) == [second]
    assert not end_staff_access(root, first.pk)
    actions = [action for _, action, _ in told(tenant)]
    assert actions == ["staff_access_opened", "staff_access_ended", "staff_access_opened"]


def test_it_is_kept_as_long_as_the_log(root: User, tenant: Tenant) -> None:
    now = timezone.now()
    for days in (1, 2 * 366 - 1, 2 * 366 + 1):
        ago = now - timedelta(days=days)
        make_staff_access(tenant, root, began_at=ago - HOUR, ends_at=ago)

    delete_expired(now)

    assert StaffAccess.objects.for_tenant(tenant).count() == 2


def test_superusers_see_who_opened_what(staff: Client, root: User, tenant: Tenant) -> None:
    clerk = User.objects.create_user("clerk@example.com", PASSWORD, is_staff=True)
    clerk.user_permissions.set(Permission.objects.all())
    make_staff_access(tenant, clerk, reason=REASON)
    accesses = "/admin/accounts/staffaccess/"

    assert REASON in staff.get(accesses).content.decode()
    assert browser_of(clerk).get(accesses).status_code == 403
