"""POST /auth/activate. The page that an invitation links to: dashboard/tests/test_coming_in.py."""

import json
import re
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Membership, Role, Session, Tenant, User
from accounts.tasks import send_due_mails
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_invitation,
    make_membership,
    make_stranger,
    make_user,
    switch_two_factor_on,
)
from config.database.acting import as_migrations
from config.tests.parallel import in_parallel

NEW_PASSWORD = "another horse battery 2"
ACTIVATION_FAILED = {
    "error": {
        "code": "ACTIVATION_FAILED",
        "message": (
            "The activation link is invalid, has been used or has expired, or the password"
            " is not the one that you already use with us. Enter that password, or ask for"
            " a new invitation."
        ),
    }
}


@pytest.fixture
def bea(db: None) -> User:
    """Somebody without an account."""
    return make_stranger("bea@acme.es")


@pytest.fixture
def token(tenant: Tenant, bea: User) -> str:
    """Of the link that she got."""
    return make_invitation(tenant, bea)


def activate(api: APIClient, token: Any, password: Any = NEW_PASSWORD) -> Any:
    return api.post("/auth/activate", {"token": token, "password": password}, "json")


def log_in(api: APIClient, password: str, **more: Any) -> Any:
    return api.post("/auth/login", {"email": "bea@acme.es", "password": password, **more}, "json")


def membership_of(tenant: Tenant, user: User) -> Membership:
    return Membership.objects.for_tenant(tenant).get(user=user)


def is_still_invited(tenant: Tenant, user: User) -> bool:
    membership = membership_of(tenant, user)
    return membership.activated_at is None and membership.invitation_hash != ""


# --- Somebody without an account ------------------------------------------------------------------


def test_first_password_is_set_and_its_owner_logged_in(
    api: APIClient, tenant: Tenant, bea: User, token: str
) -> None:
    before = timezone.now()

    answer = activate(api, token)

    tokens = answer.json()
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert tokens | {"access_token": "", "refresh_token": ""} == {
        "access_token": "",
        "refresh_token": "",
        "token_type": "Bearer",
        "expires_in": 900,
        "role": "member",
        "tenant_id": str(tenant.id),
        "tenant_slug": "acme",
    }
    me = api.get("/auth/me", headers={"Authorization": f"Bearer {tokens['access_token']}"})
    assert me.json()["user_id"] == str(bea.id)
    membership = membership_of(tenant, bea)
    assert membership.activated_at is not None
    assert membership.activated_at >= before
    assert (membership.invitation_hash, membership.invitation_expires_at) == ("", None)
    assert log_in(api, NEW_PASSWORD).status_code == 200


def test_whole_way_from_the_invitation(
    api: APIClient, admin_api: APIClient, django_capture_on_commit_callbacks: Any, mailoutbox: Any
) -> None:
    with django_capture_on_commit_callbacks():
        admin_api.post("/tenants/me/members", {"email": "cid@acme.es", "role": "viewer"}, "json")
    send_due_mails()
    mail = mailoutbox[0].body

    link = re.search(r"^http://\S+/activate#token=(\S+)$", mail, re.MULTILINE)

    assert link is not None
    tokens = activate(api, link[1]).json()
    assert (tokens["tenant_slug"], tokens["role"]) == ("acme", "viewer")
    listed = admin_api.get("/tenants/me/members").json()
    assert [(row["status"], row["joined_at"] is None) for row in listed] == [
        ("active", False),
        ("active", False),
    ]


def test_password_is_taken_as_it_is(api: APIClient, token: str) -> None:
    """Spaces around it, and letters of any kind, are part of it."""
    password = "  ñandú en Ávila 7 "

    assert activate(api, token, password).status_code == 200
    assert log_in(api, password).status_code == 200
    assert log_in(api, password.strip()).status_code == 401


@pytest.mark.parametrize(
    "weak", ["short 1", "password123", "12345678901234", "bea@acme.es", "bea@acme.e"]
)
def test_weak_password_leaves_the_link_good(
    api: APIClient, tenant: Tenant, bea: User, token: str, weak: str
) -> None:
    answer = activate(api, token, weak)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "WEAK_PASSWORD")
    assert is_still_invited(tenant, bea)
    bea.refresh_from_db()
    assert not bea.has_usable_password()
    assert activate(api, token).status_code == 200


def test_first_password_ends_sessions_that_a_code_opened(
    api: APIClient, bea: User, token: str, other_tenant: Tenant
) -> None:
    make_membership(other_tenant, bea)
    headers = bearer(bea, other_tenant)

    activate(api, token)

    assert api.get("/auth/me", headers=headers).status_code == 401


def test_two_invitations_are_two_links_and_the_second_wants_the_password(
    api: APIClient, bea: User, token: str, other_tenant: Tenant
) -> None:
    second = make_invitation(other_tenant, bea, role=Role.VIEWER)

    assert activate(api, token).json()["tenant_slug"] == "acme"
    assert activate(api, second, "yet another battery 3").json() == ACTIVATION_FAILED
    assert activate(api, second).json()["tenant_slug"] == "umbrella"


