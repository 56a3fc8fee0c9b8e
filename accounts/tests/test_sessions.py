"""POST /auth/refresh and /auth/logout: a session, its rotating refresh tokens, and its end."""

import uuid
from datetime import timedelta
from typing import Any

import jwt
import pytest
from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Session, Tenant, User
from accounts.signing_in.tokens import make_tokens
from accounts.tests.factories import PASSWORD, make_session, make_user
from config.tests.parallel import in_parallel

UNAUTHORIZED = {
    "error": {
        "code": "UNAUTHORIZED",
        "message": "The access token is missing, invalid, expired or revoked.",
    }
}


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, email="ana@acme.es")


@pytest.fixture
def tokens(api: APIClient, ana: User) -> dict[str, str]:
    """What a login answered."""
    body = {"email": "ana@acme.es", "password": PASSWORD}
    answer: dict[str, str] = api.post("/auth/login", body, "json").json()
    return answer


def refresh(api: APIClient, token: Any) -> Any:
    return api.post("/auth/refresh", {"refresh_token": token}, "json")


def log_out(api: APIClient, token: Any) -> Any:
    return api.post("/auth/logout", {"refresh_token": token}, "json")


def is_open(api: APIClient, tokens: dict[str, str]) -> bool:
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    return bool(api.get("/auth/me", headers=headers).status_code == 200)


def sign(**claims: Any) -> str:
    """A token that is ours by its signature."""
    in_an_hour = int((timezone.now() + timedelta(hours=1)).timestamp())
    content = {"token_type": "refresh", "exp": in_an_hour, "jti": str(uuid.uuid4())} | claims
    return jwt.encode(content, settings.SECRET_KEY, algorithm="HS256")


# --- Refresh --------------------------------------------------------------------------------------


def test_refresh_answers_new_tokens_of_the_same_session(
    api: APIClient, tokens: dict[str, str]
) -> None:
    answer = refresh(api, tokens["refresh_token"])

    renewed = answer.json()
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert renewed.keys() == tokens.keys()
    assert renewed["refresh_token"] != tokens["refresh_token"]
    assert (renewed["role"], renewed["tenant_slug"], renewed["expires_in"]) == (
        "admin",
        "acme",
        900,
    )
    assert is_open(api, renewed)
    assert Session.all_tenants.count() == 1


def test_older_access_token_stays_good_after_a_refresh(
    api: APIClient, tokens: dict[str, str]
) -> None:
    refresh(api, tokens["refresh_token"])

    assert is_open(api, tokens)


def test_refresh_counts_the_fourteen_days_anew(api: APIClient, tenant: Tenant, ana: User) -> None:
    tomorrow = timezone.now() + timedelta(days=1)
    session = make_session(ana, tenant, expires_at=tomorrow)

    assert refresh(api, make_tokens(session).refresh_token).status_code == 200

    session.refresh_from_db()
    assert session.expires_at - session.last_refreshed_at == timedelta(days=14)
    assert session.expires_at > tomorrow


def test_chain_of_refreshes(api: APIClient, tokens: dict[str, str]) -> None:
    for _ in range(3):
        answer = refresh(api, tokens["refresh_token"])
        assert answer.status_code == 200
        tokens = answer.json()

    assert is_open(api, tokens)


def test_replaced_token_used_again_ends_the_session_and_its_access_tokens(
    api: APIClient, tokens: dict[str, str]
) -> None:
    renewed = refresh(api, tokens["refresh_token"]).json()

    again = refresh(api, tokens["refresh_token"])

    assert (again.status_code, again.json()) == (401, UNAUTHORIZED)
    assert not is_open(api, tokens)
    assert not is_open(api, renewed)
    assert refresh(api, renewed["refresh_token"]).status_code == 401


def test_reuse_leaves_the_persons_other_sessions_alone(
    api: APIClient, tenant: Tenant, ana: User, tokens: dict[str, str]
) -> None:
    elsewhere = make_tokens(make_session(ana, tenant))
    refresh(api, tokens["refresh_token"])
    refresh(api, tokens["refresh_token"])

    assert refresh(api, elsewhere.refresh_token).status_code == 200


def test_fifty_parallel_uses_of_one_token_have_exactly_one_winner(
    committed_tenant: Tenant,
) -> None:
    session = make_session(make_user(committed_tenant), committed_tenant)
    token = make_tokens(session).refresh_token

    statuses = in_parallel(lambda: refresh(APIClient(), token).status_code, times=50)

    assert sorted(statuses) == [200] + [401] * 49
    session.refresh_from_db()
    assert session.revoked_at is not None


def test_refresh_of_a_disabled_person_is_refused(
    api: APIClient, ana: User, tokens: dict[str, str]
) -> None:
    ana.is_active = False
    ana.save()

    assert refresh(api, tokens["refresh_token"]).status_code == 401


