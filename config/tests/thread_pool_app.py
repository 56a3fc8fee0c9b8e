"""The Celery application of test_thread_pool.py, for a worker that is a process of its own."""

from __future__ import annotations

import os
import time

import redis
from celery import Celery
from django.conf import settings

HOLD_SECONDS = 120  # longer than any stop
SOFT_SHUTDOWN_SECONDS = 2


def make_app() -> Celery:
    """With the product's settings, but a queue of its own and a quicker stop."""
    prefix = os.environ["THREADS_TEST_PREFIX"]
    # Not the current one: in the process of the tests the product's tasks would go to its queue
    app = Celery("thread_pool_test", set_as_current=False)
    app.config_from_object("django.conf:settings", namespace="CELERY")
    app.conf.update(
        task_default_queue="threads",
        task_routes={},
        worker_soft_shutdown_timeout=SOFT_SHUTDOWN_SECONDS,
        broker_transport_options={
            **settings.CELERY_BROKER_TRANSPORT_OPTIONS,
            "global_keyprefix": prefix,
        },
    )

    @app.task(name="hold", ignore_result=True)
    def hold(key: str) -> None:
        """Until `key` is there."""
        with redis.Redis.from_url(settings.REDIS_URL) as client:
            client.incr(f"{prefix}begun")
            stop_at = time.monotonic() + HOLD_SECONDS
            while not client.exists(f"{prefix}{key}") and time.monotonic() < stop_at:
                time.sleep(0.05)
            client.incr(f"{prefix}ended")

    return app


if "THREADS_TEST_PREFIX" in os.environ:  # in the worker
    app = make_app()
