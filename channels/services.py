"""Connecting agents to channels, and disconnecting them."""

from __future__ import annotations

import json
import logging
import secrets
import uuid
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from copy import deepcopy
from typing import TypeVar

from django.db import OperationalError, transaction
from django.utils import timezone
from psycopg.errors import DeadlockDetected

from accounts.activity import record
from accounts.models import Action, Tenant
from accounts.models.tenancy import TenantQuerySet
from agents.errors import AgentNotFound
from agents.models import Agent
from agents.services import get_agent, list_agents, lock_agent
from channels.connections import (
    is_taken_over,
    open_messenger,
    reconnected,
    take_account_over,
    webhook_url,
)
from channels.errors import ChannelConnectFailed, MessengerBusy, MessengerFailed
from channels.models import ChannelConnection, ConnectionStatus
from channels.surfaces.base import Messenger
from channels.surfaces.registry import KINDS, MESSENGERS
from channels.turns import account_turn, channel_turn
from config.database.limits import DELETION_SECONDS, allowing_statements
from config.database.reasons import with_text
from config.errors import InvalidValue, ServiceError
from config.security.encryption import CannotDecrypt, keyed_hash
from reasons import Reason, join_reasons
from sources.connections import keep_credentials
from sources.models import Connection

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

SECRET_TOKEN_BYTES = 32
# PostgreSQL ends one of two that wait for each other. The other one then goes on, so that a second
# try meets the same worker only if it has begun the next chat.
DEADLOCK_ATTEMPTS = 3
REFUSED = Reason("channel_not_connected")

# --- Connecting -----------------------------------------------------------------------------------


def connect_channel(
    tenant: Tenant, agent_id: uuid.UUID | None, channel_type: str, config: Mapping[str, str]
) -> ChannelConnection:
    """Connects the agent to the channel, in place of an earlier connection.

    Asks the messenger first, and waits for it: CONNECT_SECONDS at most. An account that another
    agent of the tenant has changes over to this one.

    Args:
        config: what the channel needs of its owner, checked in form; more is left out.

    Raises AgentNotFound, InvalidValue (no such channel), ChannelConnectFailed, ChannelBusy,
    LimitsUnavailable: then all is as it was.
    """
    connection = begin_connection(tenant, agent_id, channel_type)
    if channel_type not in MESSENGERS:
        return keep(connection, {})
    config = complete(MESSENGERS[channel_type], config)
    messenger = MESSENGERS[channel_type](config)
    connection.connection = Connection(
        tenant=tenant, provider=channel_type, account=account_of(messenger, config)
    )
    with ExitStack() as turns:
        turns.enter_context(channel_turn(connection))
        turns.enter_context(account_turn(connection))
        register(messenger, connection)
        return keep_registered(messenger, connection, config)


def begin_connection(
    tenant: Tenant, agent_id: uuid.UUID | None, channel_type: str
) -> ChannelConnection:
    """Returns a new connection that is not saved yet. Raises AgentNotFound, InvalidValue."""
    agent = get_agent(tenant, agent_id)
    if channel_type not in KINDS:
        raise InvalidValue(f"channel_type: Must be one of: {', '.join(KINDS)}.")
    return ChannelConnection(tenant=tenant, agent=agent, channel_type=channel_type)


def complete(messenger: type[Messenger], given: Mapping[str, str]) -> dict[str, str]:
    """Adds our own secrets, which no owner gives us (the specification, Channels)."""
    own = {name: secrets.token_urlsafe(SECRET_TOKEN_BYTES) for name in messenger.own_secrets}
    return {field.name: given[field.name] for field in messenger.fields} | own


def account_of(messenger: Messenger, config: Mapping[str, str]) -> str:
    """The messenger's own id of the account; if it cannot be told, a hash of the configuration, so
    that two accounts are never taken for one."""
    if messenger.account_id:
        return messenger.account_id
    given = json.dumps({field.name: config[field.name] for field in messenger.fields})
    return f"unnamed-{keyed_hash(given, purpose='channels.account')[:32]}"


def register(messenger: Messenger, connection: ChannelConnection) -> None:
    """Registers the webhook. Raises ChannelConnectFailed, without the messenger's error, whose
    chain nobody needs."""
    try:
        messenger.connect(webhook_url(connection))
    except MessengerFailed as error:
        raise ChannelConnectFailed(join_reasons(REFUSED, reason_of(error))) from None


def reason_of(error: MessengerFailed) -> Reason:
    if isinstance(error, MessengerBusy):
        return Reason("messenger_busy", count=error.wait_seconds)
    return error.reason


def keep_registered(
    messenger: Messenger, connection: ChannelConnection, config: Mapping[str, str]
) -> ChannelConnection:
    """Saves the connection, and leaves the account connected before. Raises AgentNotFound."""
    before = find(connection)
    try:
        kept = keep(connection, config)
    except AgentNotFound:  # deleted meanwhile: its messages would come to nobody
        leave(messenger, connection)
        raise
    if before is not None and before.pk != kept.pk:
        leave_account(before)
    return kept


def keep(connection: ChannelConnection, config: Mapping[str, str]) -> ChannelConnection:
    """Saves the connection, and tries again after a deadlock. Raises AgentNotFound."""
    kept: ChannelConnection = again_after_deadlock(
        # A row that a transaction wrote and took back thinks that it is there.
        lambda: write(deepcopy(connection), config)
    )
    return kept


