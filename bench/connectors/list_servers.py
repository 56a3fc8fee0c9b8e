"""Runs the connector of JSON lists against servers that others wrote:

    python -P -m bench.connectors.list_servers [--json-server FOLDER …] [--documents 2000]

json-server 0.17 (npm) pages by Link header and by number, and gives each page an ETag; 1.0 names
the number of the next page, tells no versions, and gives its last page for every higher number.
Django REST framework pages by number and by offset, and names the next page's address. A FOLDER
holds node_modules with json-server@0.17.4 or json-server@1.0.0-beta.3. Prints a Markdown table:
"again" is a sync before which nothing, "changed" one before which one item changed.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings

from config.http import FetchError, HttpClient, fetch
from connectors.json_api.connector import JsonApiConnector
from connectors.json_api.fields import FIELDS, read_endpoint, read_shape
from connectors.json_api.listing import ItemList
from connectors.json_api.records import read_body
from sources.connectors.calling import Api, FixedHeaders
from sources.connectors.interface import Item
from sources.connectors.remote import read_documents
from sources.tests.connectors.context import FakeRun

PORT = 18_473
START_SECONDS = 20
ITEM = {"id": "/id", "title": "/title", "body": "/body"}
NEXT = {"items": "/results", "paging": "next", "next": "/next"}
# Name, address below the server's own, and what somebody would type.
JSON_SERVER_0 = (
    ("json-server 0.17, Link header", "/articles?_page=1&_limit=100", {"paging": "link"}),
    (
        "json-server 0.17, page number",
        "/articles?_limit=100",
        {"paging": "page", "parameter": "_page"},
    ),
    (
        "json-server 0.17, offset",
        "/articles?_limit=100&_start=0",
        {"paging": "offset", "parameter": "_start"},
    ),
)
JSON_SERVER_1 = (
    (
        "json-server 1.0, next page as a cursor",
        "/articles?_per_page=100&_page=1",
        {"items": "/data", "paging": "cursor", "next": "/next", "parameter": "_page"},
    ),
    (
        "json-server 1.0, page number",
        "/articles?_per_page=100&_page=1",
        {"items": "/data", "paging": "page", "parameter": "_page"},
    ),
)
REST_FRAMEWORK = (
    ("Django REST framework, next page number", "/pages/", NEXT),
    ("Django REST framework, next offset", "/offsets/", NEXT),
    ("Django REST framework, page number", "/pages/", {"items": "/results", "paging": "page"}),
    ("Django REST framework, offset", "/offsets/", {"items": "/results", "paging": "offset"}),
)


@dataclass(frozen=True)
class Round:
    """`answers`: how many of each status."""

    seconds: float
    answers: Counter[int]
    items: list[Item]

    @property
    def kinds(self) -> Counter[str]:
        return Counter(type(item).__name__ for item in self.items)

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kinds.items()))
        answers = ", ".join(f"{count} × {status}" for status, count in sorted(self.answers.items()))
        return f"{self.seconds:.1f} s; {answers}; {kinds}"


class TallyingApi(Api):
    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__("the server", FixedHeaders(headers))
        self.answers = Counter[int]()

    def call(self, *arguments: Any, **named: Any) -> Any:
        answer = super().call(*arguments, **named)
        self.answers[answer.status] += 1
        return answer


def read_list(fields: Mapping[str, str], run: FakeRun) -> Round:
    """As JsonApiConnector.read does, without a source."""
    endpoint, shape = read_endpoint(fields), read_shape(fields)
    started = time.perf_counter()
    with TallyingApi(endpoint.headers) as api:
        listing = ItemList(api, endpoint, shape, run)
        items = list(
            read_documents(listing.documents(), run, partial(read_body, shape=shape), at_once=1)
        )
    run.keep_cursor(listing.for_next_sync())
    if listing.cut:
        raise RuntimeError(listing.cut.reason)
    return Round(time.perf_counter() - started, api.answers, items)


def measure(name: str, path: str, typed: Mapping[str, str], change: Any) -> str:
    url = f"http://127.0.0.1:{PORT}{path}"
    fields = {field.name: "" for field in FIELDS} | ITEM | {"url": url, **typed}
    checked = JsonApiConnector().check_connection(fields)
    if len(checked.passages) != 3:
        raise RuntimeError(f"{name}: {checked}")
    run = FakeRun()
    first = read_list(fields, run)
    run = run.next(first.items)
    again = read_list(fields, run)
    run = run.next(again.items)
    change(7)
    return f"| {name} | {first} | {again} | {read_list(fields, run)} |"


@contextmanager
def running(command: list[str], path: str) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        gives_up_at = time.monotonic() + START_SECONDS
        while not is_up(path):
            if process.poll() is not None or time.monotonic() > gives_up_at:
                raise RuntimeError(f"{command[0]} does not start")
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()


def is_up(path: str) -> bool:
    try:
        url = f"http://127.0.0.1:{PORT}{path}"
        return fetch(url, max_bytes=10**8, deadline_seconds=5).status == 200
    except FetchError:
        return False


def article(number: int) -> dict[str, Any]:
    body = f"Spare part {number} arrives in {number % 9 + 1} days."
    return {"id": number, "title": f"Article {number}", "body": body}


def change_article(number: int) -> None:
    url = f"http://127.0.0.1:{PORT}/articles/{number}"
    body = f"Spare part {number} is version {time.monotonic_ns()}."
    with HttpClient() as client:
        client.send("PATCH", url, json={"body": body}, max_bytes=10_000, deadline_seconds=5)


def try_json_server(folder: Path, documents: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as kept:
        file = Path(kept) / "articles.json"
        articles = [article(number) for number in range(1, documents + 1)]
        file.write_text(json.dumps({"articles": articles}))
        program = folder / "node_modules/.bin/json-server"
        package = json.loads((folder / "node_modules/json-server/package.json").read_text())
        is_old = package["version"].startswith("0.")
        options = ["--port", str(PORT), "--host", "127.0.0.1"]
        with running([str(program), *options, str(file)], "/articles/1"):
            for name, path, typed in JSON_SERVER_0 if is_old else JSON_SERVER_1:
                yield measure(name, path, typed, change_article)


def try_rest_framework(documents: int) -> Iterator[str]:
    program = Path(__file__).with_name("rest_framework_lists.py")
    with running([sys.executable, str(program), str(PORT), str(documents)], "/pages/"):
        for name, path, typed in REST_FRAMEWORK:
            yield measure(
                name,
                path,
                typed,
                lambda number: fetch(
                    f"http://127.0.0.1:{PORT}/change/{number}/", max_bytes=99, deadline_seconds=5
                ),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json-server", type=Path, action="append", default=[])
    parser.add_argument("--documents", type=int, default=2000)
    options = parser.parse_args()
    settings.FETCH_ALLOWED_HOSTS = [f"127.0.0.1:{PORT}"]
    rows = ["| server, paging | first sync | again | changed |", "|---|---|---|---|"]
    for folder in options.json_server:
        rows += try_json_server(folder, options.documents)
    rows += try_rest_framework(options.documents)
    print("\n".join(rows))


if __name__ == "__main__":
    main()
