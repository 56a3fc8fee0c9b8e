"""What migrations need to turn texts that rows hold into reasons, and back (decision 0077)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db import models

from reasons import Reason, is_reason

BATCH_ROWS = 500


def to_reason(text: object) -> object:
    """Return the JSON of a reason for a text; anything else unchanged, so that a migration which
    was interrupted can be run again."""
    return Reason("text", text=text).to_json() if isinstance(text, str) and text else text


def to_text(reason: object) -> object:
    """Return the English of a reason's JSON; anything else unchanged."""
    return str(Reason.from_json(reason)) if is_reason(reason) else reason


def rewrite_rows(
    rows: models.QuerySet[Any], columns: Sequence[str], change: Callable[[Any], None]
) -> None:
    """Change rows and save these columns of them, a batch in each transaction: no row is locked
    for longer than its batch takes."""
    for batch in batches(rows.only("pk", *columns)):
        for row in batch:
            change(row)
        rows.bulk_update(batch, columns)


def batches(rows: models.QuerySet[Any]) -> Iterator[list[Any]]:
    batch = list(rows.order_by("pk")[:BATCH_ROWS])
    while batch:
        yield batch
        batch = list(rows.filter(pk__gt=batch[-1].pk).order_by("pk")[:BATCH_ROWS])
