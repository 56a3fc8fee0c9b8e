"""Which pages may ask an agent, and what their browsers are told (CORS)."""

from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from agents.models import Agent
from channels.api.visitor_views import PREFLIGHT_HEADERS
from channels.tests.factories import ORIGIN, make_web_agent
from channels.tests.visitor import STREAM, Visitor, error
from channels.visitor_services import is_preview_pass, make_preview_pass
from query.answers import Answer
from query.models import Outcome
from query.pipeline import SourcesFound

ANSWER = Answer("7 euros", (), "extractive", Outcome.ANSWERED)
ALLOWED = [ORIGIN, "http://localhost:5173"]
# Beside https://shop.example:
OTHERS = {
    "another": "https://blog.example",
    "a subdomain": "https://www.shop.example",
    "a parent": "https://example",
    "another scheme": "http://shop.example",
    "another port": "https://shop.example:8443",
    "the default port": "https://shop.example:443",
    "no port": "http://localhost",
    "upper case": "https://Shop.example",
    "a slash": "https://shop.example/",
    "a path": "https://shop.example/page",
    "a longer name": "https://shop.example.evil.example",
    "a user": "https://shop.example@evil.example",
    "a full stop": "https://shop.example.",
    "a space": "https://shop.example x",
    "two": "https://shop.example, https://shop.example",  # as WSGI hands two headers on
    "two, not spaced": "https://shop.example,https://evil.example",
    "null": "null",
    "a wildcard": "*",
    "a file": "file://",
    "empty": "",
    "no ASCII": "https://shöp.example",
}
REFUSED = error(
    "FORBIDDEN",
    "Pages from this origin may not query the agent. An admin can add it to allowed_origins:"
    " PUT /agents/{id}.",
)
CORS = "Access-Control-"


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_web_agent(tenant, allowed_origins=ALLOWED)


@pytest.fixture(autouse=True)
def answers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("query.services.asking.answer_question", lambda inquiry: ANSWER)
    monkeypatch.setattr(
        "query.services.asking.stream_answer", lambda inquiry: iter([SourcesFound(()), ANSWER])
    )


def cors_of(answer: Any) -> dict[str, str]:
    return {name: value for name, value in answer.items() if name.startswith(CORS)}


def told(origin: str) -> dict[str, str]:
    return {
        f"{CORS}Allow-Origin": origin,
        f"{CORS}Expose-Headers": "Retry-After, X-Request-ID",
    }


def preflight(visitor: Visitor, what: str = "query") -> Any:
    headers = visitor.headers | {
        f"{CORS}Request-Method": "POST",
        f"{CORS}Request-Headers": "content-type",
    }
    return visitor.client.options(f"/public/agents/{visitor.agent_id}/{what}", headers=headers)


# --- Pages that may -------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ALLOWED)
def test_a_page_of_an_allowed_origin_may_read_the_answer(agent: Agent, origin: str) -> None:
    visitor = Visitor(agent, origin=origin)
    for answer in (visitor.begin(), visitor.ask(), visitor.ask(headers=STREAM)):
        assert answer.status_code in (200, 201)
        assert cors_of(answer) == told(origin)
        assert "Origin" in answer["Vary"]
        assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize("what", ["sessions", "query"])
