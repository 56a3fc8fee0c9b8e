"""At most so many in any stretch of so many seconds, counted in Redis by all processes together.

Moving windows of the `limits` package: exact, where fixed windows let twice as many through around
their edges.
"""

import functools
import math
import time
from dataclasses import dataclass

from django.conf import settings
from limits import RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from config.errors import ServiceUnavailable

KEY_PREFIX = "limits"
REDIS_TIMEOUT_SECONDS = 0.5  # a request must not hang on a Redis that does


class LimitsUnavailable(ServiceUnavailable):
    """Redis does not answer. Each caller says whether that lets through or refuses."""

    default_message = "This cannot be done just now. Try again in a minute."


@dataclass(frozen=True)
class Limit:
    """At most `amount` in any `per_seconds`."""

    name: str
    amount: int
    per_seconds: int

    @property
    def item(self) -> RateLimitItemPerSecond:
        return RateLimitItemPerSecond(self.amount, self.per_seconds, namespace=KEY_PREFIX)


def take(limit: Limit, key: str) -> int:
    """Counts one more of `key`: 0 when it is within the limit, else the seconds to wait.

    What is refused is not counted. One round trip when within. Raises LimitsUnavailable.
    """
    try:
        if limiter().hit(limit.item, limit.name, key):
            return 0
        return seconds_to_wait(limit, key)
    except StorageError as error:
        raise LimitsUnavailable from error


def wait_seconds(limit: Limit, key: str) -> int:
    """Seconds until there is room for one more; 0: now. Counts nothing.

    Raises LimitsUnavailable.
    """
    try:
        return 0 if limiter().test(limit.item, limit.name, key) else seconds_to_wait(limit, key)
    except StorageError as error:
        raise LimitsUnavailable from error


def forget(limit: Limit, key: str) -> None:
    """Counts from nothing again. Raises LimitsUnavailable."""
    try:
        limiter().clear(limit.item, limit.name, key)
    except StorageError as error:
        raise LimitsUnavailable from error


def seconds_to_wait(limit: Limit, key: str) -> int:
    reset_time = limiter().get_window_stats(limit.item, limit.name, key).reset_time
    return max(1, math.ceil(reset_time - time.time()))


@functools.cache
def limiter() -> MovingWindowRateLimiter:
    url = settings.REDIS_URL.replace("unix://", "redis+unix://", 1)
    storage = storage_from_string(
        url,
        wrap_exceptions=True,
        socket_timeout=REDIS_TIMEOUT_SECONDS,
        socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
    )
    return MovingWindowRateLimiter(storage)
