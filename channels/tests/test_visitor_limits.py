"""How often visitors may ask: each, from one address, and of one company."""

import socket
from collections.abc import Iterator
from itertools import cycle
from threading import Lock
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import client_of
from agents.models import Agent
from channels import visitors
from channels.models import ChannelConnection
from channels.tests.factories import make_web_agent
from channels.tests.visitor import STREAM, Visitor, error
from config.security import rate_limits
from config.security.rate_limits import Limit, Outage, limiter
from config.tests.parallel import in_parallel
from query.answers import Answer
from query.models import Outcome
from query.pipeline import SourcesFound

ANSWER = Answer("7 euros", (), "extractive", Outcome.ANSWERED)


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_web_agent(tenant)


@pytest.fixture(autouse=True)
def answers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("query.services.asking.answer_question", lambda inquiry: ANSWER)
    monkeypatch.setattr(
        "query.services.asking.stream_answer", lambda inquiry: iter([SourcesFound(()), ANSWER])
    )


def limit(monkeypatch: pytest.MonkeyPatch, name: str, amount: int) -> None:
    limit: Limit = getattr(visitors, name)
    monkeypatch.setattr(visitors, name, Limit(limit.name, amount, limit.per_seconds))


def limit_plan(tenant: Tenant, **over: Any) -> None:
    for name, value in over.items():
        setattr(tenant.plan, name, value)
    tenant.plan.save()


def statuses(visitor: Visitor, times: int) -> list[int]:
    return [visitor.ask().status_code for _ in range(times)]


def assert_has_to_wait(answer: Any) -> None:
    wait = int(answer["Retry-After"])
    assert answer.status_code == 429
    assert 1 <= wait <= 60
    message = f"There are too many requests just now. Try again in {wait} s."
    assert answer.json() == error("TOO_MANY_REQUESTS", message)
    assert answer["Access-Control-Allow-Origin"]
    assert "Retry-After" in answer["Access-Control-Expose-Headers"]


# --- So many --------------------------------------------------------------------------------------


def test_a_visitor_asks_ten_questions_a_minute(agent: Agent) -> None:
    visitor = Visitor(agent)
    assert statuses(visitor, 10) == [200] * 10

    assert_has_to_wait(visitor.ask())
    assert_has_to_wait(visitor.ask(headers=STREAM))
    visitor.address = "198.51.100.4"
    assert_has_to_wait(visitor.ask())

    assert Visitor(agent).ask().status_code == 200


def test_thirty_questions_a_minute_come_from_an_address(agent: Agent) -> None:
    for _ in range(3):
        assert statuses(Visitor(agent), 10) == [200] * 10

    assert_has_to_wait(Visitor(agent).ask())
    assert_has_to_wait(Visitor(make_web_agent(agent.tenant)).ask())
    assert Visitor(agent, address="198.51.100.4").ask().status_code == 200


def test_twenty_sessions_a_minute_begin_at_an_address(agent: Agent) -> None:
    assert [Visitor(agent).begin().status_code for _ in range(20)] == [201] * 20

    assert_has_to_wait(Visitor(agent).begin())
    assert Visitor(agent, address="198.51.100.4").begin().status_code == 201


def guests_of(agents: list[Agent], count: int) -> Iterator[Visitor]:
    """Each from an address of their own, the agents in turn."""
    for number, agent in zip(range(count), cycle(agents), strict=False):
        yield Visitor(agent, address=f"198.51.{number // 250}.{number % 250}")


def test_however_many_agents_answer_visitors_it_counts_against_the_plans_minute(
    agent: Agent,
) -> None:
    limit_plan(agent.tenant, max_requests_per_minute=30)
    agents = [agent, *(make_web_agent(agent.tenant) for _ in range(3))]

    answers = [guest.ask() for guest in guests_of(agents, 40)]

    assert [answer.status_code for answer in answers] == [200] * 24 + [429] * 16
    assert_has_to_wait(answers[-1])
    program = client_of(agent.tenant)
    assert [program.get("/auth/me").status_code for _ in range(7)] == [200] * 6 + [429]


def test_of_many_questions_at_once_no_more_than_the_plans_minute_are_answered(
    committed_tenant: Tenant,
) -> None:
    limit_plan(committed_tenant, max_requests_per_minute=10)
    guests, lock = guests_of([make_web_agent(committed_tenant) for _ in range(4)], 50), Lock()

    def ask() -> int:
        with lock:
            guest = next(guests)
        return int(guest.ask().status_code)

    # Of the share, those that come together may pass as many as look at it at once.
    assert 8 <= in_parallel(ask).count(200) <= 10


def test_addresses_of_a_whole_ipv6_network_are_one(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, "SESSIONS_OF_ADDRESS", 1)

    assert Visitor(agent, address="2001:db8::1").begin().status_code == 201
    assert Visitor(agent, address="2001:db8::2").begin().status_code == 429


