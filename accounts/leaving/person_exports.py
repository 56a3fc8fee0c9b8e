"""Makes archives of people's data, one at a time, in the order in which people asked.

A worker that dies leaves its row; when its lease has ended another begins it again.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from accounts.leaving.exporting import KEPT, MAX_ATTEMPTS, LeaseLost
from accounts.leaving.person_archive import count_parts, write_person_archive
from accounts.models import ExportFailure, ExportState, PersonExport
from accounts.models.person_exports import UNFINISHED
from config.jobs.leases import Lease

logger = logging.getLogger(__name__)

LEASE = Lease("worker_id", "lease_until", timedelta(minutes=2))
ARCHIVE_MAX_BYTES = 64 * 1024 * 1024  # of a row; some millions of lines


def list_due(now: datetime) -> models.QuerySet[PersonExport]:
    """The exports that nobody is making. One whose worker died comes first: no other is made before
    it."""
    due = PersonExport.objects.filter(LEASE.is_free(now), state__in=UNFINISHED)
    return due.order_by("-state", "created_at").defer("archive")


def make_next_export() -> bool:
    """Takes the export that has waited longest and makes it. True if there was one: another may
    wait behind it."""
    export = claim_next()
    if export is None:
        return False
    if export.attempts > MAX_ATTEMPTS:
        fail(export, ExportFailure.GAVE_UP)
        return True
    try:
        archive = build(export)
    except LeaseLost:
        logger.warning("export %s went to another worker", export.pk)
    except SoftTimeLimitExceeded:
        fail(export, ExportFailure.TOO_LARGE)
    else:
        keep(export, archive)
    return True


def claim_next() -> PersonExport | None:
    """Claims an export, or returns None while another is being made."""
    export = list_due(timezone.now()).first()
    if export is None:
        return None
    rows = PersonExport.objects.filter(pk=export.pk, state__in=UNFINISHED)
    changes = {"state": ExportState.WORKING, "attempts": models.F("attempts") + 1}
    try:
        with transaction.atomic():
            holder = LEASE.take(rows, **changes)
    except IntegrityError:
        return None
    return rows.filter(worker_id=holder).select_related("user").first() if holder else None


def build(export: PersonExport) -> bytes:
    """Returns the archive, empty if it is too large. Raises LeaseLost."""
    held(export).update(total_count=count_parts(export.user))
    with write_person_archive(export.user, told=lambda done: tell(export, done)) as file:
        archive = file.read(ARCHIVE_MAX_BYTES + 1)
    return archive if len(archive) <= ARCHIVE_MAX_BYTES else b""


def keep(export: PersonExport, archive: bytes) -> None:
    """Keeps the archive in the place of the one before."""
    if not archive:
        fail(export, ExportFailure.TOO_LARGE)
        return
    expires_at = timezone.now() + KEPT
    made = {"archive": archive, "size_bytes": len(archive), "expires_at": expires_at}
    if finish(export, state=ExportState.READY, **made):
        older = PersonExport.objects.filter(user=export.user).exclude(pk=export.pk)
        older.filter(finished_at__isnull=False).delete()


def fail(export: PersonExport, reason: ExportFailure) -> None:
    finish(export, state=ExportState.FAILED, reason=reason)


def held(export: PersonExport) -> models.QuerySet[PersonExport]:
    """The export's row, or no row once another worker has it."""
    return PersonExport.objects.filter(
        pk=export.pk, worker_id=export.worker_id, state=ExportState.WORKING
    )


def tell(export: PersonExport, done_count: int) -> None:
    """Notes the progress and renews the lease. Raises LeaseLost."""
    if not LEASE.renew(held(export), done_count=done_count):
        raise LeaseLost


def finish(export: PersonExport, **outcome: Any) -> bool:
    done = {"worker_id": None, "lease_until": None, "finished_at": timezone.now()}
    return bool(held(export).update(**done, **outcome))
