"""What the back office shows, and what staff may change. That all pages open: config/tests."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import Membership, Plan, Role, Session, Tenant, User
from accounts.tests.factories import PASSWORD, bearer, make_session, make_user

NEW_PASSWORD = "an entirely different one 2"
NO_INLINES = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}


@pytest.fixture
def superuser(db: None) -> User:
    return User.objects.create_superuser("root@example.com", PASSWORD)


@pytest.fixture
def staff(superuser: User) -> Client:
    client = Client()
    client.force_login(superuser)
    return client


@pytest.fixture
def clerk(db: None) -> Client:
    """Staff who may change people, and are no superuser."""
    user = User.objects.create_user("clerk@example.com", PASSWORD, is_staff=True)
    names = ["view_user", "change_user"]
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    client = Client()
    client.force_login(user)
    return client


# --- People ---------------------------------------------------------------------------------------


def test_no_password_hash_is_shown(staff: Client, tenant: Tenant) -> None:
    user = make_user(tenant)

    page = staff.get(f"/admin/accounts/user/{user.id}/change/").content.decode()

    algorithm, salt, digest = user.password.split("$")[0], *user.password.split("$")[-2:]
    assert user.email in page
    assert [part for part in (salt, digest, salt[:6], digest[:6], algorithm) if part in page] == []
    assert "../password/" in page


@pytest.mark.parametrize(
    ("password", "is_made"), [(NEW_PASSWORD, True), ("short", False), ("password123", False)]
)
def test_a_new_person_gets_a_strong_password(
    staff: Client, password: str, *, is_made: bool
) -> None:
    body = {"email": "New@Example.com", "usable_password": "true"} | NO_INLINES
    staff.post("/admin/accounts/user/add/", body | {"password1": password, "password2": password})

    user = User.objects.filter(email="new@example.com").first()
    assert (user is not None and user.check_password(password)) == is_made


def test_staff_set_a_new_password(staff: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    body = {
        "usable_password": "true",
        "password1": NEW_PASSWORD,
        "password2": NEW_PASSWORD,
    }

    assert staff.get(f"/admin/accounts/user/{user.id}/password/").status_code == 200
    staff.post(f"/admin/accounts/user/{user.id}/password/", body)

    user.refresh_from_db()
    assert user.check_password(NEW_PASSWORD)


def test_staff_disable_a_person_at_once(staff: Client, tenant: Tenant, api: Any) -> None:
    user = make_user(tenant)
    headers = bearer(user, tenant)

    answer = staff.post(
        f"/admin/accounts/user/{user.id}/change/",
        {"email": user.email, "groups": [], "user_permissions": []} | NO_INLINES,
    )

    assert answer.status_code == 302
    assert api.get("/auth/me", headers=headers).status_code == 401


def test_clerk_cannot_make_anybody_staff(clerk: Client, tenant: Tenant) -> None:
    user = make_user(tenant)

    clerk.post(
        f"/admin/accounts/user/{user.id}/change/",
        {"email": user.email, "is_active": "on", "is_staff": "on", "is_superuser": "on"},
    )

    user.refresh_from_db()
    assert (user.is_active, user.is_staff, user.is_superuser) == (True, False, False)


def test_clerk_cannot_take_a_superusers_account(clerk: Client, superuser: User) -> None:
    body = {"usable_password": "true", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}

    answer = clerk.post(f"/admin/accounts/user/{superuser.id}/password/", body)

    assert answer.status_code == 403
    superuser.refresh_from_db()
    assert superuser.check_password(PASSWORD)


# --- Tenants, memberships, plans ------------------------------------------------------------------


def test_tenants_cannot_be_deleted(staff: Client, tenant: Tenant) -> None:
    assert staff.post(f"/admin/accounts/tenant/{tenant.id}/delete/").status_code == 403
    assert Tenant.objects.filter(id=tenant.id).exists()


@pytest.mark.parametrize("slug", ["Acme Two", "ab", "UMBRELLA"])
def test_a_bad_or_taken_slug_is_told_on_the_form(
    staff: Client, other_tenant: Tenant, slug: str
) -> None:
    body = {"slug": slug, "name": "X", "plan": "free"}

    assert staff.post("/admin/accounts/tenant/add/", body).status_code == 200
    assert list(Tenant.objects.all()) == [other_tenant]


def test_removing_a_membership_ends_its_sessions_at_once(
    staff: Client, tenant: Tenant, api: Any
) -> None:
    user = make_user(tenant, role=Role.VIEWER)
    headers, member = bearer(user, tenant), Membership.objects.for_tenant(tenant).get()

    answer = staff.post(f"/admin/accounts/membership/{member.id}/delete/", {"post": "yes"})

    assert answer.status_code == 302
    assert api.get("/auth/me", headers=headers).status_code == 401


def test_a_membership_does_not_move_to_another_tenant(
    staff: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    make_user(tenant, role=Role.MEMBER)
    member = Membership.objects.for_tenant(tenant).get()

    staff.post(
        f"/admin/accounts/membership/{member.id}/change/",
        {"tenant": str(other_tenant.id), "role": Role.VIEWER},
    )

    member.refresh_from_db()
    assert (member.tenant, member.role) == (tenant, Role.VIEWER)


def test_lists_filter_by_tenant(staff: Client, tenant: Tenant, other_tenant: Tenant) -> None:
    ours, theirs = make_user(tenant), make_user(other_tenant)

    page = staff.get(
        "/admin/accounts/membership/", {"tenant__id__exact": str(tenant.id)}
    ).content.decode()

    assert (ours.email in page, theirs.email in page) == (True, False)


def test_staff_change_a_plan(staff: Client) -> None:
    body = {
        "name": "Free",
        "max_documents": "30",
        "max_queries_per_month": "",
        "max_connectors": "1",
        "schedule_frequencies": ["manual", "weekly"],
        "max_requests_per_minute": "30",
        "max_pages_per_crawl": "25",
        "blocks_overage": "on",
    }

    assert staff.post("/admin/accounts/plan/free/change/", body).status_code == 302

    plan = Plan.objects.get(slug="free")
    assert (plan.max_documents, plan.max_queries_per_month) == (30, None)
    assert plan.schedule_frequencies == ["manual", "weekly"]


# --- Sessions -------------------------------------------------------------------------------------


def test_session_shows_no_token_number_and_cannot_be_edited(staff: Client, tenant: Tenant) -> None:
    session = make_session(make_user(tenant), tenant)
    address = f"/admin/accounts/session/{session.id}/change/"

    page = staff.get(address).content.decode()

    assert str(session.refresh_jti) not in page
    assert "refresh_jti" not in page
    assert staff.post(address, {}).status_code == 403
    assert staff.get("/admin/accounts/session/add/").status_code == 403


def test_revoke_ends_the_selected_sessions_at_once(staff: Client, tenant: Tenant, api: Any) -> None:
    user = make_user(tenant)
    headers, others = bearer(user, tenant), bearer(make_user(tenant), tenant)
    session = Session.all_tenants.get(membership__user=user)

    staff.post(
        "/admin/accounts/session/", {"action": "revoke", "_selected_action": [str(session.id)]}
    )

    assert api.get("/auth/me", headers=headers).status_code == 401
    assert api.get("/auth/me", headers=others).status_code == 200
