"""A person in several tenants: where a login leads, and going on in another one."""

import itertools
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.errors import NoWorkspaceAccess
from accounts.models import Membership, Role, Session, Tenant, User
from accounts.services import staff
from accounts.services.signing_in.sessions import start_session
from accounts.signing_in.tokens import make_tokens
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_invitation,
    make_membership,
    make_session,
    make_tenant,
    make_user,
)
from config.tests.parallel import in_parallel


@pytest.fixture
def ana(tenant: Tenant, other_tenant: Tenant) -> User:
    """An admin of acme, and a viewer of umbrella since later."""
    ana = make_user(tenant, email="ana@acme.es")
    make_membership(other_tenant, ana, role=Role.VIEWER)
    return ana


def log_in(api: APIClient, **more: Any) -> Any:
    return api.post("/auth/login", {"email": "ana@acme.es", "password": PASSWORD, **more}, "json")


def refresh(api: APIClient, tokens: dict[str, str], **more: Any) -> Any:
    return api.post("/auth/refresh", {"refresh_token": tokens["refresh_token"], **more}, "json")


def me(api: APIClient, tokens: dict[str, str]) -> Any:
    return api.get("/auth/me", headers={"Authorization": f"Bearer {tokens['access_token']}"})


def invite(user: User, tenant: Tenant, *, expires_at: datetime | None = None) -> Membership:
    make_invitation(tenant, user, expires_at=expires_at)
    return user.memberships.get(tenant=tenant)


def make_expired_invitation(user: User, tenant: Tenant) -> Membership:
    return invite(user, tenant, expires_at=timezone.now() - timedelta(seconds=1))


def test_login_without_a_slug_leads_to_the_tenant_joined_first(api: APIClient, ana: User) -> None:
    assert log_in(api).json()["tenant_slug"] == "acme"


def test_an_older_invitation_does_not_come_before_what_was_accepted(
    api: APIClient, ana: User
) -> None:
    long_ago = timezone.now() - timedelta(days=400)
    invitation = invite(ana, make_tenant("initech"))
    Membership.all_tenants.filter(pk=invitation.pk).update(created_at=long_ago)

    assert log_in(api).json()["tenant_slug"] == "acme"


def test_login_to_a_tenant_by_its_slug_accepts_its_invitation(api: APIClient, ana: User) -> None:
    invitation = invite(ana, make_tenant("initech"))

    assert log_in(api, tenant_slug="Initech").json()["tenant_slug"] == "initech"

    invitation.refresh_from_db()
    assert invitation.status == Membership.Status.ACTIVE


def test_login_does_not_accept_an_invitation_that_has_expired(api: APIClient, ana: User) -> None:
    invitation = make_expired_invitation(ana, make_tenant("initech"))

    refused = log_in(api, tenant_slug="initech")

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "NO_WORKSPACE_ACCESS")
    invitation.refresh_from_db()
    assert (invitation.status, invitation.invitation_hash != "") == ("invited", True)
    assert not Session.all_tenants.filter(membership=invitation).exists()


def test_who_has_nothing_but_an_expired_invitation_belongs_nowhere(
    api: APIClient, tenant: Tenant
) -> None:
    make_expired_invitation(make_user(email="ana@acme.es"), tenant)

    refused = log_in(api)

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "NO_WORKSPACE_ACCESS")


def test_nobody_goes_on_in_a_tenant_whose_invitation_has_expired(api: APIClient, ana: User) -> None:
    make_expired_invitation(ana, make_tenant("initech"))
    tokens = log_in(api).json()

    listed = api.get("/auth/tenants", headers={"Authorization": f"Bearer {tokens['access_token']}"})
    refused = refresh(api, tokens, tenant_slug="initech")

    assert [row["tenant_slug"] for row in listed.json()] == ["acme", "umbrella"]
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "NO_WORKSPACE_ACCESS")


def test_an_invitation_that_expires_before_the_second_factor_is_not_accepted(
    api: APIClient, ana: User
) -> None:
    invitation = invite(ana, make_tenant("initech"))
    Membership.all_tenants.filter(pk=invitation.pk).update(
        invitation_expires_at=timezone.now() - timedelta(seconds=1)
    )

    with pytest.raises(NoWorkspaceAccess):
        start_session(invitation)

    invitation.refresh_from_db()
    assert invitation.status == Membership.Status.INVITED


