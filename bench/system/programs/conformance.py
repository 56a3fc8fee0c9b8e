"""The official conformance suite of MCP against copies of the service.

    npm install @modelcontextprotocol/conformance@0.1.16 node@22
    mkdir alpha && cd alpha && npm install @modelcontextprotocol/conformance@0.2.0-alpha.12
    NODE_FOLDER=… python -m bench.system.programs.conformance

0.1.16 knows the revisions up to 2025-11-25; the alpha has what 2025-11-25 and 2026-07-28 require.
Most of its scenarios ask for tools and resources of the suite's own: everything/ registers them
in the copy, beside the product's and served by the same code. What then fails stands in
expected_failures/, each with its reason; a failure beyond them, or one of them that passes, is an
error of this program. Prints Markdown.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.service import running_service
from bench.system.programs.authorizing_proxy import authorizing_proxy
from bench.system.programs.node import Package

SUITE = Package("@modelcontextprotocol/conformance")
ALPHA = Package("@modelcontextprotocol/conformance", folder="alpha")
PROGRAM = "dist/index.js"
EXPECTED = Path(__file__).parent / "expected_failures"
EXPECTED_LINE = re.compile(r"^  - (?P<name>\S+) +# (?P<reason>.+)$", re.MULTILINE)
BAD = ("FAILURE", "WARNING")
SCENARIO = re.compile(r"(?:server-|authorization-server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@dataclass(frozen=True)
class SuiteRun:
    """`expected` names the file of the failures that are known."""

    package: Package
    expected: str
    options: tuple[str, ...] = ()


RUNS = (
    SuiteRun(SUITE, "2025-11-25.yml"),
    SuiteRun(ALPHA, "2025-11-25.yml", ("--requirements", "2025-11-25")),
    SuiteRun(ALPHA, "2026-07-28.yml", ("--requirements", "2026-07-28")),
)


@dataclass(frozen=True)
class SuiteOutcome:
    """`checks` by scenario, as the suite wrote them."""

    run: SuiteRun
    exit_code: int
    summary: str
    checks: dict[str, list[dict[str, Any]]]

    @property
    def bad(self) -> set[str]:
        """Scenarios with a check that failed. The suite takes a warning for a failure as well."""
        return {
            scenario
            for scenario, checks in self.checks.items()
            if any(check["status"] in BAD for check in checks)
        }

    def failed(self) -> Iterator[str]:
        """A line a check."""
        for scenario, checks in self.checks.items():
            for check in checks:
                if check["status"] in BAD:
                    why = check.get("errorMessage") or check.get("details")
                    yield f"{scenario}:{check['id']} {check['status']} {why}"


def run_suite(run: SuiteRun, url: str) -> SuiteOutcome:
    with tempfile.TemporaryDirectory(prefix="bench-conformance-") as folder:
        known = ("--expected-failures", str(EXPECTED / run.expected))
        where = ("--url", url, "--output-dir", folder)
        ended = run.package.run(PROGRAM, "server", *where, *run.options, *known)
        summary = ended.stdout.partition("=== SUMMARY ===")[2] or ended.stdout + ended.stderr
        return SuiteOutcome(run, ended.returncode, summary, dict(read_checks(Path(folder))))


def read_checks(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for file in sorted(folder.glob("*/checks.json")):
        named = SCENARIO.fullmatch(file.parent.name)
        if named is None:
            raise ValueError(f"not a scenario's folder: {file.parent.name}")
        yield named[1], json.loads(file.read_text())


def expected_failures(run: SuiteRun) -> dict[str, list[str]]:
    """Their names by the reason that stands behind each."""
    by_reason: dict[str, list[str]] = {}
    for line in EXPECTED_LINE.finditer((EXPECTED / run.expected).read_text()):
        by_reason.setdefault(line["reason"], []).append(line["name"])
    return by_reason


def describe(outcome: SuiteOutcome) -> str:
    """Extensions and such fail without being in the list: the suite runs, and does not score,
    them."""
    named = {name for names in expected_failures(outcome.run).values() for name in names}
    expected = outcome.bad & {name.partition(":")[0] for name in named}
    options = " ".join(outcome.run.options) or "active suite"
    count, bad = len(outcome.checks), len(outcome.bad)
    return (
        f"| conformance {outcome.run.package.version}, {options} | {outcome.exit_code} | {count} |"
        f" {count - bad} | {len(expected)} | {bad - len(expected)} |"
    )


def main() -> int:
    with (
        running_service(
            DJANGO_SETTINGS_MODULE="bench.system.programs.everything.settings"
        ) as service,
        authorizing_proxy(service.port, service.token) as port,
    ):
        url = f"http://127.0.0.1:{port}/tenants/me/mcp"
        outcomes = [run_suite(run, url) for run in RUNS]
    print("| suite | exit code | scenarios | passed | failed as expected | failed, not scored |")
    print("|---|---|---|---|---|---|")
    for outcome in outcomes:
        print(describe(outcome))
    for run in {run.expected: run for run in RUNS}.values():
        print(f"\nExpected failures of {run.expected.removesuffix('.yml')}:\n")
        for reason, names in expected_failures(run).items():
            print(f"- {reason}: {', '.join(f'`{name}`' for name in names)}")
    unexpected = [outcome for outcome in outcomes if outcome.exit_code]
    for outcome in unexpected:
        print(outcome.summary, *outcome.failed(), sep="\n", file=sys.stderr)
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
