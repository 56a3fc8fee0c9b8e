"""Encrypts again what older keys have encrypted, so that they can be taken away.

Every SealedField of every model, and only what stays: the turns of sessions in Redis are gone after
half an hour (query/conversations/memory.py).
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import models, transaction

from config.security.encryption import CannotDecrypt, current_key_id, encrypt_anew
from config.security.sealing import SealedField, list_sealed_fields

logger = logging.getLogger(__name__)

BATCH_ROWS = 100  # locked at once, for some milliseconds


@dataclass
class Counts:
    renewed: int = 0
    current: int = 0
    unreadable: int = 0


def rotate() -> dict[str, Counts]:
    """Encrypts all sealed columns under the first key and returns counts by the model's label. May
    be killed and called again: what is under the first key stays as it is. Commits each batch."""
    counts: dict[str, Counts] = defaultdict(Counts)
    for model, field in list_sealed_fields():
        rotate_column(model, field, counts[model._meta.label])
    return dict(counts)


def rotate_column(model: type[models.Model], field: SealedField, counts: Counts) -> None:
    rows = model._base_manager
    kept = rows.exclude(**{field.name: b""})
    keys = kept.order_by("pk").values_list("pk", flat=True).iterator()
    for batch in batches(keys):
        with transaction.atomic():
            locked = rows.filter(pk__in=batch).select_for_update(of=("self",), no_key=True)
            for row in locked.order_by("pk"):
                rotate_row(row, field, counts)


def batches(keys: Iterable[Any]) -> Iterator[list[Any]]:
    ordered = iter(keys)
    while batch := list(islice(ordered, BATCH_ROWS)):
        yield batch


def rotate_row(row: models.Model, field: SealedField, counts: Counts) -> None:
    """Encrypts a column of a locked row under the first key. Because of the lock, earlier writes
    are in the row already and later ones wait."""
    content = bytes(getattr(row, field.name))
    if not content:
        return
    try:
        renewed = encrypt_anew(content, context=field.context_of(row))
    except CannotDecrypt:
        logger.warning("no key opens %s %s", row._meta.label, row.pk)
        counts.unreadable += 1
        return
    if renewed is None:
        counts.current += 1
        return
    setattr(row, field.name, renewed)
    if field.key_column:
        setattr(row, field.key_column, current_key_id())
    row.save(update_fields=[name for name in (field.name, field.key_column) if name])
    counts.renewed += 1
