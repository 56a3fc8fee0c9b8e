"""A connection as workers and webhooks use it: finding it, its secrets, saying how it is."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from accounts.tenancy import TenantQuerySet
from agents.errors import AgentNotFound
from channels.models import (
    REASON_MAX_CHARS,
    ChannelConnection,
    ChannelType,
    ConnectionStatus,
)
from channels.surfaces.base import Messenger
from channels.surfaces.registry import MESSENGERS
from config.encryption import current_key_id, decrypt, encrypt

logger = logging.getLogger(__name__)

NOTED_EVERY = timedelta(minutes=1)  # a call is written down no more often: anybody may call

# Called in the transaction that connects a connection anew, under the same account.
RECONNECTED: list[Callable[[ChannelConnection], None]] = []

# --- Finding --------------------------------------------------------------------------------------


def find_connection(agent_id: uuid.UUID | None, channel_type: ChannelType) -> ChannelConnection:
    """With its agent, tenant and plan, for callers that name nothing but an agent. One query.

    Raises AgentNotFound: there is no such agent, or it is not at this channel.
    """
    connections = ChannelConnection.all_tenants.select_related("agent", "tenant__plan")
    found = connections.filter(agent=agent_id, channel_type=channel_type) if agent_id else None
    connection = found.first() if found is not None else None
    if connection is None:
        raise AgentNotFound
    connection.agent.tenant = connection.tenant
    return connection


# --- Secrets --------------------------------------------------------------------------------------


def open_messenger(connection: ChannelConnection) -> Messenger:
    """Raises config.encryption.CannotDecrypt when no key of ours opens its secrets."""
    return MESSENGERS[connection.channel_type](open_config(connection))


def open_config(connection: ChannelConnection) -> dict[str, str]:
    """Raises CannotDecrypt."""
    sealed = bytes(connection.encrypted_config)
    config: dict[str, str] = json.loads(decrypt(sealed, context=config_context(connection)))
    return config


def seal_config(connection: ChannelConnection, config: dict[str, str]) -> None:
    """Puts it into the fields, under the first key; saves nothing."""
    content = json.dumps(config).encode()
    connection.encrypted_config = encrypt(content, context=config_context(connection))
    connection.key_id = current_key_id()


def config_context(connection: ChannelConnection) -> str:
    """The data that the ciphertext is bound to: copied to another agent or channel, it opens
    nothing."""
    return f"channels.ChannelConnection:{connection.agent_id}:{connection.channel_type}"


# --- How it is ------------------------------------------------------------------------------------


def rows_of(connection: ChannelConnection) -> TenantQuerySet[ChannelConnection]:
    """The row, if it is still the same connection: not deleted, and not connected anew since."""
    rows = ChannelConnection.objects.for_tenant(connection.tenant)
    return rows.filter(pk=connection.pk, connected_at=connection.connected_at)


def mark_failing(connection: ChannelConnection, reason: str) -> None:
    """Nothing gets through any more, until somebody connects it anew."""
    logger.warning("channel %s is failing: %s", connection.pk, reason)
    rows_of(connection).update(status=ConnectionStatus.FAILING, **noted(reason))


def note_failure(connection: ChannelConnection, reason: str) -> None:
    """Something went wrong with one chat, or for the time being."""
    rows_of(connection).filter(status=ConnectionStatus.CONNECTED).update(**noted(reason))


def noted(reason: str) -> dict[str, object]:
    return {"error_message": reason[:REASON_MAX_CHARS], "error_at": timezone.now()}


def mark_working(connection: ChannelConnection) -> None:
    """A reply got through. The reason of a single chat stays, to be read."""
    failing = rows_of(connection).filter(status=ConnectionStatus.FAILING)
    failing.update(status=ConnectionStatus.CONNECTED, error_message="", error_at=None)


def pause(connection: ChannelConnection, seconds: int) -> None:
    """Nothing is sent before: the messenger asked for it. A longer pause stays."""
    until = timezone.now() + timedelta(seconds=seconds)
    shorter = rows_of(connection).filter(Q(paused_until=None) | Q(paused_until__lt=until))
    shorter.update(paused_until=until)


def note_call(connection: ChannelConnection, *, was_refused: bool) -> None:
    """Of a webhook."""
    field = "last_refused_at" if was_refused else "last_call_at"
    now = timezone.now()
    noted_at = getattr(connection, field)
    if noted_at is not None and noted_at >= now - NOTED_EVERY:
        return  # as it was when it was read: no query
    is_old = Q(**{field: None}) | Q(**{f"{field}__lt": now - NOTED_EVERY})
    rows_of(connection).filter(is_old).update(**{field: now})
