"""GET, POST and DELETE under /tenants/me/api-tokens, and what an API token may do."""

import threading
import uuid
from collections.abc import Callable
from contextvars import copy_context
from datetime import datetime, timedelta
from typing import Any

import jwt
import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.errors import InvalidToken
from accounts.models import ApiToken, Membership, Role, Tenant, User
from accounts.services.api_tokens import create_api_token
from accounts.signing_in.tokens import (
    make_challenge,
    make_tokens,
    read_bearer_token,
    read_challenge,
    read_refresh_token,
)
from accounts.tests.factories import (
    bearer,
    make_api_token,
    make_membership,
    make_session,
    make_user,
)
from config.errors import Forbidden
from config.security.encryption import digest

PATH = "/tenants/me/api-tokens"
NOT_FOUND = b'{"error":{"code":"NOT_FOUND","message":"There is nothing at this address."}}'
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
def as_ana(tenant: Tenant, ana: User) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=bearer(ana, tenant)["Authorization"])
    return client


@pytest.fixture
def token(tenant: Tenant, ana: User) -> str:
    return make_api_token(ana, tenant)


def use(token: str) -> Any:
    return APIClient().get("/auth/me", headers={"Authorization": f"Bearer {token}"})


def sign(**claims: Any) -> str:
    """A token that is ours by its signature."""
    content = {"token_type": "api", "exp": 2**31} | claims
    return jwt.encode(content, settings.SECRET_KEY, algorithm="HS256")


# --- Making ---------------------------------------------------------------------------------------


def test_new_token_is_answered_once_with_its_name_and_end(as_ana: APIClient) -> None:
    answer = as_ana.post(PATH, {"name": "Shop", "expires_in_days": 30}, "json")

    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    assert made.keys() == {"id", "name", "token", "expires_at"}
    assert made["name"] == "Shop"
    row = ApiToken.all_tenants.get()
    assert str(row.id) == made["id"]
    assert datetime.fromisoformat(made["expires_at"]) == row.expires_at
    assert timedelta(days=30, seconds=-5) < row.expires_at - timezone.now() <= timedelta(days=30)


def test_new_token_is_a_jwt_of_role_api_user(as_ana: APIClient) -> None:
    made = as_ana.post(PATH, {"name": "Shop"}, "json").json()

    claims = jwt.decode(made["token"], options={"verify_signature": False})
    assert claims["role"] == "api_user"
    assert claims["token_type"] == "api"
    assert claims["jti"] == made["id"]
    assert claims["exp"] == datetime.fromisoformat(made["expires_at"]).timestamp()


def test_of_the_token_only_its_hash_is_kept(as_ana: APIClient) -> None:
    token = as_ana.post(PATH, {"name": "Shop"}, "json").json()["token"]

    kept = ApiToken.all_tenants.values().get()
    assert kept["token_hash"] == digest(token)
    assert token not in str(kept)
    assert token not in str(as_ana.get(PATH).json())


@pytest.mark.parametrize("more", [{}, {"expires_in_days": None}])
def test_a_year_is_the_default(as_ana: APIClient, more: dict[str, Any]) -> None:
    as_ana.post(PATH, {"name": "Shop", **more}, "json")

    left = ApiToken.all_tenants.get().expires_at - timezone.now()
    assert timedelta(days=365, seconds=-5) < left <= timedelta(days=365)


