"""The OpenAPI description (drf-spectacular): each endpoint is described where it stands."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import extend_schema

from config.errors import ServiceError

Method = TypeVar("Method", bound=Callable[..., Any])


def describe(
    summary: str,
    *,
    request: Any = None,
    response: Any = None,
    status: int = 200,
    errors: tuple[type[ServiceError], ...] = (),
    **more: Any,
) -> Callable[[Method], Method]:
    """What an endpoint takes and answers.

    Args:
        request: serializer class of the body; None: it has none.
        response: serializer class of the answer to a success; None: it has no body.
        errors: its own ones. Those that any endpoint of its kind may answer (a malformed body, a
            missing token, a wrong role, the rate limit) are added by EndpointSchema.
        more: of drf_spectacular.utils.extend_schema.
    """
    extend = extend_schema(summary=summary, request=request, responses={status: response}, **more)

    def mark(method: Method) -> Method:
        method.described_errors = errors  # type: ignore[attr-defined]
        return extend(method)

    return mark


class EndpointSchema(AutoSchema):
    """What every endpoint of ours has in common."""
