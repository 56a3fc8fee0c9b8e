"""A website on loopback for tests of what fetches: paths are functions that answer a request."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Respond = Callable[["Handler"], None]


@dataclass(frozen=True)
class Request:
    path: str
    headers: Message


class Handler(BaseHTTPRequestHandler):
    server: Site
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        self.server.requests.append(Request(self.path, self.headers))
        respond = self.server.pages.get(self.path) or self.server.pages.get("*")
        try:
            if respond is None:
                self.answer("not here", status=404)
            else:
                respond(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has heard enough

    def answer(
        self,
        body: str | bytes = b"",
        status: int = 200,
        content_type: str = "text/html; charset=utf-8",
        **headers: str,
    ) -> None:
        """Names of headers with "_" for "-"."""
        data = body.encode() if isinstance(body, str) else body
        self.send_response_only(status)
        fields = {"Content-Type": content_type, "Content-Length": str(len(data))}
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def log_message(self, *_: object) -> None:
        pass


class Site(ThreadingHTTPServer):
    """`pages`: by path with query, "*" for all others. `requests`: in the order that they came."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, context: ssl.SSLContext | None = None, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.pages: dict[str, Respond] = {}
        self.requests: list[Request] = []
        self.connections = 0
        self.stopping = threading.Event()
        self.scheme = "http"
        if context is not None:
            self.scheme = "https"
            self.socket = context.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}"

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    def page(self, path: str, body: str | bytes = b"", status: int = 200, **headers: str) -> None:
        self.pages[path] = lambda handler: handler.answer(body, status, **headers)

    def handle_error(self, *_: object) -> None:
        pass  # a client that went away, or would not trust us


@contextmanager
def serve_site(context: ssl.SSLContext | None = None, port: int = 0) -> Iterator[Site]:
    site = Site(context, port)
    thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        site.stopping.set()
        site.shutdown()
        site.server_close()
        thread.join()
