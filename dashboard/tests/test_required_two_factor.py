"""A workspace that requires a second factor, in the dashboard."""

from __future__ import annotations

from typing import Any

import pyotp
import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Role, Tenant, User
from accounts.tests.factories import (
    PASSWORD,
    make_invitation,
    make_membership,
    make_stranger,
    make_user,
    switch_two_factor_on,
)
from dashboard.tests.factories import pages_of
from dashboard.tests.test_isolation import ROWS, address

PEOPLE = "/dashboard/workspace/people"
REQUIRE = f"{PEOPLE}/two-factor"
SET_UP = "/dashboard/account/two-factor"
# Where people without one get to all the same.
OPEN = {
    "dashboard/account/language",
    "dashboard/account/leave",
    "dashboard/account/two-factor",
    "dashboard/account/two-factor/set-up",
    "dashboard/sign-out",
    "dashboard/workspaces",
    "dashboard/workspaces/menu",
}


@pytest.fixture
def strict(tenant: Tenant) -> Tenant:
    tenant.requires_two_factor = True
    tenant.save()
    return tenant


def admin_of(pages: Client) -> User:
    """Who is signed in there."""
    user: User = pages.get("/dashboard/account").context["caller"].user
    return user


def sign_in(user: User) -> Client:
    client = Client(headers={"Accept-Language": "en"})
    client.post("/dashboard/sign-in", {"email": user.email, "password": PASSWORD})
    return client


@pytest.mark.parametrize("row", [row for row in ROWS if not row.is_public], ids=str)
def test_every_page_leads_to_setting_it_up(row: Any, strict: Tenant) -> None:
    answer: Any = pages_of(strict).generic(row.method, address(row, row.target(strict)))

    is_led = answer.status_code == 302 and answer.headers["Location"] == SET_UP
    if row.route == "dashboard/account/two-factor/set-up":  # before there is anything to set up
        assert is_led
    else:
        assert is_led == (row.route not in OPEN)


def test_who_signs_in_is_led_there_sets_it_up_and_goes_on(strict: Tenant) -> None:
    pages = sign_in(make_user(strict))
    assert pages.get("/dashboard/").headers["Location"] == SET_UP
    page = pages.get(SET_UP).content.decode()
    assert f"“{strict.name}” requires two-factor authentication for everyone." in page

    set_up = pages.post(SET_UP, follow=True)
    code = pyotp.TOTP(set_up.context["secret"]).now()
    assert b"Recovery codes" in pages.post(f"{SET_UP}/set-up", {"code": code}).content

    assert pages.get("/dashboard/").status_code == 200


def test_a_part_that_refreshes_itself_takes_nobody_away_from_the_form(strict: Tenant) -> None:
    answer = pages_of(strict).get("/dashboard/notifications/bell", headers={"HX-Request": "true"})

    assert (answer.status_code, answer.content) == (204, b"")
    assert "HX-Redirect" not in answer.headers


def test_who_is_in_two_workspaces_goes_on_in_the_other(
    strict: Tenant, other_tenant: Tenant
) -> None:
    user = make_user(strict)
    make_membership(other_tenant, user)
    pages = sign_in(user)
    assert pages.get("/dashboard/").headers["Location"] == SET_UP

    pages.post("/dashboard/workspaces", {"slug": other_tenant.slug})

    assert pages.get("/dashboard/").status_code == 200


def test_an_invitation_leads_there_too(strict: Tenant) -> None:
    token = make_invitation(strict, make_stranger())
    client = Client()
    client.get("/activate")

    body = {"password": "a brand new horse 1", "repeated": "a brand new horse 1"}
    client.post("/activate", body | {"token": token})

    assert client.get("/dashboard/").headers["Location"] == SET_UP


# --- Requiring it ---------------------------------------------------------------------------------


def test_an_admin_who_has_none_cannot_require_it(tenant: Tenant) -> None:
    pages = sign_in(make_user(tenant))
    assert b"You can require it for everyone once" in pages.get(PEOPLE).content

    answer = pages.post(REQUIRE, {"required": "yes"}, follow=True)

    assert b"Turn two-factor authentication on for yourself first." in answer.content
    tenant.refresh_from_db()
    assert not tenant.requires_two_factor


def test_an_admin_requires_it_and_takes_that_back(tenant: Tenant) -> None:
    pages = pages_of(tenant)
    user = admin_of(pages)
    switch_two_factor_on(user)
    user.language = "en"
    user.save()
    assert b"Require it for everyone" in pages.get(PEOPLE).content

    answer = pages.post(REQUIRE, {"required": "yes"}, follow=True)
    assert b"From now on everyone here needs two-factor authentication." in answer.content
    tenant.refresh_from_db()
    assert tenant.requires_two_factor

    answer = pages.post(REQUIRE, follow=True)
    assert b"Two-factor authentication is no longer required here." in answer.content
    tenant.refresh_from_db()
    assert not tenant.requires_two_factor
    log = pages.get(reverse("dashboard:activity")).content
    assert b"Two-factor authentication required for everyone" in log
    assert b"Two-factor authentication no longer required" in log


def test_the_list_says_who_has_one_but_not_of_the_invited(tenant: Tenant) -> None:
    pages = pages_of(tenant)
    admin = admin_of(pages)
    known = make_user()
    for user in (admin, known):
        switch_two_factor_on(user)
    make_user(tenant, role=Role.MEMBER)
    make_invitation(tenant, known)

    page = pages.get(PEOPLE)

    assert len(page.context["page"]) == 3
    assert page.context["with_factor"] == {admin.pk}
