"""A credential has one form, and nothing at all is none."""

import functools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Membership, Tenant
from accounts.services.signing_in.cookies import make_cookie
from accounts.signing_in.tokens import make_tokens
from accounts.tests.factories import make_api_token, make_session, make_user
from config.tests.isolation.matrix import undone
from config.tests.isolation.shared_world import whole_world  # noqa: F401 - a fixture
from config.tests.isolation.world import World

pytestmark = pytest.mark.django_db

HEADERS = ("X-Api-Key", "X-Auth-Token", "X-Access-Token", "X-Authorization", "Api-Key", "Token")
PARAMETERS = ("token", "access_token", "api_key", "apikey", "key", "authorization")
COOKIES = ("token", "access_token", "sessionid", "dashboard_session", "Authorization")
NOTHING: list[Any] = [
    None,
    "",
    " ",
    [],
    {},
    0,
    False,
    "null",
    "None",
    "undefined",
    "0",
    "\u200b",
    "..",
    ".",
]


@pytest.fixture
def tokens(tenant: Tenant) -> dict[str, str]:
    """One of each kind that opens something."""
    user = make_user(tenant)
    session = make_session(user, tenant)
    return {
        "access": make_tokens(session).access_token,
        "machine": make_api_token(user, tenant),
        "cookie": make_cookie(session),
    }


def ways(token: str) -> list[Any]:
    """The answers to every form of a credential but the one that is ours."""
    bare = [token, f"Bearer {token}"]
    schemes = ("Token ", "Basic ", "JWT ", "Digest ", "ApiKey ", "")
    return [
        *(ask(headers={name: given}) for name in HEADERS for given in bare),
        *(ask(headers={"Authorization": scheme + token}) for scheme in schemes),
        *(ask({name: given}) for name in PARAMETERS for given in bare),
        *(with_cookie(name, token).get("/agents") for name in COOKIES),
    ]


def ask(parameters: dict[str, str] | None = None, **more: Any) -> Any:
    return caller().get("/agents", parameters, **more)


def with_cookie(name: str, value: str) -> APIClient:
    api = caller()
    api.cookies[name] = value
    return api


def caller() -> APIClient:
    """With no cookie; one for all requests, as each new one builds all middleware anew."""
    api = only_caller()
    api.cookies.clear()
    return api


only_caller = functools.cache(APIClient)


@pytest.mark.parametrize("kind", ["access", "machine", "cookie"])
def test_a_credential_opens_by_its_one_form_alone(tokens: dict[str, str], kind: str) -> None:
    answers = ways(tokens[kind])

    assert {answer.status_code for answer in answers} == {401}
    assert len({json.dumps(answer.json()) for answer in answers}) == 1
    opened = caller().get("/agents", headers={"Authorization": f"Bearer {tokens[kind]}"})
    assert opened.status_code == (401 if kind == "cookie" else 200)


@pytest.fixture
def world(whole_world: World) -> Iterator[World]:  # noqa: F811 - the fixture
    with undone():
        yield whole_world


SECRET_FIELDS = [
    ("/auth/activate", "token", {"password": "correct horse battery"}),
    ("/auth/refresh", "refresh_token", {}),
    ("/auth/logout", "refresh_token", {}),
    ("/auth/2fa/verify", "challenge", {"code": "000000"}),
    ("/auth/otp/verify", "code", {"email": "ana@acme.example", "purpose": "login"}),
    ("/auth/reset-password", "code", {"email": "ana@acme.example", "new_password": "a horse b 12"}),
    ("/auth/login", "password", {"email": "ana@acme.example"}),
]


def invite_without_password(tenant: Tenant) -> None:
    """Somebody whose invitation has no token any more."""
    invited = make_user(tenant)
    invited.set_unusable_password()
    invited.save()
    memberships = Membership.objects.for_tenant(tenant).filter(user=invited)
    memberships.update(invitation_hash="", activated_at=None)


@pytest.mark.parametrize(
    ("path", "field", "others"), SECRET_FIELDS, ids=lambda part: str(part)[:30]
)
def test_nothing_is_no_secret(
    world: World,
    path: str,
    field: str,
    others: dict[str, str],
) -> None:
    """Also where the row that is looked for holds nothing in its place."""
    Membership.objects.for_tenant(world.ours.tenant).update(invitation_hash="")
    invite_without_password(world.ours.tenant)
    before = Membership.all_tenants.exclude(activated_at=None).count()

    answers = [caller().post(path, {**others, field: value}, format="json") for value in NOTHING]
    answers.append(caller().post(path, others, format="json"))

    assert {answer.status_code for answer in answers} <= {400, 401, 429}
    assert not [answer for answer in answers if "access_token" in answer.content.decode()]
    assert Membership.all_tenants.exclude(activated_at=None).count() == before
