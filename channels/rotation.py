"""Encrypting anew what older keys have encrypted, so that they can be taken away.

Only what stays: the turns of sessions in Redis are gone after half an hour (query/memory.py).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import models, transaction

from accounts.deliveries import content_context
from accounts.models import OutgoingMail, TwoFactor
from accounts.second_factor import secret_context
from channels.connections import config_context
from channels.models import ChannelConnection
from config.encryption import CannotDecrypt, current_key_id, encrypt_anew

logger = logging.getLogger(__name__)

BATCH_ROWS = 100  # locked at once, for some milliseconds


@dataclass(frozen=True)
class Encrypted:
    """A column of ciphertext; empty where it was erased.

    Args:
        name: in what the command prints.
        context: of a row, for config.encryption.
        key_column: where the key's id stands beside it, if it does.
    """

    name: str
    rows: Callable[[], models.QuerySet[Any]]
    column: str
    context: Callable[[Any], str]
    key_column: str = ""


@dataclass
class Counts:
    renewed: int = 0
    current: int = 0
    unreadable: int = 0


# Apps above this one add theirs: webhooks/apps.py.
ENCRYPTED: list[Encrypted] = [
    Encrypted(
        "channels.ChannelConnection",
        lambda: ChannelConnection.all_tenants.all(),
        "encrypted_config",
        config_context,
        key_column="key_id",
    ),
    Encrypted(
        "accounts.TwoFactor",
        lambda: TwoFactor.objects.all(),
        "encrypted_secret",
        lambda two_factor: secret_context(two_factor.pk),
    ),
    Encrypted(
        "accounts.OutgoingMail",
        lambda: OutgoingMail.all_tenants.all(),
        "encrypted_context",
        lambda mail: content_context(mail.pk),
    ),
]


def rotate() -> dict[str, Counts]:
    """Of everything in ENCRYPTED, by name. May be killed and called again: what is under the first
    key stays as it is. Commits each batch."""
    return {kind.name: rotate_rows(kind) for kind in ENCRYPTED}


def rotate_rows(kind: Encrypted) -> Counts:
    counts = Counts()
    kept = kind.rows().exclude(**{kind.column: b""})
    keys = kept.order_by("pk").values_list("pk", flat=True).iterator()
    for batch in batches(keys):
        with transaction.atomic():
            locked = kind.rows().filter(pk__in=batch).select_for_update(of=("self",), no_key=True)
            for row in locked.order_by("pk"):
                rotate_row(kind, row, counts)
    return counts


def batches(keys: Iterable[Any]) -> Iterator[list[Any]]:
    ordered = iter(keys)
    while batch := list(islice(ordered, BATCH_ROWS)):
        yield batch


def rotate_row(kind: Encrypted, row: models.Model, counts: Counts) -> None:
    """Of a locked row: whatever was written before is here, and what comes after waits."""
    content = bytes(getattr(row, kind.column))
    if not content:
        return
    try:
        renewed = encrypt_anew(content, context=kind.context(row))
    except CannotDecrypt:
        logger.warning("no key opens %s %s", kind.name, row.pk)
        counts.unreadable += 1
        return
    if renewed is None:
        counts.current += 1
        return
    setattr(row, kind.column, renewed)
    if kind.key_column:
        setattr(row, kind.key_column, current_key_id())
    row.save(update_fields=[name for name in (kind.column, kind.key_column) if name])
    counts.renewed += 1
