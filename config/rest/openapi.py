"""The OpenAPI description (drf-spectacular): each endpoint is described where it stands.

What all endpoints of a kind can answer is derived here from their permissions and their body, so
that no view repeats it, and none forgets it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent
from drf_spectacular.utils import extend_schema

from config.errors import (
    Forbidden,
    InternalError,
    InvalidRequestBody,
    InvalidValue,
    MissingFields,
    ServiceError,
    TooManyRequests,
    Unauthorized,
)
from config.rest.error_forms import STANDARD, ErrorForm
from config.rest.operation_names import OPERATION_NAMES
from config.security.rate_limits import LimitsUnavailable

Method = TypeVar("Method", bound=Callable[..., Any])
Json = dict[str, Any]
Errors = tuple[type[ServiceError], ...]

# Of settings.SPECTACULAR_SETTINGS, by the first part of a path.
TAGS = {
    "auth": "Logging in",
    "tenants": "Workspace",
    "ingest": "Sources",
    "files": "Sources",
    "agent": "Questions",
    "agents": "Agents",
    "v1": "Programs",
    "oauth": "Programs",
    ".well-known": "Programs",
    "public": "Visitors",
    "webhooks": "Webhooks",
    "healthz": "Health",
    "readyz": "Health",
}
BEARER_TOKEN: Json = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": "An access token of a person, or an API token of a workspace.",
}
# One sign that str.strip leaves: to it these four separators and NEL are white space as well.
NOT_TRIMMED = r"[^\s\u001c-\u001f\u0085]"
EMPTY_OBJECT: Json = {"type": "object", "maxProperties": 0, "example": {}}
BINARY: Json = {"type": "string", "format": "binary"}

HEADERS: dict[str, Json] = {
    "X-Request-ID": {
        "description": "The request's id, also in our log: quote it when you report a problem.",
        "schema": {"type": "string"},
        "required": True,
    },
    "Retry-After": {
        "description": "Seconds to wait.",
        "schema": {"type": "integer", "minimum": 1},
        "required": True,
    },
    "WWW-Authenticate": {
        "description": "The authentication scheme to use; for programs, also where to get a token.",
        "schema": {"type": "string", "pattern": "^Bearer(?: |$)"},
        "required": True,
    },
}
HEADERS_OF_STATUS = {
    Unauthorized.status: ("WWW-Authenticate",),
    TooManyRequests.status: ("Retry-After",),
}


def describe(
    summary: str,
    *,
    request: Any = None,
    response: Any = None,
    status: int = 200,
    errors: Errors = (),
    media_type: str = "",
    other_responses: dict[Any, Any] | None = None,
    **more: Any,
) -> Callable[[Method], Method]:
    """Describes what an endpoint takes and answers.

    Args:
        request: serializer class of the body; None: it has none.
        response: serializer class of the answer to a success, or a JSON schema; None: it has no
            body.
        errors: its own ones. Those that any endpoint of its kind may answer (a malformed body, a
            missing token, a wrong role, the rate limit) are added by EndpointSchema.
        media_type: of the answer, where it is not JSON.
        other_responses: by status, or by (status, media type), of answers that are neither the
            success nor an error of ours.
        more: of drf_spectacular.utils.extend_schema.
    """
    if isinstance(response, type) and not getattr(response, "_declared_fields", True):
        response = EMPTY_OBJECT  # drf-spectacular takes a serializer without fields for no answer
    key: Any = (status, media_type) if media_type else status
    responses = {key: response, **(other_responses or {})}
    extend = extend_schema(summary=summary, request=request, responses=responses, **more)

    def mark(method: Method) -> Method:
        method.described_errors = errors  # type: ignore[attr-defined]
        return extend(method)

    return mark


class EndpointSchema(AutoSchema):
    """What every endpoint of ours has in common."""

    def get_operation(
        self,
        path: str,
        path_regex: str,
        path_prefix: str,
        method: str,
        registry: ComponentRegistry,
    ) -> Json | None:
        operation: Json | None = super().get_operation(
            path, path_regex, path_prefix, method, registry
        )
        if operation is None:
            return None
        operation.setdefault("security", [])  # said outright: no token
        answers = operation["responses"]
        for answer in answers.values():
            answer["description"] = answer["description"] or "Success."
            answer["headers"] = {**answer.get("headers", {}), **self.refer_to_headers()}
        answers.update(self.describe_errors(has_body="requestBody" in operation))
        operation["responses"] = dict(sorted(answers.items()))
        return operation

    def get_operation_id(self) -> str:
        return OPERATION_NAMES[f"{self.method} {self.path}"]

    def get_tags(self) -> list[str]:
        return [TAGS[self.path.strip("/").split("/")[0]]]

    def get_auth(self) -> list[Json]:
        if not self.view.authentication_classes:
            return []
        self.register("bearerToken", ResolvedComponent.SECURITY_SCHEMA, BEARER_TOKEN)
        return [{"bearerToken": []}]

    def describe_errors(self, *, has_body: bool) -> Json:
        """A reference to a response for each status, of all errors that share it."""
        method = getattr(self.view, self.method.lower())
        own: Errors = getattr(method, "described_errors", ())
        if TooManyRequests in own:  # a limit that holds for guessing: it refuses without Redis
            own += (LimitsUnavailable,)
        by_status: dict[int, list[type[ServiceError]]] = defaultdict(list)
        for error in dict.fromkeys((*general_errors(self.view, has_body=has_body), *own)):
            by_status[error.status].append(error)
        return {
            str(status): self.register_errors(status, errors)
            for status, errors in by_status.items()
        }

    def register_errors(self, status: int, errors: Iterable[type[ServiceError]]) -> Json:
        """The reference to a response that many endpoints share."""
        form: ErrorForm = getattr(self.view, "error_form", STANDARD)
        ordered = sorted(errors, key=lambda error: error.__name__)
        answer = error_response(ordered, form)
        answer["content"]["application/json"]["examples"] = {
            error.__name__: self.refer_to_example(error, form) for error in ordered
        }
        answer["headers"] = self.refer_to_headers(*HEADERS_OF_STATUS.get(status, ()))
        name = form.name + "Or".join(error.__name__ for error in ordered)
        return self.register(name, ResolvedComponent.RESPONSE, answer)

    def refer_to_example(self, error: type[ServiceError], form: ErrorForm) -> Json:
        example = {"summary": error.code, "value": form.write(error, str(error.default_message))}
        return self.register(form.name + error.__name__, ResolvedComponent.EXAMPLE, example)

    def refer_to_headers(self, *names: str) -> Json:
        """X-Request-ID, which every answer has, and `names`."""
        return {
            name: self.register(name, ResolvedComponent.HEADER, HEADERS[name])
            for name in ("X-Request-ID", *names)
        }

    def register(self, name: str, kind: str, content: Json) -> Json:
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name=name, type=kind, schema=content, object=ServiceError
        )
        self.registry.register_on_missing(component)
        reference: Json = component.ref
        return reference


def general_errors(view: Any, *, has_body: bool) -> Errors:
    """The errors that any endpoint with a body, a token or a role may answer."""
    errors: Errors = (InternalError,)
    if has_body:
        errors += (InvalidRequestBody, MissingFields, InvalidValue)
    if view.authentication_classes:
        errors += (Unauthorized, TooManyRequests)
        if any(getattr(rule, "may_refuse", True) for rule in view.permission_classes):
            errors += (Forbidden,)
    shared = getattr(view, "shared_errors", tuple)
    return errors + tuple(shared())


def error_response(errors: list[type[ServiceError]], form: ErrorForm) -> Json:
    """The response that tells one of `errors`."""
    return {
        "description": " ".join(dict.fromkeys(str(error.default_message) for error in errors)),
        "content": {"application/json": {"schema": form.describe(errors)}},
    }


def remove_enum_ids(result: Json, **_: Any) -> Json:
    """A hook of drf-spectacular: its marks for enums that get a component of their own."""

    def clean(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: clean(value) for key, value in node.items() if key != "x-spec-enum-id"}
        return [clean(value) for value in node] if isinstance(node, list) else node

    cleaned: Json = clean(result)
    return cleaned


class TextInput(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """An empty text is a missing one, and so is one of spaces alone where they are cut off.

    drf-spectacular finds this because it is a subclass.
    """

    target_class = "config.rest.request_body.StrictCharField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: str) -> Json:
        field = self.target
        schema: Json = auto_schema._map_serializer_field(field, direction, bypass_extensions=True)
        if not field.allow_blank:
            schema["minLength"] = max(1, schema.get("minLength", 1))
            if field.trim_whitespace and "pattern" not in schema:
                schema["pattern"] = NOT_TRIMMED
        return schema
