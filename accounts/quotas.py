"""What a plan allows: requests a minute, queries a month."""

import logging

from accounts.models import Tenant
from config.errors import TooManyRequests
from config.rate_limits import Limit, LimitsUnavailable, take

logger = logging.getLogger(__name__)

SECONDS_A_MINUTE = 60


def limit_requests(tenant: Tenant) -> None:
    """Counts a request of the tenant, whoever of it makes it. Raises TooManyRequests.

    Lets through when Redis does not answer: docs/decisions/0009.
    """
    limit = Limit("requests", tenant.plan.max_requests_per_minute, SECONDS_A_MINUTE)
    try:
        wait = take(limit, str(tenant.pk))
    except LimitsUnavailable:
        logger.warning("Redis does not answer: requests are not limited")
        return
    if wait:
        raise TooManyRequests(
            f"The {tenant.plan.name} plan allows {limit.amount} requests a minute."
            f" Try again in {wait} s.",
            retry_after_seconds=wait,
        )
