"""What has ended is deleted, and nothing sooner."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session as BackOfficeSession
from django.utils import timezone

from accounts.leaving import expiry
from accounts.leaving.expiry import delete_expired
from accounts.models import (
    ApiToken,
    Membership,
    OneTimeCode,
    OutgoingMail,
    Purpose,
    Session,
    Signup,
    Tenant,
    User,
)
from accounts.services.mails import queue_mail
from accounts.tasks import delete_expired as delete_expired_task
from accounts.tests.factories import (
    PASSWORD,
    make_invitation,
    make_membership,
    make_session,
    make_stranger,
    make_user,
)
from config.tests.parallel import in_parallel

NOW = timezone.now()
SOON = NOW + timedelta(days=1)
MINUTE = timedelta(minutes=1)
DAY, MONTH, QUARTER = timedelta(days=1), timedelta(days=30), timedelta(days=90)


@pytest.fixture
def membership(tenant: Tenant) -> Membership:
    return make_membership(tenant, make_user())


def add_session(membership: Membership, **over: Any) -> Session:
    session = make_session(membership.user, membership.tenant)
    Session.all_tenants.filter(pk=session.pk).update(**({"expires_at": SOON} | over))
    return session


def add_api_token(membership: Membership, **over: Any) -> ApiToken:
    token = ApiToken.objects.for_tenant(membership.tenant).create(
        membership=membership, name="shop", expires_at=SOON
    )
    ApiToken.all_tenants.filter(pk=token.pk).update(**over)
    return token


def add_mail(membership: Membership, **over: Any) -> OutgoingMail:
    mail = queue_mail(
        membership.tenant,
        recipient="leo@example.com",
        template="password_changed",
        context={"tenant_name": "Acme"},
    )
    OutgoingMail.all_tenants.filter(pk=mail.pk).update(**over)
    return mail


def add_signup(membership: Membership, **over: Any) -> Signup:
    fields = {"email": "leo@example.com", "slug": "leo", "tenant_name": "Leo"} | over
    signup = Signup.objects.create(**fields)
    add_code(membership, signup=signup, purpose=Purpose.SIGNUP, expires_at=SOON)
    return signup


def add_code(membership: Membership, **over: Any) -> OneTimeCode:
    fields = {
        "email": "leo@example.com",
        "purpose": Purpose.LOGIN,
        "created_at": NOW,
        "tries_left": 5,
    } | over
    return OneTimeCode.objects.create(**fields)


def add_back_office_session(membership: Membership, **over: Any) -> BackOfficeSession:
    fields = {"session_key": "x" * 32, "session_data": "", "expire_date": SOON} | over
    return BackOfficeSession.objects.create(**fields)


# (what, its fields, how long after that it is kept)
KEPT: dict[str, tuple[Any, str, timedelta]] = {
    "an expired session": (add_session, "expires_at", QUARTER),
    "a revoked session": (add_session, "revoked_at", QUARTER),
    "an expired session of the back office": (add_back_office_session, "expire_date", DAY),
    "an expired code": (add_code, "expires_at", DAY),
    "an expired signup": (add_signup, "expires_at", DAY),
    "a sent mail": (add_mail, "sent_at", MONTH),
    "a failed mail": (add_mail, "failed_at", MONTH),
    "an expired API token": (add_api_token, "expires_at", QUARTER),
    "a revoked API token": (add_api_token, "revoked_at", QUARTER),
}
EVERY_KIND = pytest.mark.parametrize(("add", "end", "kept"), KEPT.values(), ids=KEPT)


@EVERY_KIND
def test_it_is_kept_so_long_after_its_end(
    membership: Membership, add: Any, end: str, kept: timedelta
):
    row = add(membership, **{end: NOW - kept + MINUTE})

    assert delete_expired(NOW) == 0
    assert type(row)._base_manager.filter(pk=row.pk).exists()


@EVERY_KIND
def test_then_it_goes(membership: Membership, add: Any, end: str, kept: timedelta):
    row = add(membership, **{end: NOW - kept - MINUTE})

    assert delete_expired(NOW) == 1
    assert not type(row)._base_manager.filter(pk=row.pk).exists()


def test_a_signup_takes_its_codes_along(membership: Membership):
    add_signup(membership, expires_at=NOW - 2 * DAY)
    delete_expired(NOW)

    assert not OneTimeCode.objects.exists()


def test_what_has_not_ended_stays_however_old(membership: Membership):
    rows = [
        add_session(membership, created_at=NOW - 1000 * DAY),
        add_api_token(membership),
        add_mail(membership, created_at=NOW - 1000 * DAY),
    ]

    assert delete_expired(NOW) == 0
    assert all(type(row)._base_manager.filter(pk=row.pk).exists() for row in rows)


def test_people_and_their_memberships_stay(membership: Membership):
    add_session(membership, expires_at=NOW - 2 * DAY)
    delete_expired(NOW)

    membership.refresh_from_db()
    membership.user.refresh_from_db()


def add_stranger(**over: Any) -> User:
    cid = make_stranger()
    fields = {"created_at": NOW - DAY - MINUTE} | over
    User.objects.filter(pk=cid.pk).update(**fields)
    return cid


@pytest.mark.django_db
def test_address_that_was_invited_in_vain_is_forgotten_after_a_day():
    cid, dan = add_stranger(), add_stranger(created_at=NOW - DAY + MINUTE)

    assert delete_expired(NOW) == 1
    assert list(User.objects.filter(pk__in=[cid.pk, dan.pk])) == [dan]


@pytest.mark.parametrize("case", ["password", "staff", "invitation", "logged in by code"])
def test_who_is_no_stranger_keeps_the_account(tenant: Tenant, case: str):
    cid = add_stranger()
    if case == "password":
        cid.set_password(PASSWORD)
    cid.is_staff = case == "staff"
    cid.last_login = NOW if case == "logged in by code" else None
    cid.save(update_fields=["password", "is_staff", "last_login"])
    if case == "invitation":
        make_invitation(tenant, cid)

    assert delete_expired(NOW) == 0
    assert User.objects.filter(pk=cid.pk).exists()


def test_a_session_outlives_its_access_tokens(settings: Any):
    assert expiry.SESSIONS_KEPT > settings.ACCESS_TOKEN_LIFETIME


def test_all_batches_go(membership: Membership, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(expiry, "ROWS_AT_ONCE", 3)
    for _ in range(7):
        add_session(membership, revoked_at=NOW - QUARTER - DAY)
    kept = add_session(membership)

    assert delete_expired(NOW) == 7
    assert list(Session.objects.for_tenant(membership.tenant)) == [kept]


def test_beat_starts_it(membership: Membership):
    add_session(membership, expires_at=timezone.now() - QUARTER - DAY)
    delete_expired_task()

    assert not Session.objects.for_tenant(membership.tenant).exists()


def test_two_at_once_do_not_meet(committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(expiry, "ROWS_AT_ONCE", 5)
    membership = make_membership(committed_tenant, make_user())
    for _ in range(40):
        add_session(membership, revoked_at=NOW - QUARTER - DAY)

    assert sum(in_parallel(lambda: delete_expired(NOW), times=25)) == 40
    assert not Session.objects.for_tenant(committed_tenant).exists()
