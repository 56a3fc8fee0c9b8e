"""What a worker does for conversations. Safe to run twice."""

from celery import shared_task
from django.utils import timezone

from query.conversations import transcripts


@shared_task(ignore_result=True, expires=3600, soft_time_limit=1800, time_limit=1830)
def purge_transcripts() -> None:
    """Started by beat (CELERY_BEAT_SCHEDULE). What it does not reach is due the next time."""
    transcripts.purge(timezone.now())
