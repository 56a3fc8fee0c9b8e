"""A pool of threads for a Celery worker, with a stop that gives unfinished tasks back.

Celery's own pool (5.7) waits for its threads when it is stopped, until it is killed, and its tasks
stay with the dead worker. Chosen by `--pool custom` and CELERY_CUSTOM_WORKER_POOL
(config.running.programs).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from functools import partial
from multiprocessing.util import Finalize
from queue import SimpleQueue
from threading import Thread
from typing import Any

from celery.concurrency.base import BasePool, apply_target

logger = logging.getLogger(__name__)


class ThreadPool(BasePool):
    body_can_be_buffer = True  # as with Celery's own: nothing is copied to another process
    signal_safe = False

    def on_start(self) -> None:
        self.calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        for number in range(self.limit):
            # A process that ends does not wait for daemons.
            Thread(target=self.work, name=f"task-{number}", daemon=True).start()

    def work(self) -> None:
        while True:
            call = self.calls.get()
            try:
                call()
            except Exception:  # a fault of Celery: those of tasks do not come this far
                logger.exception("a task could not be carried out")

    def on_apply(
        self,
        target: Any,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        callback: Any = None,
        accept_callback: Any = None,
        **_: Any,
    ) -> None:
        self.calls.put(partial(apply_target, target, args, kwargs, callback, accept_callback))

    def terminate_job(self, pid: int, signal: int | None = None) -> None:
        """Does nothing for a task that has not ended in time when a worker stops. A thread cannot
        be stopped: it runs until the process ends, a moment later. Its task, which is not
        acknowledged, goes back to the queue."""

    def on_terminate(self) -> None:
        """Ends the process at the end of its exit, after kombu has given the tasks back (a Finalize
        too, with a higher priority): threads that still run could make that end a crash."""
        Finalize(None, os._exit, args=(0,), exitpriority=-1)
