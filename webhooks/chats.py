"""A chat on its way through a worker: claiming it, keeping it, giving it back.

A claim is a lease with an id. Whatever a worker writes, it writes only while the chat names its
lease: one that lost it and wakes up late changes nothing (as with sources/syncing/runs.py).

    claim_chat ──> renew_lease, before every step ──> release_chat: due again, or idle
                                                          └─ held: nobody's, and nobody may claim
                                                             it before `leased_until`, whatever
                                                             comes in (a limit, a back-off)
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import Tenant
from accounts.models.tenancy import TenantQuerySet
from channels.models import ChannelConnection
from channels.surfaces.base import MessageKind
from config.jobs.leases import Lease
from config.security.encryption import CannotDecrypt
from webhooks.bursts import Waiting, next_burst
from webhooks.inbox import WAITING_MAX, open_text
from webhooks.models import Chat, InboundMessage, Reply

# Longer than the longest step, between two renewals: an answer of the language model.
LEASE = Lease("lease_id", "leased_until", timedelta(seconds=settings.CHAT_LEASE))

# --- The lease ------------------------------------------------------------------------------------


def claim_chat(tenant: Tenant, chat_id: uuid.UUID) -> Chat | None:
    """Returns the chat, for the caller alone until its lease ends. None if it is not due, held,
    deleted, or another worker's."""
    due = Chat.objects.for_tenant(tenant).filter(pk=chat_id, due_at__lte=timezone.now())
    lease_id = LEASE.take(due)
    if lease_id is None:
        return None
    return read_chat(Chat.objects.for_tenant(tenant).filter(pk=chat_id, lease_id=lease_id))


def renew_lease(chat: Chat) -> Chat | None:
    """Returns the chat and its connection as they are now; None once it is another worker's, or
    deleted."""
    if not LEASE.renew(leased(chat)):
        return None
    return read_chat(leased(chat))


def read_chat(rows: TenantQuerySet[Chat]) -> Chat | None:
    """Returns the chat with its connection, agent, tenant and plan. One query."""
    chat = rows.select_related(
        "tenant__plan", "connection__agent", "connection__connection"
    ).first()
    if chat is not None:
        chat.connection.tenant = chat.connection.agent.tenant = chat.tenant
    return chat


@transaction.atomic
def release_chat(chat: Chat, *, held_until: datetime | None = None) -> datetime | None:
    """Gives the chat back. Returns when it is due again: with the earliest of what waits; None if
    nothing waits.

    What comes in meanwhile waits for the row's lock, and makes the chat due after this.
    """
    if lock_chat(chat) is None:
        return None
    if was_connected_anew(chat):  # while this worker believed what it knew before
        held_until = None
        waiting_replies(chat).update(next_attempt_at=timezone.now())
    due_at = due_time(chat)
    if due_at is None:
        held_until = None
    elif held_until is not None:
        due_at = max(due_at, held_until)
    leased(chat).update(due_at=due_at, lease_id=None, leased_until=held_until)
    return due_at


def was_connected_anew(chat: Chat) -> bool:
    connections = ChannelConnection.objects.for_tenant(chat.tenant)
    known = {"pk": chat.connection_id, "connected_at": chat.connection.connected_at}
    return not connections.filter(**known).exists()


def lock_chat(chat: Chat) -> Chat | None:
    """Locks the chat until the end of the transaction; None if another worker has the lease now."""
    return leased(chat).select_for_update(no_key=True).first()


def leased(chat: Chat) -> TenantQuerySet[Chat]:
    """The chat's row, while it names the lease that the chat was claimed with."""
    return Chat.objects.for_tenant(chat.tenant).filter(pk=chat.pk, lease_id=chat.lease_id)


# --- What waits -----------------------------------------------------------------------------------


def due_time(chat: Chat) -> datetime | None:
    """The time at which the chat is due. Messages wait for the replies to those before them."""
    reply = oldest_reply(chat)
    if reply is not None:
        return max(filter(None, (reply.next_attempt_at, chat.connection.paused_until)))
    waiting = list_waiting(chat)
    return next_burst(waiting).ready_at if waiting else None


def oldest_reply(chat: Chat) -> Reply | None:
    return waiting_replies(chat).order_by("id").first()


def waiting_replies(chat: Chat) -> TenantQuerySet[Reply]:
    replies = Reply.objects.for_tenant(chat.tenant)
    return replies.filter(chat=chat, next_attempt_at__isnull=False)


def list_waiting(chat: Chat) -> list[Waiting]:
    """The messages that wait, in the order of the chat."""
    rows = InboundMessage.objects.for_tenant(chat.tenant).filter(chat=chat, handled_at=None)
    return [read_waiting(row) for row in rows.order_by("position", "id")[:WAITING_MAX]]


def read_waiting(message: InboundMessage) -> Waiting:
    try:
        text: str | None = open_text(message)
    except CannotDecrypt:
        text = None
    return Waiting(message.pk, MessageKind(message.kind), text, message.received_at)


# --- A connection that works again ----------------------------------------------------------------


def wake_chats(connection: ChannelConnection, **_: Any) -> None:
    """Makes everything that waits in the connection's chats due now, also chats that were held.
    Beat finds them.

    The rows' locks first, also those of chats that somebody is giving back: what they hold because
    of the old connection is seen by what follows, which another snapshot would miss.
    """
    now = timezone.now()
    chats = Chat.objects.for_tenant(connection.tenant).filter(connection=connection)
    waiting = chats.filter(due_at__isnull=False)
    list(waiting.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    replies = Reply.objects.for_tenant(connection.tenant).filter(next_attempt_at__gt=now)
    replies.filter(chat__in=chats.order_by()).update(next_attempt_at=now)
    waiting.filter(lease_id=None).update(leased_until=None)
    waiting.update(due_at=now)
