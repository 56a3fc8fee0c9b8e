"""GET /healthz: this process lives. GET /readyz: database, Redis and a worker answer."""

import logging
from collections.abc import Callable

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError
from rest_framework.decorators import api_view, authentication_classes, permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from config.celery import app

logger = logging.getLogger(__name__)

CHECK_TIMEOUT_SECONDS = 2.0


class CheckFailed(Exception):
    """The message says what does not answer; it is shown to the caller, so it holds no address and
    no secret."""


@api_view(["GET", "HEAD"])
@authentication_classes([])
@permission_classes([AllowAny])
def healthz(request: Request) -> Response:
    return Response({"status": "ok"})


@api_view(["GET", "HEAD"])
@authentication_classes([])
@permission_classes([AllowAny])
def readyz(request: Request) -> Response:
    """200 when every dependency answers, else 503; `checks` names each with "ok" or what is
    wrong."""
    checks = {name: run_check(check) for name, check in CHECKS.items()}
    is_ready = all(result == "ok" for result in checks.values())
    response = Response(
        {"status": "ok" if is_ready else "unavailable", "checks": checks},
        status=200 if is_ready else 503,
    )
    # Not an error of ours to log: bin/up and load balancers ask until the answer is yes.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def run_check(check: Callable[[], None]) -> str:
    try:
        check()
    except CheckFailed as failure:
        return str(failure)
    return "ok"


def check_database() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        logger.warning("database check: %s", error)
        raise CheckFailed("the database does not answer") from error


def check_redis() -> None:
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=CHECK_TIMEOUT_SECONDS
        ) as client:
            client.ping()
    except redis.RedisError as error:
        logger.warning("redis check: %s", error)
        raise CheckFailed("Redis does not answer") from error


def check_worker() -> None:
    check_redis()  # Celery would try for six seconds to reach it
    try:
        answers = app.control.ping(timeout=CHECK_TIMEOUT_SECONDS, limit=1)
    except (OperationalError, redis.RedisError, OSError) as error:
        logger.warning("worker check: %s", error)
        raise CheckFailed("the workers cannot be asked") from error
    if not answers:
        raise CheckFailed("no worker answers")


CHECKS: dict[str, Callable[[], None]] = {
    "database": check_database,
    "redis": check_redis,
    "worker": check_worker,
}
