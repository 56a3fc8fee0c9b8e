"""Deletes the messengers' data that is older than its time, in every tenant."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import models

from accounts.leaving.expiry import delete_in_batches
from config.database.acting import over_all_tenants
from webhooks.models import Chat, InboundMessage, Reply

# Messengers deliver again for up to seven days: until then a message's id must be known. What was
# not answered for as long, while a channel failed, nobody waits for any more.
MESSAGES_KEPT = timedelta(days=8)
# A chat's row remembers what its person was told once, such as that only text is read.
IDLE_CHATS_KEPT = timedelta(days=30)


@over_all_tenants()
def delete_old(now: datetime) -> int:
    """Deletes old rows, and returns how many. Safe to stop anywhere, and to run beside another."""
    return sum(delete_in_batches(rows) for rows in old_rows(now))


def old_rows(now: datetime) -> Iterator[models.QuerySet[InboundMessage | Reply | Chat]]:
    before = now - MESSAGES_KEPT
    yield InboundMessage.all_tenants.filter(received_at__lt=before)
    yield Reply.all_tenants.filter(created_at__lt=before)
    yield Chat.all_tenants.filter(due_at=None, last_inbound_at__lt=now - IDLE_CHATS_KEPT)
