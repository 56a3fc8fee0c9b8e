"""What the back office shows, and what staff may change. That all pages open: config/tests."""

import re
import threading
import time
from contextvars import copy_context
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from accounts.models import (
    CompanyProfile,
    Membership,
    OutgoingMail,
    Plan,
    RecoveryCode,
    Role,
    Session,
    Signup,
    Tenant,
    TwoFactor,
    UsageCounter,
    User,
)
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_session,
    make_user,
    sign_staff_in,
    switch_two_factor_on,
)
from config.database.acting import as_migrations
from config.tests.rows import (
    MAKERS,
    make_api_token,
    make_one_time_code,
    make_outgoing_mail,
    make_signup,
)

NEW_PASSWORD = "an entirely different one 2"
PROFILE = {
    "legal_name": "Acme, Lda.",
    "tax_id": "PT123",
    "address": "Rua 1",
    "city": "Lisboa",
    "postal_code": "1000",
    "country": "pt",
    "billing_email": "pay@acme.pt",
}
ALL_OF_A_PERSON = ["user", "membership", "session", "apitoken", "twofactor", "recoverycode"]
NO_INLINES = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}


@pytest.fixture
def superuser(db: None) -> User:
    return User.objects.create_superuser("root@example.com", PASSWORD)


@pytest.fixture
def staff(superuser: User) -> Client:
    client = Client()
    sign_staff_in(client, superuser)
    return client


@pytest.fixture
def clerk(db: None) -> Client:
    """Staff who may change people, and are no superuser."""
    user = User.objects.create_user("clerk@example.com", PASSWORD, is_staff=True)
    names = ["view_user", "change_user"]
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    client = Client()
    sign_staff_in(client, user)
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


def test_a_new_password_ends_the_persons_sessions(staff: Client, tenant: Tenant, api: Any) -> None:
    user = make_user(tenant)
    headers = bearer(user, tenant)
    body = {"usable_password": "true", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}

    staff.post(f"/admin/accounts/user/{user.id}/password/", body)

    assert api.get("/auth/me", headers=headers).status_code == 401
    assert OutgoingMail.objects.for_tenant(tenant).get().template == "password_changed"


def test_taking_the_password_away_ends_the_persons_sessions(
    staff: Client, tenant: Tenant, api: Any
) -> None:
    user = make_user(tenant)
    headers = bearer(user, tenant)

    staff.post(
        f"/admin/accounts/user/{user.id}/password/",
        {"usable_password": "false", "password1": "", "password2": "", "unset-password": "1"},
    )

    user.refresh_from_db()
    assert not user.has_usable_password()
    assert api.get("/auth/me", headers=headers).status_code == 401


def test_who_is_enabled_again_has_to_log_in_again(staff: Client, tenant: Tenant, api: Any) -> None:
    user = make_user(tenant)
    headers = bearer(user, tenant)
    body = {"email": user.email, "groups": [], "user_permissions": []} | NO_INLINES

    staff.post(f"/admin/accounts/user/{user.id}/change/", body)
    staff.post(f"/admin/accounts/user/{user.id}/change/", body | {"is_active": "on"})

    user.refresh_from_db()
    assert user.is_active
    assert api.get("/auth/me", headers=headers).status_code == 401


def test_a_page_shows_whether_two_factor_is_on(staff: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    switch_two_factor_on(user)

    assert staff.get(f"/admin/accounts/user/{user.id}/change/").status_code == 200
    assert staff.get("/admin/accounts/user/", {"q": user.email}).status_code == 200


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


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("membership/?invitation_hash__startswith=c0", 400),
        ("membership/?user__password__startswith=pbkdf2", 400),
        ("membership/?role__exact=admin", 200),
        ("idempotentrequest/?answer__contains=Ana", 400),
        ("apitoken/?token_hash__startswith=0", 400),
        ("tenant/?hidden_columns__contains=cost", 400),
        ("tenant/?plan__slug__exact=free", 200),
    ],
)
def test_a_list_is_narrowed_down_by_its_filters_alone(
    staff: Client, asked: str, status: int
) -> None:
    """What no page shows is not found out letter by letter."""
    assert staff.get(f"/admin/accounts/{asked}").status_code == status


