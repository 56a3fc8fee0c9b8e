"""POST /auth/login, GET /auth/me."""

import json
from typing import Any

import pytest
from django.contrib.auth.hashers import get_hasher
from rest_framework.test import APIClient

from accounts.models import Membership, Role, Session, Tenant
from accounts.tests.factories import PASSWORD, bearer, make_membership, make_tenant, make_user

INVALID_CREDENTIALS = {
    "error": {"code": "INVALID_CREDENTIALS", "message": "Wrong e-mail or password."}
}
NO_WORKSPACE_ACCESS = {
    "error": {
        "code": "NO_WORKSPACE_ACCESS",
        "message": "You are not a member of this workspace, or of any workspace.",
    }
}


def log_in(api: APIClient, **body: Any) -> Any:
    return api.post("/auth/login", {"email": "ana@acme.es", "password": PASSWORD} | body, "json")


@pytest.fixture(autouse=True)
def ana(tenant: Tenant) -> Any:
    return make_user(tenant, role=Role.MEMBER, email="ana@acme.es")


def test_login_answers_the_tokens_object(api: APIClient, tenant: Tenant) -> None:
    answer = log_in(api)

    tokens = answer.json()
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert tokens | {"access_token": "", "refresh_token": ""} == {
        "access_token": "",
        "refresh_token": "",
        "token_type": "Bearer",
        "expires_in": 900,
        "role": "member",
        "tenant_id": str(tenant.id),
        "tenant_slug": "acme",
    }
    assert tokens["access_token"].count(".") == tokens["refresh_token"].count(".") == 2


def test_access_token_opens_the_api(api: APIClient, tenant: Tenant, ana: Any) -> None:
    token = log_in(api).json()["access_token"]

    answer = api.get("/auth/me", headers={"Authorization": f"Bearer {token}"})

    assert answer.status_code == 200
    assert answer.json() == {
        "user_id": str(ana.id),
        "email": "ana@acme.es",
        "role": "member",
        "tenant_id": str(tenant.id),
        "tenant_slug": "acme",
        "two_factor_enabled": False,
    }


def test_a_request_looks_its_caller_up_with_one_query(
    api: APIClient, tenant: Tenant, ana: Any, django_assert_num_queries: Any
) -> None:
    headers = bearer(ana, tenant)

    with django_assert_num_queries(2):  # the other: is two-factor on
        assert api.get("/auth/me", headers=headers).status_code == 200


def test_address_is_known_in_any_case_and_with_spaces_around(api: APIClient) -> None:
    assert log_in(api, email=" Ana@ACME.es ").status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"password": "not her password"},
        {"password": f" {PASSWORD}"},
        {"email": "nobody@acme.es"},
        {"email": "no address"},
        {"email": "nobody@acme.es", "tenant_slug": "acme"},
    ],
    ids=["password", "space before it", "address", "no address", "address, with tenant"],
)
def test_what_is_wrong_is_not_told(api: APIClient, wrong: dict[str, str]) -> None:
    answer = log_in(api, **wrong)

    assert (answer.status_code, answer.json()) == (401, INVALID_CREDENTIALS)
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert not Session.all_tenants.exists()


def test_disabled_person_gets_the_same_answer(api: APIClient, ana: Any) -> None:
    ana.is_active = False
    ana.save()

    answer = log_in(api)

    assert (answer.status_code, answer.json()) == (401, INVALID_CREDENTIALS)


def test_person_without_a_password_gets_the_same_answer(api: APIClient, ana: Any) -> None:
    ana.set_unusable_password()
    ana.save()

    assert log_in(api).json() == INVALID_CREDENTIALS


