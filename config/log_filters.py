"""Filters of the log."""

from __future__ import annotations

import logging
from collections.abc import Collection


class RoutineFilter(logging.Filter):
    """Drops Celery's lines about beat's tasks (sent, received, succeeded): dozens a minute, for
    ever. Failures are logged above INFO, and stay.

    Args:
        tasks: their names.
    """

    def __init__(self, tasks: Collection[str]) -> None:
        super().__init__()
        self._tasks = frozenset(tasks)

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno > logging.INFO or not record.name.startswith("celery."):
            return True
        said = record.args.values() if isinstance(record.args, dict) else record.args or ()
        return self._tasks.isdisjoint(word for word in said if isinstance(word, str))
