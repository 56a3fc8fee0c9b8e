"""Turns to connect or disconnect a channel, one call at a time: otherwise a messenger could keep
the secret of one call, and we that of another.

A lock in Redis (redis.io/docs/latest/develop/clients/patterns/distributed-locks), because it is
held while a messenger is asked, which no transaction may be. Who comes second is told so at once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from redis import RedisError
from redis.lock import Lock

from channels.errors import ChannelBusy
from channels.models import ChannelConnection
from config.jobs.redis_client import client
from config.security.rate_limits import LimitsUnavailable, outage

logger = logging.getLogger(__name__)

# Longer than the calls of a turn take together. A process that is killed keeps its turn so long.
TURN_SECONDS = 60.0


@contextmanager
def channel_turn(connection: ChannelConnection) -> Iterator[None]:
    """Holds the turn of an agent at a channel. Raises ChannelBusy, LimitsUnavailable."""
    with turn(f"{connection.tenant_id}:channel:{connection.agent_id}:{connection.channel_type}"):
        yield


@contextmanager
def account_turn(connection: ChannelConnection) -> Iterator[None]:
    """Holds the turn of a bot or number, for whichever agent of the tenant it is connected to.
    Taken inside the turn of the channel. Raises ChannelBusy, LimitsUnavailable."""
    account = f"{connection.channel_type}:{connection.account}"
    with turn(f"{connection.tenant_id}:channel-account:{account}"):
        yield


@contextmanager
def turn(name: str) -> Iterator[None]:
    lock = begin(name)
    try:
        yield
    finally:
        end(lock)


def begin(name: str) -> Lock:
    """Begins a turn, without waiting for another to end."""
    if not outage.may_ask():
        raise LimitsUnavailable
    lock: Lock = client().lock(name, timeout=TURN_SECONDS, blocking=False)
    try:
        is_ours = lock.acquire()
    except RedisError as error:
        outage.begin()
        logger.warning("Redis does not answer, no channel is connected: %s", error)
        raise LimitsUnavailable from error
    outage.end()
    if not is_ours:
        raise ChannelBusy
    return lock


def end(lock: Lock) -> None:
    """Ends the turn. One that cannot be given back ends by itself. LockError is a RedisError."""
    try:
        lock.release()
    except RedisError as error:
        logger.warning("a channel's turn was not given back: %s", error)
