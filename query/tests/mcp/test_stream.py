"""The answer of `ask` as a stream: how far it is, who has left, and who wants no more."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from rest_framework.test import APIClient

from accounts.models import Tenant, UsageCounter
from accounts.tests.factories import bearer, make_user
from query.mcp import cancelling
from query.tests.chat_server import ChatServer, serve_chat, stream, stream_and_wait
from query.tests.factories import LIGHTHOUSE, index_texts
from query.tests.mcp.client import HANDSHAKE, JUST_JSON, Program, read_answer

QUESTION = "How much does a guided visit cost?"
# Of the documents: a sentence is told when it was checked, and what is said again is not told.
SENTENCES = (
    "A guided visit costs 7 euros [1]. ",
    "Children under ten years of age come in for free [1]. ",
    "A guided visit for children under ten years of age is free [1]. ",
)


@pytest.fixture(autouse=True)
def kept_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a response closes the connection, which is the test's here."""
    monkeypatch.setattr(connections["default"], "close_if_unusable_or_obsolete", lambda: None)


@pytest.fixture(autouse=True)
def lighthouse(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)


@pytest.fixture
def model(db: None, settings: Any) -> Iterator[ChatServer]:
    with serve_chat() as server:
        settings.LLM_BASE_URL = server.url
        settings.LLM_MODEL = "small-model"
        settings.LLM_TIMEOUT = 20
        yield server


@pytest.fixture
def program(program_of_each_era: Program) -> Program:
    return program_of_each_era


def ask(program: Program, token: Any = None, **more: Any) -> Any:
    params: dict[str, Any] = {"name": "ask", "arguments": {"question": QUESTION}}
    if token is not None:
        params["_meta"] = {"progressToken": token}
    return program.send("tools/call", params, **more)


def progress_of(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        message["params"]
        for message in messages
        if message.get("method") == "notifications/progress"
    ]


@pytest.mark.parametrize("token", ["a", "", 7, 0, "a\r\n\u2028"])
def test_who_asks_for_it_is_told_how_far_it_is(program: Program, token: Any):
    answer = ask(program, token)

    assert answer.headers["Content-Type"] == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store"
    *told, last = read_answer(answer)
    progress = progress_of(told)
    assert len(progress) == len(told)
    assert {one["progressToken"] for one in progress} == {token}
    assert [one["progress"] for one in progress] == list(range(1, len(progress) + 1))
    messages = [one["message"] for one in progress]
    assert messages[0] == "Looking through the documents."
    assert messages[1].startswith("Found ")
    assert messages[2] == "Writing the answer."
    assert last["result"]["structuredContent"]["confidence"] == "answered"


def test_without_a_token_only_signs_of_life_come_before_the_answer(program: Program):
    answer = ask(program)

    written = b"".join(answer.streaming_content)
    assert written.startswith(b":\n\n:\n\n")
    assert written.count(b"event: message") == 1


def test_a_token_that_is_too_long_is_not_sent_back(program: Program):
    """With every step it would be: who does not read them then holds the thread."""
    written = b"".join(ask(program, "é" * 201).streaming_content)

    assert b"progress" not in written
    assert written.count(b"event: message") == 1


def test_a_client_that_takes_no_stream_gets_the_answer_at_once(program: Program):
    program.accept = JUST_JSON

    answer = ask(program, "a")

    assert answer.headers["Content-Type"] == "application/json"
    (message,) = read_answer(answer)
    assert message["result"]["structuredContent"]["confidence"] == "answered"


def test_what_is_quick_is_no_stream(program: Program):
    answer = program.send("tools/call", {"name": "search", "arguments": {"query": QUESTION}})

    assert answer.headers["Content-Type"] == "application/json"


def test_what_breaks_is_the_last_event_and_tells_nothing_of_us(
    program: Program, monkeypatch: pytest.MonkeyPatch
):
    def breaks(inquiry: Any) -> Iterator[Any]:
        raise RuntimeError("the secret reason")
        yield

    monkeypatch.setattr("query.services.asking.stream_answer", breaks)

    *_, last = read_answer(ask(program))

    assert last["id"] == 1
    assert last["error"]["code"] == -32603
    assert "secret" not in json.dumps(last)
    assert last["error"]["message"].startswith("Something went wrong on our side.")


