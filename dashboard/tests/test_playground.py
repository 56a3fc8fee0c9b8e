"""The playground: a stream that says why, and marks on wrong answers."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import Plan, Role, Tenant
from accounts.tests.factories import make_user
from agents.models import Agent
from agents.tests.factories import make_agent
from config.errors import PlanLimitReached
from config.language_model import READY, write_state
from dashboard.tests.factories import pages_of
from query.models import AnswerMark
from query.tests.factories import LIGHTHOUSE, index_texts, make_mark
from query.understanding.inquiries import Inquiry

QUESTION = {"question": "How much does a guided visit cost?", "session": "0123456789abcdef"}
SOURCES = [{"source_file": "a.pdf", "page_or_row": "page 3", "section_title": ""}]
WRONG = {"question": "How much?", "answer": "70 euros", "sources": json.dumps(SOURCES)}
HTMX = {"HX-Request": "true"}


def address(agent: Agent, page: str = "/playground") -> str:
    return f"/dashboard/agents/{agent.pk}{page}"


def read_events(answer: Any) -> list[tuple[str, dict[str, Any]]]:
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    blocks = content.decode().removesuffix("\n\n").split("\n\n")
    events = []
    for block in blocks:
        name, data = block.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_agent(tenant, name="Marina")


@pytest.fixture
def inquiries(monkeypatch: pytest.MonkeyPatch) -> list[Inquiry]:
    """What is asked; nothing is answered."""
    asked: list[Inquiry] = []

    def note(inquiry: Inquiry) -> Generator[Any, None, None]:
        asked.append(inquiry)
        yield from ()

    monkeypatch.setattr("dashboard.playground.views.ask_and_explain_in_stream", note)
    return asked


@pytest.mark.parametrize("role", Role)
def test_whoever_may_ask_is_answered_in_a_stream_that_ends_with_why(
    tenant: Tenant, agent: Agent, role: Role
) -> None:
    index_texts(tenant, *LIGHTHOUSE)

    answer = pages_of(tenant, role=role).post(address(agent, "/playground/ask"), QUESTION)

    events = read_events(answer)
    names = [name for name, _ in events]
    assert answer["Content-Type"] == "text/event-stream"
    assert (names[0], names[-2:]) == ("sources", ["done", "why"])
    assert "7 euros" in events[-2][1]["answer"]
    why = events[-1][1]
    assert why["reason"] == "certain"
    assert why["passages"][0]["is_chosen"]
    assert {"text": "visit", "is_match": True} in why["passages"][0]["parts"]


def test_two_people_never_share_a_conversation(
    tenant: Tenant, agent: Agent, inquiries: list[Inquiry]
) -> None:
    for _ in range(2):
        answer = pages_of(tenant).post(address(agent, "/playground/ask"), QUESTION)
        assert b"".join(answer.streaming_content) == b""  # type: ignore[attr-defined]  # it streams

    first, second = (inquiry.session_id for inquiry in inquiries)
    assert first != second
    assert {inquiry.channel for inquiry in inquiries} == {"api"}


def test_a_plan_that_is_used_up_is_told_in_words(
    agent: Agent, pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(inquiry: Inquiry) -> None:
        raise PlanLimitReached("The free plan …")

    monkeypatch.setattr("query.services.asking.stream_answer", refuse)
    monkeypatch.setattr("query.services.asking.counted_events", refuse)

    answer = pages.post(address(agent, "/playground/ask"), QUESTION)

    assert answer.status_code == 402
    assert read_events(answer) == [
        (
            "error",
            {
                "error": {"code": "PLAN_LIMIT_REACHED"},
                "text": (
                    "Your plan's questions for this month are used up, so agents do not answer."
                ),
            },
        )
    ]


def test_questions_count_against_the_plan(tenant: Tenant, agent: Agent, pages: Client) -> None:
    tenant.plan = Plan.objects.get(slug="free")
    tenant.plan.max_queries_per_month = 1
    tenant.plan.save()
    tenant.save()

    first = pages.post(address(agent, "/playground/ask"), QUESTION)
    assert read_events(first)[-1][0] == "why"

    assert pages.post(address(agent, "/playground/ask"), QUESTION).status_code == 402


def test_questions_count_among_the_requests_a_minute_of_the_plan(
    tenant: Tenant, agent: Agent, pages: Client, inquiries: list[Inquiry]
) -> None:
    Plan.objects.filter(pk=tenant.plan_id).update(max_requests_per_minute=1)
    pages.get("/dashboard/agents")  # pages do not
    first: Any = pages.post(address(agent, "/playground/ask"), QUESTION)
    list(first.streaming_content)

    answer = pages.post(address(agent, "/playground/ask"), QUESTION)

    assert answer.status_code == 429
    assert read_events(answer)[0][1]["text"] == (
        "Too many attempts in a short time. Wait a moment, then try again."
    )
    assert len(inquiries) == 1


def test_a_paused_agent_says_that_it_is(tenant: Tenant, pages: Client) -> None:
    agent = make_agent(tenant, status="inactive")

    answer = pages.post(address(agent, "/playground/ask"), QUESTION)

    assert answer.status_code == 409
    assert "paused" in read_events(answer)[0][1]["text"]
    assert b"paused" in pages.get(address(agent)).content


@pytest.mark.parametrize(
    "over", [{"question": " "}, {"question": "x" * 1001}, {"session": ""}, {"session": "../x" * 9}]
)
def test_what_is_no_question_is_not_asked(
    agent: Agent, pages: Client, inquiries: list[Inquiry], over: dict[str, str]
) -> None:
    answer = pages.post(address(agent, "/playground/ask"), QUESTION | over)

    assert (answer.status_code, read_events(answer)[0][0]) == (400, "error")
    assert inquiries == []


def test_an_agent_of_another_tenant_is_not_asked(
    other_tenant: Tenant, pages: Client, inquiries: list[Inquiry]
) -> None:
    agent = make_agent(other_tenant)

    assert pages.get(address(agent)).status_code == 404
    assert pages.post(address(agent, "/playground/ask"), QUESTION).status_code == 404
    assert inquiries == []


# --- Wrong answers --------------------------------------------------------------------------------


def test_a_wrong_answer_is_marked_with_who_said_so(tenant: Tenant, agent: Agent) -> None:
    user = make_user(tenant, role=Role.VIEWER, email="ana@example.com")
    pages = pages_of(tenant, user=user)

    answer = pages.post(
        address(agent, "/playground/wrong"), WRONG | {"note": "It is 7."}, headers=HTMX
    )

    assert (answer.status_code, b"Marked as wrong" in answer.content) == (200, True)
    mark = AnswerMark.objects.for_tenant(tenant).get()
    assert (mark.agent_id, mark.marked_by, mark.note) == (agent.pk, "ana@example.com", "It is 7.")
    assert (mark.question, mark.answer, mark.sources) == ("How much?", "70 euros", SOURCES)


@pytest.mark.parametrize(
    "over", [{"answer": ""}, {"sources": "{"}, {"sources": "{}"}, {"note": "x" * 1001}]
)
def test_what_cannot_be_marked_keeps_the_note(
    tenant: Tenant, agent: Agent, pages: Client, over: dict[str, str]
) -> None:
    given = WRONG | {"note": "It is 7."} | over

    answer = pages.post(address(agent, "/playground/wrong"), given, headers=HTMX)

    assert answer.status_code == 400
    assert given["note"].encode() in answer.content
    assert list(AnswerMark.objects.for_tenant(tenant)) == []


@pytest.mark.parametrize("text", ["\ud800", "a\0b", 1, None, ["\udfff"]])
def test_what_no_database_can_hold_is_left_out_of_a_source(
    agent: Agent, pages: Client, text: object
) -> None:
    sources = json.dumps([{"source_file": text, "page_or_row": "page 3"}, text])

    answer = pages.post(address(agent, "/playground/wrong"), WRONG | {"sources": sources})

    assert answer.status_code == 200
    assert AnswerMark.objects.for_tenant(agent.tenant).get().sources[0]["page_or_row"] == "page 3"


def test_a_long_form_is_taken_of_whoever_is_let_in_alone(agent: Agent, pages: Client) -> None:
    long = WRONG | {"sources": json.dumps([{"source_file": "é" * 15_000}], ensure_ascii=False)}

    assert pages.post(address(agent, "/playground/wrong"), long).status_code == 200
    assert Client().post(address(agent, "/playground/wrong"), long).status_code == 400


def test_marks_are_listed_escaped_and_can_be_taken_back(
    tenant: Tenant, agent: Agent, pages: Client
) -> None:
    mark = make_mark(agent, question="<script>alert(1)</script>", note="It is 7.")

    page = pages.get(address(agent, "/marks")).content.decode()
    answer = pages.post(address(agent, f"/marks/{mark.pk}/take-back"))

    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page
    assert (answer.status_code, answer["Location"]) == (302, address(agent, "/marks"))
    assert list(AnswerMark.objects.for_tenant(tenant)) == []


def test_in_the_playground_a_mark_is_taken_back_in_its_place(agent: Agent, pages: Client) -> None:
    mark = make_mark(agent)

    answer = pages.post(address(agent, f"/marks/{mark.pk}/take-back"), headers=HTMX)

    assert (answer.status_code, b"The mark was removed" in answer.content) == (200, True)


def test_the_page_says_whether_a_model_of_our_own_is_there(
    agent: Agent, pages: Client, settings: Any, tmp_path: Path
) -> None:
    assert b"is not ready" not in pages.get(address(agent)).content
    settings.LLM_IS_OWN, settings.LLM_MODEL, settings.DATA_DIR = True, "small", tmp_path
    assert b"The language model is not ready." in pages.get(address(agent)).content
    write_state(tmp_path, READY)
    assert b"The language model small writes the answers." in pages.get(address(agent)).content
