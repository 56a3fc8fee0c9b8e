"""POST /auth/otp/send and /auth/otp/verify: one-time codes by mail."""

import json
import logging
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import OneTimeCode, Purpose, Role, Session, Signup, Tenant, TwoFactor, User
from accounts.signing_in.codes import make_code
from accounts.signing_in.guessing import PER_ACCOUNT, PER_ADDRESS, Secret
from accounts.tests.code_mails import at_once, mailed_code, stop_mail_server, wrong_code
from accounts.tests.factories import PASSWORD, make_tenant, make_user, switch_two_factor_on
from config.security.rate_limits import Limit

INVALID_OTP = {
    "error": {
        "code": "INVALID_OTP",
        "message": "The code is wrong or has expired. Ask for a new one.",
    }
}
INVALID_OTP_PURPOSE = {
    "error": {
        "code": "INVALID_OTP_PURPOSE",
        "message": "This purpose is not available for this e-mail address.",
    }
}
TWO_FACTOR_REQUIRED = {
    "error": {
        "code": "TWO_FACTOR_REQUIRED",
        "message": "This account uses two-factor authentication: log in with your password.",
    }
}
OTP_SEND_FAILED = {
    "error": {
        "code": "OTP_SEND_FAILED",
        "message": "The code could not be sent. Try again in a minute.",
    }
}


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, role=Role.MEMBER, email="ana@acme.es")


@pytest.fixture
def api(db: None) -> APIClient:
    return APIClient(raise_request_exception=False)


def send(api: APIClient, purpose: Any = "login", email: Any = "ana@acme.es") -> Any:
    return api.post("/auth/otp/send", {"email": email, "purpose": purpose}, "json")


def verify(api: APIClient, code: Any, purpose: Any = "login", email: Any = "ana@acme.es") -> Any:
    body = {"email": email, "code": code, "purpose": purpose}
    return api.post("/auth/otp/verify", body, "json")


def sign_up(api: APIClient, slug: str) -> Any:
    body = {"email": "ana@acme.es", "password": PASSWORD, "tenant_name": "A", "slug": slug}
    return api.post("/auth/signup", body, "json")


# --- Sending --------------------------------------------------------------------------------------


@pytest.mark.parametrize("purpose", ["login", "reset"])
def test_code_is_mailed_to_the_account(api: APIClient, ana: User, purpose: str) -> None:
    answer = send(api, purpose, " ANA@acme.es")

    assert (answer.status_code, answer.json()) == (200, {})
    assert [sent.to for sent in mail.outbox] == [["ana@acme.es"]]
    row = OneTimeCode.objects.get()
    assert (row.email, row.purpose, row.tries_left) == ("ana@acme.es", purpose, 5)
    assert row.expires_at - row.created_at == timedelta(minutes=10)
    assert row.code_hash != mailed_code()


def test_invited_person_without_a_password_can_get_a_code(api: APIClient, ana: User) -> None:
    ana.set_unusable_password()
    ana.save()
    ana.memberships.update(activated_at=None)

    send(api)

    assert verify(api, mailed_code()).status_code == 200


def test_signup_code_is_for_the_newest_signup(api: APIClient) -> None:
    sign_up(api, "first")
    sign_up(api, "second")

    assert send(api, "signup").status_code == 200

    assert "second" in str(mail.outbox[-1].body)
    assert verify(api, mailed_code(), "signup").json()["tenant_slug"] == "second"


@pytest.mark.parametrize(
    ("purpose", "email"),
    [
        ("login", "nobody@acme.es"),
        ("reset", "nobody@acme.es"),
        ("signup", "nobody@acme.es"),
        ("signup", "ana@acme.es"),
        ("login", "off@acme.es"),
        ("reset", "off@acme.es"),
        ("login", "no address"),
        ("login", "ana@acme.es\r\nbcc: all@acme.es"),
    ],
)
def test_nobody_is_mailed_and_the_answer_is_the_same(
    api: APIClient, tenant: Tenant, ana: User, purpose: str, email: str
) -> None:
    make_user(tenant, email="off@acme.es", is_active=False)

    answer = send(api, purpose, email)

    assert (answer.status_code, answer.json()) == (200, {})
    assert not mail.outbox
    assert OneTimeCode.objects.get().email == email


