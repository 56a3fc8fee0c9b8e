"""The inspector's command line against a copy of the service, by token, in both eras of MCP.

    npm install @modelcontextprotocol/inspector@2.12.0, in a folder "inspector"
    NODE_FOLDER=… python -m bench.programs.inspector

Prints Markdown; exits with 1 when a call fails or its result lacks what was asked for.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from bench.programs.checks import Check
from bench.programs.node import Package
from bench.service import running_service

INSPECTOR = Package("@modelcontextprotocol/inspector", folder="inspector")
PROGRAM = "clients/launcher/build/index.js"
ERAS = ("legacy", "modern")
QUESTION = "What time does the shop close on Saturday?"
ANSWER = "14:30"


class Inspector:
    def __init__(self, url: str, token: str, era: str) -> None:
        connection = ("--cli", "--server-url", url, "--transport", "http", "--protocol-era", era)
        self.options = (*connection, "--header", f"Authorization: Bearer {token}")

    def call(self, method: str, *options: str) -> dict[str, Any]:
        """The result. Raises RuntimeError with what the inspector wrote."""
        wanted = ("--method", method, *options, "--format", "json", "--quiet")
        ended = INSPECTOR.run(PROGRAM, *self.options, *wanted)
        if ended.returncode:
            raise RuntimeError(f"{method}: {ended.returncode} {ended.stderr.strip()}")
        result: dict[str, Any] = json.loads(ended.stdout)["result"]
        return result

    def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        given = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        return self.call("tools/call", *given)


def try_era(inspector: Inspector) -> list[Check]:
    tools = inspector.call("tools/list", "--strict")["tools"]
    asked = inspector.use("ask", question=QUESTION)
    searched = inspector.use("search", query=QUESTION)
    sources = inspector.call("resources/list")["resources"]
    read = inspector.call("resources/read", "--uri", sources[0]["uri"])["contents"]
    templates = inspector.call("resources/templates/list")["resourceTemplates"]
    names = sorted(tool["name"] for tool in tools)
    passages = json.dumps(searched["structuredContent"])
    return [
        Check("tools/list --strict", {"ask", "search"} <= set(names), ", ".join(names)),
        Check("tools/call ask", ANSWER in asked["structuredContent"]["answer"], ANSWER),
        Check("tools/call search", ANSWER in passages, f"{ANSWER} in the passages"),
        Check("resources/list", len(sources) == 8, f"{len(sources)} resources"),
        Check("resources/read", bool(read[0]["text"]), f"{len(read[0]['text'])} characters"),
        Check("resources/templates/list", bool(templates), f"{len(templates)} templates"),
    ]


def main() -> int:
    with running_service() as service:
        url = f"http://127.0.0.1:{service.port}/tenants/me/mcp"
        tried = {era: try_era(Inspector(url, service.token, era)) for era in ERAS}
    print(f"| inspector {INSPECTOR.version}, era | call | passed | found |\n|---|---|---|---|")
    for era, checks in tried.items():
        for check in checks:
            print(f"| {era} | {check.row}")
    return 0 if all(check.passed for checks in tried.values() for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
