"""POST /public/agents/{id}/sessions, and what a session is good for."""

import base64
import os
from datetime import timedelta
from typing import Any

import pytest
from django.core import signing
from rest_framework.test import APIClient

from accounts.models import Role, Tenant
from accounts.tests.factories import client_of
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.tests.factories import ORIGIN, make_connection, make_web_agent
from channels.tests.visitor import Visitor, error
from config.tests.isolation.matrix import MALFORMED_ID, MISSING_ID
from query.answers import Answer
from query.models import Outcome
from query.understanding.inquiries import Inquiry

NO_SESSION = error(
    "UNAUTHORIZED",
    "There is no such session, or it has ended. Ask for a new one:"
    " POST /public/agents/{id}/sessions.",
)
NO_AGENT = error("AGENT_NOT_FOUND", "There is no such agent.")
ANOTHER_ORIGIN = "https://blog.example"


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_web_agent(
        tenant,
        name="Tienda",
        welcome_msg="¡Hola! ¿Qué quieres saber?",
        persona="You sell buoys.",
        allowed_origins=[ORIGIN, ANOTHER_ORIGIN],
    )


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Inquiry]:
    """What reaches the agent, which answers at once."""
    inquiries: list[Inquiry] = []

    def answer(inquiry: Inquiry) -> Answer:
        inquiries.append(inquiry)
        return Answer("7 euros", (), "extractive", Outcome.ANSWERED)

    monkeypatch.setattr("query.services.asking.answer_question", answer)
    return inquiries


# --- The greeting ---------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["es", "en"])
def test_a_page_is_greeted(agent: Agent, language: str) -> None:
    agent.tenant.language = language
    agent.tenant.save()

    answer = Visitor(agent).begin()

    assert answer.status_code == 201
    session = answer.json()["session"]
    assert answer.json() == {
        "session": session,
        "expires_in": 43200,
        "agent_name": "Tienda",
        "welcome_msg": "¡Hola! ¿Qué quieres saber?",
        "language": language,
    }
    assert answer["Cache-Control"] == "no-store"
    assert not answer.cookies


def test_a_body_that_is_empty_is_enough(agent: Agent) -> None:
    answer = Visitor(agent).post("sessions", b"", format=None, content_type="application/json")

    assert answer.status_code == 201


