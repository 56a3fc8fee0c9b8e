"""The part of webhooks in erasing a session (query/erasure.py)."""

from __future__ import annotations

from accounts.models import Tenant
from webhooks.models import Chat, InboundMessage, Reply


def erase_chats(tenant: Tenant, session_id: str) -> dict[str, int]:
    """With every agent and messenger. How many rows of each kind went. To be called inside a
    transaction: the chats are locked first, as whoever adds to one does it."""
    chats = Chat.objects.for_tenant(tenant).filter(external_id=session_id)
    ids = list(chats.select_for_update().order_by("pk").values_list("pk", flat=True))
    doomed = {
        "chat_messages": InboundMessage.objects.for_tenant(tenant).filter(chat__in=ids),
        "replies": Reply.objects.for_tenant(tenant).filter(chat__in=ids),
        "chats": Chat.objects.for_tenant(tenant).filter(pk__in=ids),
    }
    return {name: rows.delete()[1].get(rows.model._meta.label, 0) for name, rows in doomed.items()}