def test_a_model_that_streams_is_told_as_writing(program: Program, model: ChatServer, monkeypatch):
    monkeypatch.setattr("query.mcp.stream.TOLD_EVERY_SECONDS", 0.0)
    model.says(stream(*SENTENCES))

    *told, last = read_answer(ask(program, "a"))

    messages = [one["message"] for one in progress_of(told)]
    assert messages[:2] == ["Looking through the documents.", "Found 1 passage."]
    assert set(messages[2:]) == {"Writing the answer."}
    assert len(messages) > 3
    assert last["result"]["structuredContent"]["model"] == "small-model"


# --- Leaving --------------------------------------------------------------------------------------


def hear(answer: Any, words: bytes) -> Iterator[bytes]:
    """What is left of the stream behind the event that holds `words`."""
    texts: Iterator[bytes] = iter(answer.streaming_content)
    for text in texts:
        if words in text:
            return texts
    raise AssertionError(f"never heard {words!r}")


def test_a_client_that_closes_the_stream_stops_the_language_model(
    program: Program, model: ChatServer, tenant: Tenant
):
    model.says(stream_and_wait(*SENTENCES))
    answer = ask(program, "a")
    hear(answer, b"Writing")

    answer.close()

    assert model.was_left.wait(10)
    counters = UsageCounter.objects.for_tenant(tenant)
    assert list(counters.values_list("used", flat=True)) == [1]


# --- Cancelling by a message ----------------------------------------------------------------------


@pytest.fixture
def old(admin_api: APIClient) -> Program:
    made = Program(admin_api, HANDSHAKE)
    made.begin()
    return made


@pytest.fixture(autouse=True)
def always_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancelling, "LOOK_EVERY_SECONDS", 0.0)


def begin_slowly(program: Program, model: ChatServer, id: Any) -> tuple[Any, Iterator[bytes]]:
    model.says(stream(*SENTENCES, *["And so on. "] * 100, seconds_between=0.1))
    answer = ask(program, "a", id=id)
    return answer, hear(answer, b"Writing")


@pytest.mark.parametrize("id", [7, "7", "a b"])
def test_a_request_that_is_cancelled_ends_and_stops_the_language_model(
    old: Program, model: ChatServer, id: Any
):
    answer, rest = begin_slowly(old, model, id)

    told = old.notify("notifications/cancelled", requestId=id, reason="enough")

    assert told.status_code == 202
    last = b"".join(rest).decode().split("data: ")[-1]
    assert json.loads(last) == {
        "jsonrpc": "2.0",
        "id": id,
        "error": {"code": -32800, "message": "Request cancelled"},
    }
    assert model.was_left.wait(10)


@pytest.mark.parametrize("whose", ["other id", "other kind of id", "other session", "colleague"])
def test_nobody_else_cancels_a_request(tenant: Tenant, old: Program, model: ChatServer, whose: str):
    model.says(stream(*SENTENCES, seconds_between=0.01))
    answer = ask(old, "a", id=7)
    rest = hear(answer, b"Looking")
    teller, number = old, 7
    if whose == "other id":
        number = 8
    elif whose == "other session":
        teller = Program(old.api, HANDSHAKE)
        teller.begin()
    elif whose == "colleague":
        teller = Program(APIClient(), HANDSHAKE, headers=bearer(make_user(tenant), tenant))
        teller.begin()
    asked: Any = str(number) if whose == "other kind of id" else number

    assert teller.notify("notifications/cancelled", requestId=asked).status_code == 202

    last = json.loads(b"".join(rest).decode().split("data: ")[-1])
    assert last["result"]["isError"] is False


@pytest.mark.parametrize("number", [None, 1.5, True, [], {}])
def test_a_cancellation_of_nothing_is_taken_and_forgotten(old: Program, number: Any):
    assert old.notify("notifications/cancelled", requestId=number).status_code == 202


def test_without_redis_a_request_goes_on_to_its_end(old: Program, settings: Any):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"

    assert old.notify("notifications/cancelled", requestId=1).status_code == 202
    *_, last = read_answer(ask(old))

    assert last["result"]["isError"] is False


def test_looking_for_a_cancellation_costs_little(old: Program, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cancelling, "LOOK_EVERY_SECONDS", 3600.0)
    asked: list[object] = []

    monkeypatch.setattr(cancelling, "ask_redis", asked.append)

    read_answer(ask(old))

    assert len(asked) == 1
