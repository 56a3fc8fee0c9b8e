"""Fifty thousand requests that nobody would send, and no answer of 500 or above.

    python -m bench.schema_cases --cases 50000

Rounds of config/tests/test_schemathesis.py, each with the next seed, until there are so many
requests. What is done is kept in var/schema_cases.json: killed, it goes on with the next round.
It ends with 1 when an answer was 500 or above, or when a check failed; the round's own output says
which request it was, and how to send it again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET  # pytest's own report
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = "config/tests/test_schemathesis.py"
ROUNDS = ROOT / "var" / "schema_cases.json"
EXAMPLES = 20  # generated requests an endpoint, a caller and a round
CALLERS = ("TestAsAdmin", "TestAsOthers")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=50_000)
    wanted = parser.parse_args().cases
    rounds = json.loads(ROUNDS.read_text()) if ROUNDS.exists() else {}
    while sum(map(cases, rounds.values())) < wanted:
        seed = str(len(rounds) + 1)
        rounds[seed] = run_round(seed)
        ROUNDS.write_text(json.dumps(rounds, indent=1))
        show(seed, rounds[seed])
    total: Counter[str] = sum((Counter(one["answers"]) for one in rounds.values()), Counter())
    failed = sorted({name for one in rounds.values() for name in one["failed"]})
    print(f"{sum(total.values())} requests: {dict(sorted(total.items()))}")
    print(f"Failed: {', '.join(failed) or 'none'}")
    sys.exit(bool(failed) or any(status >= "500" for status in total))


def run_round(seed: str) -> dict[str, object]:
    report = ROUNDS.with_name(f"schema_cases-{seed}.xml")
    output = report.with_suffix(".log")
    report.parent.mkdir(exist_ok=True)
    launch = [sys.executable, "-P", "-m", "config.running.launch", "--scratch", "var/schema-cases"]
    pytest = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-q",
        "--numprocesses=2",
        f"--junitxml={report}",
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "SCHEMATHESIS_SEED": seed,
        "SCHEMATHESIS_EXAMPLES": str(EXAMPLES),
        "SCHEMATHESIS_BORDERS": "1" if seed == "1" else "0",  # they are the same in every round
    }
    with output.open("wb") as file:
        subprocess.run(
            [*launch, *pytest, *(f"{TESTS}::{caller}" for caller in CALLERS)],
            cwd=ROOT, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    return read_report(report)


def read_report(path: Path) -> dict[str, object]:
    """How often each status was answered, and the tests that failed."""
    answers: Counter[str] = Counter()
    failed = set()
    for test in ET.parse(path).iter("testcase"):  # noqa: S314
        if test.find("failure") is not None or test.find("error") is not None:
            failed.add(f"{test.get('classname')}.{test.get('name')}")
        for one in test.iter("property"):
            if one.get("name", "").startswith("answers_"):
                answers[one.get("name", "")[8:]] += int(one.get("value", "0"))
    return {"answers": answers, "failed": sorted(failed)}


def cases(one: dict[str, dict[str, int]]) -> int:
    return sum(one["answers"].values())


def show(seed: str, one: dict[str, object]) -> None:
    print(f"round {seed}: {one}", flush=True)


if __name__ == "__main__":
    main()