@pytest.mark.parametrize("days", [1, 365])
def test_days_at_the_edges(as_ana: APIClient, days: int) -> None:
    body = {"name": "n" * 200, "expires_in_days": days}
    assert as_ana.post(PATH, body, "json").status_code == 201


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "MISSING_FIELDS"),
        ({"name": None}, "MISSING_FIELDS"),
        ({"name": " "}, "MISSING_FIELDS"),
        ({"name": 7}, "VALIDATION_ERROR"),
        ({"name": "a\0b"}, "VALIDATION_ERROR"),
        ({"name": "n" * 201}, "VALIDATION_ERROR"),
        ({"name": "n", "expires_in_days": 0}, "VALIDATION_ERROR"),
        ({"name": "n", "expires_in_days": -1}, "VALIDATION_ERROR"),
        ({"name": "n", "expires_in_days": 366}, "VALIDATION_ERROR"),
        ({"name": "n", "expires_in_days": 10**30}, "VALIDATION_ERROR"),
        ({"name": "n", "expires_in_days": "30"}, "VALIDATION_ERROR"),
        ({"name": "n", "expires_in_days": 1.5}, "VALIDATION_ERROR"),
        ({"name": "n", "expires_in_days": True}, "VALIDATION_ERROR"),
    ],
    ids=str,
)
def test_bad_input(as_ana: APIClient, body: dict[str, Any], code: str) -> None:
    answer = as_ana.post(PATH, body, "json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert not ApiToken.all_tenants.exists()


def test_a_tenant_has_a_bounded_number_of_tokens(
    as_ana: APIClient, other_api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.services.api_tokens.MAX_TOKENS", 2)
    made = [as_ana.post(PATH, {"name": "Shop"}, "json").json() for _ in range(2)]

    answer = as_ana.post(PATH, {"name": "Shop"}, "json")

    assert (answer.status_code, answer.json()) == (
        409,
        {
            "error": {
                "code": "CONFLICT",
                "message": "A workspace can have at most 2 API tokens: delete one first.",
            }
        },
    )
    assert other_api.post(PATH, {"name": "Shop"}, "json").status_code == 201
    as_ana.delete(f"{PATH}/{made[0]['id']}")
    assert as_ana.post(PATH, {"name": "Shop"}, "json").status_code == 201


def test_parallel_requests_make_no_more_than_there_is_room_for(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("accounts.services.api_tokens.MAX_TOKENS", 3)
    headers = bearer(make_user(committed_tenant), committed_tenant)
    start = threading.Barrier(8)
    statuses: list[int] = []

    def make() -> None:
        start.wait(timeout=10)
        answer = APIClient().post(PATH, {"name": "Shop"}, "json", headers=headers)
        statuses.append(answer.status_code)
        connection.close()

    threads = [threading.Thread(target=copy_context().run, args=[make]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)

    assert sorted(statuses) == [201] * 3 + [409] * 5
    assert ApiToken.objects.for_tenant(committed_tenant).count() == 3


# --- Listing --------------------------------------------------------------------------------------


def test_list_shows_who_made_what_and_when_it_was_used(
    as_ana: APIClient, tenant: Tenant, ana: User
) -> None:
    make_api_token(ana, tenant, name="Shop")

    answer = as_ana.get(PATH)

    row = ApiToken.all_tenants.get()
    assert answer.status_code == 200
    assert answer.json() == [
        {
            "id": str(row.id),
            "name": "Shop",
            "created_at": f"{row.created_at:%Y-%m-%dT%H:%M:%S.%fZ}",
            "expires_at": f"{row.expires_at:%Y-%m-%dT%H:%M:%S.%fZ}",
            "last_used_at": None,
            "created_by": "ana@acme.es",
        }
    ]


def test_list_is_newest_first_with_expired_and_without_revoked_ones(
    as_ana: APIClient, tenant: Tenant, other_tenant: Tenant, ana: User
) -> None:
    for name in ("old", "revoked", "expired", "new"):
        make_api_token(ana, tenant, name=name)
    now = timezone.now()
    ApiToken.all_tenants.filter(name="revoked").update(revoked_at=now)
    ApiToken.all_tenants.filter(name="expired").update(expires_at=now - timedelta(days=1))
    make_api_token(make_user(other_tenant), other_tenant, name="foreign")

    assert [token["name"] for token in as_ana.get(PATH).json()] == ["new", "expired", "old"]


def test_list_costs_two_queries_however_long_it_is(
    as_ana: APIClient, tenant: Tenant, ana: User, django_assert_num_queries: Any
) -> None:
    for tokens_count in (2, 20):
        ApiToken.all_tenants.all().delete()
        for _ in range(tokens_count):
            make_api_token(make_user(tenant), tenant)
        with django_assert_num_queries(2):
            assert len(as_ana.get(PATH).json()) == tokens_count


# --- Revoking -------------------------------------------------------------------------------------


def test_revoked_token_is_refused_at_its_next_request(as_ana: APIClient) -> None:
    made = as_ana.post(PATH, {"name": "Shop"}, "json").json()
    assert use(made["token"]).status_code == 200

    answer = as_ana.delete(f"{PATH}/{made['id']}")

    assert (answer.status_code, answer.content) == (204, b"")
    assert (use(made["token"]).status_code, use(made["token"]).json()) == (401, UNAUTHORIZED)


def test_what_cannot_be_revoked_is_not_found_byte_for_byte(
    as_ana: APIClient, other_tenant: Tenant, tenant: Tenant, ana: User
) -> None:
    make_api_token(make_user(other_tenant), other_tenant)
    foreign = ApiToken.all_tenants.get()
    make_api_token(ana, tenant)
    revoked = ApiToken.objects.for_tenant(tenant).get()
    as_ana.delete(f"{PATH}/{revoked.id}")
    revoked.refresh_from_db()

    for token_id in (foreign.id, revoked.id, uuid.uuid4(), "no-uuid"):
        answer = as_ana.delete(f"{PATH}/{token_id}")
        assert (answer.status_code, answer.content) == (404, NOT_FOUND), token_id

    foreign.refresh_from_db()
    assert foreign.revoked_at is None
    assert ApiToken.objects.for_tenant(tenant).get().revoked_at == revoked.revoked_at


def test_expired_token_can_be_put_away(as_ana: APIClient, tenant: Tenant, ana: User) -> None:
    make_api_token(ana, tenant, expires_at=timezone.now() - timedelta(days=1))

    assert as_ana.delete(f"{PATH}/{ApiToken.all_tenants.get().id}").status_code == 204
    assert as_ana.get(PATH).json() == []


# --- Using ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", list(Role))
def test_it_acts_as_api_user_whatever_the_role_of_its_maker(tenant: Tenant, role: Role) -> None:
    maker = make_user(tenant, role=role)

    answer = use(make_api_token(maker, tenant))

    assert answer.status_code == 200
    assert (answer.json()["role"], answer.json()["tenant_id"]) == ("api_user", str(tenant.id))


def test_it_acts_in_its_own_tenant_alone(
    tenant: Tenant, other_tenant: Tenant, ana: User, token: str
) -> None:
    make_membership(other_tenant, ana)

    assert use(token).json()["tenant_slug"] == "acme"
    assert use(make_api_token(ana, other_tenant)).json()["tenant_slug"] == "umbrella"


def test_it_may_neither_read_sources_nor_administrate(token: str) -> None:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")

    for answer in (
        client.get("/ingest/sources"),
        client.post("/ingest/sources", {}, "json"),
        client.get("/tenants/me/usage"),
        client.get(PATH),
        client.post(PATH, {"name": "Another"}, "json"),
        client.delete(f"{PATH}/{ApiToken.all_tenants.get().id}"),
    ):
        assert answer.status_code == 403


def test_it_does_nothing_that_is_for_people(token: str) -> None:
    answer = APIClient().get("/auth/tenants", headers={"Authorization": f"Bearer {token}"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")


def test_expired_token_is_refused(tenant: Tenant, ana: User) -> None:
    assert use(make_api_token(ana, tenant, expires_at=timezone.now())).status_code == 401


def test_token_whose_row_was_made_to_end_sooner_is_refused(token: str) -> None:
    ApiToken.all_tenants.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert use(token).status_code == 401


def test_forged_tokens_are_refused(tenant: Tenant, ana: User, token: str) -> None:
    row = ApiToken.all_tenants.get()
    claims = {"token_type": "api", "exp": 2**31, "jti": str(row.id)}
    session = make_session(ana, tenant)
    forgeries = {
        "ours by its signature, not by its hash": sign(jti=str(row.id)),
        "another key": jwt.encode(claims, "x" * 64, algorithm="HS256"),
        "unsigned": jwt.encode(claims, "", algorithm="none"),
        "another algorithm": jwt.encode(claims, settings.SECRET_KEY, algorithm="HS512"),
        "its end cut off": token[:-1],
        "of nobody": sign(jti=str(uuid.uuid4())),
        "no uuid": sign(jti="1"),
        "no jti": sign(),
        "a session's id": sign(jti=str(session.id)),
        "as an access token": sign(token_type="access", sid=str(row.id), jti=str(row.id)),
        "a challenge": make_challenge(session.membership),
        "a refresh token": make_tokens(session).refresh_token,
    }
    for name, forged in forgeries.items():
        answer = use(forged)
        assert (answer.status_code, answer.json()) == (401, UNAUTHORIZED), name
    row.refresh_from_db()
    assert row.last_used_at is None


def test_token_of_another_secret_key_is_refused(token: str, settings: Any) -> None:
    """The hash alone would let it in."""
    claims = jwt.decode(token, options={"verify_signature": False})
    signed_elsewhere = jwt.encode(claims, "k" * 64, algorithm="HS256")
    ApiToken.all_tenants.update(token_hash=digest(signed_elsewhere))

    assert use(signed_elsewhere).status_code == 401


def test_it_is_neither_refresh_token_nor_challenge(
    api: APIClient, tenant: Tenant, ana: User, token: str
) -> None:
    for path in ("/auth/refresh", "/auth/logout"):
        assert api.post(path, {"refresh_token": token}, "json").status_code == 401
    answer = api.post("/auth/2fa/verify", {"challenge": token, "code": "123456"}, "json")
    assert answer.status_code == 401
    for read in (read_challenge, read_refresh_token):
        with pytest.raises(InvalidToken):
            read(token)


def test_challenges_and_refresh_tokens_are_no_bearer_tokens(tenant: Tenant, ana: User) -> None:
    session = make_session(ana, tenant)
    for other in (make_challenge(session.membership), make_tokens(session).refresh_token):
        with pytest.raises(InvalidToken):
            read_bearer_token(other)


# --- Its maker ------------------------------------------------------------------------------------


def test_token_of_a_disabled_person_is_refused_at_once(ana: User, token: str) -> None:
    assert use(token).status_code == 200
    ana.is_active = False
    ana.save()

    assert (use(token).status_code, use(token).json()) == (401, UNAUTHORIZED)


def test_token_of_a_removed_member_is_refused_at_once(
    tenant: Tenant, ana: User, token: str
) -> None:
    Membership.objects.for_tenant(tenant).get(user=ana).delete()

    assert (use(token).status_code, use(token).json()) == (401, UNAUTHORIZED)
    assert not ApiToken.all_tenants.exists()


def test_token_of_a_demoted_admin_goes_on(tenant: Tenant, ana: User, token: str) -> None:
    Membership.objects.for_tenant(tenant).filter(user=ana).update(role=Role.VIEWER)

    assert use(token).json()["role"] == "api_user"


def demote(membership: Membership) -> None:
    Membership.objects.for_tenant(membership.tenant).update(role=Role.MEMBER)


def remove(membership: Membership) -> None:
    Membership.objects.for_tenant(membership.tenant).filter(pk=membership.pk).delete()


@pytest.mark.parametrize("lose_it", [demote, remove])
def test_nobody_makes_a_token_who_is_no_admin_any_more(
    tenant: Tenant, ana: User, lose_it: Callable[[Membership], None]
) -> None:
    """The request was let in, and waited for the tenant's row, which the demotion held."""
    membership = Membership.objects.for_tenant(tenant).get(user=ana)
    lose_it(membership)

    with pytest.raises(Forbidden):
        create_api_token(tenant, membership, name="Shop", expires_in_days=1)

    assert not ApiToken.all_tenants.exists()


# --- When it was last used ------------------------------------------------------------------------


def test_last_use_is_noted_once_a_minute_and_other_requests_write_nothing(
    token: str, django_assert_num_queries: Any
) -> None:
    before = timezone.now()
    with django_assert_num_queries(3):  # the caller, the note, and "is two-factor on"
        use(token)
    first = ApiToken.all_tenants.get().last_used_at
    assert first is not None
    assert before <= first <= timezone.now()

    with django_assert_num_queries(2):
        use(token)
    assert ApiToken.all_tenants.get().last_used_at == first

    a_minute_ago = timezone.now() - timedelta(seconds=61)
    ApiToken.all_tenants.update(last_used_at=a_minute_ago)
    use(token)
    latest = ApiToken.all_tenants.get().last_used_at
    assert latest is not None
    assert latest >= first
