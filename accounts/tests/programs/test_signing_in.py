"""A program signs in: registers, is permitted, exchanges the code, and calls."""

import base64
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db.models import F
from django.utils import timezone

from accounts.errors import InvalidProgramRequest, MembershipGone, ReturnToProgram
from accounts.models import (
    Action,
    ActivityEntry,
    Membership,
    Program,
    ProgramAccess,
    ProgramCode,
    User,
)
from accounts.services import programs
from accounts.services.programs import allow, deny, read_consent
from accounts.services.signing_in.passwords import replace_password
from accounts.tests.factories import make_access, make_user
from accounts.tests.programs.flow import (
    BACK,
    CHALLENGE,
    VERIFIER,
    SigningIn,
    call,
    parameters_of,
    refusal,
    signing_in,
)
from config.errors import Conflict

pytestmark = [pytest.mark.django_db, pytest.mark.urls("accounts.tests.programs.mcp_urls")]


# --- All goes well --------------------------------------------------------------------------------


def test_a_program_that_is_let_in_calls_as_the_person_who_let_it_in(program, tenant, ana):
    tokens = program.sign_in()

    assert set(tokens) == {"access_token", "token_type", "expires_in", "refresh_token", "scope"}
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 900)
    assert tokens["scope"] == "ask sources"
    assert call(tokens["access_token"]).json() == {
        "email": ana.email,
        "tenant": tenant.slug,
        "role": "member",
        "scopes": ["ask", "sources"],
        "is_machine": True,
    }


def test_tokens_are_kept_in_no_cache(program):
    answer = program.exchange(program.permit())

    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Type"] == "application/json"


def test_the_person_goes_back_with_code_state_and_our_name(program, tenant, ana):
    membership = Membership.objects.for_tenant(tenant).get(user=ana)

    url = allow(tenant, membership, program.consent(state='{"a": "b c"}'))

    assert url.startswith(f"{BACK}?")
    said = parameters_of(url)
    assert set(said) == {"code", "state", "iss"}
    assert (said["state"], said["iss"]) == ('{"a": "b c"}', settings.BASE_URL)


def test_a_person_who_says_no_sends_the_program_away(program):
    said = parameters_of(deny(program.consent()))

    assert said == {
        "error": "access_denied",
        "error_description": "The person denied access.",
        "state": "xyz",
        "iss": settings.BASE_URL,
    }
    assert not ProgramCode.all_tenants.exists()


def test_letting_in_and_revoking_are_in_the_log(program, tenant, ana):
    program.sign_in()
    access = ProgramAccess.all_tenants.get()
    programs.revoke_access(tenant, access.pk, by=program.membership)

    entries = ActivityEntry.objects.for_tenant(tenant).order_by("id")
    seen = [(entry.action, entry.target_name) for entry in entries]
    assert seen == [
        (Action.PROGRAM_ALLOWED, "Assistant"),
        (Action.PROGRAM_REVOKED, "Assistant"),
    ]
    assert entries[0].details == {"scopes": ["ask", "sources"]}
    assert entries[0].actor == ana.email


def test_the_page_learns_what_is_asked_and_where_it_leads(program):
    consent = program.consent(scope="ask")

    assert consent.program.name == "Assistant"
    assert (consent.scopes, consent.redirect_uri) == (("ask",), BACK)
    assert consent.resource == settings.MCP_RESOURCE


@pytest.mark.parametrize(
    ("scope", "permitted"),
    [
        ("", "ask sources"),
        ("sources", "sources"),
        ("sources ask", "ask sources"),
        ("ask offline_access", "ask"),
    ],
)
def test_scopes_are_those_asked_for_that_there_are(program, scope, permitted):
    assert program.sign_in(scope=scope)["scope"] == permitted


def test_a_program_of_before_resource_indicators_gets_tokens_for_mcp(program):
    answer = program.exchange(program.permit(resource=""), resource="")

    assert answer.status_code == 200
    assert ProgramAccess.all_tenants.get().resource == settings.MCP_RESOURCE


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_a_program_with_a_secret_proves_it_either_way(tenant, ana, method):
    first = signing_in(tenant, ana)
    answer = first.api.post(
        "/oauth/register",
        {"redirect_uris": [BACK], "token_endpoint_auth_method": method},
        "json",
    ).json()
    program = SigningIn(first.membership, answer["client_id"])
    secret = answer["client_secret"]

    by_form = program.exchange(program.permit(), client_secret=secret)
    program.api.credentials(HTTP_AUTHORIZATION=basic(program.client_id, secret))
    by_header = program.exchange(program.permit(), client_id="")

    assert (by_form.status_code, by_header.status_code) == (200, 200)


