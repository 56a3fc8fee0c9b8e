"""A stand-in for a language model: a real HTTP server that answers as its script says, and keeps
what it was sent."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WAIT_SECONDS = 10  # for what must happen; a test that waits longer has failed


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All that the model would read."""
        return "\n".join(message["content"] for message in self.body["messages"])


@dataclass
class ChatServer:
    """`replies` are used up in turn, the last one again and again."""

    port: int = 0
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    replies: deque[Reply] = field(default_factory=deque)
    was_left: threading.Event = field(default_factory=threading.Event)  # the client broke off

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def says(self, *replies: Reply | str) -> None:
        self.replies = deque(plain(reply) if isinstance(reply, str) else reply for reply in replies)

    def next_reply(self) -> Reply:
        return self.replies.popleft() if len(self.replies) > 1 else self.replies[0]


Reply = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    chat: ChatServer

    def setup(self) -> None:
        super().setup()
        self.chat.connections += 1

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.chat.received.append(Received(self.path, dict(self.headers), json.loads(body)))
        try:
            self.chat.next_reply()(self)
        except OSError:
            self.close_connection = True
            self.chat.was_left.set()

    def begin(self, content_type: str, *, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def send(self, content_type: str, body: bytes, *, status: int = 200, **headers: str) -> None:
        self.begin(content_type, status=status, Content_Length=str(len(body)), **headers)
        self.wfile.write(body)

    def begin_stream(self) -> None:
        self.begin("text/event-stream", Transfer_Encoding="chunked")

    def send_part(self, part: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        self.wfile.flush()

    def end_stream(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        pass


def completion(text: str | None, finish: str = "stop", **over: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, **over}
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }


def plain(text: str | None, finish: str = "stop", **over: Any) -> Reply:
    """JSON, also when a stream was asked for."""
    body = json.dumps(completion(text, finish, **over)).encode()
    return lambda handler: handler.send("application/json", body)


def chunk(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    body = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": dict(delta), "finish_reason": finish}],
    }
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()


def events(pieces: Sequence[str], finish: str = "stop") -> list[bytes]:
    """As OpenAI's server sends them: the role first, the reason last, then what was used."""
    usage = {"object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 7}}
    return [
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"content": piece}) for piece in pieces),
        chunk({}, finish),
        f"data: {json.dumps(usage)}\n\n".encode(),
        b"data: [DONE]\n\n",
    ]


def stream(*pieces: str, finish: str = "stop", seconds_between: float = 0.0) -> Reply:
    return raw_stream(*events(pieces, finish), seconds_between=seconds_between)


def raw_stream(*parts: bytes, seconds_between: float = 0.0) -> Reply:
    def reply(handler: Handler) -> None:
        handler.begin_stream()
        for part in parts:
            handler.send_part(part)
            time.sleep(seconds_between)
        handler.end_stream()

    return reply


def stream_and_break_off(*pieces: str) -> Reply:
    """The connection ends in the middle of the text."""

    def reply(handler: Handler) -> None:
        handler.begin_stream()
        for piece in pieces:
            handler.send_part(chunk({"content": piece}))
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)

    return reply


def stream_and_wait(*pieces: str) -> Reply:
    """Sends `pieces` and then nothing, until the client leaves: a read tells of it."""

    def reply(handler: Handler) -> None:
        handler.begin_stream()
        for piece in pieces:
            handler.send_part(chunk({"content": piece}))
        handler.connection.settimeout(WAIT_SECONDS)
        if handler.rfile.read(1) == b"":
            handler.chat.was_left.set()
        handler.close_connection = True

    return reply


def error(status: int, body: str = "", **headers: str) -> Reply:
    return lambda handler: handler.send("application/json", body.encode(), status=status, **headers)


def hang_up(handler: Handler) -> None:
    """No byte of an answer."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def drip(part: bytes, *, seconds_between: float) -> Reply:
    """The same few bytes again and again, until the client has enough: no read of it ever times
    out."""

    def reply(handler: Handler) -> None:
        handler.begin_stream()
        while True:
            handler.send_part(part)
            time.sleep(seconds_between)

    return reply


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that breaks off is what many tests are about."""


@contextmanager
def serve_chat() -> Iterator[ChatServer]:
    chat = ChatServer()
    server = Server(("127.0.0.1", 0), type("Bound", (Handler,), {"chat": chat}))
    chat.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield chat
    finally:
        with suppress(OSError):
            server.socket.close()
        server.shutdown()
        server.server_close()
        thread.join()
