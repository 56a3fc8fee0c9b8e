"""Whether a website can be indexed, before it becomes a source."""

from __future__ import annotations

import logging
from typing import Any

from celery.exceptions import TaskRevokedError
from celery.exceptions import TimeoutError as ResultTimeout
from django.conf import settings
from kombu.exceptions import OperationalError as BrokerError
from redis import RedisError

from accounts.models import Tenant
from config.connections import release_connection
from config.errors import ServiceUnavailable, TooManyRequests
from config.jobs.places import Places, take_place
from sources.connectors.interface import SOURCE_URL, Preflight
from sources.connectors.registry import CHECKED_KINDS, CONNECTORS
from sources.errors import InvalidSourceType
from sources.tasks import CHECK_MAX_SECONDS, check_site

logger = logging.getLogger(__name__)

# Requests of a tenant that wait for a website: so many of its checks wait for a worker, no more.
WAITING = Places("checks", settings.CHECKS_WAITED_FOR, lease_seconds=CHECK_MAX_SECONDS + 5)
RETRY_AFTER_SECONDS = 10
TOO_MANY = (
    f"{settings.CHECKS_WAITED_FOR} websites are being checked for this workspace already."
    " Wait for an answer, then check the next."
)
TOO_SLOW = "The website did not answer in time. Check the address, or try again later."


def check_website(tenant: Tenant, *, source_type: str, source_url: str) -> Preflight:
    """Asks a worker to look at a website; writes nothing. Takes up to CHECK_MAX_SECONDS.

    Raises InvalidSourceType, InvalidValue (an address that may not be fetched), TooManyRequests
    (CHECKS_WAITED_FOR requests of the tenant wait already) and ServiceUnavailable.
    """
    if source_type not in CHECKED_KINDS:
        raise InvalidSourceType(
            f"Only sources of the type {', '.join(CHECKED_KINDS)} can be checked."
        )
    max_pages = tenant.plan.max_pages_per_crawl
    release_connection()
    CONNECTORS[source_type].identify({SOURCE_URL.name: source_url})
    place = take_place(WAITING, tenant.pk)
    if place is None:
        raise TooManyRequests(TOO_MANY, retry_after_seconds=RETRY_AFTER_SECONDS)
    with place:
        found = ask_worker(source_type, source_url, max_pages)
    if found is None:
        return Preflight(is_indexable=False, error=TOO_SLOW)
    return Preflight(**found)


def ask_worker(source_type: str, url: str, max_pages: int) -> dict[str, Any] | None:
    """The fields of a Preflight; None when there was no answer in time."""
    try:
        result = check_site.apply_async((url, max_pages, source_type), expires=CHECK_MAX_SECONDS)
        try:
            answer: dict[str, Any] = result.get(timeout=CHECK_MAX_SECONDS)
        finally:
            result.forget()
    except (ResultTimeout, TaskRevokedError) as error:
        logger.warning("no answer from the check of a website: %r", error)
        return None
    except (BrokerError, RedisError, RuntimeError) as error:  # the last: Celery gave Redis up
        raise ServiceUnavailable(
            "Websites cannot be checked at the moment. Try again in a minute."
        ) from error
    return answer