def basic(name: str, secret: str) -> str:

    return "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()


@pytest.mark.parametrize("secret", ["", "wrong", "\x00"])
def test_a_program_with_a_secret_is_refused_without_it(tenant, ana, secret):
    program = signing_in(tenant, ana, token_endpoint_auth_method="client_secret_basic")
    code = program.permit()

    by_form = program.exchange(code, client_secret=secret)
    program.api.credentials(HTTP_AUTHORIZATION=basic(program.client_id, secret))
    by_header = program.exchange(code, client_id="")

    expected = (400, "invalid_request") if secret == "\x00" else (401, "invalid_client")
    assert refusal(by_form) == expected
    assert refusal(by_header) == (401, "invalid_client")
    assert by_header.headers["WWW-Authenticate"].startswith("Basic ")


# --- Before the person is asked -------------------------------------------------------------------


@pytest.mark.parametrize(
    "over",
    [
        {"client_id": "unknown"},
        {"client_id": ""},
        {"client_id": "\x00"},
        {"redirect_uri": ""},
        {"redirect_uri": "https://evil.example/back"},
        {"redirect_uri": "https://program.example/back/"},
        {"redirect_uri": "https://program.example/back?a=b"},
        {"redirect_uri": "https://program.example:8443/back"},
        {"redirect_uri": "https://program.example/back#here"},
        {"redirect_uri": "https://PROGRAM.example/back"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": 'https://program.example/back"x'},
        {"redirect_uri": "https://program.example/b\u00e4ck"},
    ],
)
def test_a_wrong_program_or_address_is_never_gone_back_to(program, over):
    with pytest.raises(InvalidProgramRequest):
        program.consent(**over)
    with pytest.raises(InvalidProgramRequest):  # whatever else is wrong, too
        program.consent(**over, response_type="token", scope="admin")


@pytest.mark.parametrize("name", ["client_id", "redirect_uri", "state", "scope", "code_challenge"])
def test_a_parameter_that_comes_twice_is_refused_and_leads_nowhere(program, name):
    question = program.question()
    question[name] *= 2

    with pytest.raises(InvalidProgramRequest):
        read_consent(question)


@pytest.mark.parametrize(
    ("over", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": ""}, "unsupported_response_type"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"scope": "admin"}, "invalid_scope"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": f"{settings.MCP_RESOURCE}/"}, "invalid_target"),
        ({"resource": settings.BASE_URL}, "invalid_target"),
    ],
)
def test_what_else_is_wrong_is_told_to_the_program(program, over, error):
    with pytest.raises(ReturnToProgram) as refused:
        program.consent(**over)

    said = parameters_of(refused.value.url)
    assert refused.value.url.startswith(f"{BACK}?")
    assert (said["error"], said["state"], said["iss"]) == (error, "xyz", settings.BASE_URL)


def test_a_person_who_has_another_password_since_lets_nobody_in(program, tenant, ana):
    membership = Membership.all_tenants.select_related("user").get(user=ana)
    changed = User.objects.get(pk=ana.pk)
    changed.set_password("another horse battery 2")
    changed.save()

    with pytest.raises(MembershipGone):
        allow(tenant, membership, program.consent())
    assert not ProgramCode.all_tenants.exists()


def test_nobody_lets_in_more_programs_than_they_can_look_after(program, tenant, monkeypatch):
    monkeypatch.setattr(programs, "MAX_PROGRAMS", 2)
    make_access(program.membership)
    program.sign_in()
    make_access(program.membership)

    with pytest.raises(Conflict):
        signing_in(tenant, program.membership.user).permit()


