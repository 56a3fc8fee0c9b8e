"""python -m bench.mutations [NUMBER… | --write]: takes each protection out of a copy of the tree,
and looks whether a test fails.

Needs the test services: bin/mutations starts them. Ends with 1 when something survives.
"""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from bench.mutations.registry import Vulnerability, read_table, write_document

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "vulnerabilities.md"
RESULTS = ROOT / "bench" / "results" / "mutations.md"
JOBS = 3
PASSED, FAILED, TIMED_OUT = 0, 1, -1  # of pytest; whatever else it says tells nothing
TOLD = {PASSED: "SURVIVED", FAILED: "noticed", TIMED_OUT: "timed out"}
TESTS_OF_A_ROW = 10
ROW_MAX_SECONDS = 900
WHOLE_MAX_SECONDS = 3600
T = TypeVar("T")


@dataclass(frozen=True)
class Removal:
    row: Vulnerability
    told: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.told:10} {self.row.title} ({self.seconds:.0f} s)"

    @property
    def is_noticed(self) -> bool:
        return self.told == "noticed"


def main(numbers: Iterable[int]) -> int:
    chosen = set(numbers)
    rows = [row for row in read_table() if not chosen or row.number in chosen]
    named = sorted({test for row in rows for test in row.tests})
    with Workshops(JOBS) as workshops, ThreadPoolExecutor(JOBS) as pool:
        whole = pool.submit(workshops.lend, lambda shop: shop.run_tests(named, WHOLE_MAX_SECONDS))
        tried = [pool.submit(workshops.lend, partial(try_row, row)) for row in rows]
        removals = []
        for done in tried:
            removals.append(done.result())
            print(f"{removals[-1].row.number:3} {removals[-1]}", flush=True)
        has_passed = whole.result() == PASSED
    if not has_passed:
        print("The tests fail before anything is taken out.", file=sys.stderr)
    if not chosen:
        RESULTS.write_text(write_table(removals, has_passed=has_passed))
    return 0 if has_passed and all(removal.is_noticed for removal in removals) else 1


@dataclass(frozen=True)
class Workshop:
    """A copy of the tree, with a database of its own that stays: no edit is of a migration."""

    tree: Path
    number: int

    def run_tests(self, tests: Iterable[str], max_seconds: float) -> int:
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-n0", "--reuse-db", *tests]
        own = {"PYTHONPATH": str(self.tree), "TEST_DATABASE_NAME": f"test_without_{self.number}"}
        try:
            done = subprocess.run(
                command,
                cwd=self.tree,
                env={**os.environ, **own},
                capture_output=True,
                text=True,
                timeout=max_seconds,
            )
        except subprocess.TimeoutExpired:
            return TIMED_OUT
        if done.returncode not in (PASSED, FAILED) or len(list(tests)) > TESTS_OF_A_ROW:
            print(done.stdout[-3000:], done.stderr[-1000:], file=sys.stderr)
        return done.returncode


class Workshops:
    """Lent to one at a time, each."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.free: queue.SimpleQueue[Workshop] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        self.folder = tempfile.TemporaryDirectory(prefix="mutations")
        for number in range(self.count):
            tree = Path(self.folder.name) / str(number)
            copy_tree(tree)
            self.free.put(Workshop(tree, number))
        return self

    def __exit__(self, *_: object) -> None:
        self.folder.cleanup()

    def lend(self, work: Callable[[Workshop], T]) -> T:
        shop = self.free.get()
        try:
            return work(shop)
        finally:
            self.free.put(shop)


def copy_tree(tree: Path) -> None:
    """What git knows, as it stands here, also uncommitted."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)


def try_row(row: Vulnerability, shop: Workshop) -> Removal:
    began = time.monotonic()
    kept = {edit.file: (shop.tree / edit.file).read_text() for edit in row.edits}
    for edit in row.edits:
        text = (shop.tree / edit.file).read_text()
        if text.count(edit.text) != 1:
            return Removal(row, "not applied", 0)
        (shop.tree / edit.file).write_text(text.replace(edit.text, edit.instead))
    status = shop.run_tests(row.tests, ROW_MAX_SECONDS)
    for name, text in kept.items():
        (shop.tree / name).write_text(text)
    return Removal(row, TOLD.get(status, "broken"), time.monotonic() - began)


def write_table(removals: list[Removal], *, has_passed: bool) -> str:
    lines = [
        "# Protections taken out, one by one",
        "",
        "`bin/mutations` edits a copy of the tree as `bench/mutations/table.toml` says and runs",
        "the named tests; *Noticed*: one of them fails.",
        "",
        f"{sum(one.is_noticed for one in removals)} of {len(removals)} are noticed."
        f" Before any edit the tests {'pass' if has_passed else 'FAIL'}.",
        "",
        "| # | what it protects from | edited | told | seconds |",
        "|---|---|---|---|---|",
    ]
    for one in removals:
        files = ", ".join(sorted({f"`{edit.file}`" for edit in one.row.edits}))
        cells = (one.row.number, one.row.title, files, one.told, round(one.seconds))
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        DOCUMENT.write_text(write_document(read_table()))
    else:
        sys.exit(main(map(int, sys.argv[1:])))
