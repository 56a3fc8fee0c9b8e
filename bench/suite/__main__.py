"""python -m bench.suite [BEFORE.json] > bench/results/suite.md: the slowest files of the last run,
beside those of an earlier one. Copy var/test/durations.json to keep it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

RECORD = Path(__file__).resolve().parents[2] / "var" / "test" / "durations.json"
SHOWN = 50  # files


def main(arguments: list[str]) -> None:
    now = json.loads(RECORD.read_text())
    before = json.loads(Path(arguments[0]).read_text()) if arguments else None
    print("\n".join(report(now, before)))


def report(now: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    lines = [
        "# How long the test suite takes",
        "",
        "Seconds of each test file, setups included, in three processes beside each other on two",
        "cores: `python -m bench.suite`, of what `bin/test --all` has written.",
        "",
        "| | date | commit | pytest, s | files together, s | tests |",
        "|---|---|---|---|---|---|",
        *([summary("before", before)] if before else []),
        summary("now", now),
        "",
        f"The {SHOWN} slowest files now{', and what they took before' if before else ''}:",
        "",
        f"| file | tests | s |{' before, s |' if before else ''}",
        f"|---|---|---|{'---|' if before else ''}",
    ]
    for name, told in list(now["files"].items())[:SHOWN]:
        line = f"| `{name}` | {told['tests']} | {told['seconds']:.0f} |"
        lines.append(line + (f" {seconds_of(name, before)} |" if before else ""))
    if before:
        lines += [
            "",
            "Files that took more than ten seconds before and are gone or under it now:",
            "",
        ]
        lines += ["| file | now, s | before, s |", "|---|---|---|"]
        shown = {*list(now["files"])[:SHOWN]}
        lines += [
            f"| `{name}` | {seconds_of(name, now)} | {told['seconds']:.0f} |"
            for name, told in before["files"].items()
            if told["seconds"] > 10 and name not in shown
        ]
    return lines


def summary(name: str, run: dict[str, Any]) -> str:
    files = run["files"].values()
    seconds, tests = sum(one["seconds"] for one in files), sum(one["tests"] for one in files)
    return (
        f"| {name} | {run['date']} | {run['commit']} | {run['wall_seconds']} | {seconds:.0f} |"
        f" {tests} |"
    )


def seconds_of(name: str, run: dict[str, Any]) -> str:
    told = run["files"].get(name)
    return f"{told['seconds']:.0f}" if told else "–"


if __name__ == "__main__":
    main(sys.argv[1:])
