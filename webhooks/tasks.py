"""Background tasks of messengers. Safe to run twice: only the worker that has claimed a chat tends
it."""

import uuid

from celery import shared_task
from django.utils import timezone

from accounts.models import Tenant
from config.database.acting import as_tenant
from config.jobs.enqueueing import enqueue
from webhooks import conversing, dispatch, expiry

# A chat that is due later than this is left to beat: a countdown is held by a worker all the time.
COUNTDOWN_MAX_SECONDS = 300
# Beat tells of a chat again and again while nobody has it: what it told long ago is old news.
DISPATCHED_EXPIRES_SECONDS = 60


@shared_task(ignore_result=True, expires=2 * COUNTDOWN_MAX_SECONDS)
def tend_chat(chat_id: str, tenant_id: str) -> None:
    """Tends a chat that is due. Beat finds it if this task is lost."""
    with as_tenant(uuid.UUID(tenant_id)):
        tenant = Tenant.objects.select_related("plan").filter(pk=tenant_id).first()
        if tenant is None:  # deleted with all its chats
            return
        due_at = conversing.tend_chat(tenant, uuid.UUID(chat_id))
    if due_at is None:
        return
    seconds = max(0.0, (due_at - timezone.now()).total_seconds())
    if seconds <= COUNTDOWN_MAX_SECONDS:
        enqueue(tend_chat, chat_id, tenant_id, countdown_seconds=seconds)


@shared_task(ignore_result=True, expires=30, soft_time_limit=50, time_limit=60)
def tend_due_chats() -> None:
    """Starts work on chats that are due. Started by beat (CELERY_BEAT_SCHEDULE); the rest is due
    the next time."""
    for chat_id, tenant_id in dispatch.list_due_chats(timezone.now()):
        told = enqueue(
            tend_chat, str(chat_id), str(tenant_id), expires_seconds=DISPATCHED_EXPIRES_SECONDS
        )
        if not told:
            return


@shared_task(ignore_result=True, expires=3600, soft_time_limit=1800, time_limit=1830)
def delete_old_messages() -> None:
    """Deletes old messages. Started by beat (CELERY_BEAT_SCHEDULE)."""
    expiry.delete_old(timezone.now())
