"""Serves a website of the evaluation data on loopback, and has it crawled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from django.test.utils import override_settings

from accounts.models import Tenant
from config.errors import ServiceError
from sources.models import Source
from sources.syncing.runs import begin_run
from sources.syncing.sync import sync_to_end

PLACEHOLDER = b"__BASE__"  # stands for the site's address in its pages, robots.txt and sitemap


class SiteHandler(SimpleHTTPRequestHandler):
    """Files of a folder, with the placeholder replaced."""

    server: ThreadingHTTPServer

    def send_head(self) -> BytesIO | BinaryIO | None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return None
        address = f"http://127.0.0.1:{self.server.server_port}".encode()
        body = path.read_bytes().replace(PLACEHOLDER, address)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return BytesIO(body)

    def log_message(self, *_: Any) -> None:
        """Silent: the command shows a progress bar."""


@contextmanager
def serve_site(folder: Path) -> Iterator[str]:
    """Its address, which may be fetched meanwhile although it is private."""
    handler = partial(SiteHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        host = f"127.0.0.1:{server.server_port}"
        try:
            with override_settings(FETCH_ALLOWED_HOSTS=[host]):
                yield f"http://{host}/"
        finally:
            server.shutdown()
            thread.join()


def index_site(tenant: Tenant, folder: Path) -> int:
    """The number of passages. Raises ServiceError when the site cannot be crawled."""
    with serve_site(folder) as address:
        source = Source.objects.for_tenant(tenant).create(
            name="website", source_type="web", source_url=address
        )
        run_id = begin_run(tenant, source.pk)
        if run_id is None:
            raise RuntimeError("a new source is locked")
        sync_to_end(tenant, source.pk, run_id=run_id)
    source.refresh_from_db()
    if source.error_message:
        raise ServiceError(source.error_message)
    return source.chunks_count
