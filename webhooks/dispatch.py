"""What beat finds due, over all tenants."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.db.models import Q

from webhooks.models import Chat

# Past its time: the task that was enqueued for it was lost, or came while the chat was held.
GRACE = timedelta(seconds=3)
CHATS_AT_ONCE = 500


def list_due_chats(now: datetime) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """(chat, tenant) of those that are due and nobody's, the longest due first. Not claimed: only
    one of many workers that hear of a chat gets it."""
    is_free = Q(leased_until=None) | Q(leased_until__lt=now)
    due = Chat.all_tenants.filter(is_free, due_at__lt=now - GRACE).order_by("due_at")
    return list(due.values_list("pk", "tenant_id")[:CHATS_AT_ONCE])
