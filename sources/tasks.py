"""Celery tasks of sources. Safe to run twice: only the run that holds the lock writes.

Queues: CELERY_TASK_ROUTES in config/settings.py.
"""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import asdict
from typing import Any

from celery import Task, shared_task
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from config.database.acting import as_tenant, over_all_tenants
from config.errors import ServiceError
from config.http import TooLarge
from config.jobs.enqueueing import enqueue
from config.security.encryption import decrypt
from sources.connectors.calling import CallRefused, waited_for
from sources.connectors.interface import SOURCE_URL
from sources.connectors.registry import CONNECTORS
from sources.connectors.remote import refuse_to_list
from sources.errors import ConnectionRefused
from sources.models import Lane
from sources.originals.files import delete_unnamed
from sources.syncing import dispatch
from sources.syncing.kept_uploads import record_uploads
from sources.syncing.lanes import claim_next_run, count_claimable
from sources.syncing.plan_passages import record_passages
from sources.syncing.run_signal import announce_run_end
from sources.syncing.runs import LOCK_LIFETIME, WORK_LEASE
from sources.syncing.sync import GoesOn, RetryLater, work_on_run

KILL_AFTER_SECONDS = 30  # past the soft limit, for work that does not notice it
CHECK_MAX_SECONDS = 40  # that a request waits for the check of a website
# A run ends before its lock goes stale: nobody overwrites one that works.
SYNC_MAX_SECONDS = int(LOCK_LIFETIME.total_seconds()) - 90
# A message that there is work in a lane. Beat tells of what still waits.
HINT_EXPIRES_SECONDS = 300
BEAT_EXPIRES_SECONDS = 10  # it has told again by then

HINT: dict[str, Any] = {
    "bind": True,
    "ignore_result": True,
    "expires": HINT_EXPIRES_SECONDS,
    # When the database was away.
    "autoretry_for": (OperationalError,),
    "max_retries": 20,
    "retry_backoff": 1,
    "retry_backoff_max": 30,
}


@shared_task(
    **HINT,
    # By then nobody waits for it any more: it goes on in the background.
    soft_time_limit=settings.UPLOAD_DEADLINE,
    time_limit=settings.UPLOAD_DEADLINE + KILL_AFTER_SECONDS,
)
def ingest_upload(task: Task[..., None]) -> None:
    """Works on the upload whose turn it is."""
    work_in_lane(task, Lane.UPLOADS)


@shared_task(
    **HINT, soft_time_limit=SYNC_MAX_SECONDS, time_limit=SYNC_MAX_SECONDS + KILL_AFTER_SECONDS
)
def sync_in_background(task: Task[..., None]) -> None:
    """Works on the run whose turn it is, of those that nobody waits for."""
    work_in_lane(task, Lane.BACKGROUND)


def work_in_lane(task: Task[..., None], lane: Lane) -> None:
    source = claim_next_run(lane)
    if source is None or source.sync_run_id is None:
        delivery = task.request.delivery_info or {}
        # A killed worker's task comes again. The run that it had is free once its lease ends.
        if delivery.get("redelivered"):
            tell_lane(lane, countdown_seconds=WORK_LEASE.total_seconds() + 1)
        return
    run_id = source.sync_run_id
    try:
        with as_tenant(source.tenant_id):
            work_on_run(source, run_id=run_id)
            record_uploads(source.tenant)
            record_passages(source.tenant)
            announce_run_end(source.tenant, run_id)
    except GoesOn as later:
        tell_lane(later.lane)
    except RetryLater as later:
        for each in Lane:  # it may have gone into the other
            tell_lane(each, countdown_seconds=later.seconds)
    if count_claimable(lane):  # by us; what others' hints were refused for is found here too
        tell_lane(lane)


HINTS: dict[Lane, Task[..., None]] = {
    Lane.UPLOADS: ingest_upload,
    Lane.BACKGROUND: sync_in_background,
}


def tell_lane(lane: Lane, *, countdown_seconds: float = 0) -> None:
    """Tells workers that there is work in this lane. Call it after the commit; beat repeats what is
    lost."""
    enqueue(HINTS[lane], countdown_seconds=countdown_seconds)


def tell_lanes() -> None:
    """Sends each lane as many hints as it has free slots with a run to fill them."""
    for lane in Lane:
        for _ in range(count_claimable(lane)):
            enqueue(HINTS[lane], expires_seconds=BEAT_EXPIRES_SECONDS)


@shared_task(expires=CHECK_MAX_SECONDS)
def check_site(url: str, max_pages: int, kind: str) -> dict[str, Any]:
    """Returns the fields of a Preflight, for the request that waits for them. In a thread, where
    Celery's time limits do not hold: it has its own."""
    found = CONNECTORS[kind].check({SOURCE_URL.name: url}, max_pages=max_pages)
    return {**asdict(found), "error": found.error.to_json() if found.error else None}


# Its answer holds passages of a customer: a worker would write it into its log.
@shared_task(expires=CHECK_MAX_SECONDS, resultrepr_maxsize=1)
def check_account(sealed_fields: str, seal: str, kind: str) -> dict[str, Any]:
    """Returns what CONNECTORS[kind] says of the fields that somebody entered: the fields of a
    Checked, or why they were refused. In a thread, as `check_site`. `sealed_fields`: base64;
    brokers keep what passes them."""
    fields = json.loads(decrypt(b64decode(sealed_fields), context=seal))
    try:
        with waited_for(CHECK_MAX_SECONDS):
            return asdict(CONNECTORS[kind].check_connection(fields))
    except ConnectionRefused as error:
        return {"refused": error.reason.to_json(), "field": error.field}
    except (CallRefused, TooLarge) as error:
        return {"refused": refuse_to_list(error).reason.to_json(), "field": ""}
    except ServiceError as error:
        return {"refused": error.reason.to_json(), "field": ""}


@shared_task(ignore_result=True, expires=60, soft_time_limit=50, time_limit=60)
def tend_runs() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE): no run waits for a message that was lost, and no
    source says `syncing` for ever.
    """
    dispatch.end_forgotten_runs(timezone.now())
    tell_lanes()
    dispatch.clear_leftovers()


@shared_task(ignore_result=True, expires=3600, soft_time_limit=3300, time_limit=3330)
def delete_unnamed_files() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE). What it does not reach is due the next time."""
    with over_all_tenants():
        delete_unnamed(timezone.now())


@shared_task(ignore_result=True, expires=60, soft_time_limit=50, time_limit=60)
def start_due_syncs() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE). What it does not reach is due the next time."""
    dispatch.begin_due_syncs(timezone.now())
    tell_lanes()
