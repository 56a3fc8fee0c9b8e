"""DELETE /tenants/me/membership: leaving a workspace."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Membership, Role, Session, Tenant, User
from accounts.services.signing_in.sessions import revoke_session
from accounts.signing_in.tokens import make_tokens
from accounts.tests.factories import (
    bearer,
    make_api_token,
    make_membership,
    make_session,
    make_user,
)
from config.tests.parallel import in_parallel

PATH = "/tenants/me/membership"
MEMBERSHIP_NOT_FOUND = {
    "error": {
        "code": "MEMBERSHIP_NOT_FOUND",
        "message": "You are no longer a member of this workspace.",
    }
}
LAST_ADMIN = {
    "error": {
        "code": "CANNOT_REMOVE_LAST_ADMIN",
        "message": "A workspace needs at least one admin: make somebody else an admin first.",
    }
}


@pytest.fixture
def ana(tenant: Tenant) -> User:
    """The only admin of acme."""
    return make_user(tenant, email="ana@acme.es")


def leave(api: APIClient, headers: dict[str, str]) -> Any:
    return api.delete(PATH, headers=headers)


@pytest.mark.parametrize("role", Role)
def test_everybody_may_leave(api: APIClient, tenant: Tenant, ana: User, role: Role) -> None:
    bea = make_user(tenant, role=role)
    headers, token = bearer(bea, tenant), make_api_token(bea, tenant)

    answer = leave(api, headers)

    assert (answer.status_code, answer.content) == (204, b"")
    assert api.get("/auth/me", headers=headers).status_code == 401
    assert api.get("/auth/me", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert list(Membership.objects.for_tenant(tenant).values_list("user", flat=True)) == [ana.pk]
    assert User.objects.filter(pk=bea.pk).exists()


def test_who_has_left_already_is_told_so(api: APIClient, tenant: Tenant, ana: User) -> None:
    headers = bearer(make_user(tenant), tenant)
    leave(api, headers)

    answer = leave(api, headers)

    assert (answer.status_code, answer.json()) == (404, MEMBERSHIP_NOT_FOUND)


def test_who_was_removed_is_told_so_here_and_unauthorized_elsewhere(
    api: APIClient, tenant: Tenant, ana: User
) -> None:
    bea = make_user(tenant, role=Role.MEMBER)
    headers = bearer(bea, tenant)
    assert (
        api.delete(f"/tenants/me/members/{bea.pk}", headers=bearer(ana, tenant)).status_code == 204
    )

    assert (leave(api, headers).status_code, leave(api, headers).json()) == (
        404,
        MEMBERSHIP_NOT_FOUND,
    )
    for path in ("/auth/me", "/tenants/me", "/tenants/me/members"):
        answer = api.get(path, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHORIZED"), path


def test_last_admin_stays(api: APIClient, tenant: Tenant, ana: User) -> None:
    make_user(tenant, role=Role.MEMBER)
    headers = bearer(ana, tenant)

    answer = leave(api, headers)

    assert (answer.status_code, answer.json()) == (409, LAST_ADMIN)
    assert api.get("/auth/me", headers=headers).json()["role"] == "admin"


@pytest.mark.parametrize("case", ["invited", "disabled"])
def test_admins_who_cannot_log_in_do_not_count(
    api: APIClient, tenant: Tenant, ana: User, case: str
) -> None:
    other = make_user(tenant, is_active=case != "disabled")
    if case == "invited":
        Membership.objects.for_tenant(tenant).filter(user=other).update(activated_at=None)

    assert leave(api, bearer(ana, tenant)).json() == LAST_ADMIN


def test_leaving_one_tenant_is_not_leaving_another(
    api: APIClient, tenant: Tenant, ana: User, other_tenant: Tenant
) -> None:
    make_membership(other_tenant, ana)
    make_user(tenant)
    elsewhere = bearer(ana, other_tenant)

    assert leave(api, bearer(ana, tenant)).status_code == 204

    assert api.get("/auth/me", headers=elsewhere).json()["tenant_slug"] == "umbrella"
    assert leave(api, elsewhere).json() == LAST_ADMIN


def test_machine_does_not_leave_for_its_maker(api: APIClient, tenant: Tenant, ana: User) -> None:
    bea = make_user(tenant)
    headers = {"Authorization": f"Bearer {make_api_token(bea, tenant)}"}

    assert leave(api, headers).status_code == 403
    bea.memberships.all().delete()
    assert leave(api, headers).status_code == 401


def test_tokens_that_are_no_good_for_another_reason_are_unauthorized(
    api: APIClient, tenant: Tenant, ana: User
) -> None:
    logged_out, expired = make_session(ana, tenant), make_session(ana, tenant)
    revoke_session(logged_out.pk)
    Session.all_tenants.filter(pk=expired.pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    tokens = {
        "none": None,
        "forged": "x.y.z",
        "logged out": make_tokens(logged_out).access_token,
        "expired": make_tokens(expired).access_token,
        "refresh token": make_tokens(make_session(ana, tenant)).refresh_token,
    }
    for name, token in tokens.items():
        answer = leave(api, {"Authorization": f"Bearer {token}"} if token else {})
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHORIZED"), name
    assert Membership.objects.for_tenant(tenant).filter(user=ana).exists()


def test_of_parallel_leavings_one_is_the_first(committed_tenant: Tenant) -> None:
    make_user(committed_tenant)
    bea = make_user(committed_tenant, role=Role.MEMBER)
    headers = bearer(bea, committed_tenant)

    try:
        statuses = in_parallel(lambda: int(leave(APIClient(), headers).status_code))
    finally:
        bea.delete()  # no member of the tenant that is deleted after

    assert sorted(statuses) == [204] + [404] * 49