# --- The code -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("over", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_request"),
        ({"code_verifier": CHALLENGE}, "invalid_grant"),
        ({"redirect_uri": "https://program.example/other"}, "invalid_grant"),
        ({"redirect_uri": ""}, "invalid_grant"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"code": "unknown"}, "invalid_grant"),
        ({"code": ""}, "invalid_request"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": ""}, "unsupported_grant_type"),
    ],
)
def test_a_code_is_good_for_the_request_that_it_was_given_for_alone(program, over, error):
    code = program.permit()

    assert refusal(program.exchange(**({"code": code} | over))) == (400, error)

    assert not ProgramAccess.all_tenants.exists()
    assert program.exchange(code).status_code == 200  # nothing was used up


def test_a_code_is_no_good_to_another_program(program, tenant, ana):
    thief = signing_in(tenant, ana)
    code = program.permit()

    assert refusal(thief.exchange(code)) == (400, "invalid_grant")
    assert refusal(program.exchange(code, client_id="unknown")) == (400, "invalid_client")
    assert program.exchange(code).status_code == 200


@pytest.mark.parametrize("after_seconds", [0, 61])
def test_a_code_that_comes_a_second_time_ends_what_it_gave(program, tenant, ana, after_seconds):
    code = program.permit()
    token = program.exchange(code).json()["access_token"]
    assert call(token).status_code == 200
    age = timedelta(seconds=after_seconds)
    ProgramCode.all_tenants.update(expires_at=F("expires_at") - age)

    assert refusal(program.exchange(code)) == (400, "invalid_grant")

    assert call(token).status_code == 401
    last = ActivityEntry.objects.for_tenant(tenant).order_by("id").last()
    assert last is not None
    assert (last.action, last.actor) == (Action.PROGRAM_REVOKED, f"{ana.email} by Assistant")


def test_a_code_ends_after_a_minute(program):
    code = program.permit()
    row = ProgramCode.all_tenants.get()
    assert row.expires_at - row.created_at <= timedelta(seconds=60)
    ProgramCode.all_tenants.update(expires_at=timezone.now())

    assert refusal(program.exchange(code)) == (400, "invalid_grant")


@pytest.mark.parametrize("end", ["removed", "disabled", "password"])
def test_a_code_ends_with_what_it_stands_on(program, ana, end):
    code = program.permit()
    if end == "removed":
        program.membership.delete()
    elif end == "disabled":
        User.objects.filter(pk=ana.pk).update(is_active=False)
    else:
        replace_password(ana, "another horse battery 2")

    assert refusal(program.exchange(code)) == (400, "invalid_grant")
    assert not ProgramAccess.all_tenants.exists()


def test_permitting_anew_replaces_what_was_permitted_once_the_code_is_exchanged(program):
    old = program.sign_in()["access_token"]
    code = program.permit(scope="ask")
    assert call(old).status_code == 200

    new = program.exchange(code).json()["access_token"]

    assert call(old).status_code == 401
    assert call(new).json()["scopes"] == ["ask"]


def test_somebody_elses_permission_stays_when_the_program_is_permitted_anew(program, tenant):
    other = make_user(tenant)
    theirs = SigningIn(Membership.objects.for_tenant(tenant).get(user=other), program.client_id)
    token = theirs.sign_in()["access_token"]

    program.sign_in()

    assert call(token).json()["email"] == other.email


# --- What is kept ---------------------------------------------------------------------------------


def test_no_secret_is_kept_or_logged_in_plain_text(tenant, ana, caplog):
    program = signing_in(tenant, ana)
    answer = program.api.post(
        "/oauth/register",
        {"redirect_uris": [BACK], "token_endpoint_auth_method": "client_secret_post"},
        "json",
    )
    secret, code = answer.json()["client_secret"], program.permit()
    tokens = program.exchange(code).json()
    program.exchange(code, code_verifier="w" * 43)
    program.refresh(tokens["refresh_token"])
    call(tokens["access_token"] + "x")

    rows: list[Any] = [
        *Program.objects.values_list(),
        *ProgramCode.all_tenants.values_list(),
        *ProgramAccess.all_tenants.values_list(),
        *ActivityEntry.all_tenants.values_list(),
    ]
    for kept in (repr(rows), caplog.text):
        for hidden in (secret, code, VERIFIER, tokens["access_token"], tokens["refresh_token"]):
            assert hidden not in kept
