"""The official conformance suite's part for authorization servers, with a scripted person.

    NODE_FOLDER=… python -m bench.system.programs.authorization

It registers as a program does, prints where the person has to go, and waits for the way back.
Needs what conformance.py needs. Prints Markdown.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from bench.service import Service, free_port, running_service
from bench.system.programs.checks import show
from bench.system.programs.conformance import ALPHA, PROGRAM, read_checks
from bench.system.programs.scripted_person import ScriptedPerson


def register(base_url: str, callback: str) -> str:
    """The program's client_id."""
    metadata = {"client_name": "conformance", "redirect_uris": [callback]}
    answer = httpx.post(f"{base_url}/oauth/register", json=metadata)
    return str(answer.raise_for_status().json()["client_id"])


def find_address(process: subprocess.Popen[str], base_url: str) -> str:
    """Where the suite sends its person; empty when it never does."""
    lines: Iterator[str] = iter(process.stdout or ())
    return next((line.strip() for line in lines if line.startswith(base_url)), "")


def run_suite(service: Service, folder: Path) -> dict[str, list[dict[str, Any]]]:
    base_url, port = f"http://127.0.0.1:{service.port}", free_port()
    callback = f"http://127.0.0.1:{port}/callback"
    client_id = register(base_url, callback)
    demo = json.loads((service.data_dir / "demo_credentials.json").read_text())
    as_whom = ("--client-id", client_id, "--resource", f"{base_url}/tenants/me/mcp")
    where = ("--url", base_url, "--port", str(port), "--output-dir", str(folder))
    with (
        ALPHA.start(PROGRAM, "authorization", *where, *as_whom) as process,
        ScriptedPerson(base_url, demo["email"], demo["password"]) as person,
    ):
        if address := find_address(process, base_url):
            httpx.get(callback, params=person.answer(address))
        process.communicate()
    return dict(read_checks(folder))


def main() -> int:
    with running_service() as service, tempfile.TemporaryDirectory() as folder:
        scenarios = run_suite(service, Path(folder))
    print(f"| conformance {ALPHA.version}, authorization | check | result |\n|---|---|---|")
    for scenario, checks in scenarios.items():
        for check in checks:
            why = show(check.get("errorMessage") or "")
            print(f"| {scenario} | {check['id']} | {check['status']} {why} |")
    statuses = [check["status"] for checks in scenarios.values() for check in checks]
    return 0 if statuses and "FAILURE" not in statuses else 1


if __name__ == "__main__":
    sys.exit(main())
