"""The OData connector against services of others: SAP's CAP server (@sap/cds, npm) with its own
sample shop and with 2,000 records, and odatapy (PyPI), which has delta links.

    python -P -m config.running.launch --scratch var/bench python -m bench.connectors.odata_cap
    [--folder var/odata] [--report bench/results/odata-cap.md]

Node 20, npm, and what both download (200 MB) are needed. Nothing is indexed: what is counted is
what the connector asks for and what it tells.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.conf import settings

from config.http import FetchedPage
from sources.connectors.calling import Api
from sources.connectors.odata.account import address_of, authorization_of, host_label
from sources.connectors.odata.connector import ODataConnector, describe, read_sets
from sources.connectors.odata.service import ODataService
from sources.errors import ConnectionRefused
from sources.tests.connectors.context import FakeRun

SERVERS = Path(__file__).parent / "odata_servers"
RECORDS = 2_000
CHANGED = range(100, 120)  # 1 %
START_SECONDS = 60.0
TRIED_BY_HAND = (
    "Tried by hand, November 2026: simple-odata-server 1.2.2 and @sap-ux/fe-mockserver-core 1.7.16"
    " (npm) are read likewise. The first counts as JSON and not as text, so nobody sees how much it"
    " will be. odata-v4-server 0.2.13 (npm) is a library for writing a service, without one."
)
USER, PASSWORD = "reader", "a secret"


@dataclass(frozen=True)
class SyncFigures:
    what: str
    seconds: float
    requests: int
    told: Counter[str]


@dataclass
class OtherService:
    """`fields`: as somebody would type them."""

    fields: dict[str, str]

    def write(self, method: str, path: str, content: object = None) -> None:
        """As somebody's own program does."""
        pair = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        request = Request(  # noqa: S310 - loopback
            f"{self.fields['service_url']}/{path}",
            data=None if content is None else json.dumps(content).encode(),
            headers={"Authorization": f"Basic {pair}", "Content-Type": "application/json"},
            method=method,
        )
        with urlopen(request, timeout=30) as answer:  # noqa: S310
            answer.read()


# --- Their servers --------------------------------------------------------------------------------