# --- Somebody who has an account ------------------------------------------------------------------


@pytest.fixture
def known(bea: User, other_tenant: Tenant) -> User:
    """Bea, who has a password, and is a member of umbrella."""
    bea.set_password(PASSWORD)
    bea.save()
    make_membership(other_tenant, bea)
    return bea


def test_account_joins_with_its_own_password(
    api: APIClient, tenant: Tenant, known: User, token: str, other_tenant: Tenant
) -> None:
    elsewhere = bearer(known, other_tenant)

    tokens = activate(api, token, PASSWORD).json()

    assert (tokens["tenant_slug"], tokens["role"]) == ("acme", "member")
    assert not is_still_invited(tenant, known)
    assert api.get("/auth/me", headers=elsewhere).status_code == 200


def test_link_never_replaces_a_password(
    api: APIClient, tenant: Tenant, known: User, token: str
) -> None:
    answer = activate(api, token, NEW_PASSWORD)

    assert (answer.status_code, answer.json()) == (400, ACTIVATION_FAILED)
    assert is_still_invited(tenant, known)
    assert log_in(api, NEW_PASSWORD).status_code == 401
    assert log_in(api, PASSWORD).json()["tenant_slug"] == "umbrella"


def test_old_password_that_would_be_weak_now_is_good(
    api: APIClient, known: User, token: str
) -> None:
    known.set_password("1234")
    known.save()

    assert activate(api, token, "1234").status_code == 200


def test_with_two_factor_login_joins_when_the_code_is_given(
    api: APIClient, tenant: Tenant, known: User, token: str
) -> None:
    secret, _ = switch_two_factor_on(known)

    answer = activate(api, token, PASSWORD)

    challenge = answer.json()["challenge"]
    assert answer.json() == {"two_factor_required": True, "challenge": challenge}
    assert answer.headers["Cache-Control"] == "no-store"
    assert is_still_invited(tenant, known)
    body = {"challenge": challenge, "code": pyotp.TOTP(secret).now()}
    tokens = api.post("/auth/2fa/verify", body, "json").json()
    assert tokens["tenant_slug"] == "acme"
    assert not is_still_invited(tenant, known)
    assert activate(api, token, PASSWORD).json() == ACTIVATION_FAILED


def test_login_by_slug_accepts_the_invitation_and_uses_the_link_up(
    api: APIClient, tenant: Tenant, known: User, token: str
) -> None:
    assert log_in(api, PASSWORD, tenant_slug="acme").status_code == 200

    assert not is_still_invited(tenant, known)
    assert activate(api, token, PASSWORD).json() == ACTIVATION_FAILED


# --- Links that are no good -----------------------------------------------------------------------


def test_wrong_used_expired_replaced_and_disabled_answer_the_same_bytes(
    api: APIClient, tenant: Tenant, other_tenant: Tenant, bea: User, token: str
) -> None:
    used = make_invitation(tenant, make_stranger())
    activate(api, used)
    expired = make_invitation(
        tenant, make_stranger(), expires_at=timezone.now() - timedelta(seconds=1)
    )
    disabled_user = make_stranger()
    disabled = make_invitation(tenant, disabled_user)
    User.objects.filter(pk=disabled_user.pk).update(is_active=False)
    removed = make_invitation(tenant, make_stranger(), token="removed")
    Membership.objects.for_tenant(tenant).exclude(user=bea).filter(activated_at=None).exclude(
        user=disabled_user
    ).filter(invitation_expires_at__gt=timezone.now()).delete()
    of_an_account = make_invitation(other_tenant, make_user())
    session = activate(api, token).json()

    answers = {
        "wrong": activate(api, "no such token"),
        "used": activate(api, used),
        "expired": activate(api, expired),
        "disabled": activate(api, disabled),
        "removed": activate(api, removed),
        "wrong password": activate(api, of_an_account),
        "access token": activate(api, session["access_token"]),
        "hash of a token": activate(api, membership_of(tenant, disabled_user).invitation_hash),
    }

    for name, answer in answers.items():
        assert answer.status_code == 400, name
        assert answer.content == answers["wrong"].content, name
    assert answers["wrong"].json() == ACTIVATION_FAILED


