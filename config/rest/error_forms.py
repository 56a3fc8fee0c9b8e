"""The forms in which an error is told: a view names its own as `error_form`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from config.errors import ServiceError

Json = dict[str, Any]
AnyError = ServiceError | type[ServiceError]


class ErrorForm:
    """`{"error": {"code", "message"}}`, as the specification has it; subclasses are other forms.

    `name` stands before the names of components in the API's description.
    """

    name: ClassVar[str] = ""

    def write(self, error: AnyError, message: str) -> Json:
        return {"error": {"code": error.code, "message": message}}

    def describe(self, errors: Iterable[type[ServiceError]]) -> Json:
        """The JSON schema of a body that tells one of `errors`."""
        return describe_error({"code": code_schema(errors), "message": {"type": "string"}})


class LegacyForm(ErrorForm):
    """`{"error": "text"}`, of the query endpoints (docs/specification.md)."""

    name = "Legacy"

    def write(self, error: AnyError, message: str) -> Json:
        return {"error": message}

    def describe(self, errors: Iterable[type[ServiceError]]) -> Json:
        return object_schema({"error": {"type": "string"}})


class OpenAIForm(ErrorForm):
    """Return the error in the form of OpenAI's API, with our codes: its clients choose an exception
    by the status, and programs look at `type` and `param` (openai 3.54: `APIError`, read
    2026-11-23)."""

    name = "OpenAI"

    def write(self, error: AnyError, message: str) -> Json:
        told = {"message": message, "type": type_of(error), "param": error.field or None}
        return {"error": told | {"code": error.code}}

    def describe(self, errors: Iterable[type[ServiceError]]) -> Json:
        errors = list(errors)
        return describe_error(
            {
                "message": {"type": "string"},
                "type": {"type": "string", "enum": sorted({type_of(error) for error in errors})},
                "param": {"type": "string", "nullable": True},
                "code": code_schema(errors),
            }
        )


STANDARD, LEGACY, OPENAI = ErrorForm(), LegacyForm(), OpenAIForm()

OPENAI_TYPES = {
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    429: "rate_limit_error",
}


def type_of(error: AnyError) -> str:
    """The error's type in OpenAI's words."""
    if error.status in OPENAI_TYPES:
        return OPENAI_TYPES[error.status]
    return "server_error" if error.status >= 500 else "invalid_request_error"


def code_schema(errors: Iterable[type[ServiceError]]) -> Json:
    return {"type": "string", "enum": sorted({error.code for error in errors})}


def describe_error(properties: Json) -> Json:
    return object_schema({"error": object_schema(properties)})


def object_schema(properties: Json) -> Json:
    """All of them are there."""
    return {"type": "object", "properties": properties, "required": list(properties)}
