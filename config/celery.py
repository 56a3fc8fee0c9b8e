"""The Celery application.

Queues: default, uploads (somebody waits for the answer), ingestion, checks (of websites), webhooks.
"""

import os
import sys
import warnings
from typing import Any

from celery import Celery, Task
from celery.signals import beat_init, task_postrun, task_prerun, worker_init
from django.db import connections

from config.database.acting import as_nobody
from config.security.memory import hide_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
warnings.filterwarnings("ignore", "You're running the worker with superuser")  # operators know it


class ActingTask(Task[..., Any]):
    """A task begins as nobody, also where it is called like a function."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        with as_nobody():
            return self.run(*args, **options)


app = Celery("knowledge_agents", task_cls=ActingTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Celery would close a process's pool around each task, and the next one wait for a connection that
# is made again: `give_connections_back` leaves it to the pool.
app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize


@task_prerun.connect
@task_postrun.connect
def give_connections_back(sender: Task[..., Any], **_: object) -> None:
    if not sender.request.is_eager:
        for connection in connections.all(initialized_only=True):
            connection.close()


@worker_init.connect
@beat_init.connect
def hide_secrets(**_: object) -> None:
    """Hides the memory before a worker forks its processes. A parser that was taken over is another
    process of the same user, unless bin/up runs as root."""
    hide_memory()