def test_a_browser_that_asks_first_is_told_what_may_be_sent(
    agent: Agent, what: str, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(1):
        answer = preflight(Visitor(agent), what)

    assert (answer.status_code, answer.content) == (204, b"")
    assert cors_of(answer) == told(ORIGIN) | {
        f"{CORS}Allow-Methods": "POST",
        f"{CORS}Allow-Headers": "content-type, accept",
        f"{CORS}Max-Age": "600",
    }
    assert "Origin" in answer["Vary"]


def test_errors_may_be_read_too(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = Visitor(agent)
    visitor.begin()
    answers = [
        visitor.post("query", {"session": "nonsense", "query": "What?"}),
        visitor.post("query", {"session": visitor.session}),
        visitor.post("query", b"{", format=None, content_type="application/json"),
        visitor.client.get(f"/public/agents/{agent.pk}/query", headers=visitor.headers),
    ]
    monkeypatch.setattr("query.services.asking.answer_question", lambda inquiry: 1 / 0)
    answers.append(visitor.ask())

    assert [answer.status_code for answer in answers] == [401, 400, 400, 405, 500]
    for answer in answers:
        assert cors_of(answer) == told(ORIGIN)
        assert "Origin" in answer["Vary"]
        assert answer["Cache-Control"] == "no-store"
        assert answer["X-Request-ID"]
        assert set(answer.json()["error"]) == {"code", "message"}


def test_credentials_are_never_asked_for(agent: Agent) -> None:
    visitor = Visitor(agent)

    for answer in (visitor.begin(), visitor.ask(), preflight(visitor)):
        assert f"{CORS}Allow-Credentials" not in answer
        assert not answer.cookies


# --- Pages that may not ---------------------------------------------------------------------------


@pytest.mark.parametrize("other", OTHERS)
def test_a_page_of_any_other_origin_gets_nothing(
    agent: Agent, other: str, django_assert_num_queries: Any
) -> None:
    visitor = Visitor(agent)
    visitor.begin()
    visitor.headers["Origin"] = OTHERS[other]

    with django_assert_num_queries(3):
        answers = [visitor.begin(), visitor.ask(), preflight(visitor)]

    for answer in answers:
        assert (answer.status_code, answer.json()) == (403, REFUSED)
        assert cors_of(answer) == {}
        assert "Origin" in answer["Vary"]


def test_a_call_that_names_no_origin_gets_nothing(agent: Agent) -> None:
    visitor = Visitor(agent)
    del visitor.headers["Origin"]

    for answer in (visitor.begin(), preflight(visitor)):
        assert (answer.status_code, answer.json()) == (403, REFUSED)
        assert cors_of(answer) == {}


def test_an_empty_list_is_nobodys(tenant: Tenant) -> None:
    agent = make_web_agent(tenant, allowed_origins=[])

    for origin in (ORIGIN, "", "null", "*"):
        assert Visitor(agent, origin=origin).begin().status_code == 403


def test_what_a_refused_page_sends_is_not_read(agent: Agent) -> None:
    visitor = Visitor(agent, origin="https://blog.example")

    answer = visitor.post("query", b"{", format=None, content_type="application/json")

    assert (answer.status_code, answer.json()) == (403, REFUSED)


def test_an_origin_that_is_taken_off_the_list_is_refused_at_once(agent: Agent) -> None:
    visitor = Visitor(agent)
    assert visitor.ask().status_code == 200
    Agent.objects.for_tenant(agent.tenant).update(allowed_origins=["https://blog.example"])

    assert visitor.ask().status_code == 403


def test_the_origins_of_another_agent_do_not_count(agent: Agent, other_tenant: Tenant) -> None:
    make_web_agent(agent.tenant, allowed_origins=["https://blog.example"])
    make_web_agent(other_tenant, allowed_origins=["https://blog.example"])

    assert Visitor(agent, origin="https://blog.example").begin().status_code == 403


# --- Elsewhere ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/agents", "/agent/query", "/auth/login", "/healthz"])
def test_no_other_endpoint_may_be_read_from_a_page(
    agent: Agent, admin_api: APIClient, path: str
) -> None:
    for answer in (
        admin_api.get(path, headers={"Origin": ORIGIN}),
        admin_api.post(path, {"query": "What?"}, "json", headers={"Origin": ORIGIN}),
        admin_api.options(path, headers={"Origin": ORIGIN, f"{CORS}Request-Method": "POST"}),
    ):
        assert cors_of(answer) == {}


# --- Previews -------------------------------------------------------------------------------------


def test_a_preview_pass_is_of_one_agent_and_ends(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, other = make_web_agent(tenant), make_web_agent(tenant)
    given = make_preview_pass(agent)

    assert is_preview_pass(agent, given)
    assert not is_preview_pass(other, given)
    assert not is_preview_pass(agent, given[:-1] + "-")
    monkeypatch.setattr("channels.visitor_services.PREVIEW_LIFETIME", timedelta(seconds=-1))
    assert not is_preview_pass(agent, given)


def test_pages_of_others_are_not_told_that_they_may_send_one() -> None:
    assert "preview" not in PREFLIGHT_HEADERS["Access-Control-Allow-Headers"].lower()
