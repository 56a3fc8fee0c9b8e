"""Long lists a page at a time, for REST (config/rest/cursor_pages.py), MCP and the dashboard.

A page begins after the last row of the one before, by the values that rows are ordered by; so rows
that come and go between two pages neither hide nor repeat another. Only one that is moved itself
may be seen twice or not at all. Nothing counts the rows, and no page is slower than the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet

from config.errors import InvalidValue

Row = TypeVar("Row", bound=Model)

PAGE_ROWS = 50


class InvalidCursor(InvalidValue):
    default_message = "The cursor does not belong to this list. Start again without one."


@dataclass(frozen=True)
class Page(Generic[Row]):
    """A page of rows. `next_cursor` is "" on the last page."""

    rows: list[Row]
    next_cursor: str


def read_page(
    rows: QuerySet[Row, Row],
    *,
    place: str,
    owner: Model,
    size: int = PAGE_ROWS,
    cursor: str | None = None,
) -> Page[Row]:
    """Reads one page, in one query. Raises InvalidCursor.

    Args:
        rows: in an order that no two of them share, of columns that are never null. The columns of
            related rows are `select_related`.
        place: the name of the list. A cursor of another list, or of another owner, is invalid.
        owner: the row whose list it is.
        cursor: where the page begins; None: at the first row.
    """
    order = [str(name) for name in rows.query.order_by or rows.model._meta.ordering or ()]
    salt = f"cursor:{place}:{owner.pk}:{order}"
    if cursor is not None:
        rows = rows.filter(after(order, open_cursor(cursor, salt)))
    found = list(rows[: size + 1])
    shown = found[:size]
    return Page(shown, make_cursor(order, shown[-1], salt) if len(found) > size else "")


def after(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows that come after the one with `values`: by the first column in which they differ.
    "-" before a column that descends."""
    beyond, same, bounds = Q(), Q(), []
    for name, value in zip(order, values, strict=True):
        column = name.removeprefix("-")
        comparison = "lt" if name.startswith("-") else "gt"
        beyond |= same & Q(**{f"{column}__{comparison}": value})
        same &= Q(**{column: value})
        bounds.append(Q(**{f"{column}__{comparison}e": value}))
    # The first bound follows from the rest. With it PostgreSQL begins in the index where the page
    # begins, which it does not do for alternatives.
    return bounds[0] & beyond


def make_cursor(order: Sequence[str], row: Model, salt: str) -> str:
    """A signed cursor: its content is what we wrote."""
    values = []
    for name in order:
        value: Any = row
        for step in name.removeprefix("-").split("__"):
            value = getattr(value, step)
        values.append(value if isinstance(value, int) else str(value))
    return signing.dumps(values, salt=salt)


def open_cursor(cursor: str, salt: str) -> list[Any]:
    """Raises InvalidCursor."""
    try:
        values: list[Any] = signing.loads(cursor, salt=salt)
    except signing.BadSignature as error:
        raise InvalidCursor from error
    return values
