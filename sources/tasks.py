"""What a worker does for sources. Safe to run twice: only the run that holds the lock writes.

Queues: CELERY_TASK_ROUTES in config/settings.py.
"""

import uuid
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.db import OperationalError

from accounts.models import Tenant
from sources import dispatch
from sources.run_signal import announce_run_end
from sources.sync import sync_source

KILL_AFTER_SECONDS = 30  # past the soft limit, for work that does not notice it
# Waiting in the queue, then being worked on, each as long as it can be; and a minute to spare.
UPLOAD_MAX_LIFE = timedelta(seconds=2 * settings.UPLOAD_DEADLINE + KILL_AFTER_SECONDS + 60)


@shared_task(
    ignore_result=True,
    # The request that waits gives up then: whatever comes later is superseded.
    expires=settings.UPLOAD_DEADLINE,
    soft_time_limit=settings.UPLOAD_DEADLINE,
    time_limit=settings.UPLOAD_DEADLINE + KILL_AFTER_SECONDS,
    autoretry_for=(OperationalError,),
    max_retries=5,
    retry_backoff=1,
    retry_backoff_max=30,
)
def ingest_upload(tenant_id: str, source_id: str, run_id: str) -> None:
    tenant = Tenant.objects.get(pk=tenant_id)
    sync_source(tenant, uuid.UUID(source_id), run_id=uuid.UUID(run_id))
    announce_run_end(tenant, uuid.UUID(run_id))


@shared_task(ignore_result=True, expires=60, soft_time_limit=50, time_limit=60)
def fail_abandoned_uploads() -> None:
    """Started by beat every minute (CELERY_BEAT_SCHEDULE)."""
    dispatch.fail_abandoned_uploads(older_than=UPLOAD_MAX_LIFE)
