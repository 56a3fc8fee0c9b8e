"""Counting in Redis: exact over threads and processes, and quick when Redis is not there."""

import logging
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from config.security import rate_limits
from config.security.rate_limits import (
    Limit,
    LimitsUnavailable,
    Outage,
    forget,
    limiter,
    take,
    wait_seconds,
)
from config.tests.parallel import in_parallel

THREE = Limit("threes", 3, 60)
WAIT_SECONDS = 120

UseRedis = Callable[[str], None]


@pytest.fixture
def use_redis(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[UseRedis]:
    """`use_redis(url)`: another Redis, of which nothing is known yet."""
    own_url = settings.REDIS_URL

    def use(url: str = own_url) -> None:
        settings.REDIS_URL = url
        limiter.cache_clear()
        monkeypatch.setattr(rate_limits, "outage", Outage())

    yield use
    limiter.cache_clear()


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


@pytest.fixture
def silent_server() -> Iterator[socket.socket]:
    """It takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def connections_to(server: socket.socket) -> int:
    """How many came since the last look."""
    count = 0
    with suppress(BlockingIOError):
        while True:
            server.accept()[0].close()
            count += 1
    return count


def seconds_of(call: Callable[[], object]) -> float:
    start = time.monotonic()
    with pytest.raises(LimitsUnavailable):
        call()
    return time.monotonic() - start


# --- Counting -------------------------------------------------------------------------------------


def test_so_many_are_within_and_the_next_is_told_how_long_to_wait() -> None:
    assert [take(THREE, "acme") for _ in range(3)] == [0, 0, 0]
    assert 50 <= take(THREE, "acme") <= 60
    assert 50 <= wait_seconds(THREE, "acme") <= 60


def test_keys_and_limits_are_counted_apart() -> None:
    for _ in range(4):
        take(THREE, "acme")

    assert take(THREE, "umbrella") == 0
    assert take(Limit("others", 3, 60), "acme") == 0


def test_looking_counts_nothing() -> None:
    assert [wait_seconds(THREE, "acme") for _ in range(5)] == [0] * 5
    assert [take(THREE, "acme") for _ in range(3)] == [0, 0, 0]


def test_what_is_forgotten_is_counted_from_nothing() -> None:
    for _ in range(4):
        take(THREE, "acme")

    forget(THREE, "acme")

    assert [take(THREE, "acme") for _ in range(3)] == [0, 0, 0]


def test_a_limit_of_nothing_lets_nobody_in() -> None:
    assert take(Limit("nothing", 0, 60), "acme") == 60


def test_the_window_moves_on_and_what_was_refused_did_not_count() -> None:
    limit = Limit("short", 2, 1)
    assert [take(limit, "acme"), take(limit, "acme")] == [0, 0]
    deadline = time.monotonic() + WAIT_SECONDS

    while (wait := take(limit, "acme")) and time.monotonic() < deadline:
        assert wait == 1  # asked all the time, and let in all the same
        time.sleep(0.05)

    assert wait == 0


def test_of_fifty_in_parallel_exactly_so_many_are_within() -> None:
    limit = Limit("twenty", 20, 60)

    waits = in_parallel(lambda: take(limit, "acme"), times=50)

    assert waits.count(0) == 20


PROGRAM = """
import sys
import django
django.setup()
from config.security import rate_limits
rate_limits.KEY_PREFIX = sys.argv[1]
limit = rate_limits.Limit("shared", 150, 60)
rate_limits.wait_seconds(limit, "acme")
print("ready", flush=True)
sys.stdin.readline()
print([rate_limits.take(limit, "acme") for _ in range(120)].count(0), flush=True)
"""


def test_two_processes_count_together() -> None:
    command = [sys.executable, "-c", PROGRAM, rate_limits.KEY_PREFIX]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(2)]
    try:
        assert [process.stdout.readline() for process in processes if process.stdout] == [
            "ready\n"
        ] * 2
        for process in processes:
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        within = [int(process.communicate(timeout=WAIT_SECONDS)[0]) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()

    assert sum(within) == 150
    assert min(within) >= 30  # the other had 120 at most


def test_a_redis_that_has_lost_our_scripts_gets_them_again() -> None:
    take(THREE, "acme")
    limiter().storage.storage.script_flush()  # type: ignore[attr-defined]  # of redis-py

    assert [take(THREE, "acme") for _ in range(2)] == [0, 0]
    assert take(THREE, "acme") > 0


# --- Without Redis --------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [take, wait_seconds, forget])
def test_without_redis_nothing_can_be_counted(
    use_redis: UseRedis, closed_port: int, call: Callable[[Limit, str], object]
) -> None:
    use_redis(f"redis://127.0.0.1:{closed_port}/0")

    with pytest.raises(LimitsUnavailable) as raised:
        call(THREE, "acme")

    assert (raised.value.status, raised.value.code) == (503, "SERVICE_UNAVAILABLE")
    assert raised.value.headers == {"Retry-After": "2"}


def test_a_redis_that_hangs_is_waited_for_once_by_one_thread(
    use_redis: UseRedis, silent_server: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "OUTAGE_SECONDS", 60.0)
    use_redis(f"redis://127.0.0.1:{silent_server.getsockname()[1]}/0")

    assert 0.4 < seconds_of(lambda: take(THREE, "acme")) < 5
    assert connections_to(silent_server) == 1

    in_parallel(lambda: seconds_of(lambda: take(THREE, "acme")), times=100)
    assert connections_to(silent_server) == 0


def test_an_outage_is_one_line_in_the_log(
    use_redis: UseRedis,
    closed_port: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rate_limits, "OUTAGE_SECONDS", 60.0)
    use_redis(f"redis://:sesame@127.0.0.1:{closed_port}/0")

    for _ in range(5):
        seconds_of(lambda: take(THREE, "acme"))

    lines = [(line.levelno, line.getMessage()) for line in caplog.records]
    assert len(lines) == 1
    assert lines[0][0] == logging.WARNING
    assert lines[0][1].startswith("Redis does not answer, nothing is counted: Error ")
    assert "sesame" not in lines[0][1]


def test_when_an_outage_may_be_over_one_thread_asks_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outage = Outage()
    assert in_parallel(outage.may_ask).count(True) == 50
    monkeypatch.setattr(rate_limits, "OUTAGE_SECONDS", 0.0)
    outage.begin()
    monkeypatch.setattr(rate_limits, "OUTAGE_SECONDS", 60.0)

    assert in_parallel(outage.may_ask).count(True) == 1

    outage.end()
    assert in_parallel(outage.may_ask).count(True) == 50


def test_after_an_outage_counting_goes_on(
    use_redis: UseRedis, settings: Any, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_url = settings.REDIS_URL
    monkeypatch.setattr(rate_limits, "OUTAGE_SECONDS", 0.0)
    use_redis(f"redis://127.0.0.1:{closed_port}/0")
    seconds_of(lambda: take(THREE, "acme"))

    settings.REDIS_URL = own_url
    limiter.cache_clear()

    assert [take(THREE, "acme") for _ in range(3)] == [0, 0, 0]
    assert take(THREE, "acme") > 0
    assert rate_limits.outage.may_ask()
