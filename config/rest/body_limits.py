"""How much of a body an address takes, and whether a form of several parts: judged before any of it
is read, or waited for."""

import uuid
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousMultipartForm
from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from config import errors

MULTIPART = "multipart/form-data"
# For clients that have not proved who they are: what the web server waits for in memory.
STRANGERS_MAX_BYTES = 64 * 1024


class BodyLimitMiddleware:
    """Limit the bodies of pages, including Django's own. Otherwise the check for a CSRF
    token would read a body of any size.
    A view class says `takes_file`, and `knows_sender(request)`: who is let in may send longer forms
    than strangers. Our API's views look for themselves (`check_body`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: object, kwargs: object) -> None:
        """Raises what Django answers with 400."""
        page = getattr(view, "view_class", None)
        if hasattr(view, "cls") or getattr(page, "takes_file", False):
            return
        if is_multipart(request):
            raise SuspiciousMultipartForm
        length = length_of(request)
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig
        knows_sender = getattr(page, "knows_sender", None)
        if length > STRANGERS_MAX_BYTES and not (knows_sender and knows_sender(request)):
            raise RequestDataTooBig


def is_multipart(request: HttpRequest | Request) -> bool:
    return (request.content_type or "").partition(";")[0].strip().lower() == MULTIPART


def length_of(request: HttpRequest | Request) -> int:
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isdecimal() else 0  # as WSGIRequest takes it


def problem_with_body(request: Request, view: APIView) -> errors.ServiceError | None:
    """The error in a body's length or type; None if the body may be read. The limit is
    `body_max_bytes` of a view that reads it raw, else its parser's, as read_body has it; where
    neither names one, the view's `default_max_bytes`."""
    is_chunked = "Transfer-Encoding" in request.headers and "Content-Length" not in request.headers
    if is_chunked and request.content_type:  # which WSGI hands on as an empty one
        return errors.InvalidRequestBody("Send the length of the body in a Content-Length header.")
    raw_max_bytes = getattr(view, "body_max_bytes", None)
    negotiator = view.get_content_negotiator()
    parser: Any = negotiator.select_parser(request, view.get_parsers())
    default = getattr(view, "default_max_bytes", settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    if length_of(request) > (raw_max_bytes or getattr(parser, "max_bytes", None) or default):
        too_large: errors.ServiceError | None = getattr(parser, "too_large", None)
        return too_large or errors.BodyTooLarge()
    if parser is None and raw_max_bytes is None and is_multipart(request):
        return errors.InvalidRequestBody(f"{MULTIPART} is not taken here.")
    return None


def check_body(request: Request, view: APIView) -> None:
    """Raises the error that a body's length or type is."""
    if problem := problem_with_body(request, view):
        raise problem


def belong_to(request: HttpRequest | Request, tenant_id: uuid.UUID) -> None:
    """A body that the server waits for counts for this tenant from now on (config.serving)."""
    body = request.META["wsgi.input"]
    if hasattr(body, "belong_to"):  # not what other servers give, Django's own for instance
        body.belong_to(str(tenant_id))


def is_awaited(request: HttpRequest | Request) -> bool:
    """True if some of the body has not come. Reading asks for it; then the server makes the request
    again when all is here. So nothing is counted before."""
    return not getattr(request.META["wsgi.input"], "has_come", True)


def await_body(request: HttpRequest | Request) -> None:
    request.META["wsgi.input"].read(0)