def test_renewed_invitation_replaces_the_link(
    api: APIClient, tenant: Tenant, admin_api: APIClient, bea: User, token: str
) -> None:
    Membership.objects.for_tenant(tenant).filter(user=bea).update(
        invitation_expires_at=timezone.now() - timedelta(seconds=1)
    )
    body = {"email": bea.email, "role": "viewer"}
    assert admin_api.post("/tenants/me/members", body, "json").status_code == 201

    assert activate(api, token).json() == ACTIVATION_FAILED


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "MISSING_FIELDS"),
        ({"token": "t"}, "MISSING_FIELDS"),
        ({"password": NEW_PASSWORD}, "MISSING_FIELDS"),
        ({"token": "", "password": NEW_PASSWORD}, "MISSING_FIELDS"),
        ({"token": None, "password": NEW_PASSWORD}, "MISSING_FIELDS"),
        ({"token": "t", "password": ""}, "MISSING_FIELDS"),
        ({"token": 1, "password": NEW_PASSWORD}, "VALIDATION_ERROR"),
        ({"token": "t\x00", "password": NEW_PASSWORD}, "VALIDATION_ERROR"),
        ({"token": "t\ud800", "password": NEW_PASSWORD}, "VALIDATION_ERROR"),
        ({"token": "t" * 4001, "password": NEW_PASSWORD}, "VALIDATION_ERROR"),
        ({"token": "t", "password": 1234567890}, "VALIDATION_ERROR"),
        ({"token": "t", "password": "p" * 1001}, "VALIDATION_ERROR"),
        ({"token": "t", "password": "p\x00"}, "VALIDATION_ERROR"),
    ],
)
def test_bad_input(db: None, api: APIClient, body: dict[str, Any], code: str) -> None:
    answer = api.post("/auth/activate", json.dumps(body), content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


# --- Guessing -------------------------------------------------------------------------------------


def test_wrong_passwords_for_a_link_are_slowed_down(
    api: APIClient, known: User, token: str
) -> None:
    for _ in range(10):
        assert activate(api, token, "guess").status_code == 400

    answer = activate(api, token, PASSWORD)

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 1 <= int(answer.headers["Retry-After"]) <= 900


def test_links_are_no_guesses(db: None, api: APIClient, token: str) -> None:
    """They have too many bits; and a used one comes again by a double click."""
    assert activate(api, token).status_code == 200

    again = [activate(api, text) for text in [token] * 11 + ["no link of ours"] * 50]

    assert {answer.status_code for answer in again} == {400}
    assert len({answer.content for answer in again}) == 1


def test_weak_passwords_are_no_guesses(api: APIClient, token: str) -> None:
    for _ in range(11):
        assert activate(api, token, "weak").status_code == 400

    assert activate(api, token).status_code == 200


# --- When we fail ---------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["accounts_session", "accounts_membership", "accounts_user"])
def test_failure_in_the_middle_leaves_the_link_good(
    api: APIClient, tenant: Tenant, bea: User, token: str, table: str
) -> None:
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$"
        )
        cursor.execute(
            f"CREATE TRIGGER break BEFORE INSERT OR UPDATE ON {table}"
            " FOR EACH ROW EXECUTE FUNCTION break()"
        )

    answer = activate(api, token)

    assert (answer.status_code, answer.json()) == (
        500,
        {
            "error": {
                "code": "ACTIVATION_FAILED",
                "message": "The activation failed on our side. Your link still works: try again.",
            }
        },
    )
    bea.refresh_from_db()
    assert not bea.has_usable_password()
    assert is_still_invited(tenant, bea)
    assert not Session.all_tenants.exists()
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER break ON {table}")
    assert activate(api, token).status_code == 200


# --- In parallel ----------------------------------------------------------------------------------


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested is what happens once requests are let through."""
    monkeypatch.setattr("accounts.signing_in.guessing.refuse_for", lambda seconds: None)


@pytest.mark.parametrize("has_account", [False, True], ids=["new person", "account"])
def test_fifty_parallel_uses_of_one_link_have_one_winner(
    committed_tenant: Tenant, has_account: bool
) -> None:
    user = make_user() if has_account else make_stranger()
    token = make_invitation(committed_tenant, user)

    def call() -> tuple[int, str]:
        answer = activate(APIClient(raise_request_exception=False), token, PASSWORD)
        return answer.status_code, answer.json().get("error", {}).get("code", "")

    assert sorted(in_parallel(call)) == [(200, "")] + [(400, "ACTIVATION_FAILED")] * 49
    assert Session.objects.for_tenant(committed_tenant).count() == 1


@pytest.mark.usefixtures("unlimited")
def test_parallel_first_passwords_the_winners_is_the_one(committed_tenant: Tenant) -> None:
    bea = make_stranger()
    token = make_invitation(committed_tenant, bea)
    numbers = iter(range(50))

    def call() -> tuple[str, int]:
        password = f"{NEW_PASSWORD} {next(numbers)}"
        api = APIClient(raise_request_exception=False)
        return password, activate(api, token, password).status_code

    winners = [password for password, status in in_parallel(call) if status == 200]
    bea.refresh_from_db()
    assert [bea.check_password(password) for password in winners] == [True]


def test_token_reaches_no_log_line(
    api: APIClient, known: User, token: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither from the API nor from the page that the link opens."""
    caplog.set_level("DEBUG")

    api.get(f"/activate?token={token}")
    api.post(f"/activate?token={token}", {"password": "wrong", "repeated": "wrong"})
    activate(api, token, "wrong")
    activate(api, token, PASSWORD)

    assert any("/auth/activate" in line for line in caplog.messages)
    ours = [record.getMessage() for record in caplog.records if record.name != "django.db.backends"]
    assert not [line for line in ours if token in line]
