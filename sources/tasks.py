"""What a worker does for sources. Safe to run twice: only the run that holds the lock writes.

Queues: CELERY_TASK_ROUTES in config/settings.py.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict
from typing import Any

from celery import Task, shared_task
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from accounts.models import Tenant
from sources import dispatch
from sources.connectors.web import preflight
from sources.run_signal import announce_run_end
from sources.runs import LOCK_LIFETIME, RunIsAlive
from sources.sync import RetryLater, sync_source

KILL_AFTER_SECONDS = 30  # past the soft limit, for work that does not notice it
CHECK_MAX_SECONDS = 35  # of looking at a website, which gives up by itself a little earlier
# A run ends before its lock goes stale: nobody overwrites one that works.
SYNC_MAX_SECONDS = int(LOCK_LIFETIME.total_seconds()) - 90

# How a task of a run comes again: when the database was away, the run waits, or another has it.
COMES_AGAIN: dict[str, Any] = {
    "bind": True,
    "ignore_result": True,
    "autoretry_for": (OperationalError,),
    "max_retries": 20,
    "retry_backoff": 1,
    "retry_backoff_max": 30,
}


@shared_task(
    **COMES_AGAIN,
    # The request that waits gives up then: whatever comes later is superseded.
    expires=settings.UPLOAD_DEADLINE,
    soft_time_limit=settings.UPLOAD_DEADLINE,
    time_limit=settings.UPLOAD_DEADLINE + KILL_AFTER_SECONDS,
)
def ingest_upload(task: Task[..., None], tenant_id: str, source_id: str, run_id: str) -> None:
    """Somebody waits for the end of this one."""
    work_on_run(task, tenant_id, source_id, run_id)


@shared_task(
    **COMES_AGAIN,
    expires=LOCK_LIFETIME.total_seconds(),
    soft_time_limit=SYNC_MAX_SECONDS,
    time_limit=SYNC_MAX_SECONDS + KILL_AFTER_SECONDS,
)
def sync_in_background(task: Task[..., None], tenant_id: str, source_id: str, run_id: str) -> None:
    work_on_run(task, tenant_id, source_id, run_id)


def work_on_run(task: Task[..., None], tenant_id: str, source_id: str, run_id: str) -> None:
    tenant = Tenant.objects.select_related("plan").filter(pk=tenant_id).first()
    if tenant is None:  # deleted with all its runs
        return
    try:
        sync_source(tenant, uuid.UUID(source_id), run_id=uuid.UUID(run_id))
    except (RetryLater, RunIsAlive) as later:
        raise task.retry(countdown=later.seconds + 1, exc=later) from later
    announce_run_end(tenant, uuid.UUID(run_id))


@shared_task(
    expires=CHECK_MAX_SECONDS, soft_time_limit=CHECK_MAX_SECONDS, time_limit=CHECK_MAX_SECONDS + 5
)
def check_site(url: str, max_pages: int) -> dict[str, Any]:
    """The fields of a Preflight, for the request that waits for them."""
    return asdict(preflight.check_site(url, max_pages=max_pages))


@shared_task(ignore_result=True, expires=60, soft_time_limit=50, time_limit=60)
def tend_runs() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE): no source says `syncing` for ever."""
    for run in dispatch.tend_expired_runs():
        sync_in_background.delay(*run.arguments)


@shared_task(ignore_result=True, expires=60, soft_time_limit=50, time_limit=60)
def start_due_syncs() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE). What it does not reach is due the next time."""
    for run in dispatch.claim_due_schedules(timezone.now()):
        sync_in_background.delay(*run.arguments)
