"""The error tree. Every error that a client may see is a subclass of ServiceError.

    ServiceError
    ├── InvalidRequestBody      400 INVALID_REQUEST_BODY
    ├── MissingFields           400 MISSING_FIELDS
    ├── InvalidValue            400 VALIDATION_ERROR
    ├── Unauthorized            401 UNAUTHORIZED
    ├── PlanLimitReached        402 PLAN_LIMIT_REACHED
    ├── Forbidden               403 FORBIDDEN
    ├── NotFound                404 NOT_FOUND
    ├── MethodNotAllowed        405 METHOD_NOT_ALLOWED
    ├── Conflict                409 CONFLICT
    ├── PreconditionFailed      412 PRECONDITION_FAILED
    ├── TooManyRequests         429 TOO_MANY_REQUESTS
    ├── InternalError           500 INTERNAL_ERROR
    ├── ServiceUnavailable      503 SERVICE_UNAVAILABLE
    └── the apps' own: accounts/errors.py, sources/errors.py, agents/errors.py, …

`config.rest.handling` writes them as answers; nothing else maps an error to a status.
"""

from typing import ClassVar

from django.utils.translation import gettext_noop

from reasons import Reason, as_reason

NOT_NOW = gettext_noop("This cannot be done right now. Try again in a few seconds.")


class ServiceError(Exception):
    """An expected failure: a stable code, an HTTP status, and a message that says what to do.

    `reason` says the same as `message`, for those who keep it or write it in another language: a
    text that the catalogue of reasons does not have is a reason with the code "text".
    `retryable` tells a worker whether the same call may succeed later. `field`: of the body, which
    is at fault; "" where none is, or it is not known.
    """

    code: ClassVar[str] = "INTERNAL_ERROR"
    status: ClassVar[int] = 500
    default_message: ClassVar[str | Reason] = "Something went wrong on our side."
    retryable: ClassVar[bool] = False
    field: str = ""

    def __init__(
        self, message: str | Reason = "", *, headers: dict[str, str] | None = None, field: str = ""
    ) -> None:
        self.reason = as_reason(message or self.default_message)
        self.message = str(self.reason)
        self.headers = headers or {}
        self.field = field or self.field
        super().__init__(self.message)


class InvalidRequestBody(ServiceError):
    code = "INVALID_REQUEST_BODY"
    status = 400
    default_message = "The request body is not valid JSON of the expected form."


class BodyTooLarge(InvalidRequestBody):
    default_message = "The request body is too large."


class MissingFields(ServiceError):
    code = "MISSING_FIELDS"
    status = 400
    default_message = "A required field is missing."


class InvalidValue(ServiceError):
    code = "VALIDATION_ERROR"
    status = 400
    default_message = "A field has an invalid value."


class Unauthorized(ServiceError):
    code = "UNAUTHORIZED"
    status = 401
    default_message = "The access token is missing, invalid, expired or revoked."

    def __init__(self, message: str | Reason = "") -> None:
        super().__init__(message, headers={"WWW-Authenticate": "Bearer"})


class PlanLimitReached(ServiceError):
    code = "PLAN_LIMIT_REACHED"
    status = 402
    default_message = "The plan's limit has been reached."


class Forbidden(ServiceError):
    code = "FORBIDDEN"
    status = 403
    default_message = "Your role does not allow this."


class NotFound(ServiceError):
    code = "NOT_FOUND"
    status = 404
    default_message = "There is nothing at this address."


class MethodNotAllowed(ServiceError):
    code = "METHOD_NOT_ALLOWED"
    status = 405
    default_message = "This address does not accept this method."


class Conflict(ServiceError):
    code = "CONFLICT"
    status = 409
    default_message = "The request conflicts with the current state."


class PreconditionFailed(ServiceError):
    code = "PRECONDITION_FAILED"
    status = 412
    default_message = (
        "This has changed since you read it: its ETag does not match If-Match. Read it"
        " again, then repeat the change."
    )


class TooManyRequests(ServiceError):
    code = "TOO_MANY_REQUESTS"
    status = 429
    default_message = "Too many requests. Wait, then try again."
    retryable = True

    def __init__(self, message: str | Reason = "", *, retry_after_seconds: int) -> None:
        super().__init__(message, headers={"Retry-After": str(max(1, retry_after_seconds))})


class InternalError(ServiceError):
    """An unexpected failure: its cause is in the log under the request id, never in the answer."""


class ServiceUnavailable(ServiceError):
    code = "SERVICE_UNAVAILABLE"
    status = 503
    default_message: ClassVar[str | Reason] = (
        "A service that this request needs is not configured here."
    )
    retryable = True