# --- A tenant keeps an admin ----------------------------------------------------------------------


def change_in_page_of_person(staff: Client, user: User, **over: str) -> Any:
    member = user.memberships.get()
    body = {
        "email": user.email,
        "is_active": "on",
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "1",
        "memberships-0-id": str(member.id),
        "memberships-0-user": str(user.id),
        "memberships-0-tenant": str(member.tenant_id),
        "memberships-0-role": member.role,
    }
    return staff.post(f"/admin/accounts/user/{user.id}/change/", body | over, follow=True)


def take_the_admin_away(staff: Client, user: User, way: str) -> Any:
    member = user.memberships.get()
    address = f"/admin/accounts/membership/{member.id}"
    selected = {"action": "delete_selected", "post": "yes"}
    match way:
        case "demote":
            return staff.post(f"{address}/change/", {"role": Role.VIEWER}, follow=True)
        case "remove":
            return staff.post(f"{address}/delete/", {"post": "yes"}, follow=True)
        case "remove many":
            body = selected | {"_selected_action": [str(member.id)]}
            return staff.post("/admin/accounts/membership/", body, follow=True)
        case "demote in the person's page":
            return change_in_page_of_person(staff, user, **{"memberships-0-role": Role.VIEWER})
        case "remove in the person's page":
            return change_in_page_of_person(staff, user, **{"memberships-0-DELETE": "on"})
        case "delete the person":
            path = f"/admin/accounts/user/{user.id}/delete/"
            return staff.post(path, {"post": "yes"}, follow=True)
        case "delete many people":
            body = selected | {"_selected_action": [str(user.id)]}
            return staff.post("/admin/accounts/user/", body, follow=True)
    raise AssertionError(way)


WAYS = [
    "demote",
    "remove",
    "remove many",
    "demote in the person's page",
    "remove in the person's page",
    "delete the person",
    "delete many people",
]


@pytest.mark.parametrize("way", WAYS)
def test_the_last_admin_stays_and_the_page_says_so(staff: Client, tenant: Tenant, way: str) -> None:
    user = make_user(tenant)
    make_user(tenant, role=Role.MEMBER)
    log_entries = LogEntry.objects.count()

    answer = take_the_admin_away(staff, user, way)

    assert answer.status_code == 200
    assert "A workspace needs at least one admin" in answer.content.decode()
    assert [m.user for m in Membership.objects.for_tenant(tenant).active_admins()] == [user]
    assert LogEntry.objects.count() == log_entries


@pytest.mark.parametrize("way", WAYS)
def test_an_admin_goes_when_another_stays(
    staff: Client, tenant: Tenant, api: Any, way: str
) -> None:
    user, other = make_user(tenant), make_user(tenant)
    headers = bearer(user, tenant)

    answer = take_the_admin_away(staff, user, way)

    assert answer.status_code == 200
    assert [m.user for m in Membership.objects.for_tenant(tenant).active_admins()] == [other]
    assert User.objects.filter(pk=user.pk).exists() == ("delete" not in way)
    is_demoted = way.startswith("demote")
    assert api.get("/auth/me", headers=headers).status_code == (200 if is_demoted else 401)


def test_the_last_admin_can_be_disabled(staff: Client, tenant: Tenant) -> None:
    """Staff must be able to stop anybody."""
    user = make_user(tenant)

    change_in_page_of_person(staff, user, is_active="")

    user.refresh_from_db()
    assert not user.is_active


def test_whom_staff_add_is_an_active_member(staff: Client, tenant: Tenant) -> None:
    user = make_user()
    body = {"tenant": str(tenant.id), "user": str(user.id), "role": Role.MEMBER}

    staff.post("/admin/accounts/membership/add/", body)
    again = staff.post("/admin/accounts/membership/add/", body)

    member = Membership.objects.for_tenant(tenant).get()
    assert (member.user, member.role, member.status) == (user, "member", "active")
    assert again.status_code == 200


