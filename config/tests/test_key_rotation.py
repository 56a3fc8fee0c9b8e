"""A new SECRET_KEY: what the old one made stays good while it is a fallback, and ends with it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from django.db import transaction
from django.test import Client
from rest_framework.test import APIClient

from accounts.errors import InvalidToken
from accounts.idempotency import claim_request
from accounts.models import Purpose, Role, Tenant, TwoFactor, User
from accounts.services.signing_in.cookies import make_cookie, read_cookie
from accounts.services.signing_in.two_factor import find_challenged
from accounts.signing_in.codes import make_code, use_code
from accounts.signing_in.second_factor import take_recovery_code
from accounts.signing_in.tokens import (
    make_challenge,
    make_program_tokens,
    make_tokens,
    read_bearer_token,
    read_program_refresh_token,
)
from accounts.tests.factories import (
    make_access,
    make_api_token,
    make_session,
    make_user,
    sign_staff_in,
    switch_two_factor_on,
)
from channels.tests.factories import ORIGIN, make_web_agent
from channels.visitor_services import receive
from channels.visitors import make_session as make_visitor_session
from channels.visitors import read_visitor_id
from config.database.acting import as_nobody
from config.errors import ServiceError
from config.paging import make_cursor, open_cursor
from config.security.secret_keys import list_derived_keys
from query.mcp.callers import McpCaller
from query.mcp.sessions import begin_session, require_session
from sources.services.downloads import make_token, read_token
from sources.tests.factories import make_source

pytestmark = pytest.mark.django_db

OLD, NEW = "old-" * 16, "new-" * 16


@pytest.fixture(autouse=True)
def old_key(settings: Any) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = OLD, []


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant)


def succeeds(use: Callable[[], Any]) -> Callable[[], bool]:
    def try_it() -> bool:
        try:
            use()
        except (ServiceError, InvalidToken):
            return False
        return True

    return try_it


def ask(token: str) -> Callable[[], bool]:
    headers = {"Authorization": f"Bearer {token}"}
    return lambda: APIClient().get("/auth/me", headers=headers).status_code == 200


def access_token(ana: User, tenant: Tenant) -> Callable[[], bool]:
    return ask(make_tokens(make_session(ana, tenant)).access_token)


def access_token_of_before(ana: User, tenant: Tenant) -> Callable[[], bool]:
    """As it was signed until November 2026: by SECRET_KEY itself, without saying so."""
    token = make_tokens(make_session(ana, tenant)).access_token
    claims = jwt.decode(token, options={"verify_signature": False})
    return ask(jwt.encode(claims, OLD, algorithm="HS256"))


def api_token(ana: User, tenant: Tenant) -> Callable[[], bool]:
    return ask(make_api_token(ana, tenant))


def refresh_token(ana: User, tenant: Tenant) -> Callable[[], bool]:
    body = {"refresh_token": make_tokens(make_session(ana, tenant)).refresh_token}
    return lambda: APIClient().post("/auth/refresh", body, "json").status_code == 200


def program_tokens(ana: User, tenant: Tenant) -> Callable[[], bool]:
    pair = make_program_tokens(make_access(ana.memberships.get()))
    return succeeds(
        lambda: (
            read_bearer_token(pair.access_token),
            read_program_refresh_token(pair.refresh_token),
        )
    )


def cookie(ana: User, tenant: Tenant) -> Callable[[], bool]:
    held = make_cookie(make_session(ana, tenant))
    return succeeds(lambda: read_cookie(held))


def challenge(ana: User, tenant: Tenant) -> Callable[[], bool]:
    given = make_challenge(ana.memberships.get())
    return succeeds(lambda: find_challenged(given))


def one_time_code(ana: User, tenant: Tenant) -> Callable[[], bool]:
    code = make_code(ana.email, Purpose.LOGIN)
    return transaction.atomic(lambda: use_code(ana.email, Purpose.LOGIN, code) is not None)


def recovery_code(ana: User, tenant: Tenant) -> Callable[[], bool]:
    codes = iter(switch_two_factor_on(ana)[1])
    two_factor = TwoFactor.objects.get(user=ana)
    return succeeds(lambda: take_recovery_code(two_factor, next(codes)))


def request_sent_again(ana: User, tenant: Tenant) -> Callable[[], bool]:
    claim_request(tenant, "POST /x", "key", "body").answer(200, "{}")
    return succeeds(lambda: claim_request(tenant, "POST /x", "key", "body"))


def page_cursor(ana: User, tenant: Tenant) -> Callable[[], bool]:
    cursor = make_cursor(["pk"], tenant, "tenants")
    return succeeds(lambda: open_cursor(cursor, "tenants"))


def download_link(ana: User, tenant: Tenant) -> Callable[[], bool]:
    token = make_token(make_source(tenant))
    return succeeds(lambda: read_token(token))


def visitor_session(ana: User, tenant: Tenant) -> Callable[[], bool]:
    agent = make_web_agent(tenant)
    with as_nobody():  # as a request begins; it ends as the agent's tenant
        visit = receive(agent.pk, origin=ORIGIN, address="203.0.113.7")
    session = make_visitor_session(visit)
    return succeeds(lambda: read_visitor_id(visit, session))


def mcp_session(ana: User, tenant: Tenant) -> Callable[[], bool]:
    caller = McpCaller(tenant, Role.ADMIN, "session 1")
    session = begin_session(caller)
    return succeeds(lambda: require_session(caller, session))


def staff_session(ana: User, tenant: Tenant) -> Callable[[], bool]:
    browser = Client()
    sign_staff_in(browser, make_user(is_staff=True, is_superuser=True))
    return lambda: browser.get("/admin/").status_code == 200


MADE = [
    access_token,
    access_token_of_before,
    api_token,
    refresh_token,
    program_tokens,
    cookie,
    challenge,
    one_time_code,
    recovery_code,
    request_sent_again,
    page_cursor,
    download_link,
    visitor_session,
    mcp_session,
    staff_session,
]


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
def test_what_the_old_key_made_is_good_while_it_is_a_fallback(
    make: Callable[[User, Tenant], Callable[[], bool]], ana: User, tenant: Tenant, settings: Any
) -> None:
    is_good = make(ana, tenant)

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, ["other-" * 10, OLD]

    assert is_good()


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
def test_it_ends_with_the_old_key(
    make: Callable[[User, Tenant], Callable[[], bool]], ana: User, tenant: Tenant, settings: Any
) -> None:
    is_good = make(ana, tenant)

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, []

    assert not is_good()


def test_a_token_names_the_key_that_signs_first_and_not_the_key_itself(
    ana: User, tenant: Tenant, settings: Any
) -> None:
    before = jwt.get_unverified_header(make_cookie(make_session(ana, tenant)))["kid"]
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    now = jwt.get_unverified_header(make_cookie(make_session(ana, tenant)))["kid"]

    assert [now, before] == list(list_derived_keys("tokens"))
    assert len(now) == 16


def test_only_the_named_key_is_tried(ana: User, tenant: Tenant, settings: Any) -> None:
    """Signed by a key of ours, in the name of another; and by SECRET_KEY in a derived one's."""
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    claims = jwt.decode(make_cookie(make_session(ana, tenant)), options={"verify_signature": False})
    (new_id, new), (old_id, old) = list_derived_keys("tokens").items()
    wrong: list[tuple[bytes | str, str]] = [
        (old, new_id),
        (new, old_id),
        (NEW, new_id),
        (new, "0" * 16),
        (new, ""),
    ]
    forgeries = [
        jwt.encode(claims, key, algorithm="HS256", headers={"kid": key_id}) for key, key_id in wrong
    ]
    forgeries += [jwt.encode(claims, new, algorithm="HS256")]
    of_other_types: list[Any] = [1, None, ["x"], {}]
    forgeries += map(with_header, of_other_types)

    read_cookie(jwt.encode(claims, old, algorithm="HS256", headers={"kid": old_id}))
    for forged in forgeries:
        with pytest.raises(InvalidToken):
            read_cookie(forged)


def with_header(kid: Any) -> str:
    header = json.dumps({"alg": "HS256", "kid": kid}).encode()
    parts = (header, b"{}", b"a signature")
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
