"""What a new key encrypts of messengers' texts: those that still wait."""

from channels.rotation import Encrypted
from webhooks.inbox import text_context
from webhooks.models import InboundMessage, Reply
from webhooks.replies import parts_context

ENCRYPTED_TEXTS = [
    Encrypted(
        "webhooks.InboundMessage",
        lambda: InboundMessage.all_tenants.all(),
        "encrypted_text",
        lambda message: text_context(message.chat_id, message.provider_message_id),
    ),
    Encrypted(
        "webhooks.Reply",
        lambda: Reply.all_tenants.select_related("chat"),
        "encrypted_parts",
        lambda reply: parts_context(reply.chat),
    ),
]
