"""POST /auth/reset-password: a new password by a one-time code."""

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.errors import InvalidCredentials
from accounts.models import OneTimeCode, OutgoingMail, Purpose, Session, Tenant, TwoFactor, User
from accounts.services.signing_in.sessions import admit
from accounts.signing_in.codes import make_code
from accounts.tests.code_mails import at_once, mailed_code, wrong_code
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_membership,
    make_tenant,
    make_user,
    switch_two_factor_on,
)

NEW = "another horse battery 1"
INVALID_OTP = {
    "error": {
        "code": "INVALID_OTP",
        "message": "The code is wrong or has expired. Ask for a new one.",
    }
}


@pytest.fixture
def api(db: None) -> APIClient:
    return APIClient(raise_request_exception=False)


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, email="ana@acme.es")


@pytest.fixture
def code(api: APIClient, ana: User) -> str:
    """What Ana was mailed."""
    api.post("/auth/otp/send", {"email": "ana@acme.es", "purpose": "reset"}, "json")
    return mailed_code()


def reset(api: APIClient, given: str, **over: Any) -> Any:
    body = {"email": "ana@acme.es", "code": given, "new_password": NEW} | over
    return api.post("/auth/reset-password", body, "json")


def log_in(api: APIClient, password: str) -> int:
    body = {"email": "ana@acme.es", "password": password}
    return int(api.post("/auth/login", body, "json").status_code)


def test_code_sets_the_new_password(api: APIClient, code: str) -> None:
    answer = reset(api, f" {code} ", email=" ANA@acme.es")

    assert (answer.status_code, answer.json()) == (200, {})
    assert (log_in(api, PASSWORD), log_in(api, NEW)) == (401, 200)


def test_every_session_of_the_person_ends_at_once(
    api: APIClient, tenant: Tenant, ana: User, code: str
) -> None:
    second = make_tenant("second")
    make_membership(second, ana)
    other = make_user(tenant)
    here, there, others = bearer(ana, tenant), bearer(ana, second), bearer(other, tenant)

    reset(api, code)

    statuses = [api.get("/auth/me", headers=who).status_code for who in (here, there, others)]
    assert statuses == [401, 401, 200]
    assert Session.all_tenants.filter(revoked_at=None).count() == 1


def test_person_is_told_by_mail(api: APIClient, ana: User, code: str) -> None:
    reset(api, code)

    row = OutgoingMail.all_tenants.get()
    assert (row.recipient, row.template, row.tenant.slug) == (
        "ana@acme.es",
        "password_changed",
        "acme",
    )


def test_person_of_no_workspace_is_not_mailed_but_has_the_password(
    api: APIClient, ana: User, code: str
) -> None:
    ana.memberships.all().delete()

    assert reset(api, code).status_code == 200
    assert not OutgoingMail.all_tenants.exists()
    assert log_in(api, NEW) == 403


def test_invited_person_gets_their_first_password(api: APIClient, ana: User, code: str) -> None:
    ana.set_unusable_password()
    ana.save()

    assert reset(api, code).status_code == 200
    assert log_in(api, NEW) == 200


def test_two_factor_stays_on(api: APIClient, ana: User, code: str) -> None:
    switch_two_factor_on(ana)

    assert reset(api, code).status_code == 200
    assert TwoFactor.objects.filter(user=ana).exclude(confirmed_at=None).exists()
    login = api.post("/auth/login", {"email": "ana@acme.es", "password": NEW}, "json")
    assert login.json()["two_factor_required"] is True


def test_code_is_good_once(api: APIClient, code: str) -> None:
    reset(api, code)

    answer = reset(api, code, new_password="a third horse battery 1")

    assert (answer.status_code, answer.json()) == (401, INVALID_OTP)
    assert log_in(api, NEW) == 200


def test_wrong_code_takes_a_try_and_changes_nothing(api: APIClient, code: str) -> None:
    answer = reset(api, wrong_code(code))

    assert (answer.status_code, answer.json()) == (401, INVALID_OTP)
    assert OneTimeCode.objects.get().tries_left == 4
    assert log_in(api, PASSWORD) == 200


def test_five_wrong_tries_spend_the_code(api: APIClient, code: str) -> None:
    for _ in range(5):
        reset(api, wrong_code(code))

    assert reset(api, code).json() == INVALID_OTP


def test_expired_code(api: APIClient, code: str) -> None:
    OneTimeCode.objects.update(expires_at=timezone.now() - timedelta(microseconds=1))

    assert reset(api, code).json() == INVALID_OTP


@pytest.mark.parametrize("purpose", [Purpose.LOGIN, Purpose.SIGNUP])
def test_code_of_another_purpose(api: APIClient, ana: User, purpose: Purpose) -> None:
    assert reset(api, make_code("ana@acme.es", purpose)).json() == INVALID_OTP


