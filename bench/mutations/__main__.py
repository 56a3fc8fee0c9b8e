"""python -m bench.mutations [NUMBER… | --write]: takes each protection out of a copy of the tree,
and looks whether a test fails.

Needs the test services: bin/mutations starts them. Ends with 1 when something survives.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.mutations.registry import Vulnerability, read_table, write_document

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "vulnerabilities.md"
RESULTS = ROOT / "bench" / "results" / "mutations.md"
PASSED, FAILED = 0, 1  # of pytest; whatever else it says is no verdict
RUN_MAX_SECONDS = 400


@dataclass(frozen=True)
class Verdict:
    row: Vulnerability
    told: str
    seconds: float

    @property
    def is_noticed(self) -> bool:
        return self.told == "noticed"


def main(numbers: Iterable[int]) -> int:
    chosen = set(numbers)
    rows = [row for row in read_table() if not chosen or row.number in chosen]
    with tempfile.TemporaryDirectory(prefix="mutations") as folder:
        tree = Path(folder)
        copy_tree(tree)
        named = sorted({test for row in rows for test in row.tests})
        if run_tests(tree, named, tells_why=True) != PASSED:
            print("The tests fail before anything is taken out.", file=sys.stderr)
            return 1
        outcomes = []
        for row in rows:
            outcomes.append(try_row(tree, row))
            print(f"{row.number:3} {outcomes[-1].told:10} {row.title}", flush=True)
    if not chosen:
        RESULTS.write_text(write_table(outcomes))
    return 0 if all(outcome.is_noticed for outcome in outcomes) else 1


def copy_tree(tree: Path) -> None:
    """What git knows, as it stands here, also uncommitted."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)


def try_row(tree: Path, row: Vulnerability) -> Verdict:
    began = time.monotonic()
    kept = {edit.file: (tree / edit.file).read_text() for edit in row.edits}
    for edit in row.edits:
        text = (tree / edit.file).read_text()
        if text.count(edit.text) != 1:
            return Verdict(row, "not applied", 0)
        (tree / edit.file).write_text(text.replace(edit.text, edit.instead))
    status = run_tests(tree, row.tests)
    for name, text in kept.items():
        (tree / name).write_text(text)
    told = {PASSED: "SURVIVED", FAILED: "noticed"}.get(status, "broken")
    return Verdict(row, told, time.monotonic() - began)


def run_tests(tree: Path, tests: Iterable[str], *, tells_why: bool = False) -> int:
    """In one process and one database, which stays: no edit is of a migration."""
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-n0", "--reuse-db", *tests]
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree)},
            capture_output=True,
            text=True,
            timeout=RUN_MAX_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return FAILED  # what hangs without its protection was protected by it
    if done.returncode not in (PASSED, FAILED) or (tells_why and done.returncode):
        print(done.stdout[-3000:], done.stderr[-1000:], file=sys.stderr)
    return done.returncode


def write_table(outcomes: list[Verdict]) -> str:
    lines = [
        "# Protections taken out, one by one",
        "",
        "`bin/mutations` edits a copy of the tree as `bench/mutations/table.toml` says and runs",
        "the named tests; before any edit all of them pass. *Noticed*: one of them fails.",
        "",
        f"{sum(one.is_noticed for one in outcomes)} of {len(outcomes)} are noticed.",
        "",
        "| # | what it protects from | edited | verdict | seconds |",
        "|---|---|---|---|---|",
    ]
    for one in outcomes:
        files = ", ".join(sorted({f"`{edit.file}`" for edit in one.row.edits}))
        cells = (one.row.number, one.row.title, files, one.told, round(one.seconds))
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        DOCUMENT.write_text(write_document(read_table()))
    else:
        sys.exit(main(map(int, sys.argv[1:])))
