"""Both query endpoints with `Accept: text/event-stream`."""

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from rest_framework.test import APIClient

from accounts.models import Tenant, UsageCounter
from accounts.tests.factories import bearer, make_user
from agents.tests.factories import make_agent
from config.embedded.processes import wait_until
from config.rest.request_id import RequestIdFilter
from query.answers import Answer
from query.models import Outcome
from query.pipeline import Piece, SourcesFound
from query.tests.factories import LIGHTHOUSE, index_texts, judging_by
from query.tests.pipeline import stand_in_for_pipeline

PATH = "/agent/query"
QUESTION = {"query": "How much does a guided visit cost?"}
STREAM = {"Accept": "text/event-stream"}
ROOT = Path(__file__).parents[2]
SERVER_SECONDS = 60
ANSWER = Answer("7 euros", (), "extractive", Outcome.ANSWERED)

Events = list[tuple[str, dict[str, Any]]]


@pytest.fixture(autouse=True)
def this_month(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.plans.usage.this_month", lambda: date(2026, 11, 1))


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`pipeline(event, …)` sets what is streamed."""
    return stand_in_for_pipeline(monkeypatch)


def ask(api: APIClient, path: str = PATH, **more: Any) -> Any:
    return api.post(path, QUESTION | more, "json", headers=STREAM)


def read_events(answer: Any) -> Events:
    """(event, data) each, read as strictly as they are written."""
    assert answer.status_code == 200, answer.content
    text = b"".join(answer.streaming_content).decode()
    assert text.endswith("\n\n")
    return [read_event(block) for block in text.removesuffix("\n\n").split("\n\n")]


def read_event(block: str) -> tuple[str, dict[str, Any]]:
    event, data = block.split("\n")
    assert event.startswith("event: ")
    assert data.startswith("data: ")
    return event.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def counted(tenant: Tenant) -> list[int]:
    return list(UsageCounter.objects.for_tenant(tenant).values_list("used", flat=True))


# --- What is sent ---------------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", ["default", "agent by address", "agent by body"])
def test_sources_then_pieces_then_the_whole_answer(
    admin_api: APIClient, tenant: Tenant, endpoint: str
):
    index_texts(tenant, *LIGHTHOUSE)
    agent_id = str(make_agent(tenant).pk)
    path = f"/agents/{agent_id}/query" if endpoint == "agent by address" else PATH
    more = {"agent_id": agent_id} if endpoint == "agent by body" else {}

    events = read_events(ask(admin_api, path, **more))

    names = [name for name, _ in events]
    whole = events[-1][1]
    assert names[0] == "sources"
    assert names[-1] == "done"
    assert set(names[1:-1]) == {"delta"}
    assert whole == admin_api.post(path, QUESTION | more, "json").json()
    assert "7 euros" in whole["answer"]
    assert "".join(data["text"] for name, data in events if name == "delta") == whole["answer"]
    assert events[0][1] == {"sources": whole["sources"]}
    assert whole["sources"] != []
    assert counted(tenant) == [2]


def test_when_nothing_fits_there_are_no_sources(admin_api: APIClient, tenant: Tenant):
    events = read_events(ask(admin_api, query="Who painted the Mona Lisa?"))

    assert events[0] == ("sources", {"sources": []})
    assert events[-1][0] == "done"
    assert events[-1][1]["sources"] == []
    assert events[1] == ("delta", {"text": events[-1][1]["answer"]})


@pytest.mark.parametrize(("bias", "confidence"), [(3.0, "answered"), (-3.0, "unsure")])
def test_how_far_it_may_be_relied_on_comes_with_the_end(
    admin_api: APIClient, tenant: Tenant, bias: float, confidence: str
):
    index_texts(tenant, *LIGHTHOUSE)

    with judging_by(relevance={"bias": 3.0}, certainty={"bias": bias}):
        events = read_events(ask(admin_api))

    *earlier, (last, whole) = events
    assert (last, whole["confidence"]) == ("done", confidence)
    assert not any("confidence" in data for _, data in earlier)
    assert events[0][1] == {"sources": whole["sources"]}


def test_headers(admin_api: APIClient, pipeline: Any):
    pipeline(SourcesFound(()), ANSWER)
    headers = STREAM | {"X-Request-ID": "stream-1"}

    answer = admin_api.post(PATH, QUESTION, "json", headers=headers)

    assert answer["Content-Type"] == "text/event-stream"
    assert answer["X-Request-ID"] == "stream-1"
    assert answer["Cache-Control"] == "no-store"
    assert answer["X-Accel-Buffering"] == "no"
    assert "Content-Length" not in answer
    assert read_events(answer)[-1][0] == "done"


@pytest.mark.parametrize(
    "text", ["two\nlines", "a\r\nb", "a\n\nevent: done\ndata: {}", "ñ € \u2028 🙂"]
)
def test_line_breaks_do_not_end_an_event(admin_api: APIClient, pipeline: Any, text: str):
    pipeline(SourcesFound(()), Piece(text), ANSWER)

    events = read_events(ask(admin_api))

    assert [name for name, _ in events] == ["sources", "delta", "done"]
    assert events[1][1] == {"text": text}


def test_what_clients_may_take_for_a_line_end_is_written_as_an_escape(
    admin_api: APIClient, pipeline: Any
):
    pipeline(SourcesFound(()), Piece("a\u2028b\u2029c\x85d"), ANSWER)

    text = b"".join(ask(admin_api).streaming_content).decode()

    assert text.splitlines() == text.split("\n")[:-1]
    assert 'data: {"text": "a\\u2028b\\u2029c\\u0085d"}' in text


@pytest.mark.parametrize(
    ("accept", "is_stream"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream;charset=utf-8, */*", True),
        ("text/event-stream, application/json", True),
        ("application/json, text/event-stream", False),
        ("application/json", False),
        ("*/*", False),
        ("text/html", False),
        ("", False),
    ],
)
def test_the_form_is_asked_for(
    admin_api: APIClient,
    pipeline: Any,
    monkeypatch: pytest.MonkeyPatch,
    accept: str,
    is_stream: bool,
):
    pipeline(SourcesFound(()), ANSWER)
    monkeypatch.setattr("query.services.asking.answer_question", lambda inquiry: ANSWER)

    answer = admin_api.post(PATH, QUESTION, "json", headers={"Accept": accept})

    expected = "text/event-stream" if is_stream else "application/json"
    assert answer["Content-Type"] == expected
    assert answer.getvalue()


# --- What fails before ----------------------------------------------------------------------------


def assert_refused(answer: Any, status: int) -> str:
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/json"
    assert set(answer.json()) == {"error"}
    assert isinstance(answer.json()["error"], str)
    return str(answer.json()["error"])


def test_refusals_are_no_streams_and_are_not_counted(
    admin_api: APIClient, api: APIClient, tenant: Tenant
):
    assert_refused(ask(admin_api, query=""), 400)
    assert_refused(ask(admin_api, query="a" * 1001), 400)
    assert_refused(ask(api), 401)
    assert_refused(ask(admin_api, agent_id="unknown"), 404)
    assert counted(tenant) == []


def test_a_full_month_is_402(admin_api: APIClient, tenant: Tenant, pipeline: Any):
    tenant.plan.max_queries_per_month, tenant.plan.blocks_overage = 1, True
    tenant.plan.save()
    pipeline(SourcesFound(()), ANSWER)
    assert read_events(ask(admin_api))[-1][0] == "done"

    assert "1 queries a month" in assert_refused(ask(admin_api), 402)
    assert counted(tenant) == [1]


def test_too_many_requests_are_429(admin_api: APIClient, tenant: Tenant, pipeline: Any):
    tenant.plan.max_requests_per_minute = 1
    tenant.plan.save()
    pipeline(SourcesFound(()), ANSWER)
    assert read_events(ask(admin_api))[-1][0] == "done"

    answer = ask(admin_api)

    assert_refused(answer, 429)
    assert int(answer["Retry-After"]) > 0
    assert counted(tenant) == [1]


def test_what_fails_in_the_search_is_a_500_and_the_question_is_given_back(
    admin_api: APIClient, tenant: Tenant, pipeline: Any
):
    pipeline(RuntimeError("a secret of ours"))

    assert "a secret" not in assert_refused(ask(admin_api), 500)
    assert counted(tenant) == [0]


# --- What fails in the middle ---------------------------------------------------------------------


def test_a_failure_in_the_middle_is_an_event_and_the_question_is_given_back(
    admin_api: APIClient, tenant: Tenant, pipeline: Any, caplog: pytest.LogCaptureFixture
):
    caplog.handler.addFilter(RequestIdFilter())
    pipeline(SourcesFound(()), Piece("7 eu"), RuntimeError("a secret of ours"))
    headers = STREAM | {"X-Request-ID": "stream-2"}

    with caplog.at_level(logging.ERROR):
        events = read_events(admin_api.post(PATH, QUESTION, "json", headers=headers))

    assert events == [
        ("sources", {"sources": []}),
        ("delta", {"text": "7 eu"}),
        (
            "error",
            {
                "error": "Something went wrong on our side. Quote the request id stream-2.",
            },
        ),
    ]
    assert counted(tenant) == [0]
    (record,) = caplog.records
    assert record.name == "query.presentation.event_stream"
    assert record.request_id == "stream-2"  # type: ignore[attr-defined]
    assert record.exc_info


# --- Who leaves -----------------------------------------------------------------------------------


@pytest.fixture
def kept_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a response closes the connection, which is the test's here."""
    monkeypatch.setattr(connections["default"], "close_if_unusable_or_obsolete", lambda: None)


@pytest.mark.usefixtures("kept_connection")
@pytest.mark.parametrize("heard", [0, 1, 2])
def test_a_client_that_leaves_ends_the_work_and_its_question_stays_counted(
    admin_api: APIClient, tenant: Tenant, pipeline: Any, heard: int
):
    work = pipeline(SourcesFound(()), Piece("7 "), Piece("euros"), ANSWER)
    answer = ask(admin_api)
    texts = iter(answer.streaming_content)
    for _ in range(heard):
        next(texts)
    assert not work.has_ended

    answer.close()

    assert work.has_ended
    assert counted(tenant) == [1]


def test_a_stream_holds_no_connection_to_the_database(committed_tenant: Tenant, pipeline: Any):
    headers = bearer(make_user(committed_tenant), committed_tenant) | STREAM
    pipeline(SourcesFound(()), Piece("7 euros"), ANSWER)
    connection.ensure_connection()

    answer = APIClient().post(PATH, QUESTION, "json", headers=headers)

    assert connection.connection is None
    assert read_events(answer)[-1][0] == "done"


@contextmanager
def slow_server(seen: Path) -> Iterator[int]:
    """The product's web server with slow_stream.py, on the port that this yields."""
    command = [sys.executable, "-m", "gunicorn", "-c", "python:config.running.gunicorn"]
    settings = {"DJANGO_SETTINGS_MODULE": "query.tests.slow_stream_settings", "SEEN": str(seen)}
    with socket.create_server(("127.0.0.1", 0)) as listener:
        bind = f"--bind=fd://{listener.fileno()}"
        process = subprocess.Popen(
            [*command, "--workers=1", bind, "django.core.wsgi:get_wsgi_application()"],
            cwd=ROOT,
            env={**os.environ, **settings},
            pass_fds=[listener.fileno()],
        )
        try:
            yield int(listener.getsockname()[1])
        finally:
            process.terminate()
            process.wait(SERVER_SECONDS)


def hear_until(client: socket.socket, text: bytes) -> bytes:
    heard = b""
    while text not in heard:
        received = client.recv(4096)
        assert received, heard
        heard += received
    return heard


def test_a_real_server_ends_the_work_when_its_client_has_gone(tmp_path: Path):
    seen = tmp_path / "seen"
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: leaver-1\r\n\r\n"

    with slow_server(seen) as port:
        with socket.create_connection(("127.0.0.1", port), SERVER_SECONDS) as client:
            client.sendall(request)
            # While the work goes on: nothing on the way collects the events.
            heard = hear_until(client, b"event: delta")
        assert wait_until(
            lambda: seen.read_text().endswith("finished\n"), timeout_seconds=SERVER_SECONDS
        )

    assert b"\r\nX-Request-ID: leaver-1\r\n" in heard
    assert seen.read_text().splitlines() == [
        "request leaver-1, connection held: False",
        "request leaver-1 left",
        "finished",
    ]
