"""Receipts of erasures: begun before anything goes, closed when a search finds nothing left."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from accounts.errors import SomethingIsLeft
from accounts.models import AskedBy, ErasureKind, ErasureReceipt
from config.jobs.leases import Lease
from config.security.encryption import keyed_hash
from config.security.personal import PSEUDONYM_CHARS

Counts = dict[str, int]

# Renewed with every table of a person's. A process that died has its receipt for so long.
LEASE = Lease("worker_id", "lease_until", timedelta(minutes=10))
# Beat goes on once an hour: what is still open then did not close by itself.
OVERDUE = timedelta(hours=2)
ERROR_MAX_CHARS = 500


class PeopleAreLeft(Exception):
    """Erasures that were continued and are still open: the receipts say why."""


def open_receipt(
    kind: ErasureKind,
    subject: str,
    *,
    asked_by: AskedBy,
    workspace_id: uuid.UUID | None = None,
    person_id: uuid.UUID | None = None,
) -> ErasureReceipt:
    """Returns the open receipt of an attempt that was killed, or a new one. Keeps only the keyed
    hash of `subject`."""
    receipt, _ = ErasureReceipt.objects.get_or_create(
        kind=kind,
        subject=subject_of(subject),
        workspace_id=workspace_id,
        finished_at=None,
        defaults={"asked_by": asked_by, "person_id": person_id},
    )
    return receipt


def subject_of(text: str) -> str:
    return keyed_hash(text, purpose="erased")[:PSEUDONYM_CHARS]


@transaction.atomic
def add_counts(receipt: ErasureReceipt, counts: Counts) -> None:
    """Adds the counts to the receipt, in the transaction that erased the rows."""
    # Read under the lock: `erased` is one JSON value, which two writers would overwrite.
    erased = ErasureReceipt.objects.select_for_update().get(pk=receipt.pk).erased
    for name, count in counts.items():
        if count:
            erased[name] = erased.get(name, 0) + count
    receipt.erased = erased
    receipt.save(update_fields=["erased"])


# --- Whose turn it is -----------------------------------------------------------------------------


def take_receipt(receipt: ErasureReceipt) -> bool:
    """Claims the receipt. False if it is closed or another worker has it."""
    is_open = ErasureReceipt.objects.filter(pk=receipt.pk, finished_at=None)
    receipt.worker_id = LEASE.take(is_open)
    return receipt.worker_id is not None


def claimed_receipt(receipt: ErasureReceipt) -> models.QuerySet[ErasureReceipt]:
    """The receipt's row, or no row once it is closed or another worker has it."""
    rows = ErasureReceipt.objects.filter(pk=receipt.pk, finished_at=None)
    return rows.filter(worker_id=receipt.worker_id)


def let_receipt_go(receipt: ErasureReceipt) -> None:
    """Releases the receipt, so that the next worker need not wait for the end of the lease."""
    claimed_receipt(receipt).update(worker_id=None, lease_until=None)


def keep_error(receipt: ErasureReceipt, error: Exception) -> str:
    """Keeps and returns the error that staff reads. Of errors that are not ours only the kind: a
    message of the database may contain the row."""
    said = str(error) if isinstance(error, SomethingIsLeft) else type(error).__name__
    claimed_receipt(receipt).update(last_error=said[:ERROR_MAX_CHARS])
    return said


# --- Closing and telling --------------------------------------------------------------------------


def close_receipt(
    receipt: ErasureReceipt,
    *,
    searched: int,
    left: list[str],
    said_by_others: Counts | None = None,
) -> None:
    """Closes the receipt, unless something is left.

    Args:
        searched: how many columns were searched.
        left: the columns in which something of the erased one's own was found.
        said_by_others: how many rows in which columns others wrote: they are not ours to change.
    Raises SomethingIsLeft; the receipt stays open.
    """
    if left:
        raise SomethingIsLeft(left)
    receipt.finished_at = timezone.now()
    receipt.searched_columns = searched
    receipt.said_by_others = said_by_others or {}
    receipt.last_error, receipt.worker_id, receipt.lease_until = "", None, None
    day = receipt.finished_at.date()
    receipt.backups_until = day + timedelta(days=settings.BACKUP_RETENTION_DAYS)
    receipt.logs_until = day + timedelta(days=settings.LOG_RETENTION_DAYS)
    columns = ["finished_at", "searched_columns", "said_by_others", "last_error", "worker_id"]
    columns += ["lease_until", "backups_until", "logs_until"]
    receipt.save(update_fields=columns)


def list_overdue() -> models.QuerySet[ErasureReceipt]:
    """The receipts that have been open for too long, which our staff should look at."""
    begun = timezone.now() - OVERDUE
    return ErasureReceipt.objects.filter(finished_at=None, begun_at__lt=begun)


def describe_receipt(receipt: ErasureReceipt) -> dict[str, Any]:
    """Returns the values that commands print."""
    return {
        "receipt": receipt.pk,
        "kind": receipt.kind,
        "subject": receipt.subject,
        "begun_at": receipt.begun_at,
        "finished_at": receipt.finished_at,
        "erased": receipt.erased,
        "searched_columns": receipt.searched_columns,
        "found": 0,
        "said_by_others": receipt.said_by_others,
        "backups_until": receipt.backups_until,
        "logs_until": receipt.logs_until,
    }
