"""Wakes the request that waits for a run to end. Only a hint: the outcome is in the row."""

import logging
import time
import uuid

from redis import RedisError

from accounts.models import Tenant
from config.jobs.redis_client import client

logger = logging.getLogger(__name__)

SIGNAL_LIFETIME_SECONDS = 60  # nobody comes for it when the request died
MIN_WAIT_SECONDS = 0.01  # Redis takes 0 for "for ever"
MAX_WAIT_SECONDS = 5.0  # then the caller looks at the row: a signal may be lost with its Redis
# Must be longer than the wait itself, or a wait without a signal would look like a failed Redis.
REDIS_TIMEOUT_SECONDS = 2 * MAX_WAIT_SECONDS
# The caller asks the database in a loop. Without this pause it would ask without end.
WAIT_WITHOUT_REDIS_SECONDS = 0.5


def announce_run_end(tenant: Tenant, run_id: uuid.UUID) -> None:
    """Wakes those who wait for the run. Call it after the commit, so that they read the outcome."""
    key = signal_key(tenant, run_id)
    try:
        with client(timeout_seconds=REDIS_TIMEOUT_SECONDS).pipeline(transaction=True) as pipeline:
            pipeline.rpush(key, 1)
            pipeline.expire(key, SIGNAL_LIFETIME_SECONDS)
            pipeline.execute()
    except RedisError as error:
        logger.warning("the end of run %s could not be announced: %s", run_id, error)


def wait_for_run_end(tenant: Tenant, run_id: uuid.UUID, *, at_most_seconds: float) -> None:
    """Returns at the announcement, or early: the caller looks at the row and comes again."""
    wait_seconds = max(MIN_WAIT_SECONDS, min(at_most_seconds, MAX_WAIT_SECONDS))
    try:
        client(timeout_seconds=REDIS_TIMEOUT_SECONDS).blpop(
            [signal_key(tenant, run_id)], timeout=wait_seconds
        )
    except RedisError as error:
        logger.warning("waiting for run %s without Redis: %s", run_id, error)
        time.sleep(min(wait_seconds, WAIT_WITHOUT_REDIS_SECONDS))


def signal_key(tenant: Tenant, run_id: uuid.UUID) -> str:
    return f"tenant:{tenant.pk}:run:{run_id}:ended"
