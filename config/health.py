"""GET /healthz: this process lives. GET /readyz: database, Redis and the workers that somebody
waits for answer."""

import logging
from collections.abc import Callable
from typing import Any

import redis
from django.conf import settings
from django.contrib.auth import get_user
from django.db import DatabaseError, connection
from drf_spectacular.utils import OpenApiResponse
from kombu import Connection
from kombu.exceptions import OperationalError
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.celery import app
from config.database.acting import as_staff
from config.database.pool import release_connection
from config.jobs.redis_client import client
from config.language_model import read_state
from config.readiness import DETAILS, IS_FROM_STAFF
from config.rest.openapi import describe

logger = logging.getLogger(__name__)

# Load balancers give up after a few seconds, and a check that hangs says less than one that fails.
CHECK_TIMEOUT_SECONDS = 2.0
# For how long each time, while none answers: one that has just started has not heard what was asked
# before. As long as CHECK_TIMEOUT_SECONDS together.
WORKER_TIMEOUTS_SECONDS = (0.1, 0.1, 0.1, 0.2, 0.5, 1.0)
# Else Redis is let look for an answer for a second, and nobody can ask again before that.
PROMPTLY = {"polling_interval": 0.05}
UPLOADS_WORKERS = "uploads@*"  # their names (config.running.programs)


class CheckFailed(Exception):
    """The message says what does not answer; it is shown to the caller, so it holds no address and
    no secret."""


class LifeOutput(serializers.Serializer[Any]):
    status = serializers.ChoiceField(choices=["ok"])


class ReadinessOutput(serializers.Serializer[Any]):
    status = serializers.ChoiceField(choices=["ok", "unavailable"])
    checks = serializers.DictField(
        child=serializers.CharField(), help_text='Each dependency: "ok", or what is wrong with it.'
    )
    language_model = serializers.CharField(
        required=False,
        help_text=(
            'The language model that bin/up serves: "ok", "loading", or why it is not'
            " available. Without it, questions are answered by extraction, so this does"
            " not change the status."
        ),
    )
    detail = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="For staff who are signed in to the back office: what works, and how well.",
    )


class HealthView(APIView):
    """Neither a token nor a limit: load balancers ask."""

    authentication_classes = []
    permission_classes = [AllowAny]


class LifeView(HealthView):
    @describe("Check that this process is alive", response=LifeOutput)
    def get(self, request: Request) -> Response:
        return Response({"status": "ok"})


class ReadinessView(HealthView):
    @describe(
        "Check that this process is ready for requests",
        response=ReadinessOutput,
        other_responses={
            503: OpenApiResponse(ReadinessOutput, description="A dependency does not answer.")
        },
    )
    def get(self, request: Request) -> Response:
        """200 when every dependency answers, else 503; `checks` names each with "ok" or what is
        wrong. Staff, by the cookie of the back office, also read what an operator should know."""
        checks = {name: run_check(check) for name, check in CHECKS.items()}
        is_ready = all(result == "ok" for result in checks.values())
        answer: dict[str, object] = {
            "status": "ok" if is_ready else "unavailable",
            "checks": checks,
        }
        if settings.LLM_IS_OWN:
            answer["language_model"] = read_state(settings.DATA_DIR)
        if is_from_staff(request):
            answer["detail"] = {name: tell() for name, tell in DETAILS.items()}
        response = Response(answer, status=200 if is_ready else 503)
        # Not an error of ours to log: bin/up and load balancers ask until the answer is yes.
        response._has_been_logged = True  # type: ignore[attr-defined]
        return response


def is_from_staff(request: Request) -> bool:
    """True for a request with an open session of the back office; False while the database does not
    answer."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return False
    asked = request._request
    try:
        with as_staff():
            asked.user = get_user(asked)  # REST framework has taken it away: nobody signs in
            return any(knows(asked) for knows in IS_FROM_STAFF)
    except DatabaseError:
        return False


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
    finally:
        release_connection()  # that of the workers waits: many must not use up the pool


def check_redis() -> None:
    try:
        client(timeout_seconds=CHECK_TIMEOUT_SECONDS).ping()
    except redis.RedisError as error:
        logger.warning("redis check: %s", error)
        raise CheckFailed("Redis does not answer") from error


def check_worker() -> None:
    """Checks that a worker for uploads answers: without one an upload would wait, and other workers
    are as quick to start."""
    check_redis()  # Celery would try for six seconds to reach it
    try:
        with app.connection_for_write(transport_options=PROMPTLY) as broker:
            has_answered = any(ask_worker(broker, timeout) for timeout in WORKER_TIMEOUTS_SECONDS)
    except (OperationalError, redis.RedisError, OSError) as error:
        logger.warning("worker check: %s", error)
        raise CheckFailed("the workers cannot be asked") from error
    if not has_answered:
        raise CheckFailed("no worker for uploads answers")


def ask_worker(broker: Connection, timeout_seconds: float) -> bool:
    """True if a worker for uploads has answered within that time."""
    return bool(
        app.control.broadcast(
            "ping",
            connection=broker,
            reply=True,
            timeout=timeout_seconds,
            limit=1,
            pattern=UPLOADS_WORKERS,
            matcher="glob",  # type: ignore[arg-type]  # a name: workers get it by message
        )
    )


CHECKS: dict[str, Callable[[], None]] = {
    "database": check_database,
    "redis": check_redis,
    "worker": check_worker,
}
