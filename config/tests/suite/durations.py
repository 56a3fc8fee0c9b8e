"""How long each test file takes: written by every run, held to a budget in CI. Those that take
longest begin first, so that no process ends long after the others.

`budgets.toml` has the budget of a file, the files that may take longer with the reason why, and
that of all files together. A budget is of a machine that has nothing else to do: on a slower or a
busier one (`pace.py`) it grows by as much.
"""

from __future__ import annotations

import json
import os
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from config.tests.suite.pace import Pace
from config.tests.suite.selection import ROOT, file_of, git, is_slow

BUDGETS = Path(__file__).with_name("budgets.toml")
RECORD = ROOT / "var" / "test" / "durations.json"


@dataclass(frozen=True)
class Budgets:
    """In seconds of a quiet machine. `of_files`: those that may take longer than the others."""

    of_file: float
    of_all: float
    of_files: dict[str, float]

    @classmethod
    def read(cls) -> Budgets:
        told = tomllib.loads(BUDGETS.read_text())
        files = {name: float(entry["seconds"]) for name, entry in told["files"].items()}
        return cls(float(told["file_seconds"]), float(told["all_seconds"]), files)

    def of(self, file: str) -> float:
        return self.of_files.get(file, self.of_file)


@dataclass
class Record:
    """Seconds by test file: setups, tests and teardowns, wherever they ran."""

    began: float = field(default_factory=time.monotonic)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    tests: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    pace: Pace = field(default_factory=Pace)

    def add(self, report: pytest.TestReport) -> None:
        if isinstance(report, pytest.SubtestReport):
            return  # its time is in that of its test
        file = report.nodeid.partition("::")[0]
        self.seconds[file] += report.duration
        self.tests[file] += report.when == "call"

    def write(self, *, options: list[str]) -> None:
        files = {
            name: {"seconds": round(seconds, 2), "tests": self.tests[name]}
            for name, seconds in sorted(self.seconds.items(), key=lambda entry: -entry[1])
        }
        told = {
            "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M}",
            "commit": git("rev-parse", "--short=8", "HEAD"),
            "options": options,
            "wall_seconds": round(time.monotonic() - self.began),
            "slowness": round(self.pace.slowness, 2),
            "files": files,
        }
        RECORD.parent.mkdir(parents=True, exist_ok=True)
        RECORD.write_text(json.dumps(told, indent=1) + "\n")

    def over_budget(self, budgets: Budgets) -> Iterator[str]:
        """What took longer than it may, in words."""
        factor = max(1.0, self.pace.slowness)
        for file, seconds in self.seconds.items():
            if seconds > budgets.of(file) * factor:
                yield f"{file} took {seconds:.0f} s of {budgets.of(file) * factor:.0f}"
        in_all = sum(self.seconds.values())
        if in_all > budgets.of_all * factor:
            yield f"All files together took {in_all:.0f} s of {budgets.of_all * factor:.0f}"


class Recorder:
    """In the process that reports: of xdist's, the one that runs no tests itself."""

    def __init__(self) -> None:
        self.record = Record()
        self.over: list[str] = []

    def pytest_sessionstart(self) -> None:
        self.record.pace.start()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.record.add(report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        self.record.pace.stop()
        if not self.record.seconds:
            return
        self.record.write(options=list(session.config.invocation_params.args))
        if os.environ.get("CI") == "true":
            self.over = list(self.record.over_budget(Budgets.read()))
            if self.over and exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.over:
            return
        terminalreporter.section("over their budget (config/tests/suite/budgets.toml)")
        for line in self.over:
            terminalreporter.write_line(line)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In every process of xdist alike, which their common work rests on."""
    budgets = Budgets.read()
    items.sort(key=lambda item: (-budgets.of(file_of(item)), not is_slow(item)))


def pytest_configure(config: Any) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(), "recorder of durations")
