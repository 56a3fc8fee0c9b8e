"""Pages of REST's lists (config/paging.py): `?limit=`, and a Link to the next page (RFC 8288, read
2026-11-23). The body stays the plain array that it is without pages.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Model, QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from config.errors import InvalidValue
from config.paging import InvalidCursor, read_page

MAX_ROWS = 1000  # of a page, and of an answer without `limit`
CURSOR_MAX_CHARS = 2000

PAGES = [
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": MAX_ROWS, "default": MAX_ROWS},
        description="Maximum number of items.",
    ),
    OpenApiParameter(
        "cursor",
        {"type": "string", "maxLength": CURSOR_MAX_CHARS},
        description="The cursor from the Link header of the previous page.",
    ),
    OpenApiParameter(
        "Link",
        {"type": "string"},
        OpenApiParameter.HEADER,
        description='If there are more: `<address of the next page>; rel="next"` (RFC 8288).',
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
    """Return the page that the request asks for, of `rows` and `owner` as read_page takes them.
    One query. Raises InvalidValue."""
    # As a plain dict: DRF takes an empty text in a query string for a missing one.
    asked = PageInput(data=request.query_params.dict())
    asked.is_valid(raise_exception=True)
    limit, cursor = asked.validated_data["limit"], asked.validated_data["cursor"]
    try:
        page = read_page(rows, place=request.path, owner=owner, size=limit, cursor=cursor)
    except InvalidCursor as error:
        raise InvalidValue("cursor: Take it from the Link header of the previous page.") from error
    answer = Response(serializer_class(page.rows, many=True).data)
    if page.next_cursor:
        query = urlencode({"limit": limit, "cursor": page.next_cursor})
        answer.headers["Link"] = f'<{settings.BASE_URL}{request.path}?{query}>; rel="next"'
    return answer
