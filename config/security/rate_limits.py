"""Limits on how often something may happen in any stretch of so many seconds, counted in Redis by
all processes together.

Moving windows of the `limits` package: exact, where fixed windows let twice as many through around
their edges.
"""

import functools
import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from limits import RateLimitItemPerSecond
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from config.errors import NOT_NOW, ServiceUnavailable

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

KEY_PREFIX = "limits"
REDIS_TIMEOUT_SECONDS = 0.5  # a request must not hang on a Redis that does
# How long a process takes a Redis that failed for dead. Else every thread would wait the timeout
# out, again and again, and a hanging Redis would bring the whole API to two requests a second each.
OUTAGE_SECONDS = 2.0


class LimitsUnavailable(ServiceUnavailable):
    """Redis does not answer. Each caller says whether that lets through or refuses."""

    default_message = NOT_NOW

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": str(math.ceil(OUTAGE_SECONDS))})


@dataclass(frozen=True)
class Limit:
    """A limit of at most `amount` in any `per_seconds`."""

    name: str
    amount: int
    per_seconds: int

    @property
    def item(self) -> RateLimitItemPerSecond:
        return RateLimitItemPerSecond(self.amount, self.per_seconds, namespace=KEY_PREFIX)


class Outage:
    """The state of a Redis that failed, as this process knows it: one thread at a time asks it
    again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ask_again_at = 0.0  # of time.monotonic(); 0: it answers

    def may_ask(self) -> bool:
        """True if the caller may ask Redis; during an outage it then asks on behalf of all."""
        if not self._ask_again_at:
            return True
        with self._lock:
            now = time.monotonic()
            if now < self._ask_again_at:
                return False
            if self._ask_again_at:
                self._ask_again_at = now + OUTAGE_SECONDS
            return True

    def begin(self) -> None:
        with self._lock:
            self._ask_again_at = time.monotonic() + OUTAGE_SECONDS

    def end(self) -> None:
        if self._ask_again_at:
            with self._lock:
                self._ask_again_at = 0.0


outage = Outage()


def take(limit: Limit, key: str) -> int:
    """Counts one more of `key`: 0 when it is within the limit, else the seconds to wait.

    What is refused is not counted. One round trip when within. Raises LimitsUnavailable.
    """

    def count() -> int:
        is_within = limiter().hit(limit.item, limit.name, key)
        return 0 if is_within else seconds_to_wait(limit, key)

    return ask(count)


def wait_seconds(limit: Limit, key: str) -> int:
    """Seconds until there is room for one more; 0: now. Counts nothing.

    Raises LimitsUnavailable.
    """

    def look() -> int:
        has_room = limiter().test(limit.item, limit.name, key)
        return 0 if has_room else seconds_to_wait(limit, key)

    return ask(look)


def forget(limit: Limit, key: str) -> None:
    """Makes a count begin from nothing again. Raises LimitsUnavailable."""
    ask(lambda: limiter().clear(limit.item, limit.name, key))


def ask(question: Callable[[], Answer]) -> Answer:
    """Asks Redis. Raises LimitsUnavailable: at once when Redis failed a moment ago, else after at
    most REDIS_TIMEOUT_SECONDS. An outage is in the log once every OUTAGE_SECONDS."""
    if not outage.may_ask():
        raise LimitsUnavailable
    try:
        answer = question()
    except StorageError as error:
        outage.begin()
        logger.warning("Redis does not answer, nothing is counted: %s", error.storage_error)
        raise LimitsUnavailable from error
    outage.end()
    return answer


def seconds_to_wait(limit: Limit, key: str) -> int:
    """The seconds to wait, 1 to the limit's: the oldest time is rounded, and may be of another
    machine."""
    reset_time = limiter().get_window_stats(limit.item, limit.name, key).reset_time
    return min(limit.per_seconds, max(1, math.ceil(reset_time - time.time())))


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
