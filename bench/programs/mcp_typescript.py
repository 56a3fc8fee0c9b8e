"""The official TypeScript clients against a copy of the service: runs mcp_typescript.mjs.

    npm install @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/sdk@1.32.2 node@22
    NODE_FOLDER=… python -m bench.programs.mcp_typescript

The current client in both eras and the older one, each by token and by OAuth; last by a token with
few requests a minute. Prints Markdown; exits with 1 when a check fails.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.programs.checks import Check, show
from bench.programs.node import NODE, NODE_FOLDER, PROGRAM_SECONDS, Package
from bench.programs.stage import Stage, open_stage
from bench.service import manage

SCRIPT = Path(__file__).with_name("mcp_typescript.mjs")
CLIENT = Package("@modelcontextprotocol/client")
SDK = Package("@modelcontextprotocol/sdk")
LINE = re.compile(r"^(ok|FAIL) +(.+?): (.+)$", re.MULTILINE)
QUESTION = "What time does the shop close on Saturday?"
# Title and options of each
CLIENTS = (
    (f"client {CLIENT.version}", ()),
    (f"client {CLIENT.version}, handshake", ("--legacy",)),
    (f"sdk {SDK.version}", ("--sdk",)),
)
FEW_REQUESTS = (
    "from accounts.models import Plan;"
    " Plan.objects.filter(slug='enterprise').update(max_requests_per_minute=100)"
)


def run(stage: Stage, options: tuple[str, ...], **whom: str) -> list[Check]:
    environ = {
        "PATH": os.environ["PATH"],
        "NODE_MODULES": str(NODE_FOLDER / "node_modules"),
        "ADDRESS": stage.url,
        "QUESTION": QUESTION,
        **whom,
    }
    command = [str(NODE), str(SCRIPT), *options]
    ended = subprocess.run(
        command, env=environ, capture_output=True, text=True, timeout=PROGRAM_SECONDS
    )
    checks = [
        Check(what, verdict == "ok", show(found))
        for verdict, what, found in LINE.findall(ended.stdout)
    ]
    if ended.returncode and all(check.passed for check in checks):
        checks.append(Check("runs to its end", passed=False, found=show(ended.stderr)))
    return checks


def try_all(stage: Stage) -> Iterator[tuple[str, list[Check]]]:
    token = stage.service.token
    demo = json.loads((stage.service.data_dir / "demo_credentials.json").read_text())
    for title, options in CLIENTS:
        yield f"{title}, by token", run(stage, options, TOKEN=token)
        person = {"EMAIL": demo["email"], "PASSWORD": demo["password"]}
        yield f"{title}, by OAuth", run(stage, options, **person)
    manage(stage.service, "shell", "--no-imports", "--command", FEW_REQUESTS)
    title, options = CLIENTS[0]
    limited = run(stage, (*options, "--limited"), TOKEN=token)
    yield f"{title}, limited", limited[-1:]


def main() -> int:
    passed = True
    with open_stage() as stage:
        print("| TypeScript | check | passed | found |\n|---|---|---|---|")
        for title, checks in try_all(stage):
            passed &= bool(checks) and all(check.passed for check in checks)
            for check in checks:
                print(f"| {title} | {check.row}", flush=True)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
