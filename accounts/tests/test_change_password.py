"""POST /auth/change-password: a new password by the present one."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import OutgoingMail, Role, Session, Tenant, User
from accounts.tests.code_mails import at_once
from accounts.tests.factories import (
    PASSWORD,
    bearer,
    make_api_token,
    make_membership,
    make_tenant,
    make_user,
)

NEW = "another horse battery 1"
INCORRECT_PASSWORD = {
    "error": {"code": "INCORRECT_PASSWORD", "message": "The current password is wrong."}
}
UNAUTHORIZED = {
    "error": {
        "code": "UNAUTHORIZED",
        "message": "The access token is missing, invalid, expired or revoked.",
    }
}


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, role=Role.VIEWER, email="ana@acme.es")


@pytest.fixture
def headers(ana: User, tenant: Tenant) -> dict[str, str]:
    return bearer(ana, tenant)


def change(api: APIClient, headers: dict[str, str], **over: Any) -> Any:
    body = {"current_password": PASSWORD, "new_password": NEW} | over
    return api.post("/auth/change-password", body, "json", headers=headers)


def log_in(api: APIClient, password: str) -> int:
    body = {"email": "ana@acme.es", "password": password}
    return int(api.post("/auth/login", body, "json").status_code)


def test_present_password_sets_the_new_one(api: APIClient, headers: dict[str, str]) -> None:
    answer = change(api, headers)

    assert (answer.status_code, answer.json()) == (200, {})
    assert (log_in(api, PASSWORD), log_in(api, NEW)) == (401, 200)


def test_every_session_of_the_person_ends_at_once_this_one_too(
    api: APIClient, tenant: Tenant, ana: User, headers: dict[str, str]
) -> None:
    second = make_tenant("second")
    make_membership(second, ana)
    there, others = bearer(ana, second), bearer(make_user(tenant), tenant)

    change(api, headers)

    statuses = [api.get("/auth/me", headers=who).status_code for who in (headers, there, others)]
    assert statuses == [401, 401, 200]


def test_person_is_told_by_mail(api: APIClient, headers: dict[str, str]) -> None:
    change(api, headers)

    row = OutgoingMail.all_tenants.get()
    assert (row.recipient, row.template) == ("ana@acme.es", "password_changed")


def test_wrong_present_password(api: APIClient, headers: dict[str, str]) -> None:
    answer = change(api, headers, current_password="wrong", new_password="short")

    assert (answer.status_code, answer.json()) == (401, INCORRECT_PASSWORD)
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert log_in(api, PASSWORD) == 200
    assert api.get("/auth/me", headers=headers).status_code == 200


def test_spaces_of_a_password_count(api: APIClient, headers: dict[str, str]) -> None:
    assert change(api, headers, current_password=f"{PASSWORD} ").json() == INCORRECT_PASSWORD
    assert change(api, headers, new_password=f" {NEW} ").status_code == 200
    assert (log_in(api, NEW), log_in(api, f" {NEW} ")) == (401, 200)


@pytest.mark.parametrize("weak", ["short", "1234567890123", "password1234", "ana@acme.es"])
def test_weak_password(api: APIClient, headers: dict[str, str], weak: str) -> None:
    answer = change(api, headers, new_password=weak)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "WEAK_PASSWORD")
    assert log_in(api, PASSWORD) == 200


def test_person_without_a_password(api: APIClient, ana: User, headers: dict[str, str]) -> None:
    """Invited, and logged in by a code."""
    ana.set_unusable_password()
    ana.save()

    answer = change(api, headers)

    assert answer.status_code == 400
    assert answer.json() == {
        "error": {
            "code": "NO_PASSWORD_SET",
            "message": "This account has no password yet. Request a reset code to set one.",
        }
    }


def test_no_token(api: APIClient, db: None) -> None:
    answer = change(api, {})

    assert (answer.status_code, answer.json()) == (401, UNAUTHORIZED)


def test_api_token_cannot(api: APIClient, tenant: Tenant, ana: User) -> None:
    answer = change(api, {"Authorization": f"Bearer {make_api_token(ana, tenant)}"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert log_in(api, PASSWORD) == 200


@pytest.mark.parametrize(
    ("over", "code"),
    [
        ({"current_password": None}, "MISSING_FIELDS"),
        ({"new_password": ""}, "MISSING_FIELDS"),
        ({"current_password": 1}, "VALIDATION_ERROR"),
        ({"current_password": "p\x00"}, "VALIDATION_ERROR"),
        ({"new_password": NEW + "\x00"}, "VALIDATION_ERROR"),
        ({"new_password": "p" * 1001}, "VALIDATION_ERROR"),
    ],
)
def test_bad_input(
    api: APIClient, headers: dict[str, str], over: dict[str, Any], code: str
) -> None:
    answer = change(api, headers, **over)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_stolen_session_cannot_guess_the_password(api: APIClient, headers: dict[str, str]) -> None:
    for _ in range(10):
        assert change(api, headers, current_password="wrong").status_code == 401

    answer = change(api, headers)

    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    assert 1 <= int(answer.headers["Retry-After"]) <= 15 * 60
    assert log_in(api, PASSWORD) == 429  # one count for one password


def test_weak_and_missing_passwords_are_no_guesses(api: APIClient, headers: dict[str, str]) -> None:
    for _ in range(11):
        assert change(api, headers, new_password="short").status_code == 400

    assert change(api, headers).status_code == 200


def test_of_parallel_changes_one_wins(committed_tenant: Tenant) -> None:
    user = make_user(committed_tenant)
    sessions = [bearer(user, committed_tenant) for _ in range(8)]

    def use(number: int) -> Any:
        return change(APIClient(), sessions[number], new_password=f"{NEW}{number}")

    assert at_once(use, 8) == [200] + [401] * 7
    user.refresh_from_db()
    assert [user.check_password(f"{NEW}{number}") for number in range(8)].count(True) == 1
    assert not Session.all_tenants.filter(membership__user=user, revoked_at=None).exists()
