"""Nobody edits our staff but superusers, by whichever way; and what staff do stays written down."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse

from accounts.models import (
    ActivityEntry,
    ApiToken,
    Membership,
    Role,
    Session,
    StaffSession,
    Tenant,
    TwoFactor,
    User,
)
from accounts.tests.factories import (
    PASSWORD,
    make_access,
    make_api_token,
    make_session,
    make_user,
    sign_staff_in,
    switch_two_factor_on,
)

NEW_PASSWORD = "an entirely different one 2"
NO_INLINES = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}


@pytest.fixture
def clerk(db: None) -> Client:
    """Staff who have every right that a superuser can hand out, and are none."""
    user = User.objects.create_user("clerk@example.com", PASSWORD, is_staff=True)
    user.user_permissions.set(Permission.objects.all())
    client = Client()
    sign_staff_in(client, user)
    return client


@pytest.fixture
def root(db: None) -> Client:
    client = Client()
    sign_staff_in(client, User.objects.create_superuser("root@example.com", PASSWORD))
    return client


def staff_of(kind: str) -> User:
    if kind == "oneself":
        return User.objects.get(email="clerk@example.com")
    powers = {"is_staff": True} | ({"is_superuser": True} if kind == "a superuser" else {})
    return User.objects.create_user("boss@example.com", PASSWORD, **powers)


def state(user: User) -> Any:
    found = User.objects.filter(pk=user.pk).values(
        "email", "password", "is_active", "is_staff", "is_superuser"
    )
    powers = sorted(user.user_permissions.values_list("pk", flat=True))
    return found.first(), powers, TwoFactor.objects.filter(user=user).exists()


def attack(clerk: Client, user: User, way: str) -> None:
    person = f"/admin/accounts/user/{user.pk}"
    selected = {"action": "delete_selected", "post": "yes"}
    change = {"email": "mine@example.com", "is_active": "on", "is_superuser": "on"} | NO_INLINES
    match way:
        case "form":
            clerk.post(f"{person}/change/", change)
        case "disable":
            clerk.post(f"{person}/change/", {"email": user.email} | NO_INLINES)
        case "password":
            new = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
            clerk.post(f"{person}/password/", new | {"usable_password": "true"})
        case "no password":
            clerk.post(f"{person}/password/", {"usable_password": "false", "unset-password": "1"})
        case "delete":
            clerk.post(f"{person}/delete/", {"post": "yes"})
        case "list action":
            body = selected | {"_selected_action": [str(user.pk)]}
            clerk.post("/admin/accounts/user/", body)
        case "list form":
            body = {"form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "1", "form-0-id": str(user.pk)}
            clerk.post("/admin/accounts/user/", body | {"form-0-is_superuser": "on", "_save": "1"})
        case "second factor":
            clerk.post(f"/admin/accounts/twofactor/{user.pk}/delete/", {"post": "yes"})
        case "second factors":
            body = selected | {"_selected_action": [str(user.pk)]}
            clerk.post("/admin/accounts/twofactor/", body)
        case "recovery codes":
            ids = list(user.two_factor.recovery_codes.values_list("pk", flat=True))
            body = selected | {"_selected_action": [str(each) for each in ids]}
            clerk.post("/admin/accounts/recoverycode/", body)
        case _:
            raise AssertionError(way)


WAYS = [
    "form",
    "disable",
    "password",
    "no password",
    "delete",
    "list action",
    "list form",
    "second factor",
    "second factors",
    "recovery codes",
]


@pytest.mark.parametrize("kind", ["oneself", "a colleague", "a superuser"])
@pytest.mark.parametrize("way", WAYS)
def test_staff_do_not_edit_staff(clerk: Client, way: str, kind: str) -> None:
    user = staff_of(kind)
    switch_two_factor_on(user)
    before, codes = state(user), user.two_factor.recovery_codes.count()

    attack(clerk, user, way)

    assert state(User.objects.get(pk=user.pk)) == before
    assert user.two_factor.recovery_codes.count() == codes


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("list form", "recovery codes")])
def test_these_ways_work_with_people_of_customers(clerk: Client, tenant: Tenant, way: str) -> None:
    """So the test above can fail."""
    user = make_user(tenant, role=Role.MEMBER)
    make_user(tenant)
    switch_two_factor_on(user)
    before = state(user)

    attack(clerk, user, way)

    assert state(user) != before


def test_a_customer_is_not_made_staff_by_staff(clerk: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    powers = {"is_staff": "on", "is_superuser": "on", "user_permissions": ["1"]}

    clerk.post(
        f"/admin/accounts/user/{user.pk}/change/",
        {"email": user.email, "is_active": "on"} | powers | NO_INLINES,
    )
    new = {"email": "n@example.com", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    clerk.post("/admin/accounts/user/add/", new | {"usable_password": "true"} | powers | NO_INLINES)

    assert User.objects.filter(email="n@example.com").exists()
    assert not User.objects.filter(is_staff=True).exclude(email="clerk@example.com").exists()
    assert not Permission.objects.filter(user=user).exists()


def test_groups_are_superusers_business(clerk: Client, root: Client) -> None:
    """Whoever may change one could give themselves its rights."""
    group = Group.objects.create(name="Support")
    for path in ("", "add/", f"{group.pk}/change/", f"{group.pk}/delete/"):
        address = f"/admin/auth/group/{path}"
        assert (clerk.get(address).status_code, root.get(address).status_code) == (403, 200)
    rename = {"name": "Mine", "permissions": ["1"]}
    assert clerk.post(f"/admin/auth/group/{group.pk}/change/", rename).status_code == 403

    group.refresh_from_db()
    assert (group.name, group.permissions.count()) == ("Support", 0)


def test_sessions_of_staff_and_the_log_are_superusers_business(clerk: Client, root: Client) -> None:
    for path in ("accounts/staffsession/", "admin/logentry/"):
        assert clerk.get(f"/admin/{path}").status_code == 403
        assert root.get(f"/admin/{path}").status_code == 200
    before = StaffSession.objects.open_now().count()
    clerk.post(
        "/admin/accounts/staffsession/",
        {"action": "end", "_selected_action": [str(one.pk) for one in StaffSession.objects.all()]},
    )
    assert StaffSession.objects.open_now().count() == before


# --- What stays written down ----------------------------------------------------------------------


def test_nobody_deletes_or_changes_what_is_logged(root: Client, tenant: Tenant) -> None:
    root.post(f"/admin/accounts/user/{make_user(tenant).pk}/delete/", {"post": "yes"})
    other = make_user(tenant, role=Role.MEMBER)
    root.post(f"/admin/accounts/user/{other.pk}/delete/", {"post": "yes"})
    [entry] = LogEntry.objects.all()
    before = LogEntry.objects.values().get()
    address = reverse("admin:admin_logentry_change", args=[entry.pk])

    assert root.get(address).status_code == 200
    root.post(address, {"change_message": "Nothing."})
    root.post(reverse("admin:admin_logentry_delete", args=[entry.pk]), {"post": "yes"})
    body = {"action": "delete_selected", "post": "yes", "_selected_action": [str(entry.pk)]}
    root.post(reverse("admin:admin_logentry_changelist"), body)

    assert LogEntry.objects.values().get() == before


def test_who_has_acted_is_not_deleted_and_their_log_with_them(root: Client, tenant: Tenant) -> None:
    clerk = User.objects.create_user("clerk@example.com", PASSWORD, is_staff=True)
    LogEntry.objects.log_actions(clerk.pk, [tenant], 2, change_message="Changed.")
    former = {"email": clerk.email} | NO_INLINES

    root.post(f"/admin/accounts/user/{clerk.pk}/change/", former)  # neither active nor staff
    for way in ("delete", "list action"):
        attack(root, clerk, way)

    clerk.refresh_from_db()
    assert (clerk.is_active, clerk.is_staff) == (False, False)
    assert LogEntry.objects.filter(user=clerk).count() == 1


def told(tenant: Tenant) -> list[tuple[str, str, str]]:
    entries = ActivityEntry.objects.for_tenant(tenant).order_by("id")
    return list(entries.values_list("actor", "action", "target_kind"))


@pytest.mark.parametrize("way", ["revoke", "delete"])
@pytest.mark.parametrize(
    ("model", "entry"),
    [
        ("session", ("staff", "session_ended", "membership")),
        ("apitoken", ("staff", "api_token_revoked", "apitoken")),
        ("programaccess", ("staff", "program_revoked", "programaccess")),
    ],
)
def test_a_tenant_reads_what_staff_ended(
    root: Client, tenant: Tenant, model: str, entry: tuple[str, str, str], way: str
) -> None:
    user = make_user(tenant)
    make_session(user, tenant)
    make_api_token(user, tenant)
    access = make_access(Membership.objects.for_tenant(tenant).get())
    rows = {
        "session": Session.objects.for_tenant(tenant),
        "apitoken": ApiToken.objects.for_tenant(tenant),
        "programaccess": type(access).objects.for_tenant(tenant),
    }
    pk = str(rows[model].get().pk)

    for _ in range(2):  # the second time nothing is open
        if way == "revoke":
            body = {"action": "revoke", "_selected_action": [pk]}
            root.post(f"/admin/accounts/{model}/", body)
        else:
            root.post(f"/admin/accounts/{model}/{pk}/delete/", {"post": "yes"})

    assert told(tenant) == [entry]
    assert LogEntry.objects.filter(object_id=pk).count() == (2 if way == "revoke" else 1)


def test_a_tenant_reads_that_staff_changed_it_and_its_people(root: Client, tenant: Tenant) -> None:
    page = root.get(f"/admin/accounts/tenant/{tenant.pk}/change/")
    forms = {
        f"{formset.formset.prefix}-{name}_FORMS": "0"
        for formset in page.context["inline_admin_formsets"]
        for name in ("TOTAL", "INITIAL")
    }
    body = {"slug": tenant.slug, "name": tenant.name, "plan": "free", "language": "es"}
    member = {"tenant": str(tenant.pk), "user": str(make_user().pk), "role": Role.VIEWER}

    assert root.post(f"/admin/accounts/tenant/{tenant.pk}/change/", body | forms).status_code == 302
    root.post("/admin/accounts/membership/add/", member)

    assert told(tenant) == [
        ("staff", "workspace_changed", ""),
        ("staff", "member_joined", "membership"),
    ]
    assert ActivityEntry.objects.for_tenant(tenant).first().details  # type: ignore[union-attr]
