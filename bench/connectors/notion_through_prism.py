"""Syncs of Notion's stand-in as a table: the first, one with nothing changed, one with 1 % changed.

    python -P -m config.running.launch --scratch var/bench
    python -m bench.connectors.notion_through_prism
    [--pages 2000] [--packages FOLDER]

FOLDER: where `npm install @stoplight/prism-cli@5.16.0 @notionhq/notion-mcp-server@2.5.2` was run.
Each request then goes through Prism, which compares it with the description of its API that Notion
publishes, and refuses what that does not allow.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.test import override_settings

from connectors.notion.connector import NotionConnector
from connectors.tests.providers.notion_blocks import paragraph
from connectors.tests.providers.notion_server import NotionServer
from sources.connectors import remote
from sources.connectors.calling import FixedHeaders
from sources.connectors.interface import Item
from sources.models import Connection, Source
from sources.oauth.tokens import bearer
from sources.tests.connectors.context import FakeRun

PRISM_PORT = 4017
PRISM_START_SECONDS = 60
PUBLISHED = "node_modules/@notionhq/notion-mcp-server/scripts/notion-openapi.json"


def main() -> None:
    options = read_options()
    with NotionServer() as server, way_to(server, options.packages) as url:
        pages = server.fill(options.pages)
        opens = FixedHeaders(bearer(server.authorization.sign_in()["access_token"]))
        hosts = [url.removeprefix("http://")]
        with (
            override_settings(NOTION_API_URL=url, FETCH_ALLOWED_HOSTS=hosts),
            patch.object(remote, "SignedIn", lambda connection, provider: opens),
        ):
            run = sync(server, "first", FakeRun())
            run = sync(server, "nothing changed", run)
            for page in pages[::100]:
                server.workspace.write(page, paragraph("Keep the door open from now on."))
            sync(server, "1 % changed", run)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--packages", type=Path)
    return parser.parse_args()


def sync(server: NotionServer, name: str, run: FakeRun) -> FakeRun:
    """Prints its row: seconds, requests, and how many items of each kind came."""
    server.calls.clear()
    account = Connection(tenant_id=uuid.uuid4(), provider="notes_app")
    source = Source(source_type="notes_app", connection=account)
    began = time.monotonic()
    items: list[Item] = list(NotionConnector().read(source, run))
    seconds = time.monotonic() - began
    kinds = dict(Counter(type(item).__name__ for item in items))
    print(f"| {name} | {seconds:.1f} s | {len(server.calls)} requests | {kinds} |")
    return run.next(items)


@contextmanager
def way_to(server: NotionServer, packages: Path | None) -> Iterator[str]:
    """The address to call: the server's own, or that of a Prism in front of it."""
    if packages is None:
        yield server.url
        return
    with TemporaryDirectory() as folder:
        description = Path(folder, "notion.json")
        description.write_text(json.dumps(with_sorts_by_time(packages / PUBLISHED)))
        prism = subprocess.Popen(
            [
                str(packages / "node_modules/.bin/prism"),
                *("proxy", str(description), server.url, "--errors", "--port", str(PRISM_PORT)),
            ],
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for_port(PRISM_PORT)
            yield f"http://127.0.0.1:{PRISM_PORT}"
        finally:
            prism.terminate()
            prism.wait()


def with_sorts_by_time(published: Path) -> object:
    """What Notion publishes for programs leaves out a sort that its reference has
    (developers.notion.com/reference/sort-data-source-entries, read 2026-11-22)."""
    description = json.loads(published.read_text())
    sort = description["components"]["schemas"]["sortObject"]
    sort["required"] = ["direction"]
    sort["properties"]["timestamp"] = {"enum": ["created_time", "last_edited_time"]}
    return description


def wait_for_port(port: int) -> None:
    gives_up_at = time.monotonic() + PRISM_START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > gives_up_at:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    main()
