"""Whether a website can be indexed, before it becomes a source."""

from __future__ import annotations

import logging
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded, TaskRevokedError
from celery.exceptions import TimeoutError as ResultTimeout
from kombu.exceptions import OperationalError as BrokerError
from redis import RedisError

from accounts.models import Tenant
from config.connections import release_connection
from config.errors import ServiceUnavailable
from config.http import check_public_url
from sources.connectors.web.preflight import Preflight
from sources.errors import InvalidSourceType
from sources.models import SourceType
from sources.tasks import check_site

logger = logging.getLogger(__name__)

CHECK_MAX_SECONDS = 40  # that the request waits; the worker's own limits are shorter
TOO_SLOW = "The website did not answer in time. Check the address, or try again later."


def check_website(tenant: Tenant, *, source_type: str, source_url: str) -> Preflight:
    """Asks a worker to look at a website; writes nothing. Takes up to CHECK_MAX_SECONDS.

    Raises InvalidSourceType, InvalidValue (an address that may not be fetched) and
    ServiceUnavailable.
    """
    if source_type != SourceType.WEB:
        raise InvalidSourceType("Only sources of the type web can be checked.")
    release_connection()
    check_public_url(source_url)
    max_pages = tenant.plan.max_pages_per_crawl
    found = ask_worker(source_url, max_pages)
    if found is None:
        return Preflight(is_indexable=False, error=TOO_SLOW)
    return Preflight(**found)


def ask_worker(url: str, max_pages: int) -> dict[str, Any] | None:
    """The fields of a Preflight; None when there was no answer in time."""
    try:
        result = check_site.apply_async((url, max_pages), expires=CHECK_MAX_SECONDS)
        try:
            answer: dict[str, Any] = result.get(timeout=CHECK_MAX_SECONDS)
        finally:
            result.forget()
    except (ResultTimeout, TaskRevokedError, SoftTimeLimitExceeded) as error:
        logger.warning("no answer from the check of a website: %r", error)
        return None
    except (BrokerError, RedisError, RuntimeError) as error:  # the last: Celery gave Redis up
        raise ServiceUnavailable(
            "Websites cannot be checked at the moment. Try again in a minute."
        ) from error
    return answer