@pytest.mark.parametrize("email", ["ana@acme.es", "nobody@acme.es"])
def test_unknown_people_cost_the_same_hashing(
    api: APIClient, email: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []
    hasher = type(get_hasher())
    encode = hasher.encode

    def record(self: Any, password: str, *args: Any) -> str:
        hashed.append(password)
        return encode(self, password, *args)

    monkeypatch.setattr(hasher, "encode", record)

    log_in(api, email=email, password="wrong")

    assert hashed == ["wrong"]


# --- Which tenant ---------------------------------------------------------------------------------


def test_without_a_slug_the_oldest_membership_counts(
    api: APIClient, tenant: Tenant, ana: Any
) -> None:
    make_membership(make_tenant("aaa"), ana)

    assert log_in(api).json()["tenant_slug"] == "acme"
    assert log_in(api, tenant_slug=None).json()["tenant_slug"] == "acme"
    assert log_in(api, tenant_slug="").json()["tenant_slug"] == "acme"


def test_slug_chooses_the_tenant_and_its_role(api: APIClient, ana: Any) -> None:
    make_membership(make_tenant("second"), ana, role=Role.VIEWER)

    tokens = log_in(api, tenant_slug="Second").json()

    assert (tokens["tenant_slug"], tokens["role"]) == ("second", "viewer")


def test_slug_of_others_and_of_nobody_answer_the_same(api: APIClient, other_tenant: Tenant) -> None:
    theirs, nobodys = log_in(api, tenant_slug="umbrella"), log_in(api, tenant_slug="nobody")

    assert (theirs.status_code, theirs.json()) == (403, NO_WORKSPACE_ACCESS)
    assert (nobodys.status_code, nobodys.json()) == (403, NO_WORKSPACE_ACCESS)


def test_person_of_no_tenant_has_no_workspace(api: APIClient, ana: Any) -> None:
    ana.memberships.all().delete()

    answer = log_in(api)

    assert (answer.status_code, answer.json()) == (403, NO_WORKSPACE_ACCESS)


def test_wrong_password_comes_before_workspace(api: APIClient) -> None:
    assert log_in(api, password="wrong", tenant_slug="nobody").status_code == 401


# --- Input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "MISSING_FIELDS"),
        ({"email": "ana@acme.es"}, "MISSING_FIELDS"),
        ({"email": "ana@acme.es", "password": ""}, "MISSING_FIELDS"),
        ({"email": None, "password": PASSWORD}, "MISSING_FIELDS"),
        ({"email": 5, "password": PASSWORD}, "VALIDATION_ERROR"),
        ({"email": ["ana@acme.es"], "password": PASSWORD}, "VALIDATION_ERROR"),
        ({"email": "a" * 255, "password": PASSWORD}, "VALIDATION_ERROR"),
        ({"email": "ana\x00@acme.es", "password": PASSWORD}, "VALIDATION_ERROR"),
        ({"email": "ana@acme.es", "password": "p" * 1001}, "VALIDATION_ERROR"),
        ({"email": "ana@acme.es", "password": "p\x00"}, "VALIDATION_ERROR"),
        ({"email": "ana@acme.es", "password": "p\ud800"}, "VALIDATION_ERROR"),
        ({"email": "ana@acme.es", "password": PASSWORD, "tenant_slug": 1}, "VALIDATION_ERROR"),
        ({"email": "ana@acme.es", "password": PASSWORD, "tenant_slug": "\x00"}, "VALIDATION_ERROR"),
    ],
)
def test_bad_input(api: APIClient, body: dict[str, Any], code: str) -> None:
    answer = api.post("/auth/login", json.dumps(body), content_type="application/json")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_unknown_fields_are_ignored(api: APIClient) -> None:
    assert log_in(api, remember=True).status_code == 200


def test_stale_token_does_not_stop_a_login(api: APIClient) -> None:
    api.credentials(HTTP_AUTHORIZATION="Bearer stale")

    assert log_in(api).status_code == 200


# --- Who is calling -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer x.y.z",
        "Bearer é",
        "Bearer eyJhbGciOiJub25lIn0.eyJzaWQiOiIxIn0.",
        "Basic YW5hOnB3",
        "Token abc",
        "Bearer " + "a" * 5000,
    ],
)
def test_no_token_or_a_false_one_is_unauthorized(api: APIClient, authorization: str) -> None:
    headers = {"Authorization": authorization} if authorization else {}

    answer = api.get("/auth/me", headers=headers)

    assert answer.status_code == 401
    assert answer.json() == {
        "error": {
            "code": "UNAUTHORIZED",
            "message": "The access token is missing, invalid, expired or revoked.",
        }
    }
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_scheme_is_read_in_any_case(api: APIClient, tenant: Tenant, ana: Any) -> None:
    token = bearer(ana, tenant)["Authorization"].removeprefix("Bearer ")

    assert api.get("/auth/me", headers={"Authorization": f"bearer  {token}"}).status_code == 200


def me(api: APIClient, headers: dict[str, str]) -> Any:
    return api.get("/auth/me", headers=headers)


def test_disabling_a_person_acts_on_the_next_request(
    api: APIClient, tenant: Tenant, ana: Any
) -> None:
    headers = bearer(ana, tenant)
    assert me(api, headers).status_code == 200

    ana.is_active = False
    ana.save()

    assert me(api, headers).status_code == 401


def test_removing_a_membership_acts_on_the_next_request(
    api: APIClient, tenant: Tenant, ana: Any
) -> None:
    headers = bearer(ana, tenant)
    assert me(api, headers).status_code == 200

    Membership.objects.for_tenant(tenant).get(user=ana).delete()

    assert me(api, headers).status_code == 401


def test_changing_a_role_acts_on_the_next_request(api: APIClient, tenant: Tenant, ana: Any) -> None:
    headers = bearer(ana, tenant)

    Membership.objects.for_tenant(tenant).filter(user=ana).update(role=Role.VIEWER)

    assert me(api, headers).json()["role"] == "viewer"