def test_staff_add_a_membership_in_the_page_of_the_person(staff: Client, tenant: Tenant) -> None:
    user = make_user()
    body = {
        "email": user.email,
        "is_active": "on",
        "memberships-TOTAL_FORMS": "1",
        "memberships-INITIAL_FORMS": "0",
        "memberships-0-user": str(user.id),
        "memberships-0-tenant": str(tenant.id),
        "memberships-0-role": Role.VIEWER,
    }

    staff.post(f"/admin/accounts/user/{user.id}/change/", body)

    assert Membership.objects.for_tenant(tenant).get().user == user


def test_a_membership_does_not_move_in_the_page_of_the_person_either(
    staff: Client, tenant: Tenant, other_tenant: Tenant
) -> None:
    user = make_user(tenant, role=Role.MEMBER)
    make_session(user, tenant)

    change_in_page_of_person(staff, user, **{"memberships-0-tenant": str(other_tenant.id)})

    assert user.memberships.get().tenant == tenant


def test_page_of_a_membership_shows_its_status_and_no_hash(staff: Client, tenant: Tenant) -> None:
    member = make_user(tenant).memberships.get()
    member.activated_at, member.invitation_hash = None, "c0ffee" * 10
    member.save()

    page = staff.get(f"/admin/accounts/membership/{member.id}/change/").content.decode()
    rows = staff.get("/admin/accounts/membership/").content.decode()

    assert "invited" in page
    assert "invited" in rows
    assert "c0ffee" not in page + rows


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
        "max_passages": "12000",
        "max_queries_per_month": "",
        "max_connectors": "1",
        "schedule_frequencies": ["manual", "weekly"],
        "max_requests_per_minute": "30",
        "max_pages_per_crawl": "25",
        "blocks_overage": "on",
    }

    assert staff.post("/admin/accounts/plan/free/change/", body).status_code == 302

    plan = Plan.objects.get(slug="free")
    assert (plan.max_documents, plan.max_passages) == (30, 12000)
    assert plan.max_queries_per_month is None
    assert plan.schedule_frequencies == ["manual", "weekly"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"schedule_frequencies": []},
        {"schedule_frequencies": ["weekly"]},
        {"schedule_frequencies": ["manual", "daily"]},
        {"max_requests_per_minute": "0"},
        {"max_requests_per_minute": ""},
        {"max_pages_per_crawl": "0"},
        {"max_documents": "-1"},
    ],
    ids=str,
)
def test_a_plan_that_makes_no_sense_is_refused(staff: Client, wrong: dict[str, Any]) -> None:
    before = Plan.objects.filter(slug="free").values().get()
    body = {
        "name": "Free",
        "schedule_frequencies": ["manual"],
        "max_requests_per_minute": "30",
        "max_pages_per_crawl": "25",
    }

    assert staff.post("/admin/accounts/plan/free/change/", body | wrong).status_code == 200
    assert Plan.objects.filter(slug="free").values().get() == before


def test_list_of_plans_is_the_table_of_all_limits(staff: Client) -> None:
    page = staff.get("/admin/accounts/plan/").content.decode()

    cells = [re.sub(r"<[^>]+>|\s+", " ", row).split() for row in page.split("<tr")]
    assert [word for row in cells for word in row if word == "unlimited"] == ["unlimited"] * 4
    assert "manual, weekly, 24h, 6h, 1h" in page


def test_the_plan_of_new_tenants_cannot_be_deleted(staff: Client) -> None:
    assert staff.post("/admin/accounts/plan/free/delete/", {"post": "yes"}).status_code == 403
    assert Plan.objects.filter(slug="free").exists()


def test_page_of_a_tenant_has_language_profile_and_usage(staff: Client, tenant: Tenant) -> None:
    UsageCounter.objects.for_tenant(tenant).create(
        metric="queries", period_start="2026-11-01", used=4321
    )
    address = f"/admin/accounts/tenant/{tenant.id}/change/"
    page = staff.get(address).content.decode()
    assert "4321" in page

    counts = re.findall(r'name="([^"]*(?:TOTAL|INITIAL)_FORMS)"', page)
    profile = counts[0].removesuffix("-TOTAL_FORMS")
    body = dict.fromkeys(counts, "0") | {
        "slug": "acme",
        "name": "Acme",
        "plan": "pro",
        "language": "en",
        f"{profile}-TOTAL_FORMS": "1",
        f"{profile}-0-tenant": str(tenant.id),
        **{f"{profile}-0-{name}": value for name, value in PROFILE.items()},
    }
    assert staff.post(address, body).status_code == 302

    tenant.refresh_from_db()
    assert (tenant.language, tenant.plan_id) == ("en", "pro")
    assert CompanyProfile.objects.for_tenant(tenant).get().country == "PT"


