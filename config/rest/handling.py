"""The one place that turns an error into an answer."""

import logging
import math
from typing import Any

from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation, TooManyFilesSent
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import set_rollback

from config import errors
from config.rest.error_forms import STANDARD, ErrorForm
from config.rest.request_id import current_request_id

logger = logging.getLogger("config.rest.handling")

DATABASE_AWAY_SECONDS = "5"  # about what the embedded one takes to be back
# DRF's codes that mean "the field is not there": absent, null, or an empty string.
MISSING_CODES = frozenset({"required", "null", "blank", "empty"})


def handle_exception(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's EXCEPTION_HANDLER: every error of every endpoint leaves through here."""
    error = to_service_error(exc)
    set_rollback()
    request, view = context.get("request"), context.get("view")
    # The address itself may be a permission (a signed link): such a one is not for the log.
    path = "-" if getattr(view, "has_secret_path", False) else getattr(request, "path", "-")
    log_error(error, exc, method=getattr(request, "method", "-"), path=path)
    form = getattr(view, "error_form", STANDARD)
    response = Response(envelope(error, form), status=error.status, headers=error.headers)
    response._has_been_logged = True  # type: ignore[attr-defined]  # Django would, with the path
    return response


def envelope(error: errors.ServiceError, form: ErrorForm = STANDARD) -> dict[str, Any]:
    """The body that tells it."""
    # A message may quote what a client sent, also half a surrogate pair, which is not UTF-8.
    return form.write(error, error.message.encode(errors="replace").decode())


def to_service_error(exc: Exception) -> errors.ServiceError:
    """The ServiceError that stands for any exception; unknown ones become InternalError."""
    match exc:
        case errors.ServiceError():
            return exc
        case exceptions.ValidationError():
            return from_validation_detail(exc)
        case DjangoValidationError():
            return errors.InvalidValue(" ".join(exc.messages))
        case RequestDataTooBig() | TooManyFilesSent():
            return errors.BodyTooLarge()
        case exceptions.ParseError() | exceptions.UnsupportedMediaType():
            return errors.InvalidRequestBody(str(exc.detail))
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return errors.Unauthorized()
        case exceptions.PermissionDenied() | DjangoPermissionDenied():
            return errors.Forbidden()
        case Http404() | exceptions.NotFound():
            return errors.NotFound()
        case exceptions.MethodNotAllowed():
            return errors.MethodNotAllowed(str(exc.detail))
        case exceptions.Throttled():
            wait_seconds = getattr(exc, "wait", None) or 1
            return errors.TooManyRequests(retry_after_seconds=math.ceil(wait_seconds))
        case SuspiciousOperation():
            return errors.InvalidRequestBody()
        case OperationalError():  # the database went away in the middle: the next call finds it
            return errors.ServiceUnavailable(
                errors.NOT_NOW,
                headers={"Retry-After": DATABASE_AWAY_SECONDS},
            )
        case _:
            request_id = current_request_id.get()
            text = errors.InternalError.default_message
            return errors.InternalError(f"{text} Quote the request id {request_id}.")


def from_validation_detail(exc: exceptions.ValidationError) -> errors.ServiceError:
    """MISSING_FIELDS when a field is absent, null or empty, else VALIDATION_ERROR.

    The message names the fields.
    """
    problems = list(flatten(exc.detail))
    missing = [path for path, detail in problems if detail.code in MISSING_CODES]
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        return errors.MissingFields(f"Missing: {names}.", field=top_level(missing[0]))
    told = " ".join(f"{path}: {detail}" if path else str(detail) for path, detail in problems)
    return errors.InvalidValue(told, field=top_level(problems[0][0]) if problems else "")


def top_level(path: str) -> str:
    """The field of the body that a dotted path begins with."""
    return path.partition(".")[0]


def flatten(detail: Any, path: str = "") -> Any:
    """Yields (dotted field path, ErrorDetail) for a nested DRF error detail."""
    if isinstance(detail, dict):
        for key, value in detail.items():
            name = "" if key == "non_field_errors" else str(key)
            yield from flatten(value, f"{path}.{name}".strip("."))
    elif isinstance(detail, list):
        for value in detail:
            yield from flatten(value, path)
    else:
        yield path, detail


def log_error(error: errors.ServiceError, cause: Exception, *, method: str, path: str) -> None:
    # Both may quote what a client sent: no line break in it may forge a line of the log.
    path, message = (text.encode("unicode_escape").decode() for text in (path, error.message))
    # That something is not set up here is not a failure; an outage has an exception behind it.
    is_refusal = isinstance(cause, errors.ServiceUnavailable) and cause.__cause__ is None
    is_ours = error.status >= status.HTTP_500_INTERNAL_SERVER_ERROR and not is_refusal
    if is_ours:
        logger.error("%s %s -> %s %s", method, path, error.status, error.code, exc_info=cause)
    else:
        logger.warning("%s %s -> %s %s: %s", method, path, error.status, error.code, message)


def json_error(error: errors.ServiceError) -> JsonResponse:
    return JsonResponse(envelope(error), status=error.status, headers=error.headers)


# Django's own error views (config/urls.py): what never reached a DRF view answers in the same form.


def bad_request(request: HttpRequest, exception: Exception) -> JsonResponse:
    """The answer to a malformed request, or to one for a host name that is not ours. Logged here:
    Django's own loggers (django.security) take a refused client for an error of ours."""
    error = errors.InvalidRequestBody("The request is malformed.")
    log_error(error, exception, method=request.method or "-", path=request.path)
    return json_error(error)


def permission_denied(request: HttpRequest, exception: Exception) -> JsonResponse:
    return json_error(errors.Forbidden())


def not_found(request: HttpRequest, exception: Exception) -> JsonResponse:
    return json_error(errors.NotFound())


def server_error(request: HttpRequest) -> JsonResponse:
    # Django has logged the exception already (django.request).
    return json_error(to_service_error(RuntimeError()))


def csrf_failure(request: HttpRequest, reason: str = "") -> JsonResponse:
    return json_error(errors.Forbidden("The form has expired. Reload the page."))
