"""The Celery application.

Queues: default, uploads (somebody waits for the answer), ingestion, checks (of websites), webhooks.
"""

import os

from celery import Celery
from celery.signals import beat_init, worker_init

from config.security.memory import hide_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("knowledge_agents")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
@beat_init.connect
def hide_secrets(**_: object) -> None:
    """Before a worker forks its processes. A parser that was taken over is another process of the
    same user, unless bin/up runs as root."""
    hide_memory()