def test_expired_signup_gets_no_code(api: APIClient) -> None:
    sign_up(api, "first")
    Signup.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert send(api, "signup").json() == {}
    assert len(mail.outbox) == 1


def test_a_persons_own_language_comes_before_the_tenants(api: APIClient) -> None:
    make_user(make_tenant(language="es"), email="ana@acme.es", language="en")

    send(api)

    assert mail.outbox[-1].subject == "Your code to sign in"


@pytest.mark.parametrize(("language", "subject"), [("es", "Tu código"), ("en", "Your code")])
def test_mail_is_in_the_tenants_language(api: APIClient, language: str, subject: str) -> None:
    make_user(make_tenant(language=language), email="ana@acme.es")

    send(api, "reset")

    assert mail.outbox[0].subject.startswith(subject)


def test_person_of_no_workspace_is_written_to_in_spanish(api: APIClient) -> None:
    make_user(email="ana@acme.es")

    send(api)

    assert mail.outbox[0].subject.startswith("Tu código")


def test_login_code_is_refused_with_two_factor(api: APIClient, ana: User) -> None:
    switch_two_factor_on(ana)

    answer = send(api)

    assert (answer.status_code, answer.json()) == (403, TWO_FACTOR_REQUIRED)
    assert not mail.outbox
    assert send(api, "reset").status_code == 200


def test_two_factor_that_is_not_confirmed_refuses_nothing(api: APIClient, ana: User) -> None:
    switch_two_factor_on(ana)
    TwoFactor.objects.update(confirmed_at=None)

    assert send(api).status_code == 200


def test_two_factor_of_a_disabled_person_is_not_told(api: APIClient, ana: User) -> None:
    switch_two_factor_on(ana)
    User.objects.update(is_active=False)

    assert (send(api).status_code, len(mail.outbox)) == (200, 0)