def test_tenants_of_the_caller_are_listed_by_name(
    api: APIClient, tenant: Tenant, other_tenant: Tenant, ana: User
) -> None:
    make_user(make_tenant("initech"))  # whose people are not hers

    answer = api.get("/auth/tenants", headers=bearer(ana, tenant))

    assert answer.status_code == 200
    assert answer.json() == [
        {
            "tenant_id": str(tenant.id),
            "tenant_slug": "acme",
            "name": "Acme",
            "role": "admin",
            "status": "active",
        },
        {
            "tenant_id": str(other_tenant.id),
            "tenant_slug": "umbrella",
            "name": "Umbrella",
            "role": "viewer",
            "status": "active",
        },
    ]


def test_listing_costs_the_same_for_two_and_twenty_tenants(
    api: APIClient, tenant: Tenant, ana: User, django_assert_num_queries: Any
) -> None:
    headers = bearer(ana, tenant)
    for _ in range(18):
        make_membership(make_tenant(), ana)

    with django_assert_num_queries(2):
        assert len(api.get("/auth/tenants", headers=headers).json()) == 20


def test_refresh_with_a_slug_goes_on_in_that_tenant_with_the_role_there(
    api: APIClient, ana: User
) -> None:
    tokens = log_in(api).json()

    answer = refresh(api, tokens, tenant_slug="umbrella")

    switched = answer.json()
    assert answer.status_code == 200
    assert (switched["tenant_slug"], switched["role"]) == ("umbrella", "viewer")
    assert me(api, switched).json()["tenant_slug"] == "umbrella"
    assert me(api, tokens).status_code == 401  # one place at a time
    assert Session.all_tenants.filter(revoked_at=None).count() == 1


def test_refresh_with_the_own_slug_stays(api: APIClient, ana: User) -> None:
    tokens = log_in(api).json()

    assert refresh(api, tokens, tenant_slug="ACME").json()["tenant_slug"] == "acme"
    assert Session.all_tenants.count() == 1


@pytest.mark.parametrize("slug", ["initech", "no-such-tenant", "..", "acme' OR 1=1"])
def test_a_tenant_of_others_is_refused_like_none_and_the_token_stays_good(
    api: APIClient, ana: User, slug: str
) -> None:
    make_user(make_tenant("initech"))
    tokens = log_in(api).json()

    answer = refresh(api, tokens, tenant_slug=slug)

    assert (answer.status_code, answer.json()) == (
        403,
        {
            "error": {
                "code": "NO_WORKSPACE_ACCESS",
                "message": "You are not a member of this workspace, or of any workspace.",
            }
        },
    )
    assert me(api, tokens).status_code == 200
    assert refresh(api, tokens).status_code == 200


def test_a_used_token_switches_nothing_and_ends_its_session(api: APIClient, ana: User) -> None:
    tokens = log_in(api).json()
    refresh(api, tokens)

    assert refresh(api, tokens, tenant_slug="umbrella").status_code == 401
    assert not Session.all_tenants.filter(revoked_at=None).exists()


def test_password_that_changed_during_the_login_opens_no_session(
    api: APIClient, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What revokes sessions must not miss one that is just being opened."""
    from accounts.services.signing_in import sessions

    find = sessions.find_membership

    def find_and_change(user: User, tenant_slug: str) -> Any:
        membership = find(user, tenant_slug)
        stranger = User.objects.get(pk=user.pk)
        stranger.set_password("another long password 2")
        stranger.save()
        return membership

    monkeypatch.setattr(sessions, "find_membership", find_and_change)

    answer = log_in(api)

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "INVALID_CREDENTIALS")
    assert not Session.all_tenants.exists()


def test_going_on_elsewhere_and_new_passwords_at_once_end_in_no_deadlock(
    committed_tenant: Tenant,
) -> None:
    """Both lock the person and their sessions: whoever holds a stolen token must not be able to
    stop a change of the password.
    """
    ana = make_user(committed_tenant, email=f"ana@{committed_tenant.slug}.es")
    other = make_tenant()
    make_membership(other, ana)
    acts = itertools.cycle([True, False, False, False, False])

    def call() -> int:
        tokens = make_tokens(make_session(ana, committed_tenant))
        api = APIClient(raise_request_exception=False)
        if next(acts):
            staff.set_password(ana, "another long password 2")
            return 200
        body = {"refresh_token": tokens.refresh_token, "tenant_slug": other.slug}
        return int(api.post("/auth/refresh", body, "json").status_code)

    try:
        assert set(in_parallel(call)) <= {200, 401}
    finally:
        other.delete()
