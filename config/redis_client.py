"""Redis for what a request waits for: it gives up soon rather than hang. Limits have a client of
their own (config/rate_limits.py)."""

import functools

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.rate_limits import REDIS_TIMEOUT_SECONDS


@functools.cache
def client() -> Redis:
    """One of a process, for all its threads."""
    return Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=REDIS_TIMEOUT_SECONDS,
        socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
