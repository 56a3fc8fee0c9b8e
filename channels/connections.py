"""A channel as workers and webhooks use it: finding it, its secrets, saying how it is."""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.dispatch import Signal
from django.utils import timezone

from accounts.tenancy import TenantQuerySet
from agents.errors import AgentNotFound
from channels.models import REASON_MAX_CHARS, ChannelConnection, ConnectionStatus
from channels.surfaces.base import Messenger
from channels.surfaces.registry import MESSENGERS
from config.database.acting import over_all_tenants, turn_to_tenant
from sources.connections import mark_connected, open_credentials, require_reauth

logger = logging.getLogger(__name__)

NOTED_EVERY = timedelta(minutes=1)  # a call is written down no more often: anybody may call

# Sent with `connection`, in the transaction that connects it anew under the same account.
reconnected = Signal()

# --- Finding --------------------------------------------------------------------------------------


def find_connection(agent_id: uuid.UUID | None, channel_type: str) -> ChannelConnection:
    """With its agent, tenant and plan, for callers that name nothing but an agent. One query; from
    then on the request acts for their tenant.

    Raises AgentNotFound: there is no such agent, or it is not at this channel.
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
    """What the messenger calls; "" where nobody does."""
    messenger = MESSENGERS.get(channel.channel_type)
    if messenger is None:
        return ""
    return settings.BASE_URL + messenger.webhook.path.format(agent_id=channel.agent_id)


# --- Secrets --------------------------------------------------------------------------------------


def open_messenger(channel: ChannelConnection) -> Messenger:
    """Raises config.security.encryption.CannotDecrypt when no key of ours opens its secrets."""
    return MESSENGERS[channel.channel_type](open_config(channel))


def open_config(channel: ChannelConnection) -> dict[str, str]:
    """{} where nobody is called. Raises CannotDecrypt."""
    return {} if channel.connection is None else open_credentials(channel.connection)


# --- Accounts -------------------------------------------------------------------------------------

TAKEN_OVER = "This bot now answers for the agent "


def is_taken_over(connection: ChannelConnection) -> bool:
    """Whether another agent of the tenant was connected to the same account later: the account's
    webhook is that one's. One query, or none."""
    if not has_one_webhook(connection):
        return False
    return same_account(connection).filter(connected_at__gt=connection.connected_at).exists()


def take_account_over(connection: ChannelConnection) -> None:
    """Says at the tenant's other agents with the account that their messages come here now."""
    if has_one_webhook(connection):
        reason = (
            f"{TAKEN_OVER}“{connection.agent.name}”. Connect another bot here, or disconnect it."
        )
        same_account(connection).update(status=ConnectionStatus.FAILING, **noted(reason))


def has_one_webhook(channel: ChannelConnection) -> bool:
    messenger = MESSENGERS.get(channel.channel_type)
    return messenger is not None and messenger.has_one_webhook


def same_account(connection: ChannelConnection) -> TenantQuerySet[ChannelConnection]:
    """Of the tenant's other agents."""
    rows = ChannelConnection.objects.for_tenant(connection.tenant)
    return rows.filter(
        channel_type=connection.channel_type, connection__account=connection.account
    ).exclude(agent=connection.agent_id)


# --- How it is ------------------------------------------------------------------------------------


def rows_of(connection: ChannelConnection) -> TenantQuerySet[ChannelConnection]:
    """The row, if it is still the same connection: not deleted, and not connected anew since."""
    rows = ChannelConnection.objects.for_tenant(connection.tenant)
    return rows.filter(pk=connection.pk, connected_at=connection.connected_at)


def mark_failing(connection: ChannelConnection, reason: str) -> None:
    """Nothing gets through any more, until somebody connects it anew."""
    logger.warning("channel %s is failing: %s", connection.pk, reason)
    is_same = rows_of(connection).update(status=ConnectionStatus.FAILING, **noted(reason))
    if is_same and connection.connection is not None:
        require_reauth(connection.connection, reason)


def note_failure(connection: ChannelConnection, reason: str) -> None:
    """Something went wrong with one chat, or for the time being."""
    rows_of(connection).filter(status=ConnectionStatus.CONNECTED).update(**noted(reason))


def noted(reason: str) -> dict[str, object]:
    return {"error_message": reason[:REASON_MAX_CHARS], "error_at": timezone.now()}


def mark_working(connection: ChannelConnection) -> bool:
    """A reply got through: whether that mends it. The reason of a single chat stays, to be read;
    and so does that another agent has the account: what was asked before may be answered, and
    nothing more comes in."""
    failing = rows_of(connection).filter(status=ConnectionStatus.FAILING)
    mended = failing.exclude(error_message__startswith=TAKEN_OVER).update(
        status=ConnectionStatus.CONNECTED, error_message="", error_at=None
    )
    if mended and connection.connection is not None:
        mark_connected(connection.connection)
    return mended == 1


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


REFUSES_CALLS = (
    "Calls come in whose signature is wrong: somebody else sends them, or the secrets have changed."
    " If messages do not arrive, connect the channel again."
)


def shown_error(connection: ChannelConnection) -> str:
    """What an admin reads: what last went wrong, and whether calls are refused since the last one
    that was not."""
    refused_at = connection.last_refused_at
    known_good = max(connection.last_call_at or connection.connected_at, connection.connected_at)
    is_refusing = refused_at is not None and refused_at > known_good
    return " ".join(filter(None, [connection.error_message, REFUSES_CALLS * is_refusing]))
