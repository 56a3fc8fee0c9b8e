"""The doors of the back office: /admin/login/ and /admin/password_change/."""

from typing import Any

import pyotp
import pytest
from django.conf import settings
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import RecoveryCode, Role, Tenant, User
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_membership,
    make_user,
    sign_staff_in,
    switch_two_factor_on,
)
from config.security.rate_limits import LimitsUnavailable

NEW_PASSWORD = "an entirely different one 2"
EMAIL = "root@example.com"
WRONG = "Please enter the correct email and password for a staff account."


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser(EMAIL, PASSWORD)


@pytest.fixture
def secret(root: User) -> str:
    return switch_two_factor_on(root)[0]


def log_in(client: Client, email: str = EMAIL, password: str = PASSWORD, code: str = "") -> Any:
    body = {"username": email, "password": password, "code": code}
    return client.post("/admin/login/?next=/admin/accounts/plan/", body)


def is_in(client: Client) -> bool:
    return bool(client.get("/admin/").status_code == 200)


def wrong_code(secret: str) -> str:
    right = pyotp.TOTP(secret)
    codes = map("{:06d}".format, range(10))
    return next(code for code in codes if not right.verify(code, valid_window=3))


# --- The password ---------------------------------------------------------------------------------


def test_page_asks_for_both_factors(client: Client, db: None) -> None:
    page = client.get("/admin/login/").content.decode()

    assert [name for name in ("username", "password", "code") if f'name="{name}"' not in page] == []
    assert "Code, if two-factor is on" in page


def test_password_is_enough_without_two_factor(client: Client, root: User) -> None:
    answer = log_in(client)

    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/accounts/plan/")
    assert is_in(client)


def test_without_an_address_to_go_on_to_it_leads_to_the_index(client: Client, root: User) -> None:
    page = client.get("/admin/login/").content.decode()
    assert '<input type="hidden" name="next" value="/admin/">' in page

    body = {"username": EMAIL, "password": PASSWORD, "next": "/admin/"}
    assert client.post("/admin/login/", body).headers["Location"] == "/admin/"


def test_an_address_elsewhere_is_not_gone_to(client: Client, root: User) -> None:
    body = {"username": EMAIL, "password": PASSWORD, "next": "https://evil.example/"}

    assert "evil" not in client.post("/admin/login/", body).headers["Location"]


@pytest.mark.parametrize(
    "change",
    [{"is_staff": False}, {"is_staff": False, "is_superuser": False}, {"is_active": False}],
    ids=["no staff", "nobody", "disabled"],
)
def test_who_is_no_staff_gets_the_answer_of_a_wrong_password(
    client: Client, root: User, change: dict[str, bool]
) -> None:
    wrong = log_in(client, password="wrong").content.decode()
    User.objects.filter(pk=root.pk).update(**change)

    answer = log_in(client)

    assert answer.status_code == 200
    assert WRONG in answer.content.decode()
    assert without_token(answer.content.decode()) == without_token(wrong)
    assert not is_in(client)


def without_token(page: str) -> list[str]:
    return [line for line in page.splitlines() if "csrfmiddlewaretoken" not in line]


def test_a_tenants_admin_does_not_get_in(client: Client, tenant: Tenant) -> None:
    user = make_user(tenant)

    assert WRONG in log_in(client, user.email).content.decode()
    assert not is_in(client)


@pytest.mark.parametrize("email", [EMAIL, "nobody@example.com"])
def test_guessing_is_slowed_down_whoever_is_guessed(client: Client, root: User, email: str) -> None:
    for _ in range(10):
        assert log_in(client, email, "wrong").status_code == 200

    answer = log_in(client, email)

    assert answer.status_code == 429
    assert 450 <= int(answer.headers["Retry-After"]) <= 900
    assert "Too many attempts. Wait, then try again." in answer.content.decode()
    assert 'name="password"' in answer.content.decode()
    assert not is_in(client)


def test_the_counters_are_those_of_the_api(
    client: Client, api: APIClient, root: User, tenant: Tenant
) -> None:
    make_membership(tenant, root, role=Role.VIEWER)
    body = {"email": EMAIL, "password": PASSWORD}
    for _ in range(5):
        log_in(client, password="wrong")
        assert api.post("/auth/login", body | {"password": "wrong"}, "json").status_code == 401

    assert log_in(client).status_code == 429
    assert api.post("/auth/login", body, "json").status_code == 429