@allowing_statements(DELETION_SECONDS)  # chats and their messages go with it
@transaction.atomic
def write(connection: ChannelConnection, config: Mapping[str, str]) -> ChannelConnection:
    """Writes the connection. The same account keeps its row: its chats go on, and waiting messages
    are due again.

    Raises AgentNotFound.
    """
    agent = lock_agent(connection.tenant, connection.agent_id)
    before = find(connection)
    is_same = before is not None and before.account == connection.account
    if before is not None and not is_same:
        before.delete()
    kept: ChannelConnection = before if before is not None and is_same else connection
    kept.agent = agent
    renew(kept, config)
    if is_same:
        reconnected.send(ChannelConnection, connection=kept)
    take_account_over(kept)
    save_channels(agent, {*agent.active_channels, kept.channel_type})
    record(kept.tenant, Action.CHANNEL_CONNECTED, agent, channel=kept.channel_type)
    return kept


def renew(connection: ChannelConnection, config: Mapping[str, str]) -> None:
    """Saves the connection as connected just now. Notes of the messenger's calls stay."""
    if connection.connection is not None:
        keep_credentials(connection.connection, config)
    fresh = {
        "status": ConnectionStatus.CONNECTED,
        **with_text(None),
        "error_at": None,
        "paused_until": None,
        "connected_at": timezone.now(),
    }
    for name, value in fresh.items():
        setattr(connection, name, value)
    if connection._state.adding:
        connection.save(force_insert=True)
    else:
        connection.save(update_fields=[*fresh])


# --- Disconnecting --------------------------------------------------------------------------------


def disconnect_channel(tenant: Tenant, agent_id: uuid.UUID | None, channel_type: str) -> None:
    """Disconnects the channel and deletes its chats. Does nothing when the agent is not at the
    channel.

    The messenger is told first, if it can be: FAREWELL_SECONDS at most.

    Raises AgentNotFound, InvalidValue (no such channel), ChannelBusy, LimitsUnavailable.
    """
    named = begin_connection(tenant, agent_id, channel_type)
    with ExitStack() as turns:
        if channel_type in MESSENGERS:
            turns.enter_context(channel_turn(named))
            connection = find(named)
            if connection is not None:
                leave_account(connection)
        again_after_deadlock(lambda: remove(named))


@allowing_statements(DELETION_SECONDS)  # chats and their messages go with it
@transaction.atomic
def remove(named: ChannelConnection) -> None:
    """Deletes the connection, and takes the channel from the agent's list. Raises AgentNotFound."""
    agent = lock_agent(named.tenant, named.agent_id)
    connection = find(named)
    if connection is not None:
        connection.delete()
        record(named.tenant, Action.CHANNEL_DISCONNECTED, agent, channel=named.channel_type)
    save_channels(agent, set(agent.active_channels) - {named.channel_type})


def leave_account(connection: ChannelConnection) -> None:
    """Tells the messenger, as far as possible: an account that cannot be left calls an address that
    answers 404."""
    try:
        with account_turn(connection):
            if not is_taken_over(connection):
                leave(open_messenger(connection), connection)
    except CannotDecrypt:
        logger.warning("channel %s was not told: no key of ours opens its secrets", connection.pk)
    except ServiceError:  # somebody connects this account to another agent, or Redis is away
        logger.warning("channel %s was not told: it had no turn", connection.pk)


def leave(messenger: Messenger, connection: ChannelConnection) -> None:
    try:
        messenger.disconnect()
    except MessengerFailed as error:
        logger.warning("channel %s was not told: %s", connection.pk, error.reason)


# --- Both -----------------------------------------------------------------------------------------


def list_connections(
    tenant: Tenant, agent_id: uuid.UUID | None
) -> TenantQuerySet[ChannelConnection]:
    """The agent's connections, by channel. Raises AgentNotFound."""
    agent = get_agent(tenant, agent_id)
    return ChannelConnection.objects.for_tenant(tenant).filter(agent=agent)


def is_reachable(tenant: Tenant) -> bool:
    """True if customers can reach an agent: at a channel, or from a page. One or two queries."""
    return (
        ChannelConnection.objects.for_tenant(tenant).exists()
        or list_agents(tenant).exclude(allowed_origins=[]).exists()
    )


def find(named: ChannelConnection) -> ChannelConnection | None:
    """Returns the row of the same agent and channel."""
    rows = ChannelConnection.objects.for_tenant(named.tenant).select_related(
        "agent", "tenant", "connection"
    )
    return rows.filter(agent=named.agent_id, channel_type=named.channel_type).first()


def save_channels(agent: Agent, channels: set[str]) -> None:
    agent.active_channels = sorted(map(str, channels))
    agent.save(update_fields=["active_channels"])


def again_after_deadlock(change: Callable[[], Result]) -> Result:
    """Repeats the change after a deadlock: it deletes rows of a connection that a worker holds, and
    the worker may wait for another of them."""
    for _ in range(DEADLOCK_ATTEMPTS - 1):
        try:
            return change()
        except OperationalError as error:
            if not isinstance(error.__cause__, DeadlockDetected):
                raise
    return change()
