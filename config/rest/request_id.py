"""A request id in every answer and every log line."""

import logging
import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
# What we take over from a proxy: nothing that could forge a log line.
ACCEPTED_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

current_request_id: ContextVar[str] = ContextVar("current_request_id", default="-")


class RequestIdMiddleware:
    """Takes a caller's well-formed X-Request-ID or makes one, and sends it back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        request_id = given if ACCEPTED_ID.fullmatch(given) else str(uuid.uuid4())
        token = current_request_id.set(request_id)
        try:
            response = self.get_response(request)
        finally:
            current_request_id.reset(token)
        response[HEADER] = request_id
        return response


class RequestIdFilter(logging.Filter):
    """Adds `request_id` to log records ("-" outside a request)."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current_request_id.get()
        return True