def test_without_the_counters_nobody_gets_in(
    client: Client, root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*args: Any) -> int:
        raise LimitsUnavailable

    monkeypatch.setattr("accounts.signing_in.guessing.wait_seconds", unavailable)

    answer = log_in(client)

    assert answer.status_code == 503
    assert LimitsUnavailable.default_message in answer.content.decode()
    assert not is_in(client)


@pytest.mark.parametrize(
    "body", [{}, {"username": EMAIL}, {"username": "a\x00", "password": "b"}, {"code": "1" * 41}]
)
def test_an_incomplete_form_is_shown_again(
    client: Client, root: User, body: dict[str, str]
) -> None:
    assert client.post("/admin/login/", body).status_code == 200
    assert not is_in(client)


# --- The second factor ----------------------------------------------------------------------------


def test_code_of_the_app_is_needed_and_good_once(client: Client, secret: str) -> None:
    code = pyotp.TOTP(secret).now()

    assert log_in(client, code=code).status_code == 302
    assert is_in(client)

    other = Client()
    assert "has already been used" in log_in(other, code=code).content.decode()
    assert not is_in(other)


def test_recovery_code_is_as_good(client: Client, root: User) -> None:
    _, codes = switch_two_factor_on(root)

    assert log_in(client, code=codes[0]).status_code == 302
    assert RecoveryCode.objects.exclude(used_at=None).count() == 1


@pytest.mark.parametrize("code", ["", "  "])
def test_password_alone_is_not_enough(client: Client, secret: str, code: str) -> None:
    answer = log_in(client, code=code)

    assert answer.status_code == 200
    assert "Two-factor is on for this account: enter a code as well." in answer.content.decode()
    assert not is_in(client)


def test_code_does_not_make_up_for_the_password(client: Client, secret: str) -> None:
    answer = log_in(client, password="wrong", code=pyotp.TOTP(secret).now())

    assert WRONG in answer.content.decode()
    assert log_in(client, code=pyotp.TOTP(secret).now()).status_code == 302  # not used up


def test_guessing_of_codes_is_slowed_down(client: Client, secret: str) -> None:
    for _ in range(10):
        assert log_in(client, code=wrong_code(secret)).status_code == 200

    answer = log_in(client, code=pyotp.TOTP(secret).now())

    assert answer.status_code == 429
    assert 450 <= int(answer.headers["Retry-After"]) <= 900
    assert not is_in(client)


# --- One's own password ---------------------------------------------------------------------------


def change_password(client: Client, old: str, new: str = NEW_PASSWORD) -> Any:
    body = {"old_password": old, "new_password1": new, "new_password2": new}
    return client.post("/admin/password_change/", body)


@pytest.fixture
def staff(client: Client, root: User) -> Client:
    sign_staff_in(client, root)
    return client


def test_own_password_changes_and_ends_all_other_sessions(
    staff: Client, root: User, tenant: Tenant, api: APIClient
) -> None:
    make_membership(tenant, root)
    headers, elsewhere = bearer(root, tenant), Client()
    sign_staff_in(elsewhere, root)
    assert staff.get("/admin/password_change/").status_code == 200

    answer = change_password(staff, PASSWORD)

    assert answer.headers["Location"] == "/admin/password_change/done/"
    root.refresh_from_db()
    assert root.check_password(NEW_PASSWORD)
    assert (is_in(staff), is_in(elsewhere)) == (True, False)
    assert api.get("/auth/me", headers=headers).status_code == 401


@pytest.mark.parametrize(("old", "new"), [("wrong", NEW_PASSWORD), (PASSWORD, "short")])
def test_wrong_or_weak_password_changes_nothing(
    staff: Client, root: User, old: str, new: str
) -> None:
    assert change_password(staff, old, new).status_code == 200

    root.refresh_from_db()
    assert root.check_password(PASSWORD)


def test_an_open_session_does_not_let_guess_the_password(staff: Client, root: User) -> None:
    for _ in range(10):
        change_password(staff, "wrong")

    answer = change_password(staff, PASSWORD)

    assert "Too many attempts" in answer.content.decode()
    root.refresh_from_db()
    assert root.check_password(PASSWORD)


def test_there_is_no_other_way_in(client: Client, db: None) -> None:
    """Django has more views of accounts than its admin uses."""
    for path in ("/accounts/login/", "/admin/password_reset/", "/login/", "/reset/"):
        assert client.get(path).status_code in (302, 404)
    assert settings.AUTHENTICATION_BACKENDS == ["django.contrib.auth.backends.ModelBackend"]
