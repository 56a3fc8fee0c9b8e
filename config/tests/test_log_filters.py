"""The clock's routine is not told; what goes wrong with it is."""

import logging
from typing import Any

import pytest

from config.log_filters import RoutineFilter

ROUTINE = "sources.tasks.tend_runs"
# As Celery writes them: celery/beat.py, celery/worker/strategy.py, celery/app/trace.py
SENT = ("celery.beat", "Scheduler: Sending due task %s (%s)", ("tend_runs", ROUTINE))
RECEIVED = ("celery.worker.strategy", "Task %(name)s[%(id)s] received", {"name": ROUTINE, "id": 1})


def is_told(name: str, text: str, args: Any, level: int = logging.INFO) -> bool:
    record = logging.getLogger(name).makeRecord(name, level, "", 0, text, (args,), None)
    if isinstance(args, tuple):
        record = logging.getLogger(name).makeRecord(name, level, "", 0, text, args, None)
    return bool(RoutineFilter([ROUTINE]).filter(record))


@pytest.mark.parametrize(("name", "text", "args"), [SENT, RECEIVED])
def test_a_task_of_beat_comes_and_goes_untold(name: str, text: str, args: Any) -> None:
    assert not is_told(name, text, args)
    assert is_told(name, text, args, logging.WARNING)


def test_everything_else_is_told() -> None:
    name, text, args = RECEIVED
    assert is_told(name, text, {**args, "name": "sources.tasks.ingest_upload"})
    assert is_told("sources.tasks", "%s", (ROUTINE,))
    assert is_told("celery.worker", "ready", ())
