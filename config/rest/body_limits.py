"""How much of a body an address takes, and whether a form of several parts: judged before any of it
is read, or waited for."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousMultipartForm
from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from config import errors

MULTIPART = "multipart/form-data"


class BodyLimitMiddleware:
    """Of pages, Django's own among them: else the check for a CSRF token takes in whatever comes.
    A view class says `takes_file`. Our API's views look for themselves (`check_body`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: object, kwargs: object) -> None:
        """Raises what Django answers with 400."""
        takes_file = getattr(getattr(view, "view_class", None), "takes_file", False)
        if hasattr(view, "cls") or takes_file:
            return
        if is_multipart(request):
            raise SuspiciousMultipartForm
        if length_of(request) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig


def is_multipart(request: HttpRequest | Request) -> bool:
    return (request.content_type or "").partition(";")[0].strip().lower() == MULTIPART


def length_of(request: HttpRequest | Request) -> int:
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isdecimal() else 0  # as WSGIRequest takes it


def problem_with_body(request: Request, view: APIView) -> errors.ServiceError | None:
    """By its length and type. `body_max_bytes` of a view that reads it raw, else what its parser
    says, as read_body has it."""
    is_chunked = "Transfer-Encoding" in request.headers and "Content-Length" not in request.headers
    if is_chunked and request.content_type:  # which WSGI hands on as an empty one
        return errors.InvalidRequestBody("Send the length of the body in a Content-Length header.")
    raw_max_bytes = getattr(view, "body_max_bytes", None)
    negotiator = view.get_content_negotiator()
    parser: Any = negotiator.select_parser(request, view.get_parsers())
    limit = raw_max_bytes or getattr(parser, "max_bytes", None)
    if length_of(request) > (limit or settings.DATA_UPLOAD_MAX_MEMORY_SIZE):
        too_large: errors.ServiceError | None = getattr(parser, "too_large", None)
        return too_large or errors.InvalidRequestBody("The request body is too large.")
    if parser is None and raw_max_bytes is None and is_multipart(request):
        return errors.InvalidRequestBody(f"{MULTIPART} is not taken here.")
    return None


def check_body(request: Request, view: APIView) -> None:
    """Raises the error that a body's length or type is."""
    if problem := problem_with_body(request, view):
        raise problem


def await_body(request: Request, view: APIView) -> None:
    """Before a request is counted. Where its body has not come, the server makes the request anew
    when it has (config.serving); one that will be refused is not waited for."""
    if problem_with_body(request, view) is None:
        request.META["wsgi.input"].read(0)
