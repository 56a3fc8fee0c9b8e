"""The Celery application.

Queues: default, uploads (somebody waits for the answer), ingestion, checks (of websites), webhooks.
"""

import os
from typing import Any

from celery import Celery, Task

from config.database.acting import as_nobody

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class ActingTask(Task[..., Any]):
    """A task begins as nobody, also where it is called like a function."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        with as_nobody():
            return self.run(*args, **options)


app = Celery("knowledge_agents", task_cls=ActingTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
