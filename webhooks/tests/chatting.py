"""A person who writes to an agent, for the tests of what a worker does."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from accounts.models import Tenant
from accounts.plans.usage import list_counters, this_month
from agents.models import Agent
from channels.models import ChannelConnection
from channels.surfaces.base import MessageKind
from webhooks import conversing
from webhooks.models import Chat, InboundMessage, Reply
from webhooks.tests.factories import make_inbound_message


def ago(seconds: float) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


def hear(chat: Chat, *texts: str, seconds_ago: float = 10.0, **over: Any) -> list[InboundMessage]:
    """One after another, a moment apart, and long enough ago to be answered; the chat is due."""
    kept = [
        make_inbound_message(chat, text, received_at=ago(seconds_ago - number / 100), **over)
        for number, text in enumerate(texts)
    ]
    make_due(chat)
    return kept


def hear_kind(chat: Chat, kind: MessageKind, **over: Any) -> list[InboundMessage]:
    return hear(chat, "", kind=kind.value, **over)


def make_due(chat: Chat, **over: Any) -> None:
    """Also for a reply that waits; whoever has the chat loses it, and it is not held."""
    rows = Chat.objects.for_tenant(chat.tenant).filter(pk=chat.pk)
    rows.update(**{"due_at": ago(5), "lease_id": None, "leased_until": None, **over})


def make_replies_due(chat: Chat) -> None:
    waiting = Reply.objects.for_tenant(chat.tenant).filter(next_attempt_at__isnull=False)
    waiting.filter(chat=chat).update(next_attempt_at=ago(5))
    make_due(chat)


def tend(chat: Chat) -> datetime | None:
    return conversing.tend_chat(chat.tenant, chat.pk)


def seconds_until(moment: datetime | None) -> float:
    assert moment is not None
    return (moment - timezone.now()).total_seconds()


def now_of(chat: Chat) -> Chat:
    return Chat.objects.for_tenant(chat.tenant).get(pk=chat.pk)


def connection_of(chat: Chat) -> ChannelConnection:
    return ChannelConnection.objects.for_tenant(chat.tenant).get(pk=chat.connection_id)


def messages_of(chat: Chat) -> list[InboundMessage]:
    return list(InboundMessage.objects.for_tenant(chat.tenant).filter(chat=chat))


def replies_of(chat: Chat) -> list[Reply]:
    return list(Reply.objects.for_tenant(chat.tenant).filter(chat=chat))


def queries_of(tenant: Tenant) -> int:
    return list_counters(tenant, this_month())["queries"].used


def change(agent: Agent, **fields: Any) -> None:
    Agent.objects.for_tenant(agent.tenant).filter(pk=agent.pk).update(**fields)
