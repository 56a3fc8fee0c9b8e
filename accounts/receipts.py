"""Receipts of erasures: begun before anything goes, closed when a search finds nothing left."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from accounts.models import AskedBy, ErasureKind, ErasureReceipt, Tenant
from config.security.encryption import keyed_hash
from config.security.personal import PSEUDONYM_CHARS

Counts = dict[str, int]


class SomethingIsLeft(Exception):
    """The search after an erasure found the one who was erased, in these columns."""

    def __init__(self, places: list[str]) -> None:
        super().__init__(f"Something is left in {', '.join(places)}.")


def open_receipt(
    kind: ErasureKind,
    subject: str,
    *,
    asked_by: AskedBy,
    workspace_id: uuid.UUID | None = None,
    person_id: uuid.UUID | None = None,
) -> ErasureReceipt:
    """The open one of an attempt that was killed, or a new one. `subject` is not kept, but its
    keyed hash."""
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
    """In the transaction that erased them."""
    erased = ErasureReceipt.objects.select_for_update().get(pk=receipt.pk).erased
    for name, count in counts.items():
        if count:
            erased[name] = erased.get(name, 0) + count
    receipt.erased = erased
    receipt.save(update_fields=["erased"])


def close_receipt(receipt: ErasureReceipt, *, searched: int, left: list[str]) -> None:
    """
    Args:
        searched: how many columns were.
        left: those in which something was found.
    Raises SomethingIsLeft; the receipt stays open.
    """
    if left:
        raise SomethingIsLeft(left)
    receipt.finished_at = timezone.now()
    receipt.searched_columns = searched
    day = receipt.finished_at.date()
    receipt.backups_until = day + timedelta(days=settings.BACKUP_RETENTION_DAYS)
    receipt.logs_until = day + timedelta(days=settings.LOG_RETENTION_DAYS)
    columns = ["finished_at", "searched_columns", "backups_until", "logs_until"]
    receipt.save(update_fields=columns)


def list_receipts(tenant: Tenant) -> models.QuerySet[ErasureReceipt]:
    """The newest first."""
    return ErasureReceipt.objects.filter(workspace_id=tenant.pk)


def describe_receipt(receipt: ErasureReceipt) -> dict[str, Any]:
    """As commands print it."""
    return {
        "receipt": receipt.pk,
        "kind": receipt.kind,
        "subject": receipt.subject,
        "begun_at": receipt.begun_at,
        "finished_at": receipt.finished_at,
        "erased": receipt.erased,
        "searched_columns": receipt.searched_columns,
        "found": 0,
        "backups_until": receipt.backups_until,
        "logs_until": receipt.logs_until,
    }
