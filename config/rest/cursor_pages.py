"""Lists that may be long, page by page: `?limit=`, and a Link to the next page (RFC 8288, read
2026-11-23). The body stays the plain array that it is without pages.

A page begins after the last row of the one before, by the values that rows are ordered by; so rows
that come and go between two pages neither hide nor repeat another. Only one that is moved itself
may be seen twice or not at all.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core import signing
from django.db.models import Model, Q, QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.errors import InvalidValue

MAX_ROWS = 1000  # of a page, and of an answer without `limit`
CURSOR_MAX_CHARS = 2000

PAGES = [
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": MAX_ROWS, "default": MAX_ROWS},
        description="How many at most.",
    ),
    OpenApiParameter(
        "cursor",
        {"type": "string", "maxLength": CURSOR_MAX_CHARS},
        description="From the Link of the page before.",
    ),
    OpenApiParameter(
        "Link",
        {"type": "string"},
        OpenApiParameter.HEADER,
        description='Where there are more: `<address of the next page>; rel="next"` (RFC 8288).',
        response=[200],
    ),
]


class PageInput(serializers.Serializer[Any]):
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ROWS, default=MAX_ROWS)
    cursor = serializers.CharField(
        max_length=CURSOR_MAX_CHARS, allow_blank=True, trim_whitespace=False, default=None
    )


def answer_page(
    request: Request,
    rows: QuerySet[Any],
    serializer_class: type[serializers.Serializer[Any]],
    *,
    owner: Model,
) -> Response:
    """The page that the request asks for. One query.

    Args:
        rows: in an order that no two of them share, of columns that are never null. The columns of
            related rows are `select_related`.
        owner: whose list it is. A cursor of another owner's, or of another list, is refused.

    Raises InvalidValue.
    """
    # As a plain dict: DRF takes an empty text in a query string for a missing one.
    asked = PageInput(data=request.query_params.dict())
    asked.is_valid(raise_exception=True)
    limit, cursor = asked.validated_data["limit"], asked.validated_data["cursor"]
    order = list_order(rows)
    salt = f"cursor:{request.path}:{owner.pk}:{order}"
    if cursor is not None:
        rows = rows.filter(after(order, open_cursor(cursor, salt)))
    found = list(rows[: limit + 1])
    page = found[:limit]
    answer = Response(serializer_class(page, many=True).data)
    if len(found) > limit:
        query = urlencode({"limit": limit, "cursor": make_cursor(order, page[-1], salt)})
        answer.headers["Link"] = f'<{settings.BASE_URL}{request.path}?{query}>; rel="next"'
    return answer


def list_order(rows: QuerySet[Any]) -> list[str]:
    """The names of the columns; "-" before one that descends."""
    return [str(name) for name in rows.query.order_by or rows.model._meta.ordering]


def after(order: list[str], values: list[Any]) -> Q:
    """Rows that come after the one with `values`: by the first column in which they differ."""
    beyond, same = Q(), Q()
    for name, value in zip(order, values, strict=True):
        column = name.removeprefix("-")
        comparison = "lt" if name.startswith("-") else "gt"
        beyond |= same & Q(**{f"{column}__{comparison}": value})
        same &= Q(**{column: value})
    return beyond


def make_cursor(order: list[str], row: Model, salt: str) -> str:
    """Signed: what is in it is what we wrote."""
    values = []
    for name in order:
        value: Any = row
        for step in name.removeprefix("-").split("__"):
            value = getattr(value, step)
        values.append(value if isinstance(value, int) else str(value))
    return signing.dumps(values, salt=salt)


def open_cursor(cursor: str, salt: str) -> list[Any]:
    """Raises InvalidValue."""
    try:
        values: list[Any] = signing.loads(cursor, salt=salt)
    except signing.BadSignature as error:
        raise InvalidValue("cursor: Take it from the Link of the page before.") from error
    return values
