"""What the stand-ins of all providers are made of: a server that answers by its rules, or as a test
says, and keeps what it was asked."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True)
class Call:
    """A request as it came. `path` is decoded; `query` and `form` have the last value of a name;
    names of `headers` are in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    at: float  # time.monotonic()

    @property
    def bearer(self) -> str:
        kind, _, token = self.headers.get("authorization", "").partition(" ")
        return token if kind.lower() == "bearer" else ""

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))

    @property
    def json(self) -> Any:
        """Raises ValueError."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """`cut_after`: so many bytes of the body are sent, then the line breaks. `after_seconds`: the
    server thinks first."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_after: int | None = None
    after_seconds: float = 0.0


def json_reply(content: object, status: int = 200, **headers: str) -> Reply:
    """Names of headers with "_" for "-"."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named = {"Content-Type": "application/json; charset=utf-8", **named}
    return Reply(status, json.dumps(content, ensure_ascii=False).encode(), named)


Answer = Callable[[Call], Reply]


@dataclass
class Fault:
    """Answers the next `times` calls whose "METHOD /path" matches, in place of the rules. `after`:
    so many of them are answered by the rules first."""

    pattern: re.Pattern[str]
    reply: Reply | Callable[[Call, Answer], Reply]
    times: float
    after: int


class ProviderServer:
    """Derive from it and write `answer`. `calls`: every one in its order. Thread-safe; `lock` also
    guards what a derived server holds.

    Used with `with`: `start` and `stop`. `stop` and a later `start` are a provider that is down for
    a while: its port stays the same.
    """

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.calls: list[Call] = []
        self.lock = threading.RLock()
        self._faults: list[Fault] = []
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def answer(self, call: Call) -> Reply:
        raise NotImplementedError

    @property
    def host(self) -> str:
        """As FETCH_ALLOWED_HOSTS wants it."""
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        server = _Server(("127.0.0.1", self.port), type("Bound", (_Handler,), {"provider": self}))
        self.port = server.server_port
        self._server = server
        self._thread = threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._server.server_close()
        self._server.break_lines()
        self._thread.join()
        self._server = None

    @contextmanager
    def down(self) -> Iterator[None]:
        self.stop()
        try:
            yield
        finally:
            self.start()

    def fail(
        self,
        pattern: str,
        reply: Reply | Callable[[Call, Answer], Reply],
        *,
        times: float = 1,
        after: int = 0,
    ) -> None:
        """`pattern`: a regular expression for "METHOD /path". `reply`: or a function that is also
        given the rules, to spoil what they answer."""
        with self.lock:
            self._faults.append(Fault(re.compile(pattern), reply, times, after))

    def recover(self) -> None:
        with self.lock:
            self._faults.clear()

    def calls_to(self, pattern: str) -> list[Call]:
        with self.lock:
            return [call for call in self.calls if re.search(pattern, f"{call.method} {call.path}")]

    def reply_to(self, call: Call) -> Reply:
        with self.lock:
            self.calls.append(call)
            fault = self._take_fault(f"{call.method} {call.path}")
        if fault is None:
            return self.answer(call)
        return fault.reply if isinstance(fault.reply, Reply) else fault.reply(call, self.answer)

    def _take_fault(self, line: str) -> Fault | None:
        for fault in self._faults:
            if not fault.pattern.search(line):
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            fault.times -= 1
            if fault.times <= 0:
                self._faults.remove(fault)
            return fault
        return None


def cut_in_half(call: Call, answer: Answer) -> Reply:
    """For `fail`: what the rules answer, and the line breaks in the middle of it."""
    whole = answer(call)
    return Reply(whole.status, whole.body, whole.headers, cut_after=len(whole.body) // 2)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    timeout = 60
    provider: ProviderServer

    def handle_any(self) -> None:
        parts = urlsplit(self.path)
        call = Call(
            self.command,
            unquote(parts.path),
            dict(parse_qsl(parts.query, keep_blank_values=True)),
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(int(self.headers.get("Content-Length") or 0)),
            time.monotonic(),
        )
        try:
            self.send(self.provider.reply_to(call))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = handle_any

    def send(self, reply: Reply) -> None:
        time.sleep(reply.after_seconds)
        self.send_response_only(reply.status)
        for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        body = b"" if self.command == "HEAD" else reply.body
        self.wfile.write(body[: reply.cut_after])
        self.wfile.flush()
        if reply.cut_after is not None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, *args: Any) -> None:
        self.lines: set[socket.socket] = set()
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.lines.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.lines.discard(request)
        super().shutdown_request(request)

    def break_lines(self) -> None:
        for line in list(self.lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def handle_error(self, *_: Any) -> None:
        """A client that breaks off is what some tests are about."""
