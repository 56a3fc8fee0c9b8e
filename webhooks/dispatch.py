"""Finds work that is due, over all tenants, for beat."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.db.models import F, Window
from django.db.models.functions import RowNumber

from config.database.acting import over_all_tenants
from webhooks.chats import LEASE
from webhooks.models import Chat

# Past its time: the task that was enqueued for it was lost, or came while the chat was held.
GRACE = timedelta(seconds=3)
# One task of beat hands out so many; it finds the others the next time.
CHATS_AT_ONCE = 500
# Nobody waits behind thousands of chats of one tenant: its others are found the next time.
CHATS_OF_TENANT_AT_ONCE = 80


@over_all_tenants()
def list_due_chats(now: datetime) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """The (chat, tenant) ids of chats that are due and not claimed, the longest due first, of all
    tenants in turn. Not claimed here either: only one of many workers that hear of a chat gets it.
    """
    due = Chat.all_tenants.filter(LEASE.is_free(now), due_at__lt=now - GRACE)
    place = Window(RowNumber(), partition_by=F("tenant_id"), order_by=F("due_at").asc())
    fair = due.annotate(place=place).filter(place__lte=CHATS_OF_TENANT_AT_ONCE)
    ordered = fair.order_by("place", "due_at").values_list("pk", "tenant_id")
    return list(ordered[:CHATS_AT_ONCE])
