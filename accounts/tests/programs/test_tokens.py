"""What a program's tokens open, for how long, and what ends them."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import (
    Action,
    ActivityEntry,
    Membership,
    ProgramAccess,
    ProgramCode,
    Role,
    Tenant,
    User,
)
from accounts.services.programs import list_accesses, revoke_access
from accounts.services.signing_in.cookies import make_cookie
from accounts.services.signing_in.passwords import replace_password
from accounts.signing_in.authentication import get_program
from accounts.signing_in.tokens import (
    ProgramRefreshToken,
    ProgramToken,
    make_program_tokens,
    read_token,
)
from accounts.tests.factories import (
    bearer,
    make_access,
    make_api_token,
    make_tenant,
    make_user,
    program_bearer,
)
from accounts.tests.programs.flow import call, refusal, signing_in
from config.errors import NotFound
from config.tests.isolation.rows import ROWS

pytestmark = [pytest.mark.django_db, pytest.mark.urls("accounts.tests.programs.mcp_urls")]

NOWHERE = "00000000-0000-4000-8000-000000000007"
MCP = "tenants/me/mcp"
METADATA = f"{settings.BASE_URL}/.well-known/oauth-protected-resource/tenants/me/mcp"
NO_TOKEN = f'Bearer scope="ask sources", resource_metadata="{METADATA}"'
WRONG_TOKEN = f'Bearer error="invalid_token", scope="ask sources", resource_metadata="{METADATA}"'


@pytest.fixture
def access(tenant: Tenant, ana: User) -> ProgramAccess:
    return make_access(Membership.objects.for_tenant(tenant).get(user=ana))


def token_of(access: ProgramAccess) -> str:
    return make_program_tokens(access).access_token


# --- Where they are good --------------------------------------------------------------------------


def test_every_other_endpoint_refuses_a_programs_token(api, access):
    """Those that need none answer as without one: the isolation matrix shows that."""
    headers = program_bearer(access)
    endpoints = [row.endpoint for row in ROWS if row.route != MCP]
    answers = {
        str(endpoint): api.generic(endpoint.method, endpoint.path(NOWHERE), headers=headers)
        for endpoint in endpoints
    }

    assert len(answers) > 40
    assert {name for name, answer in answers.items() if answer.status_code != 401} == set()


@pytest.mark.parametrize("audience", ["", "https://other.example/mcp", settings.BASE_URL])
def test_a_token_for_another_resource_is_refused(access, audience):
    token = read_token(ProgramToken, token_of(access))
    token["aud"] = audience

    assert call(str(token)).status_code == 401


def test_an_access_to_another_resource_is_refused(access):
    token = token_of(access)
    ProgramAccess.all_tenants.update(resource="https://other.example/mcp")

    assert call(token).status_code == 401


def test_people_and_api_tokens_call_as_everywhere(api, tenant, ana):
    person = api.get("/mcp-caller", headers=bearer(ana, tenant)).json()
    machine = call(make_api_token(ana, tenant)).json()

    assert (person["role"], person["scopes"], person["is_machine"]) == (
        "member",
        ["ask", "sources"],
        False,
    )
    assert (machine["role"], machine["scopes"]) == ("api_user", ["ask", "sources"])


def test_no_other_kind_of_token_is_taken_for_a_programs(program, access, ana, tenant):
    pair = make_program_tokens(access)
    session = bearer(ana, tenant)["Authorization"].partition(" ")[2]
    cookie = make_cookie(Membership.objects.for_tenant(tenant).get(user=ana).sessions.get())

    assert call(pair.refresh_token).status_code == 401
    assert call(cookie).status_code == 401
    for text in (session, pair.access_token, "nonsense", "a.b.c"):
        assert refusal(program.refresh(text)) == (400, "invalid_grant")


def test_it_says_where_to_sign_in(api, access):
    without = api.get("/mcp-caller")
    wrong = call(token_of(access) + "x")

    assert (without.status_code, without.headers["WWW-Authenticate"]) == (401, NO_TOKEN)
    assert (wrong.status_code, wrong.headers["WWW-Authenticate"]) == (401, WRONG_TOKEN)
    assert isinstance(without.json()["error"], str)


def test_a_scope_that_was_not_permitted_is_asked_for(tenant, ana):
    membership = Membership.objects.for_tenant(tenant).get(user=ana)
    answer = call(token_of(make_access(membership, scope="ask")), "/mcp-sources")

    assert answer.status_code == 403
    assert answer.headers["WWW-Authenticate"] == (
        f'Bearer error="insufficient_scope", scope="ask sources", resource_metadata="{METADATA}"'
    )
    assert call(token_of(make_access(membership)), "/mcp-sources").status_code == 200


# --- Whose right it is ----------------------------------------------------------------------------


def test_a_program_has_the_role_that_its_person_has_now(tenant, ana, access):
    token = token_of(access)
    assert call(token, "/mcp-sources").status_code == 200

    Membership.objects.for_tenant(tenant).filter(user=ana).update(role=Role.VIEWER)

    assert call(token).json()["role"] == "viewer"
    assert call(token, "/mcp-sources").status_code == 403


@pytest.mark.parametrize("end", ["revoked", "expired", "removed", "disabled", "password"])
def test_what_ends_an_access_acts_on_the_next_request(program, ana, end):
    tokens = program.sign_in()
    assert call(tokens["access_token"]).status_code == 200
    row = ProgramAccess.all_tenants.get()
    if end == "revoked":
        revoke_access(row.tenant, row.pk, by=program.membership)
    elif end == "expired":
        ProgramAccess.all_tenants.update(expires_at=timezone.now())
    elif end == "removed":
        program.membership.delete()
    elif end == "disabled":
        User.objects.filter(pk=ana.pk).update(is_active=False)
    else:
        replace_password(ana, "another horse battery 2")

    assert call(tokens["access_token"]).status_code == 401
    assert refusal(program.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


def test_the_log_names_person_and_program(access):
    actor = get_program(access.pk).actor

    assert actor.label == f"ana@acme.example by {access.program.name}"
    assert actor.person_id == access.membership.user_id


def test_its_requests_count_against_the_plan(tenant, access):
    plan = tenant.plan
    plan.max_requests_per_minute = 2
    plan.save()

    token = token_of(access)
    statuses = [call(token).status_code for _ in range(3)]

    assert statuses == [200, 200, 429]


def test_last_used_is_noted_to_the_minute(access, django_assert_num_queries):
    token = token_of(access)
    with django_assert_num_queries(2):  # the caller, and the note
        call(token)
    first = ProgramAccess.all_tenants.get().last_used_at
    assert first is not None
    with django_assert_num_queries(1):
        call(token)
    assert ProgramAccess.all_tenants.get().last_used_at == first


# --- Refreshing -----------------------------------------------------------------------------------


def test_a_refresh_token_gets_others_and_is_good_once(program):
    first = program.sign_in()
    second = program.refresh(first["refresh_token"], resource=settings.MCP_RESOURCE).json()

    assert call(second["access_token"]).status_code == 200
    assert second["scope"] == "ask sources"
    assert second["refresh_token"] != first["refresh_token"]

    assert refusal(program.refresh(first["refresh_token"])) == (400, "invalid_grant")

    assert call(second["access_token"]).status_code == 401
    assert refusal(program.refresh(second["refresh_token"])) == (400, "invalid_grant")


def test_a_refresh_token_is_no_good_to_another_program(program, tenant, ana):
    thief = signing_in(tenant, ana)
    tokens = program.sign_in()

    assert refusal(thief.refresh(tokens["refresh_token"])) == (400, "invalid_grant")

    assert program.refresh(tokens["refresh_token"]).status_code == 200  # nor is it used up


def test_a_refresh_token_gets_none_for_another_resource(program):
    tokens = program.sign_in()

    answer = program.refresh(tokens["refresh_token"], resource="https://other.example/mcp")

    assert refusal(answer) == (400, "invalid_target")
    assert program.refresh(tokens["refresh_token"]).status_code == 200


def test_more_than_was_permitted_is_not_refreshed(program):
    tokens = program.sign_in(scope="ask")

    assert refusal(program.refresh(tokens["refresh_token"], scope="ask sources")) == (
        400,
        "invalid_scope",
    )
    assert program.refresh(tokens["refresh_token"], scope="ask").json()["scope"] == "ask"


def test_an_access_goes_on_with_its_use_and_ends_after_half_a_year(program):
    tokens = program.sign_in()
    now = timezone.now()
    row = ProgramAccess.all_tenants.get()
    assert timedelta(days=30) - timedelta(minutes=1) < row.expires_at - now <= timedelta(days=30)
    long_ago = now - timedelta(days=170)
    ProgramAccess.all_tenants.update(created_at=long_ago)

    tokens = program.refresh(tokens["refresh_token"]).json()

    row.refresh_from_db()
    assert row.expires_at == (long_ago + timedelta(days=180)).replace(microsecond=0)
    token = read_token(ProgramRefreshToken, tokens["refresh_token"])
    assert token["exp"] == int(row.expires_at.timestamp())


# --- Revoking -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_program_gives_its_access_back_with_either_token(program, tenant, kind):
    tokens = program.sign_in()

    answer = program.revoke(tokens[kind], token_type_hint="nonsense")

    assert (answer.status_code, answer.json()) == (200, {})
    assert call(tokens["access_token"]).status_code == 401
    last = ActivityEntry.objects.for_tenant(tenant).order_by("id").last()
    assert last is not None
    assert last.action == Action.PROGRAM_REVOKED
    assert program.revoke(tokens[kind]).status_code == 200  # once more is as good


def test_a_program_gives_back_nothing_of_anothers(program, tenant, ana):
    thief = signing_in(tenant, ana)
    tokens = program.sign_in()

    assert refusal(thief.revoke(tokens["access_token"])) == (400, "invalid_grant")
    assert thief.revoke("nonsense").status_code == 200
    assert refusal(thief.revoke("")) == (400, "invalid_request")
    assert refusal(thief.revoke("nonsense", client_id="unknown")) == (400, "invalid_client")

    assert call(tokens["access_token"]).status_code == 200


def test_a_programs_token_endpoint_gives_back_no_session(program, api, tenant, ana):
    headers = bearer(ana, tenant)

    assert program.revoke(headers["Authorization"].partition(" ")[2]).status_code == 200

    assert api.get("/auth/me", headers=headers).status_code == 200


def test_admins_revoke_any_and_others_their_own(tenant, access):
    admin = Membership.objects.for_tenant(tenant).get(user=make_user(tenant))
    member = Membership.objects.for_tenant(tenant).get(user=make_user(tenant, role=Role.MEMBER))
    mine = make_access(member)

    with pytest.raises(NotFound):
        revoke_access(tenant, access.pk, by=member)
    assert [row.pk for row in list_accesses(tenant, of=member)] == [mine.pk]
    revoke_access(tenant, mine.pk, by=member)
    revoke_access(tenant, access.pk, by=admin)

    assert not list_accesses(tenant).exists()
    with pytest.raises(NotFound):
        revoke_access(tenant, access.pk, by=admin)
    with pytest.raises(NotFound):
        revoke_access(tenant, None, by=admin)


def test_another_tenants_access_is_as_one_that_never_was(tenant, access):
    other = make_tenant()
    admin = Membership.objects.for_tenant(other).get(user=make_user(other))

    with pytest.raises(NotFound):
        revoke_access(other, access.pk, by=admin)
    assert not list_accesses(other).exists()
    assert call(token_of(access)).status_code == 200


def test_a_new_password_takes_waiting_codes_along(program, ana):
    program.permit()
    replace_password(ana, "another horse battery 2")

    assert not ProgramCode.all_tenants.exists()
