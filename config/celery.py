"""The Celery application.

Queues: default, uploads (somebody waits for the answer), ingestion, checks (of websites), webhooks.
"""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("knowledge_agents")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