def test_refresh_after_the_membership_is_gone_is_refused(
    api: APIClient, ana: User, tokens: dict[str, str]
) -> None:
    ana.memberships.all().delete()

    assert refresh(api, tokens["refresh_token"]).status_code == 401


def test_expired_session_takes_its_tokens_along(api: APIClient, tenant: Tenant, ana: User) -> None:
    session = make_session(ana, tenant)
    pair = make_tokens(session)
    Session.all_tenants.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert not is_open(api, {"access_token": pair.access_token})
    assert refresh(api, pair.refresh_token).status_code == 401


# --- Tokens that are none -------------------------------------------------------------------------


@pytest.fixture
def forgeries(tenant: Tenant, ana: User) -> dict[str, str]:
    session = make_session(ana, tenant)
    claims = {"sid": str(session.id), "jti": str(session.refresh_jti)}
    past = int((timezone.now() - timedelta(minutes=1)).timestamp())
    other_key = jwt.encode(
        {"token_type": "refresh", "exp": 2**31, **claims}, "x" * 64, algorithm="HS256"
    )
    other_algorithm = jwt.encode(
        {"token_type": "refresh", "exp": 2**31, **claims}, settings.SECRET_KEY, algorithm="HS512"
    )
    unsigned = jwt.encode({"token_type": "refresh", "exp": 2**31, **claims}, "", algorithm="none")
    return {
        "text": "x",
        "accents": "é.ñ.ü",
        "access token": make_tokens(session).access_token,
        "another key": other_key,
        "another algorithm": other_algorithm,
        "unsigned": unsigned,
        "expired": sign(**claims, exp=past),
        "no session": sign(jti=claims["jti"]),
        "session no uuid": sign(sid="1; DROP TABLE", jti=claims["jti"]),
        "session of nobody": sign(sid=str(uuid.uuid4())),
        "jti no uuid": sign(sid=claims["sid"], jti="1"),
        "access by its claim": sign(**claims, token_type="access"),
    }


def test_forged_tokens_are_unauthorized_and_end_nothing(
    api: APIClient, forgeries: dict[str, str]
) -> None:
    for name, token in forgeries.items():
        answer = refresh(api, token)
        assert (answer.status_code, answer.json()) == (401, UNAUTHORIZED), name
        assert answer.headers["WWW-Authenticate"] == "Bearer", name
    assert Session.all_tenants.get().revoked_at is None


def test_forged_tokens_cannot_log_out(api: APIClient, forgeries: dict[str, str]) -> None:
    del forgeries["session of nobody"]  # well-formed and ours: there is just nothing to end
    for name, token in forgeries.items():
        answer = log_out(api, token)
        assert (answer.status_code, answer.json()) == (401, UNAUTHORIZED), name
    assert Session.all_tenants.get().revoked_at is None


def test_refresh_token_is_no_access_token(api: APIClient, tokens: dict[str, str]) -> None:
    assert not is_open(api, {"access_token": tokens["refresh_token"]})


@pytest.mark.parametrize("path", ["/auth/refresh", "/auth/logout"])
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "MISSING_FIELDS"),
        ({"refresh_token": None}, "MISSING_FIELDS"),
        ({"refresh_token": ""}, "MISSING_FIELDS"),
        ({"refresh_token": 1}, "VALIDATION_ERROR"),
        ({"refresh_token": "a\x00"}, "VALIDATION_ERROR"),
        ({"refresh_token": "a" * 4001}, "VALIDATION_ERROR"),
    ],
)
def test_bad_input(api: APIClient, path: str, body: dict[str, Any], code: str) -> None:
    answer = api.post(path, body, "json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


# --- Logout ---------------------------------------------------------------------------------------


def test_logout_ends_refresh_and_access_tokens_at_once(
    api: APIClient, tokens: dict[str, str]
) -> None:
    answer = log_out(api, tokens["refresh_token"])

    assert (answer.status_code, answer.content) == (204, b"")
    assert not is_open(api, tokens)
    assert refresh(api, tokens["refresh_token"]).status_code == 401


def test_logout_twice_answers_the_same_and_keeps_the_first_time(
    api: APIClient, tokens: dict[str, str]
) -> None:
    log_out(api, tokens["refresh_token"])
    first = Session.all_tenants.get().revoked_at

    assert log_out(api, tokens["refresh_token"]).status_code == 204
    assert Session.all_tenants.get().revoked_at == first


def test_logout_with_a_replaced_token_ends_the_session_too(
    api: APIClient, tokens: dict[str, str]
) -> None:
    renewed = refresh(api, tokens["refresh_token"]).json()

    assert log_out(api, tokens["refresh_token"]).status_code == 204
    assert not is_open(api, renewed)


def test_logout_leaves_the_persons_other_sessions_alone(
    api: APIClient, tenant: Tenant, ana: User, tokens: dict[str, str]
) -> None:
    elsewhere = make_tokens(make_session(ana, tenant))

    log_out(api, tokens["refresh_token"])

    assert is_open(api, {"access_token": elsewhere.access_token})
