"""Long lists a page at a time, by a cursor that names the last row: rows that come and go
meanwhile are neither shown twice nor left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet

from accounts.models import Tenant
from config.errors import InvalidValue
from config.rest.cursor_pages import after, make_cursor, open_cursor
from query.mcp.errors import InvalidCursor

Row = TypeVar("Row", bound=Model)

PAGE_ROWS = 50
CURSOR_MAX_CHARS = 400


@dataclass(frozen=True)
class Page(Generic[Row]):
    """`next_cursor` "": there is no more."""

    rows: list[Row]
    next_cursor: str


def read_page(tenant: Tenant, rows: QuerySet[Row], *key: str, cursor: str = "") -> Page[Row]:
    """`key`: the fields that order the rows, of which no two are the same, and none is null.

    Raises InvalidCursor, also for one of another tenant or of another list.
    """
    order, salt = list(key), f"mcp cursor:{tenant.pk}:{rows.model._meta.label}"
    ordered = rows.order_by(*order)
    if cursor:
        ordered = ordered.filter(after(order, read_cursor(cursor, salt)))
    found = list(ordered[: PAGE_ROWS + 1])
    shown = found[:PAGE_ROWS]
    is_last = len(found) <= PAGE_ROWS
    return Page(shown, "" if is_last else make_cursor(order, shown[-1], salt))


def read_cursor(cursor: str, salt: str) -> list[Any]:
    """Raises InvalidCursor."""
    try:
        return open_cursor(cursor[:CURSOR_MAX_CHARS], salt)
    except InvalidValue:
        raise InvalidCursor from None
