"""What the endpoints take and refuse, of programs and of whoever else calls them."""

from datetime import timedelta
from typing import Any

import pytest
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.leaving.expiry import delete_expired
from accounts.models import Membership, Program, ProgramAccess, ProgramCode, Tenant
from accounts.services import programs
from accounts.tests.factories import make_access, make_program, make_program_code, make_user
from accounts.tests.programs.flow import BACK, FORM, refusal, register, signing_in
from config.security.rate_limits import Limit

pytestmark = pytest.mark.django_db

WELL_KNOWN = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/tenants/me/mcp",
]
POSTED = ["/oauth/register", "/oauth/token", "/oauth/revoke"]


# --- Registering ----------------------------------------------------------------------------------


def test_a_program_registers_itself(api: APIClient) -> None:
    answer = register(
        api,
        client_uri="https://program.example",
        logo_uri="http://169.254.169.254/latest",
        scope="everything",
        contacts=["a@program.example"],
    )

    row = Program.objects.get()
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json() == {
        "client_id": row.client_id,
        "client_id_issued_at": int(row.created_at.timestamp()),
        "client_name": "Assistant",
        "client_uri": "https://program.example",
        "redirect_uris": [BACK],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": "ask sources",
    }
    assert len(row.client_id) == 32


def test_a_secret_is_shown_once_and_kept_as_its_hash(api: APIClient) -> None:
    answer = register(api, token_endpoint_auth_method="client_secret_basic").json()

    assert answer["client_secret_expires_at"] == 0
    assert len(answer["client_secret"]) == 43  # 256 bits
    row = Program.objects.get()
    assert len(row.secret_hash) == 64
    assert answer["client_secret"] not in repr(vars(row))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("", "program.example"),
        ("  ", "program.example"),
        ("\u202eknaB", "knaB"),
        ("Assis\u200btant\n", "Assistant"),
        ("<b>Bank</b>", "<b>Bank</b>"),
    ],
)
def test_a_name_has_no_signs_that_nobody_sees(api: APIClient, name: str, kept: str) -> None:
    assert register(api, client_name=name).json()["client_name"] == kept


@pytest.mark.parametrize(
    "over",
    [
        {"redirect_uris": None},
        {"redirect_uris": []},
        {"redirect_uris": BACK},
        {"redirect_uris": [BACK] * 11},
        {"redirect_uris": [7]},
        {"client_name": "x" * 201},
        {"client_name": 7},
        {"client_uri": "javascript:alert(1)"},
        {"client_uri": "https://a b"},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"grant_types": ["client_credentials"]},
        {"response_types": ["token"]},
    ],
)
def test_what_cannot_be_is_not_registered(api: APIClient, over: dict[str, Any]) -> None:
    answer = register(api, **over)

    assert refusal(answer) == (400, "invalid_client_metadata")
    assert not Program.objects.exists()


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "http://program.example/back"])
def test_a_redirect_uri_that_is_not_safe_is_not_registered(api: APIClient, uri: str) -> None:
    answer = register(api, redirect_uris=[BACK, uri])

    assert refusal(answer) == (400, "invalid_redirect_uri")
    assert not Program.objects.exists()


@pytest.mark.parametrize(("path", "status"), [("/oauth/token", 400), ("/oauth/revoke", 401)])
def test_one_address_asks_for_so_many_tokens_a_minute(
    api: APIClient, monkeypatch: pytest.MonkeyPatch, path: str, status: int
) -> None:
    """Whatever it asks for: each looks for rows over all tenants, and locks what it finds."""
    monkeypatch.setattr(programs, "TOKEN_REQUESTS", Limit("program_tokens", 2, 60))

    answers = [api.post(path, "token=x", content_type=FORM) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [status, status, 429]
    assert refusal(answers[2]) == (429, "temporarily_unavailable")
    assert 1 <= int(answers[2].headers["Retry-After"]) <= 60
    elsewhere = APIClient(REMOTE_ADDR="203.0.113.9")
    assert elsewhere.post(path, "token=x", content_type=FORM).status_code == status


def test_one_address_registers_so_many_an_hour(
    api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "REGISTRATIONS", Limit("program_registrations", 2, 3600))

    answers = [register(api) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert refusal(answers[2]) == (429, "temporarily_unavailable")
    assert 1800 <= int(answers[2].headers["Retry-After"]) <= 3600
    assert register(APIClient(REMOTE_ADDR="203.0.113.9")).status_code == 201


# --- Bodies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("", FORM),
        ("grant_type=refresh_token&grant_type=refresh_token&token=a&token=b", FORM),
        ("grant_type=refresh_token&token=%00&refresh_token=%00", FORM),
        ("grant_type=refresh_token&token=%ff", FORM),
        ("grant_type=refresh_token&token=\xff", FORM),
        ("token=" + "x" * 2001, FORM),
        ("x=y&" * 51, FORM),
        ("token=" + "x" * 17_000, FORM),
        ('grant_type="x"&token="y"', FORM),
        ('{"grant_type": "refresh_token", "token": "a"}', "application/json"),
        ("grant_type=refresh_token&token=a", "text/plain"),
    ],
)
def test_a_malformed_form_is_an_invalid_request(
    api: APIClient, path: str, body: str, content_type: str
) -> None:
    answer = api.post(path, body.encode("latin-1"), content_type=content_type)

    is_empty = not body
    expected = (
        {(401, "invalid_client"), (400, "unsupported_grant_type")}
        if is_empty
        else {(400, "invalid_request")}
    )
    assert refusal(answer) in expected
    assert answer.headers["Cache-Control"] == "no-store"


