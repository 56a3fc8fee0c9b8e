"""A worker of threads that is stopped, as supervisord stops ours: by QUIT."""

from __future__ import annotations

import os
import signal
import subprocess
import uuid
from collections.abc import Callable, Iterator

import pytest
import redis
from celery import Celery

from config.embedded.processes import wait_until
from config.running.environment import REPOSITORY
from config.running.programs import PYTHON
from config.tests import thread_pool_app

pytestmark = pytest.mark.slow

WAIT_SECONDS = 60
POOL = "config.running.thread_pool:ThreadPool"
Start = Callable[[], subprocess.Popen[bytes]]


@pytest.fixture
def prefix(monkeypatch: pytest.MonkeyPatch) -> str:
    """Of its keys in Redis: a queue of its own."""
    prefix = f"threads-{uuid.uuid4().hex}:"
    monkeypatch.setenv("THREADS_TEST_PREFIX", prefix)
    return prefix


@pytest.fixture
def app(prefix: str) -> Celery:
    return thread_pool_app.make_app()


@pytest.fixture
def broker(prefix: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
        yield client
        for key in list(client.scan_iter(f"{prefix}*")):
            client.delete(key)


@pytest.fixture
def start(prefix: str) -> Iterator[Start]:
    """A worker with two threads."""
    started = []

    def start() -> subprocess.Popen[bytes]:
        options = ("--concurrency", "2", "--pool", "custom", "--loglevel", "WARNING")
        worker = subprocess.Popen(
            [*PYTHON, "-m", "celery", "--app", "config.tests.thread_pool_app", "worker", *options],
            cwd=REPOSITORY,
            env={**os.environ, "CELERY_CUSTOM_WORKER_POOL": POOL},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.kill()
        worker.wait(WAIT_SECONDS)


def test_a_stopped_worker_gives_back_what_did_not_end_in_time(app, broker, prefix, start):
    for key in ("stay", "go", "stay"):  # the third waits for a thread
        app.send_task("hold", (key,))
    worker = start()
    assert wait_until(lambda: begun(broker, prefix) == 2, timeout_seconds=WAIT_SECONDS)
    worker.send_signal(signal.SIGQUIT)
    broker.set(f"{prefix}go", "1")  # while it stops
    assert worker.wait(WAIT_SECONDS) == 0
    assert broker.get(f"{prefix}ended") == b"1"
    assert tasks(broker, prefix) == {"in the queue": 2, "with a worker": 0}


def begun(broker: redis.Redis, prefix: str) -> int:
    return int(broker.get(f"{prefix}begun") or 0)


def tasks(broker: redis.Redis, prefix: str) -> dict[str, int]:
    return {
        "in the queue": int(broker.llen(f"{prefix}threads")),
        "with a worker": int(broker.hlen(f"{prefix}unacked")),
    }
