"""A worker's tasks for conversations. Each is safe to run twice."""

from celery import shared_task
from django.utils import timezone

from config.database.acting import over_all_tenants
from query.conversations import transcripts
from query.conversations.leaving import delete_due_workspaces
from query.notifications import recipients


@shared_task(ignore_result=True, expires=3600, soft_time_limit=1800, time_limit=1830)
def purge_transcripts() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE). What it does not reach is due the next time."""
    with over_all_tenants():
        transcripts.purge(timezone.now())


@shared_task(ignore_result=True, expires=300, soft_time_limit=240, time_limit=270)
def mail_summaries() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE). What it does not reach is due the next time."""
    with over_all_tenants():
        recipients.mail_summaries(timezone.now())


@shared_task(ignore_result=True, expires=3600, soft_time_limit=3300, time_limit=3330)
def delete_left_workspaces() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE). What it does not reach is due the next time."""
    with over_all_tenants():
        delete_due_workspaces(timezone.now())