def test_code_of_another_address(api: APIClient, tenant: Tenant, code: str) -> None:
    make_user(tenant, email="bea@acme.es")
    make_code("bea@acme.es", Purpose.RESET)

    assert reset(api, code, email="bea@acme.es").json() == INVALID_OTP


def test_disabled_person(api: APIClient, code: str) -> None:
    User.objects.update(is_active=False)

    assert reset(api, code).json() == INVALID_OTP


def test_lucky_guess_for_nobody_is_wrong(api: APIClient) -> None:
    code = make_code("nobody@acme.es", Purpose.RESET)

    assert reset(api, code, email="nobody@acme.es").json() == INVALID_OTP


@pytest.mark.parametrize("email", ["ana@acme.es", "nobody@acme.es"])
@pytest.mark.parametrize(
    "password", ["short", "1234567890123", "password1234", "ana@acme.es.nobody"]
)
def test_weak_password_is_told_before_the_code_is_touched(
    api: APIClient, code: str, email: str, password: str
) -> None:
    if password.startswith("ana") and email.startswith("nobody"):
        password = email
    answer = reset(api, "000000", email=email, new_password=password)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "WEAK_PASSWORD")
    assert OneTimeCode.objects.get().tries_left == 5


@pytest.mark.parametrize(
    ("over", "code"),
    [
        ({"email": None}, "MISSING_FIELDS"),
        ({"code": ""}, "MISSING_FIELDS"),
        ({"new_password": ""}, "MISSING_FIELDS"),
        ({"code": 123456}, "VALIDATION_ERROR"),
        ({"email": "a\x00@acme.es"}, "VALIDATION_ERROR"),
        ({"code": "12345\x00"}, "VALIDATION_ERROR"),
        ({"new_password": NEW + "\x00"}, "VALIDATION_ERROR"),
        ({"new_password": "p" * 1001}, "VALIDATION_ERROR"),
        ({"new_password": 1234567890}, "VALIDATION_ERROR"),
    ],
)
def test_bad_input(api: APIClient, over: dict[str, Any], code: str) -> None:
    answer = reset(api, "123456", **over)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_crash_between_code_and_password_leaves_the_code_usable(
    api: APIClient, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("accounts.services.signing_in.passwords.queue_mail", lambda *_, **__: 1 / 0)
        assert reset(api, code).status_code == 500

    assert log_in(api, PASSWORD) == 200
    assert reset(api, code).status_code == 200


def test_whoever_locked_themselves_out_gets_in(api: APIClient, code: str) -> None:
    for _ in range(10):
        assert log_in(api, "wrong") == 401
    assert log_in(api, PASSWORD) == 429

    reset(api, code)

    assert log_in(api, NEW) == 200


def test_guessed_codes_are_slowed_down_with_those_of_logins(api: APIClient) -> None:
    body = {"email": "nobody@acme.es", "code": "000000", "purpose": "login"}
    for _ in range(30):
        assert reset(api, "000000", email="nobody@acme.es").status_code == 401
        assert api.post("/auth/otp/verify", body, "json").status_code == 401

    answer = reset(api, "000000", email="nobody@acme.es")

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 1 <= int(answer.headers["Retry-After"]) <= 15 * 60
    assert not mail.outbox


# --- At once --------------------------------------------------------------------------------------


@pytest.fixture
def race(committed_tenant: Tenant) -> Iterator[str]:
    """The address of somebody whom other connections see."""
    email = f"{uuid.uuid4().hex[:8]}@acme.es"
    make_user(committed_tenant, email=email)
    yield email
    OneTimeCode.objects.filter(email=email).delete()


def test_fifty_parallel_uses_of_one_code_have_one_winner(race: str) -> None:
    code = make_code(race, Purpose.RESET)

    def use(number: int) -> Any:
        return reset(APIClient(), code, email=race, new_password=f"{NEW}{number}")

    assert at_once(use, 50) == [200] + [401] * 49
    user = User.objects.get(email=race)
    assert [user.check_password(f"{NEW}{number}") for number in range(50)].count(True) == 1


def test_login_that_began_with_the_old_password_ends_without_a_session(
    api: APIClient, ana: User, code: str
) -> None:
    checked = User.objects.get(pk=ana.pk)  # its password was right just now
    reset(api, code)

    with pytest.raises(InvalidCredentials):
        admit(checked)


def test_no_session_survives_a_reset_that_runs_beside_logins(race: str) -> None:
    code = make_code(race, Purpose.RESET)

    def use(number: int) -> Any:
        if number == 3:
            return reset(APIClient(), code, email=race)
        return APIClient().post("/auth/login", {"email": race, "password": PASSWORD}, "json")

    assert set(at_once(use, 8)) <= {200, 401}
    assert not Session.all_tenants.filter(membership__user__email=race, revoked_at=None).exists()
