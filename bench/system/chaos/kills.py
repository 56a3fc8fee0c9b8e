"""Kills: which process, with what, and when. The schedule comes from a seed; whether the process is
there at that moment, from life."""

from __future__ import annotations

import random
import signal
import threading
import time
from contextlib import suppress

import psutil

from bench.system.chaos.book import FATAL
from bench.system.chaos.copy import STOP_SECONDS, ChaosCopy
from bench.system.chaos.ledger import Ledger

MEAN_SECONDS = 12.0  # past the shortest; a recovery takes some seconds more
SHORTEST_SECONDS, LONGEST_SECONDS = 5.0, 60.0
STRUCK_WHILE_DOWN = 0.3
HEALTH_SECONDS = 120.0
LOOK_SECONDS = 1.0
TREE, RESTART = "whole tree", "restart"
WORKERS = ("worker", "webhooks", "uploads", "ingestion", "checks")
# How often each is the victim. A whole tree takes half a minute to be back.
WEIGHTS = {
    "web child": 14,
    "web": 6,
    **dict.fromkeys(WORKERS, 4),
    "worker child": 4,
    "uploads child": 6,
    "ingestion child": 6,
    "parser": 7,
    "parser job": 5,
    "beat": 5,
    "redis": 6,
    "postgres": 5,
    "postgres child": 8,
    "services": 3,
    "log": 2,
    "supervisord": 1,
    "up": 1,
    TREE: 2,
    RESTART: 1,
}
SIGNALS = {signal.SIGKILL: 70, signal.SIGTERM: 15, signal.SIGSTOP: 15}
STOPPED_SECONDS = (2.0, 8.0)


class Killer:
    """Runs in a thread of its own until `stopping`."""

    def __init__(self, copy: ChaosCopy, ledger: Ledger, seed: int) -> None:
        self.copy, self.ledger = copy, ledger
        self.chance = random.Random(seed)  # noqa: S311 - no secret
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.killed = 0

    def stop(self) -> None:
        """Afterwards the service runs."""
        self.stopping.set()
        self.thread.join()
        self.restart_if_ended()

    def run(self) -> None:
        while self.wait_for_health() and not self.wait(self.next_pause()):
            target = self.chance.choices([*WEIGHTS], [*WEIGHTS.values()])[0]
            number = self.chance.choices([*SIGNALS], [*SIGNALS.values()])[0]
            try:
                self.strike(target, number)
            except Exception as error:  # noqa: BLE001 - the bench's own fault: told, not hidden
                self.ledger.note("bench failed", act=f"kill {target}", error=repr(error))

    def wait_for_health(self) -> bool:
        """Most kills meet a service that has recovered. False at the end."""
        if self.chance.random() < STRUCK_WHILE_DOWN:
            return True
        give_up_at = time.monotonic() + HEALTH_SECONDS
        while time.monotonic() < give_up_at and self.copy.status("/readyz") != 200:
            if self.wait(LOOK_SECONDS):
                return False
        return True

    def next_pause(self) -> float:
        return min(LONGEST_SECONDS, SHORTEST_SECONDS + self.chance.expovariate(1 / MEAN_SECONDS))

    def wait(self, seconds: float) -> bool:
        """Whether it is over. What has ended meanwhile is started again."""
        give_up_at = time.monotonic() + seconds
        while time.monotonic() < give_up_at:
            if self.stopping.wait(LOOK_SECONDS):
                return True
            self.restart_if_ended()
        return False

    def strike(self, target: str, number: signal.Signals) -> None:
        if target == TREE:
            self.note(target, "SIGKILL")
            self.copy.kill_all()
        elif target == RESTART:
            self.note(target, "SIGTERM")
            code = self.copy.stop()
            self.ledger.note("stopped", code=code, is_last=False)
        else:
            roles = self.copy.roles()
            found = sorted((p for p in roles if roles[p] == target), key=lambda p: p.pid)
            if not found:
                return
            self.signal(self.chance.choice(found), target, number)
        if target in FATAL:
            self.wait_for_end()
            self.restart_if_ended()

    def signal(self, process: psutil.Process, target: str, number: signal.Signals) -> None:
        if target in ("supervisord", "up") and number == signal.SIGSTOP:
            number = signal.SIGKILL
        self.note(target, number.name, pid=process.pid)
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)
            if number == signal.SIGSTOP:
                self.stopping.wait(self.chance.uniform(*STOPPED_SECONDS))
                process.send_signal(signal.SIGCONT)
                self.ledger.note("continued", target=target, pid=process.pid)

    def note(self, target: str, name: str, **more: object) -> None:
        self.killed += 1
        self.ledger.note("kill", target=target, signal=name, **more)

    def wait_for_end(self) -> None:
        """Of what was struck at its root; a supervisord that is asked nicely takes its time."""
        give_up_at = time.monotonic() + STOP_SECONDS
        while not self.copy.has_ended() and time.monotonic() < give_up_at:
            time.sleep(LOOK_SECONDS)

    def wait_for_supervisord(self) -> None:
        """One whose bin/up was killed stops in order, and lets nobody else start until then."""
        give_up_at = time.monotonic() + STOP_SECONDS
        while "supervisord" in self.copy.roles().values() and time.monotonic() < give_up_at:
            time.sleep(LOOK_SECONDS)

    def restart_if_ended(self) -> None:
        while self.copy.has_ended():
            code = self.copy.process.poll() if self.copy.process else None
            self.wait_for_supervisord()
            self.ledger.note("started again", code=code)
            is_ready = self.copy.start_until_ready()
            self.ledger.note("is up", is_ready=is_ready)


class Prober:
    """Asks /readyz all the time: when did it come back?"""

    def __init__(self, copy: ChaosCopy, ledger: Ledger) -> None:
        self.copy, self.ledger = copy, ledger
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.stopping.wait(2 * LOOK_SECONDS):
            started = time.time()
            status = self.copy.status("/readyz")
            self.ledger.note("readiness", status=status, asked=started)

    def stop(self) -> None:
        self.stopping.set()
        self.thread.join()