@pytest.mark.parametrize(("country", "is_known"), [("pt", True), ("XX", False)])
def test_staff_correct_a_company_profile(
    staff: Client, tenant: Tenant, country: str, *, is_known: bool
) -> None:
    profile = CompanyProfile.objects.for_tenant(tenant).create(legal_name="Acme", country="ES")
    staff.post(
        f"/admin/accounts/companyprofile/{profile.id}/change/", PROFILE | {"country": country}
    )

    profile.refresh_from_db()
    assert profile.country == ("PT" if is_known else "ES")


def test_what_gets_billed_is_not_edited(staff: Client, tenant: Tenant) -> None:
    counter = UsageCounter.objects.for_tenant(tenant).create(
        metric="queries", period_start="2026-11-01", used=5
    )
    address = f"/admin/accounts/usagecounter/{counter.id}"

    assert staff.post(f"{address}/change/", {"used": "0"}).status_code == 403
    assert staff.post(f"{address}/delete/", {"post": "yes"}).status_code == 403


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


# --- API tokens -----------------------------------------------------------------------------------


def test_revoke_ends_the_selected_api_tokens(staff: Client) -> None:
    revoked, kept = make_api_token(), make_api_token()

    staff.post(
        "/admin/accounts/apitoken/", {"action": "revoke", "_selected_action": [str(revoked.id)]}
    )

    revoked.refresh_from_db()
    kept.refresh_from_db()
    assert (revoked.revoked_at is not None, kept.revoked_at) == (True, None)


# --- What proves ----------------------------------------------------------------------------------


