"""A proxy of loopback for programs that cannot send a token: it adds one, and changes nothing else.

Host and Origin go through as they came, since the suite forges both; so do answers that arrive
piece by piece. Every connection carries one request.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SILENCE_SECONDS = 120
PIECE_BYTES = 65_536
OF_THE_CONNECTION = {"connection", "keep-alive", "transfer-encoding"}


class AuthorizingHandler(BaseHTTPRequestHandler):
    def __init__(self, *arguments: Any, port: int, token: str) -> None:
        self.port, self.token = port, token
        super().__init__(*arguments)

    def forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        upstream = HTTPConnection("127.0.0.1", self.port, timeout=SILENCE_SECONDS)
        try:
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in OF_THE_CONNECTION:
                    upstream.putheader(name, value)
            if "Authorization" not in self.headers:
                upstream.putheader("Authorization", f"Bearer {self.token}")
            upstream.endheaders(body or None)
            self.give_back(upstream.getresponse())
        finally:
            upstream.close()

    def give_back(self, response: HTTPResponse) -> None:
        """A client that left ends the upstream connection as well."""
        self.send_response_only(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in OF_THE_CONNECTION:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):
            while piece := response.read1(PIECE_BYTES):
                self.wfile.write(piece)

    do_GET = do_POST = do_DELETE = do_OPTIONS = forward

    def log_message(self, *_: Any) -> None:
        """The output is for the results."""


class AuthorizingServer(ThreadingHTTPServer):
    daemon_threads = True


@contextmanager
def authorizing_proxy(port: int, token: str) -> Iterator[int]:
    """To the service at `port` of loopback; yields the proxy's own port."""
    handler = partial(AuthorizingHandler, port=port, token=token)
    with AuthorizingServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()