def test_of_fifty_parallel_questions_exactly_ten_are_answered(committed_tenant: Tenant) -> None:
    agent = make_web_agent(committed_tenant)
    visitor = Visitor(agent)
    visitor.begin()

    def ask() -> int:
        return int(Visitor(agent, session=visitor.session).ask().status_code)

    assert sorted(in_parallel(ask)) == [200] * 10 + [429] * 40


# --- Nobody uses up what is another's -------------------------------------------------------------


def test_visitors_leave_the_companys_programs_a_fifth(agent: Agent) -> None:
    limit_plan(agent.tenant, max_requests_per_minute=5)
    answers = [guest.ask() for guest in guests_of([agent], 5)]
    assert [answer.status_code for answer in answers] == [200] * 4 + [429]

    program = client_of(agent.tenant)
    answers = [program.post("/agent/query", {"query": "What?"}, "json") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 429]


def test_visitors_and_programs_share_the_plans_minute(agent: Agent, admin_api: APIClient) -> None:
    limit_plan(agent.tenant, max_requests_per_minute=1)
    assert [admin_api.get("/auth/me").status_code for _ in range(2)] == [200, 429]

    assert_has_to_wait(Visitor(agent).ask())


def test_another_tenants_visitors_have_limits_of_their_own(
    agent: Agent, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch, "QUESTIONS_OF_ADDRESS", 1)
    limit(monkeypatch, "SESSIONS_OF_ADDRESS", 1)
    visitor = Visitor(agent)
    assert statuses(visitor, 2) == [200, 429]

    assert Visitor(make_web_agent(other_tenant)).ask().status_code == 200


def test_a_visitor_who_asks_too_much_uses_up_nothing_that_others_share(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_plan(agent.tenant, max_requests_per_minute=2)
    limit(monkeypatch, "QUESTIONS_OF_VISITOR", 1)
    limit(monkeypatch, "QUESTIONS_OF_ADDRESS", 2)
    assert statuses(Visitor(agent), 5) == [200, 429, 429, 429, 429]

    assert Visitor(agent).ask().status_code == 200


def test_an_address_that_asks_too_much_uses_up_nothing_of_the_company(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_plan(agent.tenant, max_requests_per_minute=2)
    limit(monkeypatch, "QUESTIONS_OF_ADDRESS", 1)
    assert [Visitor(agent).ask().status_code for _ in range(4)] == [200, 429, 429, 429]

    assert Visitor(agent, address="198.51.100.4").ask().status_code == 200


def test_what_is_wrong_in_itself_uses_up_nothing(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_plan(agent.tenant, max_requests_per_minute=1)
    visitor = Visitor(agent)
    visitor.begin()
    assert visitor.post("query", {"session": "nonsense", "query": "What?"}).status_code == 401
    assert visitor.post("query", {"session": visitor.session, "query": ""}).status_code == 400
    assert Visitor(agent, origin="https://blog.example").begin().status_code == 403

    assert visitor.ask().status_code == 200


# --- The plan's month -----------------------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, STREAM], ids=["whole", "stream"])
def test_visitors_hear_nothing_of_a_plan_and_its_company_does(
    agent: Agent, headers: dict[str, str]
) -> None:
    limit_plan(agent.tenant, max_queries_per_month=1, blocks_overage=True)
    visitor = Visitor(agent)
    assert visitor.ask().status_code == 200

    answer = visitor.ask(headers=headers)

    assert answer.status_code == 503
    message = "This agent cannot answer at the moment. Try again later."
    assert answer.json() == error("SERVICE_UNAVAILABLE", message)
    connection = ChannelConnection.objects.for_tenant(agent.tenant).get()
    assert connection.status == "connected"
    assert connection.error_at is not None
    assert connection.error_message.startswith(
        "Visitors are not being answered: The Enterprise plan answers 1 queries a month,"
        " and this month's are used up."
    )


# --- Without Redis --------------------------------------------------------------------------------


@pytest.fixture
def no_redis(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody listens at its address."""
    monkeypatch.setattr(rate_limits, "outage", Outage())
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.REDIS_URL = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
    limiter.cache_clear()
    yield
    limiter.cache_clear()


def test_without_redis_visitors_are_asked_to_come_back(
    agent: Agent, request: pytest.FixtureRequest
) -> None:
    visitor = Visitor(agent)
    visitor.begin()
    request.getfixturevalue("no_redis")

    for answer in (visitor.ask(), visitor.ask(headers=STREAM), Visitor(agent).begin()):
        assert answer.status_code == 503
        assert answer.json() == error(
            "SERVICE_UNAVAILABLE",
            "This cannot be done right now. Try again in a few seconds.",
        )
        assert answer["Retry-After"] == "2"
        assert answer["Access-Control-Allow-Origin"]
