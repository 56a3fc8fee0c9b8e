"""Who may do what over MCP: roles, scopes, plans, limits; and from where."""

import json
from datetime import date
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Membership, Role, Tenant, UsageCounter
from accounts.tests.factories import (
    client_of,
    make_access,
    make_api_token,
    make_user,
    program_bearer,
)
from query.tests.factories import LIGHTHOUSE, index_texts
from query.tests.mcp.client import PATH, Program

ASKING = ["ask", "list_agents"]  # whoever may not read sources
OF_ASK = ["ask", "search", "list_agents"]  # the scope
ALL = [*OF_ASK, "list_sources", "read_source_passage"]
QUESTION = "How much does a guided visit cost?"


def program_of(tenant: Tenant, scope: str, role: Role = Role.ADMIN) -> Program:
    """One that somebody with `role` let in."""
    membership = Membership.objects.for_tenant(tenant).get(user=make_user(tenant, role=role))
    api = APIClient()
    access = make_access(membership, scope=scope)
    api.credentials(HTTP_AUTHORIZATION=program_bearer(access)["Authorization"])
    return Program(api)


def machine_of(tenant: Tenant) -> Program:
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {make_api_token(make_user(tenant), tenant)}")
    return Program(api)


def tools_of(program: Program) -> list[str]:
    return [tool["name"] for tool in program.result("tools/list")["tools"]]


def counted(tenant: Tenant) -> list[int]:
    return list(UsageCounter.objects.for_tenant(tenant).values_list("used", flat=True))


# --- Roles ----------------------------------------------------------------------------------------

ROLES = [
    (Role.ADMIN, ALL),
    (Role.MEMBER, ALL),
    (Role.VIEWER, ASKING),
    (Role.API_USER, ASKING),
]


@pytest.mark.parametrize(("role", "tools"), ROLES)
def test_each_role_sees_the_tools_that_it_may_call(tenant: Tenant, role: Role, tools: list[str]):
    assert tools_of(Program(client_of(tenant, role=role))) == tools


@pytest.mark.parametrize(("role", "tools"), ROLES)
def test_each_role_may_call_what_it_sees_and_nothing_else(
    tenant: Tenant, role: Role, tools: list[str]
):
    program = Program(client_of(tenant, role=role))
    for name in ALL:
        result = program.call(name)
        text = result["content"][0]["text"] if result["isError"] else ""
        assert text.startswith("FORBIDDEN: ") == (name not in tools), (name, text)


def test_a_role_that_may_not_is_told_why(tenant: Tenant):
    told = Program(client_of(tenant, role=Role.VIEWER)).failure("list_sources")

    assert told == (
        "FORBIDDEN: The role viewer may not call list_sources: it takes the role admin or member."
    )


@pytest.mark.parametrize("role", [Role.VIEWER, Role.API_USER])
def test_sources_are_no_resources_for_who_may_not_read_them(tenant: Tenant, role: Role):
    source = index_texts(tenant, *LIGHTHOUSE)
    program = Program(client_of(tenant, role=role))

    assert program.result("server/discover")["capabilities"] == {"tools": {}}
    assert program.result("resources/list")["resources"] == []
    assert program.result("resources/templates/list")["resourceTemplates"] == []
    answer = program.send("resources/read", {"uri": f"knowledge://sources/{source.pk}"})
    error = json.loads(answer.content)["error"]
    assert error == {"code": -32003, "message": f"The role {role} may not read sources."}


def test_an_api_token_asks_and_reads_no_sources(tenant: Tenant):
    index_texts(tenant, *LIGHTHOUSE)
    program = machine_of(tenant)

    assert tools_of(program) == ASKING
    assert program.data("ask", question=QUESTION)["confidence"] == "answered"
    for tool in ("list_sources", "search"):
        assert program.failure(tool).startswith("FORBIDDEN: The role api_user ")


# --- Programs that people let in ------------------------------------------------------------------


def test_a_program_sees_the_tools_of_its_scopes(tenant: Tenant):
    assert tools_of(program_of(tenant, "ask sources")) == ALL
    assert tools_of(program_of(tenant, "ask")) == OF_ASK
    assert tools_of(program_of(tenant, "ask", Role.VIEWER)) == ASKING
    assert tools_of(program_of(tenant, "sources")) == ALL[3:]


@pytest.mark.parametrize(
    ("had", "method", "params", "scope"),
    [
        ("ask", "tools/call", {"name": "list_sources"}, "ask sources"),
        ("ask", "resources/read", {"uri": "knowledge://sources/x"}, "ask sources"),
        ("sources", "tools/call", {"name": "ask"}, "ask sources"),
    ],
)
def test_a_scope_that_is_lacking_is_asked_for_with_those_that_are_there(
    tenant: Tenant, had: str, method: str, params: dict[str, Any], scope: str
):
    answer = program_of(tenant, had).send(method, params)

    assert answer.status_code == 403
    assert list(answer.json()) == ["error"]
    assert isinstance(answer.json()["error"], str)
    challenge = answer.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert f'scope="{scope}"' in challenge
    assert "resource_metadata=" in challenge


