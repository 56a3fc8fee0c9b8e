"""Whether Microsoft's own client of Graph (@microsoft/microsoft-graph-client, npm) can read our
stand-in, and finds what is there: a server of Graph is not to be had.

    python -P -m config.running.launch --scratch var/bench
    python -m bench.connectors.graph_client.measure
    [--folder var/graph-client]

Node 20 and npm are needed. Ends with an error where the two differ.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from connectors.tests.providers.microsoft_drives import Drive, Kind
from connectors.tests.providers.microsoft_server import MicrosoftServer, throttled

HERE = Path(__file__).parent
FILES = 2_000
CLIENT_SECONDS = 120.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("var/graph-client"))
    folder: Path = parser.parse_args().folder
    install_client(folder)
    with MicrosoftServer() as server:
        server.drive.fill(FILES)
        server.add_site("Harbour", "Documents")
        token = server.authorization.sign_in()["access_token"]
        server.fail("GET .*/delta", throttled(1), after=3)
        found = read_with_client(folder, server.url, token)
        check(found, server.drive)
        print(f"{len(found['files'])} files in {len(server.calls)} requests, as there are.")


def install_client(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "read.js"):
        shutil.copy(HERE / name, folder / name)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=folder, check=True)


def read_with_client(folder: Path, address: str, token: str) -> dict[str, Any]:
    command = ["node", "read.js", address, token]
    ended = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, timeout=CLIENT_SECONDS
    )
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def check(found: Mapping[str, Any], drive: Drive) -> None:
    """Raises SystemExit where the client found something else than there is."""
    files = [item for item in drive.items.values() if item.kind is Kind.FILE]
    first_id = found["first"][0]
    expected = {
        "account": "ana@company.example",
        "files": sorted(item.id for item in files),
        "again": 0,
        "first": [first_id, drive.items[first_id].content.decode()],
        "sites": ["Harbour"],
        "unknown": [404, "itemNotFound"],
        "old": [410, "resyncRequired"],
    }
    different = [name for name, value in expected.items() if found[name] != value]
    if different:
        raise SystemExit(f"Not as it is there: {', '.join(different)}")


if __name__ == "__main__":
    main()