def run(*command: str, folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def install_cap(folder: Path) -> Path:
    """SAP's own sample (`cds init --add tiny-sample`), and a service of ours beside it."""
    shop = folder / "shop"
    shutil.rmtree(shop, ignore_errors=True)
    (folder / "npm").mkdir(parents=True, exist_ok=True)
    shutil.copy(SERVERS / "package.json", folder / "npm")
    run("npm", "install", "--no-audit", "--no-fund", folder=folder / "npm")
    if not list((folder / "npm/node_modules/better-sqlite3/build/Release").glob("*.node")):
        run("npm", "rebuild", "better-sqlite3", folder=folder / "npm")
    run("npm/node_modules/.bin/cds", "init", "shop", "--add", "tiny-sample", folder=folder)
    shutil.copy(SERVERS / "package.json", shop)
    shutil.copy(SERVERS / "stock-service.cds", shop / "srv")
    (shop / "node_modules").symlink_to(folder / "npm/node_modules")
    numbers = range(1, RECORDS + 1)
    lines = [f"{each};Article {each};{each}.50;{each % 7};2026-01-01T10:00:00Z" for each in numbers]
    lines[-1] = lines[-1].replace("01-01", "02-01")  # the last one's date is where changes begin
    table = "\n".join(["ID;name;price;stock;modifiedAt", *lines])
    (shop / "db/data/StockService.Articles.csv").write_text(table)
    return shop


def install_odatapy(folder: Path) -> Path:
    """The interpreter of an environment of its own."""
    python = folder / "python/bin/python"
    if not python.exists():
        run(sys.executable, "-m", "venv", str(folder / "python"), folder=folder)
        run(str(python), "-m", "pip", "install", "-q", "odatapy==5.3.0", folder=folder)
    return python


@contextmanager
def serving(command: Sequence[str], *, port: int, folder: Path) -> Iterator[None]:
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
        try:
            wait_for(port)
            yield
        finally:
            server.terminate()
            server.wait()


def wait_for(port: int) -> None:
    gives_up_at = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > gives_up_at:
                raise
            time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# --- Our connector --------------------------------------------------------------------------------


class ODataCountingApi(Api):
    calls = 0

    def _insist(self, send: Callable[[Mapping[str, str]], FetchedPage]) -> FetchedPage:
        self.calls += 1
        return super()._insist(send)


def sync(
    service: OtherService, chosen: str, run: FakeRun, *, what: str
) -> tuple[SyncFigures, FakeRun]:
    """A sync without what comes after the connector; and the run after it."""
    fields = service.fields
    began = time.monotonic()
    with ODataCountingApi(host_label(fields), authorization_of(fields)) as api:
        own = ODataService(api, address_of(fields))
        selection = {"chosen": [{"id": chosen, "name": chosen}]}
        items = list(read_sets(own, run, sets=describe(own), selection=selection))
    told = Counter(type(item).__name__ for item in items)
    return SyncFigures(what, time.monotonic() - began, api.calls, told), run.next(items)


def fields_of(url: str) -> dict[str, str]:
    given = {"service_url": url, "sign_in": "basic", "username": USER, "password": PASSWORD}
    return {each.name: given.get(each.name, "") for each in ODataConnector.connection_fields}


def follow_changes(service: OtherService, chosen: str, *, changed: str) -> list[SyncFigures]:
    """First, again, with 1 % changed, with one gone. `changed`: the property that is."""
    first, after = sync(service, chosen, FakeRun(), what="first reading")
    again, after = sync(service, chosen, after, what="nothing changed")
    for number in CHANGED:
        service.write("PATCH", f"{chosen}({number})", {changed: f"Changed {number}"})
    edited, after = sync(service, chosen, after, what="1 % changed")
    service.write("DELETE", f"{chosen}(7)")
    gone, _ = sync(service, chosen, after, what="one deleted")
    return [first, again, edited, gone]


def read_cap(folder: Path) -> list[tuple[str, list[SyncFigures], list[str]]]:
    shop, port = install_cap(folder), free_port()
    settings.FETCH_ALLOWED_HOSTS = [f"127.0.0.1:{port}"]
    base = f"http://127.0.0.1:{port}/odata/v4"
    command = ["node_modules/.bin/cds-serve", "--port", str(port)]
    with serving(command, port=port, folder=shop):
        sample = OtherService(fields_of(f"{base}/catalog"))
        found = ODataConnector().check_connection({**sample.fields, "entity_sets": "Books"})
        try:
            ODataConnector().check_connection({**sample.fields, "password": "wrong"})
            refused = "a wrong password was accepted"
        except ConnectionRefused as error:
            refused = f"a wrong password is refused at `{error.field}`"
        books, _ = sync(sample, "Books", FakeRun(), what="first reading")
        stock = OtherService(fields_of(f"{base}/stock"))
        stock.write("POST", "Places", {"store": "O'B/1", "shelf": 2, "text": "Left of the door"})
        places, _ = sync(stock, "Places", FakeRun(), what="compound key with a quote and a slash")
        rows = follow_changes(stock, "Articles", changed="name")
    notes = [f"check: {found.account.label.partition(' at ')[0]}, {found.amount}, {refused}"]
    return [
        ("CAP's tiny-sample, `Books`", [books], [*notes, *map(repr, found.passages)]),
        ("CAP, `Places`", [places], []),
        (f"CAP, {RECORDS:,} `Articles` in pages of 100, by `modifiedAt`", rows, []),
    ]


def read_odatapy(folder: Path) -> list[tuple[str, list[SyncFigures], list[str]]]:
    python, port = install_odatapy(folder), free_port()
    settings.FETCH_ALLOWED_HOSTS = [f"127.0.0.1:{port}"]
    script = str((SERVERS / "delta_service.py").resolve())
    with serving([str(python), script, str(port), str(RECORDS)], port=port, folder=folder):
        service = OtherService(fields_of(f"http://127.0.0.1:{port}"))
        rows = follow_changes(service, "Products", changed="Name")
    return [(f"odatapy 5.3.0, {RECORDS:,} `Products`, by delta links", rows, [])]


# --- The report -----------------------------------------------------------------------------------


def write_report(sections: list[tuple[str, list[SyncFigures], list[str]]], path: Path) -> None:
    lines = [
        "# The OData connector against services of others",
        "",
        "Written by `bench/connectors/odata_cap.py`: @sap/cds 9.9.3 (npm, node 20) with its"
        " tiny-sample, and odatapy 5.3.0 (PyPI).",
        "",
        "| service | sync | seconds | requests | read | unchanged | failed |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, rows, _ in sections:
        for row in rows:
            told = (row.told[kind] for kind in ("ReadDocument", "Unchanged", "Failed"))
            figures = " | ".join(str(count) for count in told)
            lines.append(
                f"| {title} | {row.what} | {row.seconds:.2f} | {row.requests} | {figures} |"
            )
    for title, _, notes in sections:
        lines += ["", f"{title}:", "", *(f"- {note}" for note in notes)] if notes else []
    lines += ["", TRIED_BY_HAND]
    path.write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path("var/odata"))
    parser.add_argument("--report", type=Path, default=Path("bench/results/odata-cap.md"))
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    write_report([*read_cap(folder), *read_odatapy(folder)], options.report)


if __name__ == "__main__":
    main()