@pytest.mark.parametrize("purpose", ["", " ", "invite", "Login", "reset\n.", "x" * 5000])
@pytest.mark.parametrize("path", ["/auth/otp/send", "/auth/otp/verify"])
def test_unknown_purpose(api: APIClient, ana: User, path: str, purpose: str) -> None:
    body = {"email": "ana@acme.es", "code": "123456", "purpose": purpose}
    answer = api.post(path, body, "json")

    expected = "INVALID_OTP_PURPOSE" if purpose.strip() else "MISSING_FIELDS"
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, expected)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "MISSING_FIELDS"),
        ({"email": "ana@acme.es"}, "MISSING_FIELDS"),
        ({"email": None, "purpose": "login"}, "MISSING_FIELDS"),
        ({"email": 1, "purpose": "login"}, "VALIDATION_ERROR"),
        ({"email": "a\x00@acme.es", "purpose": "login"}, "VALIDATION_ERROR"),
        ({"email": "a\ud800@acme.es", "purpose": "login"}, "VALIDATION_ERROR"),
        ({"email": "a" * 255, "purpose": "login"}, "VALIDATION_ERROR"),
        ({"email": "İ" * 254, "purpose": "login"}, "VALIDATION_ERROR"),  # two in lower case
        ({"email": "ana@acme.es", "purpose": 1}, "VALIDATION_ERROR"),
        ({"email": "ana@acme.es", "purpose": "lo\x00gin"}, "VALIDATION_ERROR"),
    ],
)
def test_bad_input_of_sending(api: APIClient, body: dict[str, Any], code: str) -> None:
    answer = api.post("/auth/otp/send", json.dumps(body), content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert not OneTimeCode.objects.exists()


@pytest.mark.parametrize("email", ["ana@acme.es", "nobody@acme.es"])
@pytest.mark.parametrize("purpose", ["login", "reset", "signup"])
def test_mail_server_that_is_down_is_told_to_everybody(
    api: APIClient, ana: User, settings: Any, purpose: str, email: str, caplog: Any
) -> None:
    stop_mail_server(settings)

    with caplog.at_level(logging.DEBUG):
        answer = send(api, purpose, email)

    assert (answer.status_code, answer.json()) == (500, OTP_SEND_FAILED)
    assert email not in caplog.text


@pytest.mark.parametrize("email", ["ana@acme.es", "nobody@acme.es"])
def test_sixth_code_in_a_quarter_of_an_hour_waits(api: APIClient, ana: User, email: str) -> None:
    assert [send(api, "login", email).status_code for _ in range(5)] == [200] * 5

    answer = send(api, "login", email.upper())

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 1 <= int(answer.headers["Retry-After"]) <= 15 * 60
    assert send(api, "reset", email).status_code == 200


def test_hundred_and_twenty_codes_for_one_client_then_wait(api: APIClient) -> None:
    for number in range(120):
        assert send(api, "login", f"{number}@acme.es").status_code == 200

    answer = send(api, "login", "61@acme.es")

    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 15 * 60
    assert send(APIClient(REMOTE_ADDR="198.51.100.7"), "login", "61@acme.es").status_code == 200


# --- Using ----------------------------------------------------------------------------------------


def test_login_by_code_answers_the_tokens_object(api: APIClient, tenant: Tenant, ana: User) -> None:
    send(api)

    answer = verify(api, mailed_code())

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
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    assert api.get("/auth/me", headers=headers).json()["user_id"] == str(ana.id)


def test_code_is_taken_with_spaces_around_and_the_address_in_any_case(
    api: APIClient, ana: User
) -> None:
    send(api)

    assert verify(api, f" {mailed_code()}\n", email=" Ana@ACME.es ").status_code == 200


def test_leading_zeros_count(api: APIClient, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.signing_in.codes.secrets.randbelow", lambda _: 42)
    send(api)

    assert mailed_code() == "000042"
    assert verify(api, "42").json() == INVALID_OTP
    assert verify(api, "000042").status_code == 200


def test_code_is_good_once(api: APIClient, ana: User) -> None:
    send(api)
    verify(api, mailed_code())

    answer = verify(api, mailed_code())

    assert (answer.status_code, answer.json()) == (401, INVALID_OTP)
    assert Session.all_tenants.count() == 1


def test_new_code_replaces_the_old_one(api: APIClient, ana: User) -> None:
    old = make_code("ana@acme.es", Purpose.LOGIN)
    new = old
    while new == old:
        new = make_code("ana@acme.es", Purpose.LOGIN)

    assert verify(api, old).json() == INVALID_OTP
    assert verify(api, new).status_code == 200


def test_new_code_has_five_tries_and_is_unused_again(api: APIClient, ana: User) -> None:
    send(api)
    verify(api, wrong_code(mailed_code()))
    verify(api, mailed_code())

    send(api)

    row = OneTimeCode.objects.get()
    assert (row.tries_left, row.used_at) == (5, None)


def test_five_wrong_tries_spend_a_code(api: APIClient, ana: User) -> None:
    send(api)
    for _ in range(5):
        assert verify(api, wrong_code(mailed_code())).json() == INVALID_OTP

    answer = verify(api, mailed_code())

    assert (answer.status_code, answer.json()) == (401, INVALID_OTP)
    assert OneTimeCode.objects.get().tries_left == 0


def test_fifth_try_may_be_right(api: APIClient, ana: User) -> None:
    send(api)
    for _ in range(4):
        verify(api, wrong_code(mailed_code()))

    assert verify(api, mailed_code()).status_code == 200


def test_expired_code(api: APIClient, ana: User) -> None:
    send(api)
    OneTimeCode.objects.update(expires_at=timezone.now() - timedelta(microseconds=1))

    assert verify(api, mailed_code()).json() == INVALID_OTP


def test_code_is_for_its_address(api: APIClient, tenant: Tenant, ana: User) -> None:
    make_user(tenant, email="bea@acme.es")
    send(api)
    code = mailed_code()
    make_code("bea@acme.es", Purpose.LOGIN)

    assert verify(api, code, email="bea@acme.es").json() == INVALID_OTP


@pytest.mark.parametrize(
    ("sent_for", "used_for"), [("reset", "login"), ("login", "signup"), ("reset", "signup")]
)
def test_code_is_for_its_purpose(api: APIClient, ana: User, sent_for: str, used_for: str) -> None:
    send(api, sent_for)
    code = mailed_code()
    send(api, used_for)  # has a row as well

    assert verify(api, code, used_for).json() == INVALID_OTP


def test_signup_code_does_not_log_in(api: APIClient, tenant: Tenant, ana: User) -> None:
    sign_up(api, "second")

    assert verify(api, mailed_code(), "login").json() == INVALID_OTP


def test_reset_codes_are_not_for_here(api: APIClient, ana: User) -> None:
    send(api, "reset")

    answer = verify(api, mailed_code(), "reset")

    assert (answer.status_code, answer.json()) == (400, INVALID_OTP_PURPOSE)
    assert OneTimeCode.objects.get().used_at is None


def test_unknown_and_disabled_people_answer_the_same(
    api: APIClient, tenant: Tenant, ana: User
) -> None:
    send(api)
    code = mailed_code()
    User.objects.update(is_active=False)

    for email in ("ana@acme.es", "nobody@acme.es", "no address"):
        answer = verify(api, code, email=email)
        assert (answer.status_code, answer.json()) == (401, INVALID_OTP)
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_lucky_guess_for_nobody_is_wrong(api: APIClient) -> None:
    """Unknown addresses have codes too."""
    for purpose in (Purpose.LOGIN, Purpose.SIGNUP):
        code = make_code("nobody@acme.es", purpose)
        assert verify(api, code, purpose, "nobody@acme.es").json() == INVALID_OTP


def test_two_factor_that_was_switched_on_meanwhile(api: APIClient, ana: User) -> None:
    send(api)
    switch_two_factor_on(ana)

    answer = verify(api, mailed_code())

    assert (answer.status_code, answer.json()) == (403, TWO_FACTOR_REQUIRED)
    assert not Session.all_tenants.exists()


def test_person_of_no_workspace(api: APIClient) -> None:
    make_user(email="ana@acme.es")
    send(api)

    answer = verify(api, mailed_code())

    assert answer.status_code == 403
    assert answer.json() == {
        "error": {
            "code": "NO_WORKSPACE_ACCESS",
            "message": "You are not a member of this workspace, or of any workspace.",
        }
    }


@pytest.mark.parametrize(
    ("over", "code"),
    [
        ({"code": None}, "MISSING_FIELDS"),
        ({"code": " "}, "MISSING_FIELDS"),
        ({"email": ""}, "MISSING_FIELDS"),
        ({"purpose": None}, "MISSING_FIELDS"),
        ({"code": 123456}, "VALIDATION_ERROR"),
        ({"code": "1" * 21}, "VALIDATION_ERROR"),
        ({"code": "12345\x00"}, "VALIDATION_ERROR"),
        ({"email": "ana@acme.es\x00"}, "VALIDATION_ERROR"),
        ({"purpose": ["login"]}, "VALIDATION_ERROR"),
    ],
)
def test_bad_input_of_using(api: APIClient, over: dict[str, Any], code: str) -> None:
    body = {"email": "ana@acme.es", "code": "123456", "purpose": "login"} | over

    answer = api.post("/auth/otp/verify", body, "json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


@pytest.mark.parametrize("code", ["１２３４５６", "12345", "1234567", "-12345", "１", "'; --"])
def test_what_is_no_code_is_wrong(api: APIClient, ana: User, code: str) -> None:
    send(api)

    assert verify(api, code).json() == INVALID_OTP


def test_crash_between_code_and_session_leaves_the_code_usable(
    api: APIClient, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(api)
    with monkeypatch.context() as broken:
        broken.setattr("accounts.services.signing_in.sessions.make_tokens", lambda _: 1 / 0)
        assert verify(api, mailed_code()).status_code == 500

    assert not Session.all_tenants.exists()
    assert verify(api, mailed_code()).status_code == 200


@pytest.mark.parametrize("email", ["ana@acme.es", "nobody@acme.es"])
def test_sixty_wrong_codes_of_an_account_then_wait(api: APIClient, ana: User, email: str) -> None:
    for _ in range(60):
        assert verify(api, "000000", email=email).status_code == 401

    answer = verify(api, "000000", email=email)

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 1 <= int(answer.headers["Retry-After"]) <= 15 * 60


def test_wrong_codes_of_a_client_then_wait(
    api: APIClient, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PER_ADDRESS, Secret.CODE, Limit("address_code", 20, 900))
    for number in range(20):
        assert verify(api, "000000", email=f"{number}@acme.es").status_code == 401

    answer = verify(api, "000000")

    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 15 * 60


def test_right_code_again_is_no_guess(
    api: APIClient, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever clicks twice must not be slowed down for it."""
    monkeypatch.setitem(PER_ACCOUNT, Secret.CODE, Limit("strict", 1, 900))
    send(api, "login")
    code = mailed_code()
    assert verify(api, code).status_code == 200

    again = [verify(api, code) for _ in range(5)]

    assert {answer.status_code for answer in again} == {401}
    assert {answer.content for answer in again} == {verify(api, wrong_code(code)).content}
    assert verify(api, code).status_code == 429  # for the wrong one


# --- At once --------------------------------------------------------------------------------------


@pytest.fixture
def race(committed_tenant: Tenant) -> Iterator[str]:
    """The address of somebody whom other connections see."""
    email = f"{uuid.uuid4().hex[:8]}@acme.es"
    make_user(committed_tenant, email=email)
    yield email
    OneTimeCode.objects.filter(email=email).delete()


def test_fifty_parallel_uses_of_one_code_have_one_winner(race: str) -> None:
    code = make_code(race, Purpose.LOGIN)

    assert at_once(lambda _: verify(APIClient(), code, email=race), 50) == [200] + [401] * 49
    assert Session.all_tenants.filter(membership__user__email=race).count() == 1


def test_parallel_wrong_tries_are_all_counted(race: str) -> None:
    code = make_code(race, Purpose.LOGIN)
    wrong = wrong_code(code)

    assert at_once(lambda _: verify(APIClient(), wrong, email=race), 4) == [401] * 4
    assert OneTimeCode.objects.get(email=race).tries_left == 1

    assert at_once(lambda _: verify(APIClient(), wrong, email=race), 5) == [401] * 5
    assert OneTimeCode.objects.get(email=race).tries_left == 0
    assert verify(APIClient(), code, email=race).status_code == 401


def test_parallel_requests_for_a_code_leave_one(race: str) -> None:
    assert at_once(lambda _: send(APIClient(), "login", race), 5) == [200] * 5

    assert OneTimeCode.objects.filter(email=race).count() == 1
    statuses = [verify(APIClient(), mailed_code(-1 - index), email=race) for index in range(5)]
    assert [answer.status_code for answer in statuses].count(200) == 1


# --- Not by its time ------------------------------------------------------------------------------


@pytest.mark.parametrize("email", ["ana@acme.es", "nobody@acme.es"])
@pytest.mark.parametrize("is_up", [True, False])
def test_answer_comes_no_sooner_than_told(
    api: APIClient, ana: User, settings: Any, email: str, is_up: bool
) -> None:
    settings.UNIFORM_ANSWER_SECONDS = 0.3
    if not is_up:
        stop_mail_server(settings)
    start = time.monotonic()

    send(api, "reset", email)

    assert time.monotonic() - start >= 0.3
