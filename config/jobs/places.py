"""Limits how much of a kind one tenant does at a time, counted in Redis by all processes together.
In a web process all tenants together have as many places as its threads allow
(config.serving.waiting).

A place is a lease: one whose process has died comes free by itself.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from redis import RedisError

from config.jobs.redis_client import client
from config.security.rate_limits import LimitsUnavailable
from config.serving.waiting import Kind, waiting_threads

# KEYS[1]: a sorted set of places by the time at which they come free, in Redis' own seconds.
TAKE = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('EXPIRE', KEYS[1], math.ceil(tonumber(ARGV[3])) + 1)
return 1
"""
RENEW = """
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
redis.call('ZADD', KEYS[1], 'XX', now + tonumber(ARGV[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], math.ceil(tonumber(ARGV[2])) + 1)
"""


@dataclass(frozen=True)
class Places:
    """`amount` for each tenant. One comes free `lease_seconds` after it was taken or renewed.
    `kind`: what a thread with a place waits for."""

    kind: Kind
    name: str
    amount: int
    lease_seconds: int


class Place:
    """A place that somebody has taken; it comes free at the end of a `with`."""

    def __init__(self, places: Places, tenant_id: uuid.UUID) -> None:
        self._key = f"tenant:{tenant_id}:places:{places.name}"
        self._id = uuid.uuid4().hex
        self._places, self._tenant_id = places, tenant_id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        waiting_threads.end(self._places.kind, self._tenant_id)
        with suppress(RedisError):  # then it comes free with its lease
            client().zrem(self._key, self._id)

    def renew(self) -> None:
        # A place that cannot be renewed ends by itself, and another call may take it: a little more
        # than the limit is better than a call that is broken off.
        with suppress(RedisError):
            client().eval(RENEW, 1, self._key, self._id, str(self._places.lease_seconds))

    def take(self) -> bool:
        amount, lease_seconds = self._places.amount, self._places.lease_seconds
        return bool(client().eval(TAKE, 1, self._key, self._id, str(amount), str(lease_seconds)))


def take_place(places: Places, tenant_id: uuid.UUID) -> Place | None:
    """Takes a place. None when the tenant has them all, or too many threads of this process wait.
    Raises LimitsUnavailable when Redis does not answer."""
    if not waiting_threads.begin(places.kind, tenant_id):
        return None
    place, is_taken = Place(places, tenant_id), False
    try:
        is_taken = place.take()
    except RedisError as error:
        raise LimitsUnavailable from error
    finally:
        if not is_taken:
            waiting_threads.end(places.kind, tenant_id)
    return place if is_taken else None
