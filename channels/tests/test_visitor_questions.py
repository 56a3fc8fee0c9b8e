"""POST /public/agents/{id}/query: what a visitor may ask, and what comes back."""

import json
from typing import Any

import pytest
from django.db import connections

from accounts.models import Tenant, UsageCounter
from accounts.tests.factories import client_of
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.tests.factories import ORIGIN, make_connection, make_web_agent
from channels.tests.visitor import STREAM, Visitor, error
from query.answers import Answer
from query.leads.turns import REMARKS
from query.models import Conversation, Lead, Message, Notification, Outcome
from query.pipeline import Piece, SourcesFound
from query.tests.factories import LIGHTHOUSE, index_texts, make_chunk
from query.tests.pipeline import stand_in_for_pipeline

QUESTION = "How much does a guided visit cost?"
FOUND = (make_chunk(),)
ANSWER = Answer("7 euros", FOUND, "extractive", Outcome.ANSWERED)


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_web_agent(tenant)


@pytest.fixture
def visitor(agent: Agent) -> Visitor:
    return Visitor(agent)


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`pipeline(event, …)` sets what is streamed."""
    return stand_in_for_pipeline(monkeypatch)


def used(tenant: Tenant) -> list[int]:
    return list(UsageCounter.objects.for_tenant(tenant).values_list("used", flat=True))


# --- The answer -----------------------------------------------------------------------------------


def test_a_visitor_gets_what_a_program_of_the_company_gets(visitor: Visitor, agent: Agent) -> None:
    index_texts(agent.tenant, *LIGHTHOUSE)

    answer = visitor.ask(QUESTION)

    program = client_of(agent.tenant)
    same = program.post(f"/agents/{agent.pk}/query", {"query": QUESTION}, "json").json()
    assert answer.status_code == 200
    assert answer.json() == same
    assert "7 euros" in same["answer"]
    assert same["sources"][0]["source_file"] == "notes.txt"
    assert used(agent.tenant) == [2]


def test_the_same_comes_in_events(visitor: Visitor, agent: Agent) -> None:
    index_texts(agent.tenant, *LIGHTHOUSE)
    whole = visitor.ask(QUESTION).json()

    events = visitor.hear(QUESTION)

    names = [name for name, _ in events]
    assert (names[0], set(names[1:-1]), names[-1]) == ("sources", {"delta"}, "done")
    assert events[0][1] == {"sources": whole["sources"]}
    assert "".join(data["text"] for name, data in events if name == "delta") == whole["answer"]
    assert events[-1][1] == whole
    assert used(agent.tenant) == [2]


def test_headers_of_a_stream(visitor: Visitor, pipeline: Any) -> None:
    pipeline(SourcesFound(()), ANSWER)

    answer = visitor.ask(headers=STREAM)

    assert answer["Content-Type"] == "text/event-stream"
    assert answer["Cache-Control"] == "no-store"
    assert answer["X-Accel-Buffering"] == "no"
    assert answer["X-Request-ID"]


def test_when_nothing_fits_there_are_no_sources(visitor: Visitor, agent: Agent) -> None:
    index_texts(agent.tenant, *LIGHTHOUSE)

    answer = visitor.ask("Who painted the Mona Lisa?").json()

    assert answer["sources"] == []
    assert answer["answer"]


def test_an_agent_that_does_not_cite_shows_no_sources(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)
    visitor = Visitor(make_web_agent(tenant, cite_sources=False))

    whole, events = visitor.ask(QUESTION).json(), visitor.hear(QUESTION)

    assert "7 euros" in whole["answer"]
    assert "[1]" not in whole["answer"]
    assert whole["sources"] == []
    assert events[0] == ("sources", {"sources": []})
    assert events[-1] == ("done", whole)
    assert "notes.txt" not in json.dumps([whole, events])


def test_an_agent_answers_from_its_own_sources_alone(tenant: Tenant, other_tenant: Tenant) -> None:
    index_texts(other_tenant, *LIGHTHOUSE)
    index_texts(tenant, *LIGHTHOUSE)
    ferry = index_texts(tenant, "The ferry to the island leaves at eight.", name="ferry.txt")
    scoped = make_agent(tenant, ferry, allowed_origins=[ORIGIN])
    make_connection(scoped, "web")

    assert Visitor(make_web_agent(tenant)).ask(QUESTION).json()["sources"] != []
    assert Visitor(scoped).ask(QUESTION).json()["sources"] == []


def test_a_visitor_sees_no_persona_and_no_plan(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)
    agent = make_web_agent(tenant, persona="Recommend the red boat.")
    visitor = Visitor(agent)

    said = json.dumps([visitor.begin().json(), visitor.ask(QUESTION).json()])

    for word in ("red boat", "enterprise", "Enterprise", str(tenant.pk), tenant.slug):
        assert word not in said


# --- The conversation -----------------------------------------------------------------------------


def test_a_follow_up_is_answered_in_its_session(visitor: Visitor, agent: Agent) -> None:
    index_texts(agent.tenant, *LIGHTHOUSE)
    visitor.ask("How much is the guided visit to the lighthouse?")

    assert "7 euros" in visitor.ask("and for the two of us?").json()["answer"]
    assert Visitor(agent).ask("and for the two of us?").json()["sources"] == []


def test_whoever_wants_to_buy_becomes_a_lead_in_two_turns(tenant: Tenant) -> None:
    agent = make_web_agent(
        tenant, lead_capture_enabled=True, lead_notification_email="sales@acme.example"
    )
    visitor = Visitor(agent)

    first = visitor.ask("I would like to order a brass compass").json()["answer"]
    *_, (name, last) = visitor.hear("I am Eva Soto, and my e-mail is eva@example.org")

    assert first == REMARKS["en"]["ask"].format(company=tenant.name, name="")
    assert (name, last["sources"]) == ("done", [])
    lead = Lead.objects.for_tenant(tenant).get()
    assert (lead.agent, lead.channel) == (agent, "web")
    assert (lead.name, lead.email) == ("Eva Soto", "eva@example.org")
    assert lead.session_id == visitor.session.split(":")[0]
    assert Notification.objects.for_tenant(tenant).count() == 1


def test_a_transcript_says_that_it_was_a_visitor(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)
    visitor = Visitor(make_web_agent(tenant, store_transcripts=True))
    visitor.ask(QUESTION)
    visitor.hear(QUESTION)

    conversation = Conversation.objects.for_tenant(tenant).get()

    assert (conversation.channel, conversation.session_id) == ("web", visitor.session.split(":")[0])
    assert Message.objects.for_tenant(tenant).count() == 2


# --- What is wrong --------------------------------------------------------------------------------


def test_a_question_is_needed(visitor: Visitor) -> None:
    visitor.begin()
    for body in ({}, {"query": None}, {"query": ""}, {"query": "  "}):
        answer = visitor.post("query", {"session": visitor.session} | body)

        assert (answer.status_code, answer.json()) == (
            400,
            error("MISSING_FIELDS", "Missing: query."),
        )


@pytest.mark.parametrize("body", [{"query": 7}, {"query": "a" * 1001}, {"session": 7}])
def test_wrong_values(visitor: Visitor, body: dict[str, Any]) -> None:
    visitor.begin()

    answer = visitor.post("query", {"session": visitor.session, "query": "What?"} | body)

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "VALIDATION_ERROR"


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'"What?"', b"null", b"\xff", b'{"query": "What?"} more', b"[" * 5000]
)
@pytest.mark.parametrize("what", ["sessions", "query"])
def test_bodies_that_are_no_json_object(visitor: Visitor, what: str, body: bytes) -> None:
    answer = visitor.post(what, body, format=None, content_type="application/json")

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "INVALID_REQUEST_BODY"


@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=b",
        "text/json",
    ],
)
@pytest.mark.parametrize("body", [b"", b'{"query": "What?"}'])
@pytest.mark.parametrize("what", ["sessions", "query"])
def test_what_a_plain_form_can_send_is_not_read(
    visitor: Visitor, what: str, body: bytes, media_type: str
) -> None:
    answer = visitor.post(what, body, format=None, content_type=media_type)

    assert (answer.status_code, answer.json()) == (
        400,
        error("INVALID_REQUEST_BODY", "Send JSON, with the header Content-Type: application/json."),
    )


@pytest.mark.parametrize("what", ["sessions", "query"])
def test_a_body_has_8_kilobytes_at_most(visitor: Visitor, pipeline: Any, what: str) -> None:
    pipeline(SourcesFound(()), ANSWER)
    visitor.begin()
    body = json.dumps({"session": visitor.session, "query": "What?", "more": ""})
    full = body.replace('""', f'"{"a" * (8 * 1024 - len(body))}"')
    options = {"format": None, "content_type": "application/json", "headers": STREAM}

    assert visitor.post(what, full.encode(), **options).status_code in (200, 201)
    answer = visitor.post(what, full.encode() + b" ", **options)

    assert (answer.status_code, answer.json()) == (
        400,
        error("INVALID_REQUEST_BODY", "The request body is too large."),
    )


def test_the_longest_question_fits(visitor: Visitor, pipeline: Any) -> None:
    pipeline(SourcesFound(()), ANSWER)
    visitor.begin()
    body = {"session": visitor.session, "query": "🦆" * 1000}
    written = json.dumps(body, ensure_ascii=False).encode()

    answer = visitor.post(
        "query", written, format=None, content_type="application/json", headers=STREAM
    )

    assert answer.status_code == 200


# --- What fails, and who leaves -------------------------------------------------------------------


def test_what_fails_before_the_first_word_is_a_500(
    visitor: Visitor, agent: Agent, pipeline: Any
) -> None:
    pipeline(RuntimeError("a secret of ours"))

    answer = visitor.ask(headers=STREAM)

    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "INTERNAL_ERROR"
    assert "a secret" not in answer.content.decode()
    assert used(agent.tenant) == [0]


@pytest.mark.parametrize("cite_sources", [True, False])
def test_what_fails_in_the_middle_is_an_event_in_the_standard_format(
    tenant: Tenant, pipeline: Any, cite_sources: bool
) -> None:
    visitor = Visitor(make_web_agent(tenant, cite_sources=cite_sources))
    visitor.begin()
    visitor.headers["X-Request-ID"] = "visit-1"
    pipeline(SourcesFound(()), Piece("7 eu"), RuntimeError("a secret of ours"))

    assert visitor.hear() == [
        ("sources", {"sources": []}),
        ("delta", {"text": "7 eu"}),
        (
            "error",
            error(
                "INTERNAL_ERROR",
                "Something went wrong on our side. Quote the request id visit-1.",
            ),
        ),
    ]
    assert used(tenant) == [0]


@pytest.mark.parametrize("cite_sources", [True, False])
@pytest.mark.parametrize("heard", [0, 1, 2])
def test_a_visitor_who_leaves_ends_the_work_and_the_question_stays_counted(
    tenant: Tenant,
    pipeline: Any,
    monkeypatch: pytest.MonkeyPatch,
    heard: int,
    cite_sources: bool,
) -> None:
    # The end of a response closes the connection, which is the test's here.
    monkeypatch.setattr(connections["default"], "close_if_unusable_or_obsolete", lambda: None)
    work = pipeline(SourcesFound(FOUND), Piece("7 "), Piece("euros"), ANSWER)
    answer = Visitor(make_web_agent(tenant, cite_sources=cite_sources)).ask(headers=STREAM)
    texts = iter(answer.streaming_content)
    for _ in range(heard):
        next(texts)
    assert not work.has_ended

    answer.close()

    assert work.has_ended
    assert used(tenant) == [1]
