"""Long lists a page at a time, by the cursors of the API's lists (config/rest/cursor_pages.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

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
    """A page of rows. `next_cursor` is "" on the last page."""

    rows: list[Row]
    next_cursor: str


def read_page(rows: QuerySet[Row], *key: str, tenant: Tenant, cursor: str = "") -> Page[Row]:
    """Reads one page, in one query. Raises InvalidCursor.

    Args:
        key: the columns that order the rows, of which no two are the same; none is ever null.
        tenant: the owner of the list. A cursor of another tenant or of another list is invalid.
    """
    order = list(key)
    salt = f"cursor:mcp:{rows.model._meta.label}:{tenant.pk}:{order}"
    ordered = rows.order_by(*order)
    if cursor:
        try:
            ordered = ordered.filter(after(order, open_cursor(cursor, salt)))
        except InvalidValue:
            raise InvalidCursor from None
    found = list(ordered[: PAGE_ROWS + 1])
    shown = found[:PAGE_ROWS]
    is_last = len(found) <= PAGE_ROWS
    return Page(shown, "" if is_last else make_cursor(order, shown[-1], salt))