def test_no_secret_hash_or_ciphertext_is_shown(staff: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    _, codes = switch_two_factor_on(user)
    rows = {
        "apitoken": make_api_token(),
        "onetimecode": make_one_time_code(),
        "twofactor": TwoFactor.objects.get(),
        "recoverycode": RecoveryCode.objects.all()[0],
        "outgoingmail": make_outgoing_mail(),
        "signup": make_signup(),
    }
    Signup.objects.update(password="pbkdf2$secret")
    words = ["hash", "encrypted", "secret", "sealed", "0" * 64, "last_used_step", codes[0]]

    for model, row in rows.items():
        pages = [f"/admin/accounts/{model}/", f"/admin/accounts/{model}/{row.pk}/change/"]
        for page in pages:
            content = main_part(staff.get(page).content.decode())
            assert [word for word in words if word in content] == [], page


def main_part(page: str) -> str:
    """Without the links, styles and scripts around."""
    return re.sub(r"<(script|style|link|svg)\b.*?(</\1>|>)", "", page, flags=re.DOTALL)


@pytest.mark.parametrize(
    "model", ["apitoken", "onetimecode", "twofactor", "recoverycode", "outgoingmail", "signup"]
)
def test_what_the_service_writes_is_only_looked_at(staff: Client, model: str) -> None:
    row = MAKERS[apps.get_model("accounts", model)]()

    assert staff.get(f"/admin/accounts/{model}/add/").status_code == 403
    assert staff.post(f"/admin/accounts/{model}/{row.pk}/change/", {}).status_code == 403


@pytest.mark.parametrize("many", [False, True], ids=["its page", "the list"])
def test_deleting_a_second_factor_turns_it_off_and_mails_that(
    staff: Client, tenant: Tenant, *, many: bool
) -> None:
    user = make_user(tenant)
    switch_two_factor_on(user)
    body = {"post": "yes", "action": "delete_selected", "_selected_action": [str(user.pk)]}

    page = "/admin/accounts/twofactor/"
    answer = staff.post(page if many else f"{page}{user.pk}/delete/", body)

    assert answer.status_code == 302
    assert not TwoFactor.objects.exists()
    assert not RecoveryCode.objects.exists()
    mail = OutgoingMail.objects.for_tenant(tenant).get()
    assert (mail.template, mail.recipient) == ("two_factor_disabled", user.email)


def test_deleting_one_that_was_never_on_mails_nothing(staff: Client, tenant: Tenant) -> None:
    user = make_user(tenant)
    TwoFactor.objects.create(user=user, encrypted_secret=b"sealed")

    staff.post(f"/admin/accounts/twofactor/{user.pk}/delete/", {"post": "yes"})

    assert not TwoFactor.objects.exists()
    assert not OutgoingMail.all_tenants.exists()


@pytest.mark.parametrize("model", ["user", "twofactor"])
def test_clerk_cannot_delete_what_is_a_superusers(
    clerk: Client, superuser: User, model: str
) -> None:
    switch_two_factor_on(superuser)
    names = [f"{verb}_{model}" for verb in ("view", "delete") for model in ALL_OF_A_PERSON]
    User.objects.get(email="clerk@example.com").user_permissions.set(
        Permission.objects.filter(codename__in=names)
    )

    one = clerk.post(f"/admin/accounts/{model}/{superuser.pk}/delete/", {"post": "yes"})
    body = {"action": "delete_selected", "_selected_action": [str(superuser.pk)], "post": "yes"}
    many = clerk.post(f"/admin/accounts/{model}/", body)

    assert (one.status_code, many.status_code) == (403, 403)
    assert TwoFactor.objects.filter(user=superuser).exists()


def test_deleting_a_signup_frees_its_slug(staff: Client) -> None:
    signup = make_signup()

    staff.post(f"/admin/accounts/signup/{signup.pk}/delete/", {"post": "yes"})

    assert not Signup.objects.exists()


# --- Mails ----------------------------------------------------------------------------------------


def test_waiting_mails_are_sent_now_and_finished_ones_are_not(staff: Client) -> None:
    later = timezone.now() + timedelta(hours=1)
    waiting, sent, failed = make_outgoing_mail(), make_outgoing_mail(), make_outgoing_mail()
    OutgoingMail.all_tenants.filter(pk=waiting.pk).update(next_attempt_at=later)
    over: dict[str, Any] = {"next_attempt_at": None, "encrypted_context": b""}
    OutgoingMail.all_tenants.filter(pk=sent.pk).update(sent_at=later, **over)
    OutgoingMail.all_tenants.filter(pk=failed.pk).update(failed_at=later, **over)
    selected = [str(mail.pk) for mail in (waiting, sent, failed)]

    page = staff.get("/admin/accounts/outgoingmail/").content.decode()
    staff.post(
        "/admin/accounts/outgoingmail/", {"action": "send_now", "_selected_action": selected}
    )

    assert [word for word in ("waiting", "sent", "failed") if word not in page] == []
    due = OutgoingMail.all_tenants.filter(next_attempt_at__lte=timezone.now())
    assert [mail.pk for mail in due] == [waiting.pk]


# --- In parallel ----------------------------------------------------------------------------------


def test_page_of_a_person_locks_the_tenant_before_the_person(committed_tenant: Tenant) -> None:
    """As the API does. The other way round each would wait for the other."""
    user = make_user(committed_tenant)
    root = User.objects.create_superuser(f"root@{committed_tenant.slug}.example", PASSWORD)
    client = Client()
    sign_staff_in(client, root)

    def save_page() -> None:
        change_in_page_of_person(client, user)
        connection.close()

    page = threading.Thread(target=copy_context().run, args=[save_page])
    try:
        with transaction.atomic():
            Tenant.objects.select_for_update().get(pk=committed_tenant.pk)
            page.start()
            wait_for_a_waiting_lock()
            assert User.objects.select_for_update(nowait=True).get(pk=user.pk) == user
    finally:
        page.join(timeout=30)
        root.delete()


def wait_for_a_waiting_lock() -> None:
    for _ in range(1_000):
        with as_migrations(), connection.cursor() as cursor:  # who may see what others wait for
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # one is kept for a transaction
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            row = cursor.fetchone()
        if row and row[0]:
            return
        time.sleep(0.01)
    raise AssertionError("nobody waits for a lock")
