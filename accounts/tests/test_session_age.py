"""However much a session is used, both factors are asked for again after SESSION_MAX_LIFETIME."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Session, Tenant, User
from accounts.services.signing_in.sessions import list_sessions
from accounts.tests.factories import PASSWORD, make_membership, make_tenant, make_user

AGE = settings.SESSION_MAX_LIFETIME


@pytest.fixture
def user(tenant: Tenant) -> User:
    return make_user(tenant)


def log_in(api: APIClient, user: User) -> Any:
    return api.post("/auth/login", {"email": user.email, "password": PASSWORD}, "json").json()


def refresh(api: APIClient, token: str, **more: str) -> Any:
    return api.post("/auth/refresh", {"refresh_token": token} | more, "json")


def age(tenant: Tenant, by: timedelta) -> datetime:
    """When its sessions began, then."""
    began = timezone.now() - by
    Session.objects.for_tenant(tenant).update(signed_in_at=began)
    return began


def test_a_refreshed_session_ends_at_its_age_and_not_later(
    api: APIClient, user: User, tenant: Tenant
) -> None:
    tokens = log_in(api, user)
    began = age(tenant, AGE - timedelta(days=3))

    answer = refresh(api, tokens["refresh_token"])

    assert answer.status_code == 200
    assert Session.objects.for_tenant(tenant).get().expires_at == began + AGE


def test_a_young_one_is_good_for_as_long_as_ever(
    api: APIClient, user: User, tenant: Tenant
) -> None:
    tokens = log_in(api, user)

    refresh(api, tokens["refresh_token"])

    left = Session.objects.for_tenant(tenant).get().expires_at - timezone.now()
    assert timedelta(minutes=-1) < left - settings.REFRESH_TOKEN_LIFETIME <= timedelta()


def test_at_its_age_it_answers_as_one_that_has_ended(
    api: APIClient, user: User, tenant: Tenant
) -> None:
    """Also where it would be good by its own row: as those are that are older than this rule."""
    old, ended = log_in(api, user), log_in(APIClient(), user)
    api.post("/auth/logout", {"refresh_token": ended["refresh_token"]}, "json")
    age(tenant, AGE)

    for tokens in (old, ended):
        headers = {"Authorization": f"Bearer {tokens['access_token']}"}
        assert api.get("/auth/me", headers=headers).json()["error"]["code"] == "UNAUTHORIZED"
    answers = [refresh(api, tokens["refresh_token"]) for tokens in (old, ended)]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].content == answers[1].content
    assert list(list_sessions(user)) == []


def test_going_on_in_another_workspace_makes_it_no_younger(
    api: APIClient, user: User, tenant: Tenant
) -> None:
    zeta = make_tenant("zeta")
    make_membership(zeta, user)
    tokens = log_in(api, user)
    began = age(tenant, AGE - timedelta(days=1))

    answer = refresh(api, tokens["refresh_token"], tenant_slug="zeta")

    assert answer.status_code == 200
    session = Session.objects.for_tenant(zeta).get()
    assert (session.signed_in_at, session.expires_at) == (began, began + AGE)


def test_nor_does_a_visit_to_the_dashboard(user: User, tenant: Tenant) -> None:
    browser = Client()
    browser.post("/dashboard/sign-in", {"email": user.email, "password": PASSWORD})
    began = age(tenant, AGE - timedelta(days=1))
    Session.objects.for_tenant(tenant).update(last_seen_at=began)

    assert browser.get("/dashboard/account").status_code == 200
    assert Session.objects.for_tenant(tenant).get().expires_at == began + AGE

    age(tenant, AGE)
    answer: Any = browser.get("/dashboard/account")
    assert answer.headers["Location"].startswith("/dashboard/sign-in")


@pytest.mark.parametrize(
    ("age_of_row", "is_open"), [(AGE - timedelta(hours=1), True), (AGE, False)]
)
def test_row_and_query_say_the_same(
    user: User, tenant: Tenant, api: APIClient, age_of_row: timedelta, *, is_open: bool
) -> None:
    log_in(api, user)
    age(tenant, age_of_row)

    assert Session.objects.for_tenant(tenant).get().is_open is is_open
    assert Session.objects.for_tenant(tenant).filter(Session.open_now()).exists() is is_open
