"""How much memory and how many files each kind of process holds, over time; and whether it is flat.

Whoever is killed begins anew, so growth is looked for within one life: in its second half, when
what is loaded once has been loaded, and what grows to a bound is near it.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import psutil

from bench.system.chaos.copy import DOWN, ChaosCopy
from bench.system.chaos.ledger import Ledger, LedgerReader

EVERY_SECONDS = 10.0
WARM_SECONDS = 60.0  # of a life, before growth counts
SHORTEST_LIFE = 300.0  # of a shorter one a slope says nothing
MINUTES_MIN = 3  # that its second half lies in
MEGABYTE = 1024 * 1024
# In the second half of a life: more than both is no flat line any more
SLOPE_MAX, GROWTH_MAX = 2.0, 60.0  # MB a minute, MB
FILES_MAX = 100  # more in that half: a backend opens each table once


class Sampler:
    def __init__(self, copy: ChaosCopy, folder: Path) -> None:
        self.copy, self.ledger = copy, Ledger(folder, "samples")
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.stopping.wait(EVERY_SECONDS):
            now = time.time()
            for process, role in self.copy.roles().items():
                with suppress(psutil.Error, OSError):
                    self.ledger.note(
                        "process",
                        role=role,
                        life=f"{process.pid} {process.create_time():.0f}",
                        age=round(now - process.create_time(), 1),
                        mb=round(process.memory_info().rss / MEGABYTE, 1),
                        files=process.num_fds(),
                    )
            self.sample_servers()

    def sample_servers(self) -> None:
        with suppress(*DOWN):
            used = self.copy.rows("SELECT count(*) FROM pg_stat_activity")[0][0]
            self.ledger.note("connections", postgres=used)
        with suppress(*DOWN):
            told = self.copy.redis().info()
            used, clients = told["used_memory"], told["connected_clients"]
            self.ledger.note("redis", mb=round(used / MEGABYTE, 2), clients=clients)

    def stop(self) -> None:
        self.stopping.set()
        self.thread.join()


@dataclass(frozen=True)
class Life:
    """The second half of one process's life."""

    role: str
    name: str
    minutes: float
    first_mb: float
    last_mb: float
    slope: float  # MB a minute
    more_files: int

    @property
    def is_growing(self) -> bool:
        grown = self.last_mb - self.first_mb
        return self.slope > SLOPE_MAX and grown > GROWTH_MAX


@dataclass(frozen=True)
class MemoryRow:
    """Of all lives of a role."""

    role: str
    lives: int
    long_lives: int
    median_mb: float
    peak_mb: float
    slope: float | None
    worst_slope: float | None
    files: int


def read_lives(folder: Path) -> list[Life]:
    samples = defaultdict(list)
    for entry in LedgerReader(folder / "samples.jsonl").read_new():
        if entry["kind"] == "process" and entry["age"] >= WARM_SECONDS:
            samples[entry["role"], entry["life"]].append(entry)
    lives = []
    for (role, name), entries in samples.items():
        if entries[-1]["age"] < SHORTEST_LIFE:
            continue
        late = entries[len(entries) // 2 :]
        ages, sizes = [entry["age"] for entry in late], [entry["mb"] for entry in late]
        if len({age // 60 for age in ages}) < MINUTES_MIN:
            continue
        slope = growth_a_minute(ages, sizes)
        files = late[-1]["files"] - late[0]["files"]
        third = max(1, len(sizes) // 3)
        first, last = statistics.median(sizes[:third]), statistics.median(sizes[-third:])
        lives.append(Life(role, name, (ages[-1] - ages[0]) / 60, first, last, slope, files))
    return lives


def growth_a_minute(ages: Sequence[float], sizes: Sequence[float]) -> float:
    """Of a middling minute: what is loaded once, however late, is one step and no slope."""
    last_of_minutes = {int(age // 60): size for age, size in zip(ages, sizes, strict=True)}
    values = list(last_of_minutes.values())
    return statistics.median(after - before for before, after in pairwise(values))


def make_rows(folder: Path) -> list[MemoryRow]:
    """By role, those that hold most first."""
    sizes, files, names = defaultdict(list), defaultdict(list), defaultdict(set)
    for entry in LedgerReader(folder / "samples.jsonl").read_new():
        if entry["kind"] == "process":
            sizes[entry["role"]].append(entry["mb"])
            files[entry["role"]].append(entry["files"])
            names[entry["role"]].add(entry["life"])
    slopes = defaultdict(list)
    for life in read_lives(folder):
        slopes[life.role].append(life.slope)
    rows = [
        MemoryRow(
            role,
            len(names[role]),
            len(slopes[role]),
            statistics.median(sizes[role]),
            max(sizes[role]),
            statistics.median(slopes[role]) if slopes[role] else None,
            max(slopes[role]) if slopes[role] else None,
            max(files[role]),
        )
        for role in sizes
    ]
    return sorted(rows, key=lambda row: -row.median_mb)


def peaks(folder: Path) -> tuple[int, int, float]:
    """Connections of PostgreSQL, clients and megabytes of Redis: the most of each."""
    connections, clients, megabytes = [0], [0], [0.0]
    for entry in LedgerReader(folder / "samples.jsonl").read_new():
        if entry["kind"] == "connections":
            connections.append(entry["postgres"])
        elif entry["kind"] == "redis":
            clients.append(entry["clients"])
            megabytes.append(entry["mb"])
    return max(connections), max(clients), max(megabytes)
