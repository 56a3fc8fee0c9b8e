"""A channel as workers and webhooks use it: finding it, its secrets, saying how it is."""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.dispatch import Signal
from django.utils import timezone

from accounts.models.tenancy import TenantQuerySet
from agents.errors import AgentNotFound
from channels.models import REASON_MAX_CHARS, ChannelConnection, ConnectionStatus
from channels.surfaces.base import Messenger
from channels.surfaces.registry import MESSENGERS
from config.database.acting import over_all_tenants, turn_to_tenant
from config.database.reasons import with_text
from query.notifications.channel_failures import notify_of_failed_channel
from reasons import Reason, join_reasons
from sources.connections import mark_connected, open_credentials, require_reauth

logger = logging.getLogger(__name__)

NOTED_EVERY = timedelta(minutes=1)  # a call is written down no more often: anybody may call

# Sent with `connection`, in the transaction that connects it again under the same account.
reconnected = Signal()

# --- Finding --------------------------------------------------------------------------------------


def find_connection(agent_id: uuid.UUID | None, channel_type: str) -> ChannelConnection:
    """Returns the connection with its agent, tenant and plan, for callers that name only an agent.
    One query; from then on the request acts for their tenant.

    Raises AgentNotFound if the agent does not exist or is not at this channel.
    """
    connections = ChannelConnection.all_tenants.select_related(
        "agent", "tenant__plan", "connection"
    )
    found = connections.filter(agent=agent_id, channel_type=channel_type) if agent_id else None
    with over_all_tenants():
        connection = found.first() if found is not None else None
    if connection is None:
        raise AgentNotFound
    turn_to_tenant(connection.tenant_id)
    connection.agent.tenant = connection.tenant
    return connection


def webhook_url(channel: ChannelConnection) -> str:
    """The address that the messenger calls; "" for channels without a webhook."""
    messenger = MESSENGERS.get(channel.channel_type)
    if messenger is None:
        return ""
    return settings.BASE_URL + messenger.webhook.path.format(agent_id=channel.agent_id)


# --- Secrets --------------------------------------------------------------------------------------


def open_messenger(channel: ChannelConnection) -> Messenger:
    """Opens the messenger with its secrets. Raises config.security.encryption.CannotDecrypt when no
    key of ours opens them."""
    return MESSENGERS[channel.channel_type](open_config(channel))


def open_config(channel: ChannelConnection) -> dict[str, str]:
    """Returns the secrets of the connection; {} for a channel without a messenger. Raises
    CannotDecrypt."""
    return {} if channel.connection is None else open_credentials(channel.connection)


# --- Accounts -------------------------------------------------------------------------------------

TAKEN_OVER = "bot_taken_over"


def is_taken_over(connection: ChannelConnection) -> bool:
    """True if another agent of the tenant was connected to the same account later, and has its
    webhook now. One query, or none."""
    if not has_one_webhook(connection):
        return False
    return same_account(connection).filter(connected_at__gt=connection.connected_at).exists()


def take_account_over(connection: ChannelConnection) -> None:
    """Tells the tenant's other agents with this account that their messages come here now."""
    if has_one_webhook(connection):
        reason = Reason(TAKEN_OVER, name=connection.agent.name)
        same_account(connection).update(status=ConnectionStatus.FAILING, **noted(reason))


def has_one_webhook(channel: ChannelConnection) -> bool:
    messenger = MESSENGERS.get(channel.channel_type)
    return messenger is not None and messenger.has_one_webhook


def same_account(connection: ChannelConnection) -> TenantQuerySet[ChannelConnection]:
    """The connections of the tenant's other agents to the same account."""
    rows = ChannelConnection.objects.for_tenant(connection.tenant)
    return rows.filter(
        channel_type=connection.channel_type, connection__account=connection.account
    ).exclude(agent=connection.agent_id)


# --- How it is ------------------------------------------------------------------------------------


def rows_of(connection: ChannelConnection) -> TenantQuerySet[ChannelConnection]:
    """The row, if it is still the same connection: not deleted, and not connected again since."""
    rows = ChannelConnection.objects.for_tenant(connection.tenant)
    return rows.filter(pk=connection.pk, connected_at=connection.connected_at)


def mark_failing(connection: ChannelConnection, reason: Reason) -> None:
    """Marks the channel as failing: nothing gets through until somebody connects it again."""
    logger.warning("channel %s is failing: %s", connection.pk, reason)
    rows, failing = rows_of(connection), {"status": ConnectionStatus.FAILING, **noted(reason)}
    has_begun = rows.filter(status=ConnectionStatus.CONNECTED).update(**failing)
    is_same = has_begun or rows.update(**failing)
    if is_same and connection.connection is not None:
        require_reauth(connection.connection, reason)
    if has_begun:
        label = MESSENGERS[connection.channel_type].label
        notify_of_failed_channel(connection.agent, label, reason)


def note_failure(connection: ChannelConnection, reason: Reason) -> None:
    """Notes a failure in one chat, or a temporary one."""
    rows_of(connection).filter(status=ConnectionStatus.CONNECTED).update(**noted(reason))


def noted(reason: Reason) -> dict[str, object]:
    return {**with_text(reason, max_chars=REASON_MAX_CHARS), "error_at": timezone.now()}


def mark_working(connection: ChannelConnection) -> bool:
    """Marks the channel as working after a reply got through. True if that mended it. Two reasons
    stay: that of a single chat, to be read, and that another agent has the account, since then
    replies may get through but nothing more comes in."""
    failing = rows_of(connection).filter(status=ConnectionStatus.FAILING)
    mended = failing.exclude(error__code=TAKEN_OVER).update(
        status=ConnectionStatus.CONNECTED, error_at=None, **with_text(None)
    )
    if mended and connection.connection is not None:
        mark_connected(connection.connection)
    return mended == 1


def pause(connection: ChannelConnection, seconds: int) -> None:
    """Pauses sending for the seconds that the messenger asked for. A longer pause stays."""
    until = timezone.now() + timedelta(seconds=seconds)
    shorter = rows_of(connection).filter(Q(paused_until=None) | Q(paused_until__lt=until))
    shorter.update(paused_until=until)


def note_call(connection: ChannelConnection, *, was_refused: bool) -> None:
    """Notes the time of a webhook's call, at most once in NOTED_EVERY."""
    field = "last_refused_at" if was_refused else "last_call_at"
    now = timezone.now()
    noted_at = getattr(connection, field)
    if noted_at is not None and noted_at >= now - NOTED_EVERY:
        return  # as it was when it was read: no query
    is_old = Q(**{field: None}) | Q(**{f"{field}__lt": now - NOTED_EVERY})
    rows_of(connection).filter(is_old).update(**{field: now})


REFUSES_CALLS = Reason("webhook_signature_wrong")


def shown_error(connection: ChannelConnection) -> Reason | None:
    """Return the reason for an admin: the last error, and a note if calls have been refused since
    the last accepted one."""
    refused_at = connection.last_refused_at
    known_good = max(connection.last_call_at or connection.connected_at, connection.connected_at)
    is_refusing = refused_at is not None and refused_at > known_good
    shown = [*filter(None, [connection.error]), *([REFUSES_CALLS] if is_refusing else [])]
    return join_reasons(*shown) if shown else None
