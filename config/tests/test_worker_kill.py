"""`kill -9` of the worker in the middle of a sync: another one does it.

The website is a server of the test, which holds its answer back.
"""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psutil
import pytest

from config.embedded.processes import wait_until
from config.tests.service_copy import Copy, is_running
from config.tests.suite.shared_copy import SYNC_LEASE_SECONDS as LEASE_SECONDS
from config.tests.suite.shared_copy import SharedCopy

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(900)]

PAGE = (
    "<!doctype html><title>Ferries</title><main><h1>Ferries</h1><p>"
    + "The ferry to Cíes island leaves from pier seven at half past ten every morning. " * 8
    + "</p></main>"
)


class SlowSite(ThreadingHTTPServer):
    """One page, which is served when `is_released`."""

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), SlowPage)
        self.is_asked = threading.Event()
        self.is_released = threading.Event()

    def handle_error(self, *_: Any) -> None:
        """A client that was killed does not take its answer."""

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"


class SlowPage(BaseHTTPRequestHandler):
    server: SlowSite

    def do_GET(self) -> None:
        if self.path != "/":
            self.send_error(404)
            return
        self.server.is_asked.set()
        self.server.is_released.wait(120)
        body = PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """The output of the test run is for its results."""


@pytest.fixture(scope="module")
def site(shared_copy: SharedCopy) -> Iterator[SlowSite]:
    with SlowSite(shared_copy.ports["slow_site"]) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.is_released.set()
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def copy(shared_copy: SharedCopy) -> Copy:
    shared_copy.copy.create_tenant("ferries")
    return shared_copy.copy


class Website:
    """A source of a running copy."""

    def __init__(self, service: Copy, url: str) -> None:
        self.service, self.token = service, service.log_in()
        body = {"name": "Ferries", "source_type": "web", "source_url": url}
        answer = service.call("/ingest/sources", json.dumps(body).encode(), self.token)
        self.path = f"/ingest/sources/{answer['source_id']}"

    def sync(self) -> None:
        self.service.call(f"{self.path}/sync", b"", self.token)

    def status(self) -> dict[str, Any]:
        return self.service.get(f"{self.path}/status", self.token)

    def seconds_in_syncing(self) -> float:
        started = time.monotonic()
        assert wait_until(
            lambda: self.status()["sync_status"] != "syncing",
            timeout_seconds=60 + 3 * LEASE_SECONDS,
        )
        return time.monotonic() - started


def workers(service: Copy) -> list[psutil.Process]:
    """The worker of background syncs and its pool processes, in this order."""
    parent = service.find("celery", "ingestion@")
    return [parent, *parent.children(recursive=True)]


def test_a_sync_goes_on_when_its_worker_is_killed(copy: Copy, site: SlowSite):
    website = Website(copy, f"http://{site.host}/")

    # The whole worker: its run is free when the lease ends, and beat tells the next one.
    website.sync()
    assert site.is_asked.wait(60)
    killed = workers(copy)
    for process in killed:
        process.kill()
    site.is_released.set()
    seconds = website.seconds_in_syncing()
    print(f"worker killed: synced after {seconds:.0f} s (lease {LEASE_SECONDS} s)")  # noqa: T201
    assert website.status()["sync_status"] == "synced"

    # A pool process alone: its parent gives the task back, and the sync goes on to its end.
    assert wait_until(lambda: not any(map(is_running, killed)), timeout_seconds=120)
    site.is_released.clear()
    site.is_asked.clear()
    website.sync()
    assert site.is_asked.wait(60)
    for process in workers(copy)[1:]:
        process.kill()
    site.is_released.set()
    seconds = website.seconds_in_syncing()
    print(f"pool killed: synced after {seconds:.0f} s")  # noqa: T201
    assert website.status()["sync_status"] == "synced"
    assert copy.files_that_answer("When does the ferry to Cíes island leave?") != []
