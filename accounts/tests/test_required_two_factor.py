"""Workspaces that require a second factor of their people: what the API lets those do who have
none yet."""

from __future__ import annotations

from typing import Any

import pyotp
import pytest
from rest_framework.test import APIClient

from accounts.errors import TwoFactorIsOff
from accounts.models import ActivityEntry, Membership, Role, Tenant, User
from accounts.services.signing_in.two_factor import require_two_factor
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_access,
    make_api_token,
    make_invitation,
    make_membership,
    make_stranger,
    make_user,
    program_bearer,
    switch_two_factor_on,
)
from config.errors import Forbidden

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def ana(tenant: Tenant) -> User:
    """The admin, who has one, and requires it."""
    ana = make_user(tenant)
    switch_two_factor_on(ana)
    require_two_factor(tenant, is_required=True, by=member(tenant, ana))
    tenant.refresh_from_db()
    return ana


@pytest.fixture
def ben(tenant: Tenant, ana: User) -> User:
    """A colleague without."""
    return make_user(tenant, role=Role.ADMIN)


def member(tenant: Tenant, user: User) -> Membership:
    return Membership.objects.for_tenant(tenant).select_related("user").get(user=user)


def code_of(answer: Any) -> str:
    return str(answer.json()["error"]["code"])


def test_who_has_one_goes_on_as_before(api: APIClient, tenant: Tenant, ana: User) -> None:
    assert api.get("/tenants/me", headers=bearer(ana, tenant)).status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/tenants/me"),
        ("patch", "/tenants/me"),
        ("get", "/tenants/me/members"),
        ("post", "/tenants/me/api-tokens"),
        ("get", "/agents"),
        ("get", "/ingest/sources"),
        ("post", "/auth/2fa/disable"),
        ("get", "/v1/models"),
    ],
)
def test_who_has_none_is_told_to_set_it_up(
    api: APIClient, tenant: Tenant, ben: User, method: str, path: str
) -> None:
    answer = getattr(api, method)(path, {}, "json", headers=bearer(ben, tenant))

    assert answer.status_code == 403, answer.content
    if not path.startswith("/v1"):
        assert code_of(answer) == "TWO_FACTOR_SETUP_REQUIRED"


def test_they_set_it_up_with_the_tokens_of_their_sign_in(
    api: APIClient, tenant: Tenant, ben: User
) -> None:
    tokens = api.post("/auth/login", {"email": ben.email, "password": PASSWORD}, "json").json()
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert code_of(api.get("/agents", headers=headers)) == "TWO_FACTOR_SETUP_REQUIRED"

    secret = api.post("/auth/2fa/setup", headers=headers).json()["secret"]
    assert code_of(api.get("/agents", headers=headers)) == "TWO_FACTOR_SETUP_REQUIRED"
    confirmed = {"code": pyotp.TOTP(secret).now()}
    assert api.post("/auth/2fa/confirm", confirmed, "json", headers=headers).status_code == 200

    assert api.get("/agents", headers=headers).status_code == 200


def test_whoever_turns_theirs_off_has_to_turn_it_on_again(
    api: APIClient, tenant: Tenant, ana: User
) -> None:
    headers = bearer(ana, tenant)
    ana.two_factor.delete()

    assert code_of(api.get("/agents", headers=headers)) == "TWO_FACTOR_SETUP_REQUIRED"


def test_they_may_go_elsewhere_or_leave(api: APIClient, tenant: Tenant, ben: User) -> None:
    headers = bearer(ben, tenant)

    assert api.get("/auth/me", headers=headers).json()["two_factor_enabled"] is False
    assert api.get("/auth/tenants", headers=headers).status_code == 200
    assert api.delete("/tenants/me/membership", headers=headers).status_code == 204


def test_another_workspace_of_theirs_requires_nothing(
    api: APIClient, tenant: Tenant, other_tenant: Tenant, ben: User
) -> None:
    make_membership(other_tenant, ben)
    there = api.post(
        "/auth/login",
        {"email": ben.email, "password": PASSWORD, "tenant_slug": other_tenant.slug},
        "json",
    ).json()
    headers = {"Authorization": f"Bearer {there['access_token']}"}
    assert api.get("/agents", headers=headers).status_code == 200

    body = {"refresh_token": there["refresh_token"], "tenant_slug": tenant.slug}
    here = api.post("/auth/refresh", body, "json").json()["access_token"]

    answer = api.get("/agents", headers={"Authorization": f"Bearer {here}"})
    assert code_of(answer) == "TWO_FACTOR_SETUP_REQUIRED"


def test_api_tokens_go_on_and_programs_wait_for_their_person(
    api: APIClient, tenant: Tenant, ben: User
) -> None:
    token = {"Authorization": f"Bearer {make_api_token(ben, tenant)}"}
    access = make_access(member(tenant, ben))
    program = program_bearer(access) | ACCEPT
    assert api.get("/agents", headers=token).status_code == 200

    assert api.post("/tenants/me/mcp", HELLO, "json", headers=program).status_code == 403
    switch_two_factor_on(ben)
    assert api.post("/tenants/me/mcp", HELLO, "json", headers=program).status_code == 200


def test_an_invited_person_sets_it_up_after_they_have_come(
    api: APIClient, tenant: Tenant, ana: User
) -> None:
    token = make_invitation(tenant, make_stranger())
    body = {"token": token, "password": "a brand new horse 1"}

    came = api.post("/auth/activate", body, "json")

    assert came.status_code == 200
    headers = {"Authorization": f"Bearer {came.json()['access_token']}"}
    assert code_of(api.get("/agents", headers=headers)) == "TWO_FACTOR_SETUP_REQUIRED"
    assert api.post("/auth/2fa/setup", headers=headers).status_code == 200


# --- Requiring it ---------------------------------------------------------------------------------


def test_it_is_required_of_nobody_unless_somebody_says_so(tenant: Tenant) -> None:
    assert tenant.requires_two_factor is False


def test_only_who_has_one_requires_it(tenant: Tenant) -> None:
    with pytest.raises(TwoFactorIsOff):
        require_two_factor(tenant, is_required=True, by=member(tenant, make_user(tenant)))

    tenant.refresh_from_db()
    assert not tenant.requires_two_factor


def test_only_who_is_an_admin_now_does(tenant: Tenant) -> None:
    demoted = make_user(tenant, role=Role.MEMBER)
    switch_two_factor_on(demoted)

    with pytest.raises(Forbidden):
        require_two_factor(tenant, is_required=True, by=member(tenant, demoted))


def test_each_change_is_written_down_once(tenant: Tenant, ana: User) -> None:
    for is_required in (True, False, False):
        require_two_factor(tenant, is_required=is_required, by=member(tenant, ana))

    entries = ActivityEntry.objects.for_tenant(tenant).order_by("id")
    assert [entry.action for entry in entries] == ["two_factor_required", "two_factor_optional"]
