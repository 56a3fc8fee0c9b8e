"""Long lists a page at a time, by a cursor that names the last row: rows that come and go
meanwhile are neither shown twice nor left out."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from django.core.exceptions import ValidationError
from django.db.models import Field, Model, Q, QuerySet

from query.mcp.errors import InvalidCursor

Row = TypeVar("Row", bound=Model)

PAGE_ROWS = 50
CURSOR_MAX_CHARS = 400


@dataclass(frozen=True)
class Page(Generic[Row]):
    """`next_cursor` "": there is no more."""

    rows: list[Row]
    next_cursor: str


def read_page(rows: QuerySet[Row], *key: str, cursor: str = "") -> Page[Row]:
    """`key`: the fields that order the rows, of which no two are the same. Raises InvalidCursor."""
    ordered = rows.order_by(*key)
    if cursor:
        ordered = ordered.filter(behind(read_cursor(rows, key, cursor)))
    found = list(ordered[: PAGE_ROWS + 1])
    shown = found[:PAGE_ROWS]
    is_last = len(found) <= PAGE_ROWS
    return Page(shown, "" if is_last else make_cursor(shown[-1], key))


def behind(last: dict[str, Any]) -> Q:
    """Rows with a greater key, field by field."""
    condition, same = Q(), Q()
    for name, value in last.items():
        condition |= same & Q(**{f"{name}__gt": value})
        same &= Q(**{name: value})
    return condition


def make_cursor(row: Model, key: tuple[str, ...]) -> str:
    fields = [cast("Field[Any, Any]", row._meta.get_field(name)) for name in key]
    values = [field.value_to_string(row) for field in fields]
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


def read_cursor(rows: QuerySet[Any], key: tuple[str, ...], cursor: str) -> dict[str, Any]:
    """Raises InvalidCursor."""
    try:
        values = json.loads(base64.urlsafe_b64decode(cursor[:CURSOR_MAX_CHARS].encode()))
        fields = [cast("Field[Any, Any]", rows.model._meta.get_field(name)) for name in key]
        read = [field.to_python(value) for field, value in zip(fields, values, strict=True)]
    except (ValueError, TypeError, RecursionError, ValidationError):
        raise InvalidCursor from None
    return dict(zip(key, read, strict=True))
