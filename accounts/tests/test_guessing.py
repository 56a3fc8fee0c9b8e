"""Guessing is slowed down, by account and by address. Through POST /auth/login."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Session, Tenant
from accounts.signing_in import guessing
from accounts.signing_in.guessing import PER_ACCOUNT_AND_ADDRESS, PER_ADDRESS, Secret
from accounts.tests.factories import PASSWORD, make_user
from config.security import rate_limits
from config.security.rate_limits import Limit, Outage, limiter
from config.tests.parallel import in_parallel

TOO_MANY = (
    b'{"error":{"code":"TOO_MANY_REQUESTS","message":"Too many attempts. Wait, then try again."}}'
)
WAIT_SECONDS = 120


@pytest.fixture(autouse=True)
def ana(tenant: Tenant) -> Any:
    return make_user(tenant, email="ana@acme.es")


def log_in(
    password: str = "wrong", *, email: str = "ana@acme.es", address: str = "203.0.113.7"
) -> Any:
    body = {"email": email, "password": password}
    return APIClient().post("/auth/login", body, "json", REMOTE_ADDR=address)


def fail(times: int, **more: str) -> None:
    for _ in range(times):
        assert log_in(**more).status_code == 401


# --- By account -----------------------------------------------------------------------------------


@pytest.mark.parametrize("email", ["ana@acme.es", "nobody@acme.es"])
def test_ten_failures_then_known_and_unknown_accounts_answer_the_same_bytes(email: str) -> None:
    fail(10, email=email)

    answer = log_in(email=email)

    assert (answer.status_code, answer.content) == (429, TOO_MANY)
    assert 840 <= int(answer.headers["Retry-After"]) <= 900


def test_the_right_password_does_not_help_meanwhile() -> None:
    fail(10)

    answer = log_in(PASSWORD)

    assert (answer.status_code, answer.content) == (429, TOO_MANY)
    assert not Session.all_tenants.exists()


def test_an_account_is_the_same_however_it_is_written() -> None:
    fail(10, email=" Ana@ACME.es ")

    assert log_in().status_code == 429


def test_a_stranger_locks_out_themselves_alone() -> None:
    fail(10)

    assert log_in(PASSWORD, address="198.51.100.1").status_code == 200


def test_fifty_failures_of_an_account_from_wherever() -> None:
    for number in range(50):
        fail(1, address=f"203.0.113.{number}")

    answer = log_in(PASSWORD, address="198.51.100.1")

    assert (answer.status_code, answer.content) == (429, TOO_MANY)


def test_other_accounts_go_on(tenant: Tenant) -> None:
    make_user(tenant, email="eva@acme.es")
    fail(10)

    assert log_in(PASSWORD, email="eva@acme.es").status_code == 200


def test_a_success_clears_what_was_counted() -> None:
    for _ in range(2):
        fail(9)
        assert log_in(PASSWORD).status_code == 200


def test_successes_are_never_counted() -> None:
    assert {log_in(PASSWORD).status_code for _ in range(70)} == {200}


def test_what_is_no_attempt_is_not_counted() -> None:
    for _ in range(12):
        assert APIClient().post("/auth/login", {"email": "ana@acme.es"}, "json").status_code == 400

    assert log_in(PASSWORD).status_code == 200


def test_the_window_moves_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PER_ACCOUNT_AND_ADDRESS, Secret.PASSWORD, Limit("short", 2, 3))
    fail(2)
    blocked = log_in(PASSWORD)
    assert blocked.status_code == 429
    assert 1 <= int(blocked.headers["Retry-After"]) <= 3
    deadline = time.monotonic() + WAIT_SECONDS

    while (status := log_in(PASSWORD).status_code) == 429 and time.monotonic() < deadline:
        time.sleep(0.05)

    assert status == 200


def test_fifty_parallel_guesses_let_nobody_in_and_the_next_has_to_wait(
    committed_tenant: Tenant,
) -> None:
    email = make_user(committed_tenant).email

    answered = in_parallel(lambda: log_in(email=email).status_code)

    assert set(answered) <= {401, 429}
    # Those that run at the same moment are all answered: as many as there are threads.
    assert 10 <= answered.count(401) <= 10 + 24
    assert log_in(PASSWORD, email=email).status_code == 429
    assert not Session.objects.for_tenant(committed_tenant).exists()


# --- By address -----------------------------------------------------------------------------------


def fail_over_many_accounts(times: int, **more: str) -> None:
    for number in range(times):
        fail(1, email=f"person-{number}@example.org", **more)


def test_sixty_failures_from_an_address_over_all_accounts() -> None:
    fail_over_many_accounts(60)

    answer = log_in(PASSWORD)
    assert (answer.status_code, answer.content) == (429, TOO_MANY)
    assert 840 <= int(answer.headers["Retry-After"]) <= 900
    assert log_in(PASSWORD, address="198.51.100.1").status_code == 200


@pytest.fixture
def three_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PER_ADDRESS, Secret.PASSWORD, Limit("address_password", 3, 900))


@pytest.mark.usefixtures("three_an_address")
def test_a_success_does_not_clear_the_count_of_the_address() -> None:
    """Else whoever has an account of their own guesses at all others."""
    fail_over_many_accounts(2)
    assert log_in(PASSWORD).status_code == 200
    fail_over_many_accounts(1)

    assert log_in(PASSWORD).status_code == 429


@pytest.mark.usefixtures("three_an_address")
def test_addresses_of_one_ipv6_network_are_one() -> None:
    for number in range(3):
        fail(1, email=f"person-{number}@example.org", address=f"2001:db8:1:2::{number}")

    assert log_in(PASSWORD, address="2001:db8:1:2:ffff::1").status_code == 429
    assert log_in(PASSWORD, address="2001:db8:1:3::1").status_code == 200


@pytest.mark.usefixtures("three_an_address")
@pytest.mark.parametrize(("proxies", "status"), [(0, 429), (1, 200)])
def test_the_header_of_a_proxy_is_believed_only_where_there_is_one(
    settings: Any, proxies: int, status: int
) -> None:
    settings.TRUSTED_PROXIES = proxies

    def come_from(address: str, email: str, password: str) -> int:
        return int(
            APIClient()
            .post(
                "/auth/login",
                {"email": email, "password": password},
                "json",
                REMOTE_ADDR="192.0.2.1",
                HTTP_X_FORWARDED_FOR=f"10.0.0.1, {address}",
            )
            .status_code
        )

    for number in range(3):
        assert come_from("203.0.113.7", f"person-{number}@example.org", "wrong") == 401

    assert come_from("198.51.100.1", "ana@acme.es", PASSWORD) == status


# --- What is kept, and what happens without it ----------------------------------------------------


def test_kinds_of_secrets_are_counted_apart() -> None:
    fail(10)

    with guessing.guarded(Secret.CODE, account="ana@acme.es", address="203.0.113.7"):
        pass  # a reset by code still works


def test_redis_sees_no_address_of_an_account() -> None:
    fail(1)

    keys = list(limiter().storage.storage.scan_iter())  # type: ignore[attr-defined]  # of redis-py
    assert b"account_password" in b" ".join(keys)
    assert b"ana@acme.es" not in b" ".join(keys)


@pytest.fixture
def no_redis(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
    limiter.cache_clear()
    monkeypatch.setattr(rate_limits, "outage", Outage())
    yield
    limiter.cache_clear()


@pytest.mark.usefixtures("no_redis")
@pytest.mark.parametrize("password", ["wrong", PASSWORD])
def test_without_redis_nobody_can_guess_nor_log_in(password: str) -> None:
    answer = log_in(password)

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert answer.json() == {
        "error": {
            "code": "SERVICE_UNAVAILABLE",
            "message": "This cannot be done right now. Try again in a few seconds.",
        }
    }
    assert not Session.all_tenants.exists()
