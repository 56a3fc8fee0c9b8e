"""Makes archives of people's data, one at a time, in the order in which people asked.

A worker that dies leaves its row; when its lease has ended another begins it again.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from accounts.leaving.archives import (
    KEPT,
    MAX_ATTEMPTS,
    LeaseLost,
    fail_export,
    finish_export,
    note_progress,
)
from accounts.leaving.person_archive import count_parts, write_person_archive
from accounts.models import ExportFailure, ExportState, PersonExport
from accounts.models.person_exports import UNFINISHED
from config.jobs.leases import Lease

logger = logging.getLogger(__name__)

# Renewed as rows are written. A killed worker's export is taken up after so long, and until then
# its person cannot ask for another.
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
        fail_export(claimed_export(export), ExportFailure.GAVE_UP)
        return True
    try:
        archive = write_archive(export)
    except LeaseLost:
        logger.warning("export %s went to another worker", export.pk)
    except SoftTimeLimitExceeded:
        fail_export(claimed_export(export), ExportFailure.TOO_LARGE)
    else:
        keep_archive(export, archive)
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


def write_archive(export: PersonExport) -> bytes:
    """Returns the archive, empty if it is too large. Raises LeaseLost."""
    claimed_export(export).update(total_count=count_parts(export.user))
    with write_person_archive(
        export.user, told=lambda done: note_progress(LEASE, claimed_export(export), done)
    ) as file:
        archive = file.read(ARCHIVE_MAX_BYTES + 1)
    return archive if len(archive) <= ARCHIVE_MAX_BYTES else b""


def keep_archive(export: PersonExport, archive: bytes) -> None:
    """Keeps the archive in the place of the one before."""
    if not archive:
        fail_export(claimed_export(export), ExportFailure.TOO_LARGE)
        return
    expires_at = timezone.now() + KEPT
    made = {"archive": archive, "size_bytes": len(archive), "expires_at": expires_at}
    if finish_export(claimed_export(export), state=ExportState.READY, **made):
        older = PersonExport.objects.filter(user=export.user).exclude(pk=export.pk)
        older.filter(finished_at__isnull=False).delete()


def claimed_export(export: PersonExport) -> models.QuerySet[PersonExport]:
    """The export's row, or no row once another worker has it."""
    return PersonExport.objects.filter(
        pk=export.pk, worker_id=export.worker_id, state=ExportState.WORKING
    )
