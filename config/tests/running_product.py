"""The product on a port of this process, by Django's threaded server: tests set what it does
without starting it anew, and see what it was asked.

It sees what is committed: tests of it make their rows with `committed_tenant`.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler

Environ = dict[str, Any]
StartResponse = Callable[..., Any]


@dataclass(frozen=True)
class Exchange:
    """A request and how it was answered. `headers`: of the answer, names in lower case."""

    method: str
    path: str
    origin: str
    status: int
    headers: Mapping[str, str]


class Handler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadedWSGIServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.lines: list[socket.socket] = []

    def process_request(self, request: Any, client_address: Any) -> None:
        self.lines.append(request)
        super().process_request(request, client_address)

    def hang_up(self) -> None:
        """Browsers keep their connections, and would go on asking over them."""
        for line in self.lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def handle_error(self, *_: object) -> None:
        pass  # browsers leave when they have heard enough


@dataclass
class Product:
    """`breaks_after`: an answer that has sent these bytes ends there, without its end."""

    port: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    breaks_after: bytes = b""
    handler: WSGIHandler = field(default_factory=WSGIHandler)
    server: Server | None = None
    thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """On the port that it had."""
        self.server = Server(self.port)
        self.server.set_app(self.answer)
        self.port = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, args=[0.01])
        self.thread.start()

    def stop(self) -> None:
        """Connections are refused from now on."""
        if self.server is None or self.thread is None:
            return
        self.server.shutdown()
        self.server.server_close()
        self.server.hang_up()
        self.thread.join()
        self.server = self.thread = None

    def forget(self) -> None:
        """Between tests: it runs, and nobody asked it anything."""
        self.exchanges.clear()
        self.breaks_after = b""
        if self.server is None:
            self.start()

    def asked(self, ending: str, method: str = "POST") -> list[Exchange]:
        """What was asked of a path with this ending."""
        return [
            exchange
            for exchange in self.exchanges
            if exchange.path.endswith(ending) and exchange.method == method
        ]

    def answer(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            self.note(environ, status, headers)
            return start_response(status, headers, *more)

        parts = self.handler(environ, start)
        return self.break_off(parts) if self.breaks_after else parts

    def note(self, environ: Environ, status: str, headers: list[tuple[str, str]]) -> None:
        exchange = Exchange(
            environ["REQUEST_METHOD"],
            environ["PATH_INFO"],
            environ.get("HTTP_ORIGIN", ""),
            int(status.split()[0]),
            {name.lower(): value for name, value in headers},
        )
        self.exchanges.append(exchange)

    def break_off(self, parts: Any) -> Iterator[bytes]:
        with closing(parts):
            for part in parts:
                yield part
                if self.breaks_after in part:
                    return
