"""Requests a minute: how many a plan allows."""

import math

from accounts.models import Tenant
from config.errors import TooManyRequests
from config.security.rate_limits import Limit, LimitsUnavailable, take, wait_seconds

SECONDS_A_MINUTE = 60
STRANGERS_SHARE = 0.8  # of the requests a minute: visitors of websites, people in chats


def limit_requests(tenant: Tenant) -> None:
    """Counts a request of the tenant, made by any of its callers. Raises TooManyRequests.

    Lets through when Redis does not answer, which config.security.rate_limits logs:
    docs/decisions/0009.
    """
    limit = requests_of(tenant)
    try:
        wait = take(limit, str(tenant.pk))
    except LimitsUnavailable:
        return
    if wait:
        raise TooManyRequests(
            f"The {tenant.plan.name} plan allows {limit.amount} requests a minute."
            f" Try again in {wait} s.",
            retry_after_seconds=wait,
        )


def seconds_to_request(tenant: Tenant) -> int:
    """The seconds until the tenant may make a request; 0 if it may now, or if Redis does not
    answer. Does not count a request."""
    try:
        return wait_seconds(requests_of(tenant), str(tenant.pk))
    except LimitsUnavailable:
        return 0


def take_request_of_strangers(tenant: Tenant) -> int:
    """Counts a question of somebody whom the tenant does not know, whichever agent they ask, as one
    of its requests: 0, or the seconds to wait.

    Strangers get at most STRANGERS_SHARE of them: who asks without end must not silence the
    company's own programs. Raises LimitsUnavailable.
    """
    requests, key = requests_of(tenant), str(tenant.pk)
    share = Limit(
        "strangers_requests", math.ceil(requests.amount * STRANGERS_SHARE), SECONDS_A_MINUTE
    )
    # Looked at before it is counted: who is refused uses up nothing.
    return wait_seconds(share, key) or take(requests, key) or take(share, key)


def requests_of(tenant: Tenant) -> Limit:
    return Limit("requests", tenant.plan.max_requests_per_minute, SECONDS_A_MINUTE)
