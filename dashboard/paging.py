"""Long lists a page at a time. Nothing counts the rows, and no page is slower than the first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime

Row = TypeVar("Row", bound=Model)

PAGE_SIZE = 50
LAST_PAGE = 1000  # of numbered pages, which cost more the further back they are
CURSOR = "before"  # the parameter that says where a page begins


@dataclass(frozen=True)
class Keyset(Generic[Row]):
    """`older`: where the next page begins; "" on the last. `query`: the list's other parameters,
    encoded."""

    rows: list[Row]
    older: str
    is_first: bool
    query: str


def keyset_page(
    request: HttpRequest, rows: QuerySet[Row, Row], *, by: str, size: int = PAGE_SIZE
) -> Keyset[Row]:
    """The requested page of `rows`, which are ordered by -`by`, -id. An invalid cursor gives the
    first page."""
    place = read_cursor(request.GET.get(CURSOR, ""), rows.model._meta.pk.to_python)
    if place is not None:
        moment, key = place
        rows = rows.filter(**{f"{by}__lte": moment}).exclude(Q(**{by: moment, "pk__gte": key}))
    found = list(rows[: size + 1])
    last = found[size - 1] if len(found) > size else None
    return Keyset(
        rows=found[:size],
        older=f"{getattr(last, by).isoformat()}~{last.pk}" if last else "",
        is_first=place is None,
        query=other_parameters(request, CURSOR),
    )


def read_cursor(text: str, to_key: Callable[[str], Any]) -> tuple[datetime, Any] | None:
    moment, _, key = text.partition("~")
    try:
        parsed = parse_datetime(moment)
        if parsed is None or parsed.tzinfo is None or "\0" in key:
            return None
        return parsed, to_key(key)
    except (ValueError, ValidationError, OverflowError):
        return None


@dataclass(frozen=True)
class Numbered(Generic[Row]):
    """A page for components/pager.html, like Django's Page, but without counting all rows."""

    rows: list[Row]
    number: int
    has_next: bool

    @property
    def has_previous(self) -> bool:
        return self.number > 1

    @property
    def has_other_pages(self) -> bool:
        return self.has_previous or self.has_next

    @property
    def next_page_number(self) -> int:
        return self.number + 1

    @property
    def previous_page_number(self) -> int:
        return self.number - 1


def numbered_page(request: HttpRequest, rows: QuerySet[Row, Row]) -> Numbered[Row]:
    """The requested page; an invalid number gives the first page, one that is too large the last
    allowed."""
    text = request.GET.get("page", "")
    number = min(max(int(text), 1), LAST_PAGE) if text.isdecimal() and len(text) < 6 else 1
    begin = (number - 1) * PAGE_SIZE
    found = list(rows[begin : begin + PAGE_SIZE + 1])
    has_next = len(found) > PAGE_SIZE and number < LAST_PAGE
    return Numbered(found[:PAGE_SIZE], number, has_next)


def other_parameters(request: HttpRequest, *without: str) -> str:
    """The other parameters of the address, encoded, for links to other pages of the same list."""
    parameters = request.GET.copy()
    for name in without:
        parameters.pop(name, None)
    return parameters.urlencode()
