"""Programs whose id is the address where they say what they are."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.errors import InvalidProgramRequest, UnreadableDocument
from accounts.models import Membership, Program, Tenant
from accounts.programs import published
from accounts.programs.published import fetch_document, is_published
from accounts.services.programs import list_accesses
from accounts.tests.factories import make_user
from accounts.tests.programs.flow import BACK, SigningIn
from config.errors import TooManyRequests
from config.http import AddressRefused, FetchedPage, HttpClient, TooLarge
from config.security.rate_limits import Limit
from config.serving.waiting import Kind, WaitingThreads
from reasons import as_reason

pytestmark = pytest.mark.django_db

ADDRESS = "https://program.example/oauth/client.json"
DOCUMENT = {"client_id": ADDRESS, "client_name": "Assistant", "redirect_uris": [BACK]}


class Website:
    """Stands for the program's own, behind the checked client."""

    def __init__(self) -> None:
        self.body: Any = DOCUMENT
        self.status = 200
        self.asked: list[tuple[str, str]] = []
        self.limits: dict[str, Any] = {}

    def send(self, method: str, url: str, **limits: Any) -> FetchedPage:
        self.asked.append((method, url))
        self.limits = limits
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        if len(body) > limits["max_bytes"]:
            raise TooLarge(as_reason("too large"))
        return FetchedPage(url, self.status, {}, body)


@pytest.fixture
def website(monkeypatch: pytest.MonkeyPatch) -> Website:
    one = Website()
    monkeypatch.setattr(HttpClient, "send", lambda client, *args, **more: one.send(*args, **more))
    return one


@pytest.fixture
def program(tenant: Tenant) -> SigningIn:
    return SigningIn(Membership.objects.for_tenant(tenant).get(user=make_user(tenant)), ADDRESS)


def test_it_signs_in_without_having_registered(program: SigningIn, website: Website) -> None:
    tokens = program.sign_in()

    row = Program.objects.get()
    assert (row.client_id, row.name, row.auth_method) == (ADDRESS, "Assistant", "none")
    assert program.refresh(tokens["refresh_token"]).status_code == 200
    assert website.asked == [("GET", ADDRESS)]
    assert (website.limits["max_bytes"], website.limits["deadline_seconds"]) == (5120, 5.0)


def test_one_that_prefers_keys_signs_in_where_it_can_do_without(
    program: SigningIn, website: Website
) -> None:
    """As ChatGPT publishes itself."""
    website.body = DOCUMENT | {
        "token_endpoint_auth_method": "private_key_jwt",
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "token_endpoint_auth_signing_alg": "RS256",
        "jwks_uri": "https://program.example/oauth/jwks.json",
    }

    program.sign_in()

    assert Program.objects.get().auth_method == "none"


def test_it_is_asked_again_after_a_day(program: SigningIn, website: Website) -> None:
    program.consent()
    Program.objects.update(published_at=timezone.now() - timedelta(hours=25))
    website.body = DOCUMENT | {"redirect_uris": ["https://program.example/other"]}

    with pytest.raises(InvalidProgramRequest):
        program.consent()
    assert program.consent(redirect_uri="https://program.example/other").program.name
    assert len(website.asked) == 2


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 5000,
        DOCUMENT | {"client_id": "https://program.example/oauth/other.json"},
        DOCUMENT | {"client_id": f"{ADDRESS}/"},
        DOCUMENT | {"redirect_uris": []},
        DOCUMENT | {"redirect_uris": BACK},
        DOCUMENT | {"redirect_uris": [BACK, 7]},
        DOCUMENT | {"redirect_uris": [BACK] * 11},
        DOCUMENT | {"redirect_uris": ["javascript:alert(1)"]},
        DOCUMENT | {"token_endpoint_auth_method": "client_secret_post"},
        DOCUMENT | {"token_endpoint_auth_method": "private_key_jwt"},
        DOCUMENT
        | {
            "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        },
        DOCUMENT
        | {
            "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_methods_supported": "none",
        },
        DOCUMENT | {"padding": "x" * 5120},
    ],
)
def test_a_description_that_does_not_hold_is_none(
    program: SigningIn, website: Website, body: Any
) -> None:
    website.body = body

    with pytest.raises(UnreadableDocument):
        program.consent()
    assert not Program.objects.exists()


@pytest.mark.parametrize("status", [204, 301, 404, 500])
def test_only_a_success_is_read_and_no_redirect_followed(
    program: SigningIn, website: Website, status: int
) -> None:
    website.status = status

    with pytest.raises(UnreadableDocument):
        program.consent()
    assert len(website.asked) == 1


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/client.json",
        "https://[::1]/client.json",
        "https://169.254.169.254/latest",
        "https://10.0.0.1:8443/client.json",
        "https://0x7f000001/client.json",
    ],
)
def test_no_private_address_is_asked(address: str) -> None:
    assert is_published(address)
    with pytest.raises(UnreadableDocument) as refused:
        fetch_document(address)
    assert isinstance(refused.value.__cause__, AddressRefused)


@pytest.mark.parametrize(
    "client_id",
    [
        "http://program.example/client.json",
        "https://program.example",
        "https://program.example/",
        "https://ana@program.example/client.json",
        "https://program.example/client.json#here",
        "https://program.example/a/../client.json",
        "https:///client.json",
        "XtI10_xKd7KD2hvdLQJGcRfV7Axo3AIO",
        "file:///etc/passwd",
        "",
    ],
)
def test_another_id_is_not_asked_for(program: SigningIn, website: Website, client_id: str) -> None:
    with pytest.raises(InvalidProgramRequest):
        program.consent(client_id=client_id)
    assert website.asked == []


def test_programs_that_call_in_fetch_nothing(program: SigningIn, website: Website) -> None:
    """Only a person who is signed in does: else anybody could have us ask any website."""
    assert program.exchange("code").json()["error"] == "invalid_client"
    assert program.revoke("token").json()["error"] == "invalid_client"
    assert website.asked == []


def test_one_address_has_so_many_fetched(
    program: SigningIn, website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published, "FETCHES", Limit("program_documents", 1, 3600))
    program.consent()
    program.consent()  # known by now

    with pytest.raises(TooManyRequests):
        program.consent(client_id=f"{ADDRESS}?2")


def test_when_too_many_threads_wait_none_is_fetched(
    program: SigningIn, website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = WaitingThreads(1)
    waiting.begin(Kind.UPLOADS)
    monkeypatch.setattr(published, "waiting_threads", waiting)

    with pytest.raises(TooManyRequests):
        program.consent()

    assert website.asked == []


def test_it_stays_signed_in_on_five_devices(
    program: SigningIn, website: Website, tenant: Tenant
) -> None:
    tokens = [program.sign_in() for _ in range(6)]

    assert list_accesses(tenant).count() == 5
    statuses = [program.refresh(each["refresh_token"]).status_code for each in tokens]
    assert statuses == [400, 200, 200, 200, 200, 200]