def test_a_program_has_the_role_of_who_let_it_in_as_it_is_now(tenant: Tenant):
    program = program_of(tenant, "ask sources", Role.ADMIN)
    assert tools_of(program) == ALL

    Membership.objects.for_tenant(tenant).update(role=Role.VIEWER)

    assert tools_of(program) == ASKING


def test_a_program_has_nothing_when_it_was_put_out(tenant: Tenant):
    membership = Membership.objects.for_tenant(tenant).get(user=make_user(tenant))
    access = make_access(membership)
    headers = program_bearer(access)
    assert Program(APIClient(), headers=headers).send("server/discover").status_code == 200

    access.delete()

    answer = Program(APIClient(), headers=headers).send("server/discover")
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer x"}, {"Authorization": "Basic"}])
def test_without_a_good_token_one_learns_where_to_get_one(db: None, headers: dict[str, str]):
    answer = Program(APIClient(), headers=headers).send("server/discover")

    assert answer.status_code == 401
    assert answer.json() == {"error": "The access token is missing, invalid, expired or revoked."}
    challenge = answer.headers["WWW-Authenticate"]
    assert challenge.startswith("Bearer ")
    assert "/.well-known/oauth-protected-resource/tenants/me/mcp" in challenge
    assert ("invalid_token" in challenge) == bool(headers)


# --- Plans and limits -----------------------------------------------------------------------------


def set_plan(tenant: Tenant, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(tenant.plan, name, value)
    tenant.plan.save()


def test_asking_and_searching_count_as_queries_and_nothing_else_does(
    tenant: Tenant, admin_api: APIClient
):
    index_texts(tenant, *LIGHTHOUSE)
    program = Program(admin_api)

    program.data("ask", question=QUESTION)
    program.data("search", query=QUESTION)
    program.data("list_agents")
    program.data("list_sources")
    program.failure("ask", question="")
    program.failure("search", query=QUESTION, agent="nobody")

    assert counted(tenant) == [2]


@pytest.mark.parametrize(
    ("tool", "arguments"), [("ask", {"question": QUESTION}), ("search", {"query": QUESTION})]
)
def test_a_full_month_is_the_tools_failure_and_says_so(
    tenant: Tenant, admin_api: APIClient, monkeypatch, tool: str, arguments: dict[str, str]
):
    monkeypatch.setattr("accounts.plans.usage.this_month", lambda: date(2026, 11, 1))
    set_plan(tenant, name="Free", max_queries_per_month=1, blocks_overage=True)
    program = Program(admin_api)
    program.data(tool, **arguments)

    assert program.failure(tool, **arguments) == (
        "PLAN_LIMIT_REACHED: The Free plan answers 1 queries a month, and this month's are used up."
        " Wait until 2026-12-01 (UTC), or change the plan."
    )
    assert counted(tenant) == [1]


def test_every_message_counts_for_the_rate_limit_of_the_tenant(
    tenant: Tenant, admin_api: APIClient
):
    set_plan(tenant, name="Free", max_requests_per_minute=2)
    program = Program(admin_api)
    assert [program.send("server/discover").status_code for _ in range(2)] == [200, 200]

    answer = program.send("tools/list")

    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.json()["error"].startswith("The Free plan allows 2 requests a minute.")
    assert admin_api.get("/auth/me").status_code == 429


# --- From where -----------------------------------------------------------------------------------


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(*_: Any) -> None:
        raise AssertionError("a refused request was looked at")

    monkeypatch.setattr("accounts.signing_in.authentication.read_bearer_token", work)
    monkeypatch.setattr("query.api.mcp.read_message", work)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://127.0.0.1:8000.evil.example",
        "https://127.0.0.1:8000",
        "http://localhost:8000",
        "http://[::1",
    ],
)
def test_pages_of_other_sites_are_refused_before_any_work(
    settings, admin_api: APIClient, origin: str
):
    settings.BASE_URL, settings.IS_DEVELOPMENT = "http://127.0.0.1:8000", False

    answer = Program(admin_api).send("server/discover", Origin=origin)

    assert answer.status_code == 403
    assert answer.json() == {
        "error": "This address does not answer requests from pages of other sites."
    }


def test_our_own_pages_and_programs_without_one_are_answered(settings, admin_api: APIClient):
    settings.BASE_URL, settings.IS_DEVELOPMENT = "https://agents.example", False

    assert Program(admin_api).send("ping", Origin="https://agents.example").status_code == 404
    assert Program(admin_api).send("server/discover").status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:6274", 200),
        ("http://127.0.0.1:1", 200),
        ("http://[::1]:3000", 200),
        ("http://localhost.evil.example", 403),
        ("http://[::1", 403),
    ],
)
def test_in_development_pages_of_the_same_machine_may_ask(
    settings, admin_api: APIClient, origin: str, status: int
):
    settings.IS_DEVELOPMENT = True

    answer = Program(admin_api).send("server/discover", Origin=origin)

    assert answer.status_code == status


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example"])
def test_a_name_that_was_rebound_to_us_is_refused_before_any_work(
    settings, admin_api: APIClient, host: str
):
    settings.ALLOWED_HOSTS = ["127.0.0.1", "testserver"]

    answer = admin_api.post(PATH, "{}", content_type="application/json", headers={"Host": host})

    assert answer.status_code == 400
