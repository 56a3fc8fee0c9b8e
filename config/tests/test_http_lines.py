"""Calls of servers that the operator names, against real ones that behave well and badly."""

import json
import logging
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from config.http import FetchError, TimedOut, TooLarge, Unreachable, UnreadableAnswer
from config.http.lines import ServerAnswer, call_server
from config.tests.web_server import Site, serve_site
from query.tests.chat_server import ChatServer, Handler, Reply, drip, error, hang_up, serve_chat

SECRET = "s3cret-path"


@pytest.fixture
def server(db) -> Iterator[ChatServer]:
    with serve_chat() as server:
        server.says(error(200, '{"ok": true}'))
        yield server


def call(url: str, **over) -> ServerAnswer:
    made = {"json": {"text": "¡Hola!"}, "deadline_seconds": 10, "max_bytes": 1000, **over}
    return call_server("POST", f"{url}/{SECRET}", **made)


def fail(url: str, **over) -> FetchError:
    with pytest.raises(FetchError) as failure:
        call(url, **over)
    return failure.value


# --- What is sent and comes back ------------------------------------------------------------------


def test_an_answer_comes_with_its_status_headers_and_body(server: ChatServer):
    server.says(error(418, "short and stout", X_Kind="teapot"))
    answer = call(server.url)
    assert (answer.status, answer.headers["x-kind"]) == (418, "teapot")
    assert answer.body == b"short and stout"


def test_json_is_sent_with_the_given_headers_and_nothing_of_our_environment(
    server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    call(server.url, headers={"X-Own": "1"})
    assert server.received[0].path == f"/v1/{SECRET}"
    assert server.received[0].body == {"text": "¡Hola!"}
    sent = server.received[0].headers
    assert int(sent.pop("Content-Length")) == len(json.dumps({"text": "¡Hola!"}))
    assert sent == {
        "Host": server.url.removeprefix("http://").removesuffix("/v1"),
        "User-Agent": "KnowledgeAgents",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "X-Own": "1",
    }


@pytest.fixture
def site() -> Iterator[Site]:
    with serve_site() as site:
        yield site


def test_a_server_on_a_private_address_may_be_read_and_its_cookies_are_not_sent_back(site: Site):
    site.page("/", "hello", Set_Cookie="session=1")
    for _ in range(2):
        assert call_server("GET", site.url, deadline_seconds=10, max_bytes=5).body == b"hello"
    assert [request.headers["Cookie"] for request in site.requests] == [None, None]


def test_a_redirect_is_an_answer_and_not_followed(site: Site):
    site.page("/", "", status=302, Location="/elsewhere")
    assert call_server("GET", site.url, deadline_seconds=10, max_bytes=5).status == 302
    assert len(site.requests) == 1


# --- Lines ----------------------------------------------------------------------------------------


def test_the_connection_is_used_again(server: ChatServer):
    for _ in range(3):
        call(server.url)
    assert (len(server.received), server.connections) == (3, 1)


def test_a_connection_that_nobody_used_for_long_is_not(server: ChatServer, monkeypatch):
    monkeypatch.setattr("config.http.lines.IDLE_SECONDS", -1.0)
    for _ in range(3):
        call(server.url)
    assert (len(server.received), server.connections) == (3, 3)


def test_a_call_that_failed_leaves_nothing_behind_for_the_next(server: ChatServer):
    server.says(error(200, "x" * 1001), error(200, '{"ok": true}'))
    assert isinstance(fail(server.url), TooLarge)
    assert call(server.url).body == b'{"ok": true}'


def test_calls_at_once_get_each_its_own_answer(site: Site):
    for number in range(40):
        site.page(f"/{number}", f"answer {number}")

    def ask(number: int) -> bytes:
        url = f"{site.url}/{number}"
        return call_server("GET", url, deadline_seconds=10, max_bytes=100).body

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(ask, range(40))) == [f"answer {n}".encode() for n in range(40)]


def test_no_database_connection_is_held_meanwhile(server: ChatServer, monkeypatch):
    released = []
    monkeypatch.setattr(
        "config.http.lines.release_connection", lambda: released.append(server.received[:])
    )
    call(server.url)
    assert released == [[]]


# --- Failures -------------------------------------------------------------------------------------


def speak_another_protocol(handler: Handler) -> None:
    handler.wfile.write(b"220 mail\r\n\r\n")


def send_many_headers(handler: Handler) -> None:
    handler.send_response(200)
    for number in range(50):
        handler.send_header(f"X-{number}", "x" * 2000)
    handler.end_headers()


FAILURES: dict[str, tuple[Reply, type[FetchError]]] = {
    "no answer": (hang_up, Unreachable),
    "an answer that breaks off": (
        lambda handler: handler.send("text/plain", b"x", Content_Length="5"),
        Unreachable,
    ),
    "no HTTP": (speak_another_protocol, Unreachable),
    "too large": (error(200, "x" * 1001), TooLarge),
    "without end": (drip(b"x" * 50_000, seconds_between=0.0), TooLarge),
    "headers without end": (send_many_headers, TooLarge),
    "bytes that drip": (drip(b"x", seconds_between=0.05), TimedOut),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_server_that_misbehaves_is_left_and_the_url_is_told_nowhere(
    server: ChatServer, caplog: pytest.LogCaptureFixture, what: str
):
    reply, kind = FAILURES[what]
    server.says(reply)
    with caplog.at_level(logging.DEBUG):
        failure = fail(server.url, deadline_seconds=1)
    assert type(failure) is kind
    assert_silent(failure, caplog)


@pytest.mark.parametrize(
    ("url", "over", "kind"),
    [
        ("http://127.0.0.1:1", {}, Unreachable),
        ("http://no-such-host.invalid", {}, Unreachable),
        ("http://[", {}, UnreadableAnswer),
        ("ftp://127.0.0.1", {}, UnreadableAnswer),
        ("http://127.0.0.1:1", {"headers": {"X": f"a\n{SECRET}"}}, UnreadableAnswer),
    ],
)
def test_what_cannot_be_called_fails_and_the_url_is_told_nowhere(
    db, caplog: pytest.LogCaptureFixture, url: str, over: dict[str, Any], kind: type[FetchError]
):
    with caplog.at_level(logging.DEBUG):
        failure = fail(url, **over)
    assert isinstance(failure, FetchError)
    assert type(failure) in {kind, TimedOut}  # a name that is not found in time
    assert_silent(failure, caplog)


def test_a_server_without_tls_is_not_called_as_if_it_had_it(server: ChatServer, caplog):
    with caplog.at_level(logging.DEBUG):
        failure = fail(server.url.replace("http:", "https:"))
    assert type(failure) is Unreachable
    assert_silent(failure, caplog)


def test_the_deadline_is_for_everything(server: ChatServer):
    server.says(drip(b"x", seconds_between=0.05))
    started = time.monotonic()
    fail(server.url, deadline_seconds=0.5)
    assert time.monotonic() - started < 30  # it would go on for ever


def assert_silent(failure: FetchError, caplog: pytest.LogCaptureFixture) -> None:
    assert (failure.__cause__, failure.__context__) == (None, None)
    assert SECRET not in "".join(traceback.format_exception(failure))
    assert SECRET not in caplog.text
