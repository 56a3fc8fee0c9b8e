"""Checks that a website or an account can be read before it becomes a source: a worker looks, while
somebody waits."""

from __future__ import annotations

import json
import logging
import uuid
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from celery import Task
from celery.exceptions import TaskRevokedError
from celery.exceptions import TimeoutError as ResultTimeout
from django.conf import settings
from kombu.exceptions import OperationalError as BrokerError
from redis import RedisError

from accounts.models import Tenant
from config.database.pool import release_connection
from config.errors import ServiceUnavailable, TooManyRequests
from config.jobs.places import Places, take_place
from config.security.encryption import encrypt
from config.serving.waiting import Kind
from reasons import Reason
from sources.connectors.interface import SOURCE_URL, UNSTORABLE, Account, Checked, Extent, Preflight
from sources.connectors.registry import CHECKED_KINDS, CONNECTORS
from sources.errors import ConnectionRefused, InvalidSourceType
from sources.tasks import CHECK_MAX_SECONDS, check_account, check_site

logger = logging.getLogger(__name__)

# Requests of a tenant that wait for a website: so many of its checks wait for a worker, no more.
WAITING = Places(
    Kind.SERVERS, "checks", settings.CHECKS_WAITED_FOR, lease_seconds=CHECK_MAX_SECONDS + 5
)
RETRY_AFTER_SECONDS = 10
TOO_MANY = "Too many addresses are being checked right now. Wait for an answer, then try again."
NO_ANSWER = Reason("no_answer_in_time")
TOO_SLOW = Reason("website_check_too_slow")


def check_website(tenant: Tenant, *, source_type: str, source_url: str) -> Preflight:
    """Asks a worker to look at a website; writes nothing. Takes up to CHECK_MAX_SECONDS.

    Raises InvalidSourceType, InvalidValue (an address that may not be fetched), TooManyRequests
    (CHECKS_WAITED_FOR requests of the tenant wait already, or too many of all tenants) and
    ServiceUnavailable.
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
        found = ask_worker(check_site, source_url, max_pages, source_type)
    if found is None:
        return Preflight(is_indexable=False, error=TOO_SLOW)
    error = Reason.from_json(found["error"]) if found["error"] else None
    return Preflight(**{**found, "error": error})


def check_account_fields(tenant: Tenant, kind: str, given: Mapping[str, str]) -> Checked:
    """Asks a worker to look whether what somebody typed opens an account; stores nothing. Takes up
    to CHECK_MAX_SECONDS.

    Args:
        kind: one that has `connection_fields`.
        given: by their names.

    Raises ConnectionRefused (also for a field that lacks, or that the kind does not have),
    TooManyRequests and ServiceUnavailable.
    """
    fields = clean_fields(kind, given)
    release_connection()
    place = take_place(WAITING, tenant.pk)
    if place is None:
        raise TooManyRequests(TOO_MANY, retry_after_seconds=RETRY_AFTER_SECONDS)
    seal = f"sources.tasks.check_account:{tenant.pk}:{uuid.uuid4()}"
    sealed = b64encode(encrypt(json.dumps(fields).encode(), context=seal)).decode()
    with place:
        found = ask_worker(check_account, sealed, seal, kind)
    if found is None:
        raise ConnectionRefused(NO_ANSWER)
    if "refused" in found:
        raise ConnectionRefused(Reason.from_json(found["refused"]), field=found["field"])
    amount = Extent(**found["amount"]) if found["amount"] else None
    account = Account(**found["account"])
    return Checked(account, found["selection"], amount, tuple(found["passages"]))


def clean_fields(kind: str, given: Mapping[str, str]) -> dict[str, str]:
    """All of the kind's, "" for what was not given. Raises ConnectionRefused."""
    known = {field.name: field for field in CONNECTORS[kind].connection_fields}
    for name in given:
        if name not in known:
            raise ConnectionRefused(Reason("field_unknown", name=name[:50], names=", ".join(known)))
    fields: dict[str, str] = {}
    for name, field in known.items():
        value = given.get(name, "")
        value = value if field.is_secret else value.strip()
        if not value and field.choices:
            value = field.choices[0][0]
        if not value and field.is_required:
            raise ConnectionRefused(Reason("field_required"), field=name)
        if len(value) > field.max_chars:
            raise ConnectionRefused(
                Reason("too_many_characters", limit=field.max_chars), field=name
            )
        if UNSTORABLE.search(value):
            raise ConnectionRefused(Reason("invalid_characters"), field=name)
        if field.choices and value not in dict(field.choices):
            choices = ", ".join(choice for choice, _ in field.choices)
            raise ConnectionRefused(Reason("choose_value", choices=choices), field=name)
        fields[name] = value
    return fields


def ask_worker(task: Task[..., dict[str, Any]], *arguments: object) -> dict[str, Any] | None:
    """Returns the task's answer, or None if none came in time."""
    try:
        result = task.apply_async(arguments, expires=CHECK_MAX_SECONDS)
        try:
            answer: dict[str, Any] = result.get(timeout=CHECK_MAX_SECONDS)
        finally:
            result.forget()
    except (ResultTimeout, TaskRevokedError) as error:
        logger.warning("no answer from %s: %r", task.name, error)
        return None
    except (BrokerError, RedisError, RuntimeError) as error:  # the last: Celery gave Redis up
        raise ServiceUnavailable(
            "This cannot be checked at the moment. Try again in a minute."
        ) from error
    return answer
