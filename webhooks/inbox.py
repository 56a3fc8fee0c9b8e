"""Keeping what messengers deliver: once each, in the order of its chat, for a worker to answer."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models.functions import Greatest, Least
from django.utils import timezone

from channels.models import ChannelConnection
from channels.surfaces.base import IncomingMessage
from config.security.sealing import open_column, seal_column
from webhooks.bursts import QUIET_SECONDS
from webhooks.models import Chat, InboundMessage

logger = logging.getLogger(__name__)

WAITING_MAX = 50  # messages of a chat; nobody who wants an answer writes more before it comes

# --- Keeping --------------------------------------------------------------------------------------


def keep_messages(connection: ChannelConnection, messages: Iterable[IncomingMessage]) -> list[Chat]:
    """Keeps the messages, and returns the chats that got something new, which are due soon. A
    transaction for each, so that no call waits for two.

    Left out: what was delivered before, and what comes to a chat where WAITING_MAX wait. Nothing is
    kept, either, once the connection is deleted.
    """
    by_chat: dict[str, list[IncomingMessage]] = defaultdict(list)
    for message in messages:
        by_chat[message.chat_id].append(message)
    try:
        outcomes = [keep_in_chat(connection, *delivered) for delivered in by_chat.items()]
    except IntegrityError:
        if ChannelConnection.objects.for_tenant(connection.tenant).filter(pk=connection.pk):
            raise
        return []  # deleted meanwhile, with the chats that were kept
    if dropped := sum(count for _, count in outcomes):
        logger.warning("channel %s: %s messages dropped: too many wait", connection.pk, dropped)
    return [chat for chat, _ in outcomes if chat]


def keep_in_chat(
    connection: ChannelConnection, chat_id: str, delivered: Sequence[IncomingMessage]
) -> tuple[Chat | None, int]:
    """Returns the chat if it got something new, and how many messages were dropped because too many
    wait."""
    with transaction.atomic():
        chat, is_new_chat = lock_chat(connection, chat_id, delivered)
        new = delivered if is_new_chat else without_known(connection, delivered)
        if not new:
            return None, 0
        rows = InboundMessage.objects.for_tenant(connection.tenant)
        waiting = 0 if is_new_chat else rows.filter(chat=chat, handled_at=None).count()
        kept = new[: max(0, WAITING_MAX - waiting)]
        if kept:
            add_to_chat(connection, chat, kept)
        return (chat if kept else None), len(new) - len(kept)


def lock_chat(
    connection: ChannelConnection, chat_id: str, delivered: Sequence[IncomingMessage]
) -> tuple[Chat, bool]:
    """Returns the chat, and whether it is new. Until the commit nobody else adds to it or claims
    it."""
    rows = Chat.objects.for_tenant(connection.tenant).select_for_update(no_key=True)
    return rows.get_or_create(
        connection=connection,
        external_id=chat_id,
        defaults={"last_inbound_at": last_sent_at(delivered)},
    )


def without_known(
    connection: ChannelConnection, delivered: Sequence[IncomingMessage]
) -> list[IncomingMessage]:
    rows = InboundMessage.objects.for_tenant(connection.tenant).filter(connection=connection)
    ids = [message.provider_message_id for message in delivered]
    known = set(
        rows.filter(provider_message_id__in=ids).values_list("provider_message_id", flat=True)
    )
    return [message for message in delivered if message.provider_message_id not in known]


def add_to_chat(
    connection: ChannelConnection, chat: Chat, messages: Sequence[IncomingMessage]
) -> None:
    """Adds the messages. The chat is due QUIET_SECONDS from now, when probably no more follow, or
    sooner if it was."""
    tenant = connection.tenant
    made = [make_row(connection, chat, message) for message in messages]
    # An id twice in one call, or in two chats, which no messenger should send, is kept once.
    InboundMessage.objects.for_tenant(tenant).bulk_create(made, ignore_conflicts=True)
    languages = [message.language for message in messages if message.language]
    due_at = timezone.now() + timedelta(seconds=QUIET_SECONDS)
    Chat.objects.for_tenant(tenant).filter(pk=chat.pk).update(
        due_at=Least("due_at", due_at),  # PostgreSQL passes over a null
        last_inbound_at=Greatest("last_inbound_at", last_sent_at(messages)),
        language=languages[-1] if languages else chat.language,
    )


def make_row(connection: ChannelConnection, chat: Chat, message: IncomingMessage) -> InboundMessage:
    row = InboundMessage(
        tenant=connection.tenant,
        connection=connection,
        chat=chat,
        provider_message_id=message.provider_message_id,
        kind=message.kind.value,
        position=message.position,
    )
    row.encrypted_text = seal_column(row, "encrypted_text", message.text.encode())
    return row


def last_sent_at(messages: Sequence[IncomingMessage]) -> datetime:
    """The time of the latest message, never in the future, whichever clock dated it: replies are
    allowed for a day after it."""
    return min(timezone.now(), max(message.sent_at for message in messages))


def open_text(message: InboundMessage) -> str:
    """Raises CannotDecrypt, also when the text is erased."""
    return open_column(message, "encrypted_text").decode()
