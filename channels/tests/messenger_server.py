"""What the stand-ins of both messengers are made of: a real HTTP server on loopback that answers by
its rules, or as a script says, and keeps what it was sent."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

WAIT_SECONDS = 20  # for what must happen; a test that waits longer has failed

without_proxies = build_opener(ProxyHandler({}))


@dataclass(frozen=True)
class Call:
    """`account`: the bot's token, or the phone number's id."""

    method: str
    account: str
    name: str  # setWebhook, messages…
    body: dict[str, Any]
    headers: dict[str, str]
    at: float  # time.monotonic()


@dataclass(frozen=True)
class SentText:
    """A text that was taken for delivery."""

    account: str
    chat_id: str
    text: str
    at: float  # time.monotonic()


@dataclass
class Failure:
    """What answers the next `times` calls in place of the rules: of one method, of one chat."""

    answer: Answer
    times: float
    name: str
    chat_id: str


@dataclass
class MessengerServer:
    """`calls`: every one, `sent`: the texts that were taken; both in their order. Thread-safe."""

    port: int = 0
    calls: list[Call] = field(default_factory=list)
    sent: list[SentText] = field(default_factory=list)
    failures: deque[Failure] = field(default_factory=deque)
    revoked: set[str] = field(default_factory=set)
    has_news: threading.Condition = field(default_factory=threading.Condition)
    stopping: threading.Event = field(default_factory=threading.Event)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def texts(self, chat_id: object = None) -> list[str]:
        """That a chat was sent, or all."""
        with self.has_news:
            return [
                sent.text for sent in self.sent if chat_id is None or sent.chat_id == str(chat_id)
            ]

    def wait_for_texts(self, count: int, chat_id: object = None) -> list[str]:
        """As soon as there are so many. Fails after WAIT_SECONDS."""
        with self.has_news:
            if self.has_news.wait_for(lambda: len(self.texts(chat_id)) >= count, WAIT_SECONDS):
                return self.texts(chat_id)
        raise AssertionError(f"{len(self.texts(chat_id))} texts instead of {count}")

    def wait_for_calls(self, count: int, name: str) -> list[Call]:
        """As soon as so many of one method have come. Fails after WAIT_SECONDS."""
        with self.has_news:
            if self.has_news.wait_for(lambda: len(self.calls_of(name)) >= count, WAIT_SECONDS):
                return self.calls_of(name)
        raise AssertionError(f"{len(self.calls_of(name))} calls of {name} instead of {count}")

    def calls_of(self, name: str) -> list[Call]:
        with self.has_news:
            return [call for call in self.calls if call.name == name]

    def fail(
        self, answer: Answer, *, times: float = 1, name: str = "", chat_id: object = ""
    ) -> None:
        """`times`: float("inf") until `recover`."""
        with self.has_news:
            self.failures.append(Failure(answer, times, name, str(chat_id)))

    def recover(self) -> None:
        with self.has_news:
            self.failures.clear()

    def revoke(self, token: str) -> None:
        """Known no more: of a bot, or of a system user."""
        with self.has_news:
            self.revoked.add(token)

    def keep_call(self, call: Call, chat_id: str) -> Answer | None:
        """What answers it, if it is not to be answered by the rules."""
        with self.has_news:
            self.calls.append(call)
            self.has_news.notify_all()
            for failure in self.failures:
                if failure.name in ("", call.name) and failure.chat_id in ("", chat_id):
                    failure.times -= 1
                    if failure.times <= 0:
                        self.failures.remove(failure)
                    return failure.answer
        return None

    def keep_text(self, account: str, chat_id: object, text: str) -> int:
        """Its number, from 1."""
        with self.has_news:
            self.sent.append(SentText(account, str(chat_id), text, time.monotonic()))
            self.has_news.notify_all()
            return len(self.sent)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    messenger: MessengerServer
    call: Call  # that is being answered

    def setup(self) -> None:
        super().setup()
        with self.messenger.has_news:
            self.messenger.connections += 1

    def read_body(self) -> dict[str, Any]:
        """{} for what is no JSON object under its type: no parameters, as the real ones read it."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get_content_type() != "application/json":
            return {}
        try:
            content = json.loads(body)
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}

    def handle_call(self, call: Call, chat_id: object, rules: Answer) -> None:
        self.call = call
        try:
            (self.messenger.keep_call(call, str(chat_id)) or rules)(self)
        except OSError:
            self.close_connection = True

    def send_json(self, status: int, content: object, **headers: str) -> None:
        """Names of headers with "_" for "-"."""
        self.send_raw(status, json.dumps(content).encode(), "application/json", **headers)

    def send_raw(self, status: int, body: bytes, content_type: str, **headers: str) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


Answer = Callable[[Any], None]  # of a handler


# --- Answers for `fail` ---------------------------------------------------------------------------


def says(status: int, content: object, **headers: str) -> Answer:
    return lambda handler: handler.send_json(status, content, **headers)


def garbage(handler: Handler, status: int = 200) -> None:
    handler.send_raw(status, b"<html>Bad gateway</html>", "text/html")


def error_page(status: int) -> Answer:
    return lambda handler: garbage(handler, status)


def redirect(to: str) -> Answer:
    return lambda handler: handler.send_json(302, {}, Location=to)


def hang_up(handler: Handler) -> None:
    """No byte of an answer."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def silence(handler: Handler) -> None:
    """Until the client leaves, or the server stops."""
    handler.connection.settimeout(0.1)
    while not handler.messenger.stopping.is_set():
        with suppress(TimeoutError):
            if not handler.connection.recv(1):
                break
    handler.close_connection = True


def endless(handler: Handler) -> None:
    """More bytes than anybody wants."""
    handler.send_raw(200, b'{"x": "' + b"x" * 10_000_000, "application/json")


# --- Running it -----------------------------------------------------------------------------------


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 512  # many call at once

    def __init__(self, handler: type[Handler]) -> None:
        self.open_connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open_connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open_connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, *_: Any) -> None:
        """A client that breaks off is what some tests are about."""


@contextmanager
def serving(messenger: MessengerServer, kind: type[Handler]) -> Iterator[None]:
    server = Server(type("Bound", (kind,), {"messenger": messenger}))
    messenger.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        messenger.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
        for connection in list(server.open_connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


def post(url: str, body: bytes, headers: dict[str, str]) -> int:
    """As a messenger calls a webhook. Returns the status, of a refusal too."""
    request = Request(url, data=body, headers=headers, method="POST")
    try:
        with without_proxies.open(request, timeout=WAIT_SECONDS) as answer:
            return int(answer.status)
    except OSError as error:
        if status := getattr(error, "code", None):
            return int(status)
        raise
