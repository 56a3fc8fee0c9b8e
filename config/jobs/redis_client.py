"""The one Redis client: it gives up soon rather than hang. Limits go through the `limits` package
(config/security/rate_limits.py), tasks through Celery."""

import functools
import logging
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.security.rate_limits import REDIS_TIMEOUT_SECONDS, outage

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


def client(*, timeout_seconds: float = REDIS_TIMEOUT_SECONDS) -> Redis:
    """The client of this process, for all its threads. `timeout_seconds` of an answer: more than a
    command that blocks is told to wait."""
    return client_of(settings.REDIS_URL, timeout_seconds)


@functools.cache
def client_of(url: str, timeout_seconds: float) -> Redis:
    return Redis.from_url(
        url,
        socket_timeout=timeout_seconds,
        socket_connect_timeout=timeout_seconds,
        retry=Retry(NoBackoff(), 0),
    )


def ask_redis(question: Callable[[Redis], Result]) -> Result | None:
    """The answer of Redis. None when it does not answer: at once when it failed a moment ago, else
    after at most REDIS_TIMEOUT_SECONDS."""
    if not outage.may_ask():
        return None
    try:
        answer = question(client())
    except RedisError as error:
        outage.begin()
        logger.warning("Redis does not answer: %s", error)
        return None
    outage.end()
    return answer
