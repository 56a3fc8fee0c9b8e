"""What we ship: every pin has hashes, and what is known of it is found."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from bench.supply import advisories
from bench.supply.advisories import Advisory, find_known, read_advisories, refresh
from bench.supply.bill import HASH, make_bill
from bench.supply.licences import list_refused
from bench.supply.locking import FOLDER, ROOT, read_pins

pytestmark = pytest.mark.slow

VALKEY = {"name": "valkey-server", "version": "9.1.2"}


def pins_of(path: Path) -> dict[str, str]:
    text = re.sub(r"\[[a-z,-]+\]", "", path.read_text())
    return {pin.name: pin.version for pin in read_pins(text)}


# --- Locks ----------------------------------------------------------------------------------------


def test_what_is_installed_is_what_is_pinned() -> None:
    locked = pins_of(FOLDER / "runtime.txt") | pins_of(FOLDER / "dev.txt")
    locked |= {"torch": pins_of(FOLDER / "torch-cpu.txt")["torch"].removesuffix("+cpu")}

    assert locked == pins_of(ROOT / "constraints.txt")
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-model.txt"):
        assert pins_of(ROOT / name).items() <= locked.items(), name
    assert pins_of(FOLDER / "torch-cuda.txt")["torch"] == locked["torch"]


def test_every_pin_has_a_hash() -> None:
    for file in sorted(FOLDER.iterdir()):
        for pin in read_pins(file.read_text()):
            assert HASH.search(pin.text), pin.name


def test_nothing_is_installed_without_its_hash() -> None:
    script = (ROOT / "bin/_venv.sh").read_text()
    lines = [line for line in script.splitlines() if " pip install" in line]

    assert len(lines) == 2  # pip's, and uv's
    assert all('"${by_hash[@]}"' in line for line in lines)
    assert 'by_hash=(--no-deps --require-hashes --only-binary ":all:")' in script


# --- The bill -------------------------------------------------------------------------------------


def test_the_bill_is_cyclonedx_and_whole() -> None:
    bill = make_bill()

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill)) is None
    versions = {one["name"]: one["version"] for one in bill["components"]}
    assert pins_of(FOLDER / "runtime.txt").items() <= versions.items()
    assert versions.keys() >= {
        "postgresql",
        "postgresql-pgvector",
        "valkey-server",
        "htmx",
        "multilingual-e5-small",
    }
    assert list_refused(bill["components"]) == []


@pytest.mark.parametrize(
    "licence", ["GPL-3.0-only", "GNU General Public License v2 (GPLv2)", "AGPL-3.0", "SSPL-1.0"]
)
def test_a_licence_that_reaches_our_code_is_refused(licence: str) -> None:
    component = {"name": "new", "licenses": [{"license": {"name": licence}}]}

    assert len(list_refused([component])) == 1


def test_so_is_a_library_within_a_wheel() -> None:
    assert list_refused([{"name": "new/libx264"}]) == ["new/libx264: GPL"]
    assert list_refused([{"name": "new", "licenses": [{"license": {"name": "LGPL-3.0"}}]}]) == []


# --- Advisories -----------------------------------------------------------------------------------


def test_nothing_severe_that_is_known_is_unhandled() -> None:
    _, known = read_advisories()

    assert len({one.id for one in known}) == len(known)
    stopping = [str(one) for one in find_known(make_bill()["components"], known) if one.stops]
    assert stopping == []


def test_an_older_version_is_found_and_stops() -> None:
    _, known = read_advisories()
    old = VALKEY | {"version": "6.2.14"}

    stopping = {one.advisory.id for one in find_known([old], known) if one.stops}

    assert stopping >= {"CVE-2025-49844", "CVE-2026-21863"}
    assert not {one.advisory.id for one in find_known([VALKEY], known)} & stopping


def test_what_is_handled_or_mild_does_not_stop() -> None:
    severe = Advisory("X", "valkey-server", "<10", "high", "", "")

    for known, stops in (
        (severe, True),
        (replace(severe, handled="it is off"), False),
        (replace(severe, severity="low"), False),
    ):
        (found,) = find_known([VALKEY], [known])
        assert found.stops == stops


class Osv(BaseHTTPRequestHandler):
    """Knows one thing, of Django."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["queries"]
        self.say(
            {
                "results": [
                    {"vulns": [{"id": "GHSA-1"}]} if one["package"]["name"] == "django" else {}
                    for one in asked
                ]
            }
        )

    def do_GET(self) -> None:
        self.say({"summary": "It breaks.", "database_specific": {"severity": "MODERATE"}})

    def say(self, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def osv() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Osv) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "advisories.json"
    path.write_text(advisories.FILE.read_text())
    monkeypatch.setattr(advisories, "FILE", path)
    return path


def test_what_osv_knows_is_added_once(osv: str, copy: Path) -> None:
    _, before = read_advisories()

    assert [refresh(osv), refresh(osv)] == [1, 0]

    _, after = read_advisories()
    (new,) = [one for one in after if one not in before]
    assert (new.id, new.component, new.severity) == ("GHSA-1", "django", "medium")


def test_without_a_network_nothing_is_lost(copy: Path) -> None:
    before = copy.read_bytes()

    with pytest.raises(requests.RequestException):
        refresh("http://127.0.0.1:1")

    assert copy.read_bytes() == before