def test_parameters_of_the_address_are_not_read(tenant: Tenant) -> None:
    """Addresses are kept in logs (RFC 6749, section 3.2)."""
    program = signing_in(tenant, make_user(tenant))
    query = f"?grant_type=refresh_token&client_id={program.client_id}&refresh_token=a"

    answer = program.api.post(f"/oauth/token{query}", "", content_type=FORM)

    assert refusal(answer) == (400, "unsupported_grant_type")


@pytest.mark.parametrize(
    "header",
    ["Basic", "Basic ", "Basic !", "Basic /w==", "Basic Og==", "Basic AAA6AA==", "Bearer x"],
)
def test_a_malformed_credential_is_none(api: APIClient, header: str) -> None:
    answer = api.post(
        "/oauth/token",
        "grant_type=refresh_token&refresh_token=a",
        content_type=FORM,
        headers={"Authorization": header},
    )

    assert refusal(answer) == (401, "invalid_client")


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '{"redirect_uris": ["\\u0000"]}'])
def test_a_malformed_registration_is_refused(api: APIClient, body: str) -> None:
    answer = api.post("/oauth/register", body, content_type="application/json")

    assert answer.status_code == 400
    assert answer.json()["error"].startswith("invalid_")


def test_a_registration_has_a_limit(api: APIClient) -> None:
    answer = register(api, contacts=["x" * 17_000])

    assert refusal(answer) == (400, "invalid_request")


# --- Found, from everywhere -----------------------------------------------------------------------


def test_the_server_describes_itself(api: APIClient) -> None:
    base = settings.BASE_URL

    assert api.get("/.well-known/oauth-authorization-server").json() == {
        "issuer": base,
        "authorization_endpoint": f"{base}/dashboard/programs/allow",
        "token_endpoint": f"{base}/oauth/token",
        "registration_endpoint": f"{base}/oauth/register",
        "revocation_endpoint": f"{base}/oauth/revoke",
        "scopes_supported": ["ask", "sources"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": [
            "none",
            "client_secret_basic",
            "client_secret_post",
        ],
        "revocation_endpoint_auth_methods_supported": [
            "none",
            "client_secret_basic",
            "client_secret_post",
        ],
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
        "ui_locales_supported": ["es", "en"],
    }


def test_the_metadata_is_what_authlib_takes_for_right(api: APIClient) -> None:
    """But for https, which tests do not have."""
    said = api.get("/.well-known/oauth-authorization-server").json()
    secure = {
        name: value.replace("http://", "https://") if isinstance(value, str) else value
        for name, value in said.items()
    }

    AuthorizationServerMetadata(secure).validate()


@pytest.mark.parametrize("path", WELL_KNOWN[1:])
def test_the_resource_says_who_signs_people_in(api: APIClient, path: str) -> None:
    assert api.get(path).json() == {
        "resource": f"{settings.BASE_URL}/tenants/me/mcp",
        "resource_name": "Knowledge Agents",
        "authorization_servers": [settings.BASE_URL],
        "scopes_supported": ["ask", "sources"],
        "bearer_methods_supported": ["header"],
    }


@pytest.mark.parametrize("path", WELL_KNOWN + POSTED)
def test_any_page_may_ask(api: APIClient, path: str) -> None:
    asked = api.options(
        path,
        headers={"Origin": "https://inspector.example", "Access-Control-Request-Method": "POST"},
    )
    answer = api.get(path) if path in WELL_KNOWN else api.post(path, {}, "json")

    assert (asked.status_code, asked.content) == (204, b"")
    assert asked.headers["Access-Control-Allow-Methods"] == "GET, POST"
    assert "mcp-protocol-version" in asked.headers["Access-Control-Allow-Headers"]
    for one in (asked, answer):
        assert one.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in one.headers


@pytest.mark.parametrize("path", POSTED)
def test_secrets_are_in_no_address(api: APIClient, path: str) -> None:
    assert api.get(path).status_code == 405


# --- What goes ------------------------------------------------------------------------------------


def test_what_nobody_lets_in_is_forgotten_and_what_has_ended_is(tenant: Tenant) -> None:
    now = timezone.now()
    membership = Membership.objects.for_tenant(tenant).get(user=make_user(tenant))
    old = {"created_at": now - timedelta(days=31)}
    make_program(name="unused", **old)
    make_program(name="new")
    used = make_program(name="used", **old)
    make_access(membership, program=used)
    make_access(membership, program=make_program(name="kept", **old), revoked_at=now)
    ended = make_program(name="ended", **old)
    make_access(membership, program=ended, expires_at=now - timedelta(days=91))
    make_program_code(membership, program=used, expires_at=now - timedelta(days=2))

    delete_expired(now)
    delete_expired(now)

    assert set(Program.objects.values_list("name", flat=True)) == {"new", "used", "kept"}
    assert ProgramAccess.all_tenants.count() == 2
    assert not ProgramCode.all_tenants.exists()
