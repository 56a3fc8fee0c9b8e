"""What came in from messengers and waits to go out, for the tests of every app."""

import itertools
import json
from typing import Any

from django.utils import timezone

from channels.models import ChannelConnection
from channels.surfaces.base import MessageKind
from config.security.encryption import encrypt
from webhooks.models import Chat, InboundMessage, Reply

_numbers = itertools.count(1)


def make_chat(connection: ChannelConnection, **over: Any) -> Chat:
    """Idle, unless `due_at` says otherwise."""
    fields: Any = {
        "external_id": str(40_000_000 + next(_numbers)),
        "last_inbound_at": timezone.now(),
        **over,
    }
    return Chat.objects.for_tenant(connection.tenant).create(connection=connection, **fields)


def make_inbound_message(
    chat: Chat, text: str = "When do you open?", **over: Any
) -> InboundMessage:
    """Waiting. Its text is sealed as webhooks.inbox does."""
    number = next(_numbers)
    fields: Any = {
        "connection": chat.connection,
        "provider_message_id": str(number),
        "kind": MessageKind.TEXT.value,
        "position": number,
        **over,
    }
    context = f"webhooks.InboundMessage:{chat.pk}:{fields['provider_message_id']}"
    fields.setdefault("encrypted_text", encrypt(text.encode(), context=context))
    return InboundMessage.objects.for_tenant(chat.tenant).create(chat=chat, **fields)


def make_reply(chat: Chat, *parts: str, **over: Any) -> Reply:
    """Waiting, and due. `parts`: one, unless some are named."""
    texts = parts or ("We open at nine.",)
    sealed = encrypt(json.dumps(texts).encode(), context=f"webhooks.Reply:{chat.pk}")
    fields: Any = {"encrypted_parts": sealed, "parts_count": len(texts), **over}
    return Reply.objects.for_tenant(chat.tenant).create(chat=chat, **fields)