def test_each_session_is_another_visitor_of_128_random_bits(
    agent: Agent, asked: list[Inquiry], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def token(size: int) -> str:
        sizes.append(size)
        return base64.urlsafe_b64encode(os.urandom(size)).decode().rstrip("=")

    monkeypatch.setattr("channels.visitors.secrets.token_urlsafe", token)
    for _ in range(2):
        Visitor(agent).ask()

    first, second = (inquiry.session_id for inquiry in asked)
    assert sizes == [16, 16]
    assert first != second
    assert len(first) == 22


def test_nothing_is_kept_of_a_session(agent: Agent, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1) as captured:
        assert Visitor(agent).begin().status_code == 201

    statement = captured[0]["sql"].rpartition("; ")[2]  # behind as whom it is said
    assert statement.startswith("SELECT")


@pytest.mark.parametrize("what", ["sessions", "query"])
def test_an_inactive_agent_is_closed(agent: Agent, what: str) -> None:
    visitor = Visitor(agent)
    visitor.begin()
    Agent.objects.for_tenant(agent.tenant).update(status="inactive")

    answer = visitor.begin() if what == "sessions" else visitor.ask()

    assert answer.status_code == 409
    assert answer.json() == error("CONFLICT", "This agent is closed at the moment.")


# --- Agents that are not there --------------------------------------------------------------------


@pytest.mark.parametrize("what", ["sessions", "query"])
def test_an_agent_that_is_not_at_web_was_never_there(tenant: Tenant, what: str) -> None:
    elsewhere = make_agent(tenant, allowed_origins=[ORIGIN])
    make_connection(elsewhere, "messenger_a")
    for given in (str(elsewhere.pk), MISSING_ID, MALFORMED_ID):
        visitor = Visitor(elsewhere)
        visitor.agent_id = given

        answer = visitor.post(what, {"session": "", "query": "What?"})

        assert (answer.status_code, answer.json()) == (404, NO_AGENT), given
        assert "Access-Control-Allow-Origin" not in answer


# --- What a session is good for -------------------------------------------------------------------


def test_its_visitor_keeps_one_id(agent: Agent, asked: list[Inquiry]) -> None:
    visitor = Visitor(agent)
    for _ in range(2):
        assert visitor.ask().status_code == 200

    assert {inquiry.session_id for inquiry in asked} == {visitor.session.split(":")[0]}


def assert_refused(visitor: Visitor, asked: list[Inquiry]) -> None:
    answer = visitor.ask()
    assert (answer.status_code, answer.json()) == (401, NO_SESSION)
    assert answer["Access-Control-Allow-Origin"] == visitor.headers["Origin"]
    assert asked == []


def test_it_is_of_one_agent(agent: Agent, asked: list[Inquiry]) -> None:
    visitor = Visitor(agent)
    visitor.begin()
    colleague = make_web_agent(agent.tenant)

    assert_refused(Visitor(colleague, session=visitor.session), asked)


def test_it_is_of_one_tenant(agent: Agent, other_tenant: Tenant, asked: list[Inquiry]) -> None:
    visitor = Visitor(make_web_agent(other_tenant))
    visitor.begin()

    assert_refused(Visitor(agent, session=visitor.session), asked)


def test_it_is_of_one_origin(agent: Agent, asked: list[Inquiry]) -> None:
    visitor = Visitor(agent)
    visitor.begin()

    assert_refused(Visitor(agent, origin=ANOTHER_ORIGIN, session=visitor.session), asked)


def test_it_is_good_for_twelve_hours(
    agent: Agent, asked: list[Inquiry], monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = Visitor(agent)
    visitor.begin()
    now = signing.time.time()  # type: ignore[attr-defined]

    def after(passed: timedelta) -> None:
        monkeypatch.setattr("django.core.signing.time.time", lambda: now + passed.total_seconds())

    after(timedelta(hours=12, seconds=2))
    assert_refused(visitor, asked)
    after(timedelta(hours=11, minutes=59))
    assert visitor.ask().status_code == 200


FORGERIES = {
    "nonsense": lambda session: "nonsense",
    "another id": lambda session: f"A{session[1:]}" if session[0] != "A" else f"B{session[1:]}",
    "another time": lambda session: session.replace(":", ":z", 1),
    "no signature": lambda session: session.rpartition(":")[0],
    "an empty signature": lambda session: f"{session.rpartition(':')[0]}:",
    "a session and more": lambda session: f"{session}:{session}",
    "no ASCII": lambda session: f"{session}ñ",
    "long": lambda session: session * 50,
    "signed for something else": lambda session: signing.TimestampSigner().sign("a visitor"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_one_is_none(agent: Agent, asked: list[Inquiry], forgery: str) -> None:
    visitor = Visitor(agent)
    visitor.begin()
    visitor.session = FORGERIES[forgery](visitor.session)

    assert_refused(visitor, asked)


@pytest.mark.parametrize("body", [{}, {"session": None}, {"session": ""}])
def test_a_missing_one_is_none(agent: Agent, body: dict[str, Any]) -> None:
    answer = Visitor(agent).post("query", body | {"query": "What?"})

    assert (answer.status_code, answer.json()) == (401, NO_SESSION)


def test_another_secret_key_ends_it(agent: Agent, asked: list[Inquiry], settings: Any) -> None:
    visitor = Visitor(agent)
    visitor.begin()
    settings.SECRET_KEY = "another secret key of a test"

    assert_refused(visitor, asked)


# --- Nobody is anybody ----------------------------------------------------------------------------


def test_tokens_and_cookies_are_not_read(
    agent: Agent, tenant: Tenant, admin_api: APIClient, asked: list[Inquiry]
) -> None:
    visitor = Visitor(agent)
    for client in (admin_api, client_of(tenant, role=Role.VIEWER)):
        client.cookies.load({"sessionid": "nonsense", "csrftoken": "nonsense"})
        visitor.client = client
        assert visitor.ask().status_code == 200
    visitor.headers["Authorization"] = "Bearer nonsense"

    assert visitor.ask().status_code == 200
    assert len(asked) == 3


def test_a_session_is_no_token(agent: Agent, api: APIClient) -> None:
    visitor = Visitor(agent)
    visitor.begin()

    for path in ("/agents", "/auth/me"):
        headers = {"Authorization": f"Bearer {visitor.session}"}
        assert api.get(path, headers=headers).status_code == 401


def test_a_cookie_makes_no_answer_differ(agent: Agent) -> None:
    visitor = Visitor(agent)
    visitor.client.cookies.load({"sessionid": "nonsense"})

    answer = visitor.begin()

    assert answer.status_code == 201
    assert "Cookie" not in answer["Vary"]
