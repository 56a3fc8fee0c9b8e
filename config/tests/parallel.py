"""The same call many times at once, for tests of what must win only once."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

from config.database.acting import Acting, DatabaseRole, _acting

Result = TypeVar("Result")

# Each has a connection, and PostgreSQL has 100 for two test processes.
THREADS = 25


def look_over_all_tenants() -> None:
    """A thread of a test begins as nobody: of a pool, this is its `initializer`."""
    _acting.set(Acting(DatabaseRole.MAINTENANCE))


def in_parallel(call: Callable[[], Result], times: int = 50) -> list[Result]:
    """The results of `times` calls by 25 threads that begin together."""
    barrier = threading.Barrier(THREADS)

    def work(calls: int) -> list[Result]:
        barrier.wait(timeout=120)
        try:
            return [call() for _ in range(calls)]
        finally:
            connection.close()

    shares = [times // THREADS + (number < times % THREADS) for number in range(THREADS)]
    with ThreadPoolExecutor(THREADS, initializer=look_over_all_tenants) as pool:
        return [result for results in pool.map(work, shares) for result in results]


def wait_until_somebody_waits_for_us() -> None:
    """For a lock that this thread's transaction holds."""
    with connection.cursor() as cursor:
        while True:
            cursor.execute(
                "SELECT count(*) FROM pg_locks"
                " WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
            )
            if cursor.fetchone() != (0,):
                return
