"""Hashing a password and talking to the mail server take long. A request that does holds none of
the few connections to the database meanwhile: the others would wait for one, and fail.
"""

import uuid
from collections.abc import Iterator
from threading import Semaphore
from typing import Any

import pytest
from django.contrib.auth import hashers
from django.core.mail import EmailMessage
from django.db import connection
from rest_framework.test import APIClient

from accounts.models import OneTimeCode, Signup, Tenant
from accounts.tests.factories import PASSWORD, make_user
from config.security.password_hashing import PasswordHasher


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[tuple[str, bool]]:
    """What took long, and whether a connection was held."""
    settings.PASSWORD_HASHERS = ["config.security.password_hashing.PasswordHasher"]
    seen: list[tuple[str, bool]] = []

    def watch(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def look(*args: Any, **kwargs: Any) -> Any:
            seen.append((name, connection.connection is not None))
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, look)

    monkeypatch.setattr(PasswordHasher, "iterations", 10)
    watch(hashers, "pbkdf2")
    watch(EmailMessage, "send")
    return seen


@pytest.fixture
def email(committed_tenant: Tenant, held: list[tuple[str, bool]]) -> Iterator[str]:
    """Of somebody whom other connections see."""
    email = f"{uuid.uuid4().hex[:8]}@acme.es"
    make_user(committed_tenant, email=email)
    held.clear()
    yield email
    Signup.objects.filter(email__endswith=email).delete()
    OneTimeCode.objects.filter(email=email).delete()


@pytest.mark.parametrize(("before", "status"), [("", 200), ("not-", 401)])
def test_a_login_holds_none(
    email: str, held: list[tuple[str, bool]], before: str, status: int
) -> None:
    body = {"email": before + email, "password": PASSWORD}

    assert APIClient().post("/auth/login", body, "json").status_code == status

    assert held == [("pbkdf2", False)]


def test_a_signup_holds_none_and_neither_does_the_same_again(
    email: str, held: list[tuple[str, bool]]
) -> None:
    slug = f"new-{uuid.uuid4().hex[:8]}"
    body = {"email": f"new-{email}", "password": PASSWORD, "tenant_name": "Acme", "slug": slug}

    for _ in range(2):
        assert APIClient().post("/auth/signup", body, "json").status_code == 201

    assert held == [("pbkdf2", False), ("send", False)] * 2


def test_a_code_by_mail_holds_none(email: str, held: list[tuple[str, bool]]) -> None:
    body = {"email": email, "purpose": "reset"}

    assert APIClient().post("/auth/otp/send", body, "json").status_code == 200

    assert held == [("send", False)]


def test_within_a_transaction_its_connection_stays(
    tenant: Tenant, held: list[tuple[str, bool]]
) -> None:
    user = make_user(tenant)
    held.clear()

    assert user.check_password(PASSWORD)

    assert held == [("pbkdf2", True)]


def test_whoever_hashes_has_a_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = Semaphore(1)
    was_free: list[bool] = []

    def hash_it(*args: Any, **kwargs: Any) -> bytes:
        was_free.append(slots.acquire(blocking=False))
        return b""

    monkeypatch.setattr("config.security.password_hashing.slots", slots)
    monkeypatch.setattr(hashers, "pbkdf2", hash_it)

    PasswordHasher().encode(PASSWORD, "salt")

    assert was_free == [False]
    assert slots.acquire(blocking=False)
