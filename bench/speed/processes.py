"""What a service costs, all its processes together: processor time, and memory as PSS, which counts
a page that several share once.

Reading another account's PSS takes root.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import psutil

from bench.system.chaos.copy import name_program

GIGABYTE = 1e9
EVERY_SECONDS = 4.0  # a look at forty processes takes .15 s of a processor, which ours would miss


def processes_below(pid: int) -> list[psutil.Process]:
    """The process itself too."""
    top = psutil.Process(pid)
    return [top, *top.children(recursive=True)]


def cpu_seconds(pid: int) -> float:
    """Of the process and all below it, those that have ended too."""
    total = 0.0
    for process in processes_below(pid):
        with suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:4])
    return total


def pss_by_program(pid: int) -> dict[str, float]:
    """GB of each program below the process."""
    found: dict[str, float] = defaultdict(float)
    for process in processes_below(pid):
        with suppress(psutil.NoSuchProcess, ProcessLookupError, FileNotFoundError):
            found[name_program(process)] += pss_bytes(process.pid) / GIGABYTE
    return dict(found)


def pss_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


class PeakMemory:
    """The most that was seen of a service while the block ran, in GB."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak = pid, 0.0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._go_on)

    def __enter__(self) -> PeakMemory:
        self._look()  # raises here what it would raise there
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopping.set()
        self._thread.join()

    def _go_on(self) -> None:
        while not self._stopping.wait(EVERY_SECONDS):
            self._look()

    def _look(self) -> None:
        self.peak = max(self.peak, sum(pss_by_program(self.pid).values()))
