"""How much slower than a quiet, ordinary machine this one is just now."""

from __future__ import annotations

import statistics
import threading
import time

PAUSE_SECONDS = 5.0
STEPS = 400_000
# Of such a loop on two quiet cores of an AMD EPYC, beside the suite's own processes (2026-11-26).
ORDINARY_SECONDS = 0.011


class Pace:
    """Times the same few milliseconds of work again and again, beside whatever else runs."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.measure, daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.ended.set()
        self.thread.join()

    @property
    def slowness(self) -> float:
        """1 is the ordinary machine; 1 too where nothing was measured."""
        return statistics.fmean(self.seconds or [ORDINARY_SECONDS]) / ORDINARY_SECONDS

    def measure(self) -> None:
        while not self.ended.wait(PAUSE_SECONDS):
            began = time.perf_counter()
            sum(range(STEPS))
            self.seconds.append(time.perf_counter() - began)
