"""The product on a port of this process, for tests of clients that bring their own HTTP.

It sees what is committed: tests of it make their rows with `committed_tenant`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


class ProductServer(ThreadedWSGIServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        pass  # a client that has heard enough


@contextmanager
def run_product() -> Iterator[str]:
    """Its address."""
    server = ProductServer(("127.0.0.1", 0), QuietHandler)
    server.set_app(WSGIHandler())
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
