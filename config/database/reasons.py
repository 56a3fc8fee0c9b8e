"""Columns of reasons (reasons/): JSON in the database, values in Python.

A model may keep the English beside it in a text column: what reads the database with SQL (an
export, an operator) finds it there. `with_text` gives both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from reasons import Reason


class ReasonField(models.JSONField):
    """A reason, or None. To migrations it is a JSONField."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"null": True, "blank": True, "editable": False, **kwargs})

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        name, _, args, kwargs = super().deconstruct()
        return str(name), "django.db.models.JSONField", args, kwargs

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        stored = super().from_db_value(value, expression, connection)
        return stored if stored is None else Reason.from_json(stored)

    def get_db_prep_value(
        self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False
    ) -> Any:
        plain = value.to_json() if isinstance(value, Reason) else value
        return super().get_db_prep_value(plain, connection, prepared)


class ReasonsField(models.JSONField):
    """Reasons in their order. To migrations it is a JSONField."""

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        name, _, args, kwargs = super().deconstruct()
        return str(name), "django.db.models.JSONField", args, kwargs

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        stored = super().from_db_value(value, expression, connection)
        return stored if stored is None else tuple(map(Reason.from_json, stored))

    def get_db_prep_value(
        self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False
    ) -> Any:
        plain = list_json(value) if isinstance(value, (list, tuple)) else value
        return super().get_db_prep_value(plain, connection, prepared)


def list_json(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    return [reason.to_json() for reason in reasons]


def with_text(
    reason: Reason | None, *, text: str = "error_message", max_chars: int | None = None
) -> dict[str, Any]:
    """Return both columns: `error`, and its English under the name `text`."""
    return {"error": reason, text: str(reason or "")[:max_chars]}
