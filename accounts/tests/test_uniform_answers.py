"""No answer tells whether an address has an account, nor does its time: for all addresses a request
does the same, counted here as statements to the database, passwords hashed, and calls to Redis and
the mail server.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import ANY

import pytest
from django.contrib.auth.hashers import get_hasher
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from accounts.models import Purpose, Role, Tenant
from accounts.signing_in.codes import make_code
from accounts.tests.factories import PASSWORD, make_user
from accounts.tests.smtp_server import MailServer, mail_server
from config.security import rate_limits

KNOWN = "ana@acme.es"
NEW = "another horse battery 1"
# None of them can be told from KNOWN. The disabled one has a password, the invited one has none.
OTHERS = ["bea@acme.es", "off@acme.es", "guest@acme.es", "boss@acme.es", "no address"]

Request = Callable[[str], Any]


@pytest.fixture(autouse=True)
def people(tenant: Tenant) -> None:
    make_user(tenant, role=Role.MEMBER, email=KNOWN)
    make_user(tenant, role=Role.MEMBER, email="off@acme.es", is_active=False)
    make_user(tenant, role=Role.ADMIN, email="boss@acme.es")
    guest = make_user(tenant, role=Role.MEMBER, email="guest@acme.es")
    guest.set_unusable_password()
    guest.save()
    guest.memberships.update(activated_at=None)


@dataclass(frozen=True)
class Work:
    """What a request did, and what its caller saw."""

    answer: tuple[int, Any, dict[str, str]]
    statements: list[str]
    passwords_hashed: int
    redis_calls: int
    mail_server_connections: int


@pytest.fixture(scope="module")
def server() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often something was called since it was last cleared."""
    counted: Counter[str] = Counter()

    def count(target: Any, name: str) -> None:
        original = getattr(target, name)

        def call(*args: Any, **options: Any) -> Any:
            counted[name] += 1
            return original(*args, **options)

        monkeypatch.setattr(target, name, call)

    count(type(get_hasher()), "encode")
    count(rate_limits, "ask")
    return counted


@pytest.fixture
def work_of(
    calls: Counter[str], server: MailServer, settings: Any
) -> Callable[[Request, str], Work]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port

    def measure(request: Request, email: str) -> Work:
        calls.clear()
        server.connections = 0
        with CaptureQueriesContext(connection) as queries:
            answer = request(email)
        headers = {name: value for name, value in answer.items() if name != "X-Request-ID"}
        is_json = answer["Content-Type"] == "application/json"
        return Work(
            answer=(answer.status_code, answer.json() if is_json else None, headers),
            statements=[shape(query["sql"]) for query in queries],
            passwords_hashed=calls["encode"],
            redis_calls=calls["ask"],
            mail_server_connections=server.connections,
        )

    return measure


def shape(sql: str) -> str:
    """A statement without its values."""
    return re.sub(r"'[^']*'(::\w+)?|\b\d+\b|\b(NULL|true|false)\b|\"s\d+_x\d+\"", "?", sql)


def post(path: str, **body: str) -> Request:
    def request(email: str) -> Any:
        api = APIClient(raise_request_exception=False)
        return api.post(path, {"email": email} | body, "json")

    return request


def with_a_code(purpose: Purpose, request: Request) -> Request:
    """As after /auth/otp/send, which gives one to every address."""

    def prepared(email: str) -> Any:
        while make_code(email, purpose) == "000000":
            pass
        return request(email)

    return prepared


def wish(email: str) -> dict[str, str]:
    return {"password": NEW, "tenant_name": "Acme", "slug": f"of-{email.partition('@')[0]:->5}"}


def sign_up(email: str) -> Any:
    return post("/auth/signup", **wish(email))(email)


def sign_up_at_the_page(email: str) -> Any:
    return Client().post("/dashboard/sign-up", {"email": email} | wish(email))


REQUESTS = {
    "login": post("/auth/login", password="wrong"),
    "send login": post("/auth/otp/send", purpose="login"),
    "send reset": post("/auth/otp/send", purpose="reset"),
    "send signup": post("/auth/otp/send", purpose="signup"),
    "verify login": post("/auth/otp/verify", purpose="login", code="000000"),
    "verify signup": post("/auth/otp/verify", purpose="signup", code="000000"),
    "verify login, sent": with_a_code(
        Purpose.LOGIN, post("/auth/otp/verify", purpose="login", code="000000")
    ),
    "reset": post("/auth/reset-password", code="000000", new_password=NEW),
    "reset, sent": with_a_code(
        Purpose.RESET, post("/auth/reset-password", code="000000", new_password=NEW)
    ),
    "reset, weak": post("/auth/reset-password", code="000000", new_password="short"),
}


@pytest.mark.parametrize("email", OTHERS)
@pytest.mark.parametrize("name", REQUESTS)
def test_every_address_is_the_same_work(
    work_of: Callable[[Request, str], Work], name: str, email: str
) -> None:
    known, other = work_of(REQUESTS[name], KNOWN), work_of(REQUESTS[name], email)

    assert other == known


@pytest.mark.parametrize("email", OTHERS[:-1])
def test_another_code_for_a_signup_is_the_same_work_for_every_address(
    work_of: Callable[[Request, str], Work], email: str
) -> None:
    for wished in (KNOWN, email):
        assert sign_up_at_the_page(wished).status_code == 200

    send = post("/auth/otp/send", purpose="signup")
    assert work_of(send, email) == work_of(send, KNOWN)


@pytest.mark.parametrize("email", OTHERS[:-1])
def test_signing_up_at_the_page_is_the_same_work_for_every_address(
    work_of: Callable[[Request, str], Work], email: str
) -> None:
    sign_up_at_the_page("first@acme.es")  # what a process does once
    known, other = work_of(sign_up_at_the_page, KNOWN), work_of(sign_up_at_the_page, email)

    assert known.answer[0] == other.answer[0] == 200
    assert replace(other, answer=known.answer) == known


@pytest.mark.parametrize("email", sorted({*OTHERS[:-1]} - {"boss@acme.es"}))
def test_signup_is_the_same_work_for_every_address_but_an_admins(
    work_of: Callable[[Request, str], Work], email: str
) -> None:
    """Which the specification has refused."""
    known, other = work_of(sign_up, KNOWN), work_of(sign_up, email)

    assert (known.answer[0], known.answer[2]) == (other.answer[0], other.answer[2]) == (201, ANY)
    assert known.answer[1].keys() == other.answer[1].keys()
    assert replace(other, answer=known.answer) == known


def test_counting_sees_a_difference(work_of: Callable[[Request, str], Work]) -> None:
    """Else nothing above would mean anything: a right password is more work than a wrong one."""
    right = post("/auth/login", password=PASSWORD)

    assert len(work_of(right, KNOWN).statements) > len(work_of(right, "bea@acme.es").statements)
    assert work_of(right, KNOWN).passwords_hashed == 1
    assert work_of(REQUESTS["send login"], KNOWN).mail_server_connections == 1
    assert work_of(REQUESTS["send login"], KNOWN).redis_calls == 4
