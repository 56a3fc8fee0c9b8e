"""Everything of a tenant as one archive: JSON lines of what models declare (config/export.py), and
the originals of uploads.

Built in a temporary file, then stored in the tenant's folder: an archive that is not whole is never
there.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import IO, Any

from botocore.exceptions import BotoCoreError, ClientError
from celery.exceptions import SoftTimeLimitExceeded
from django.core.exceptions import SuspiciousFileOperation
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import models
from django.utils import timezone
from django.utils.text import get_valid_filename

from accounts.leaving.archives import (
    KEPT,
    MAX_ATTEMPTS,
    LeaseLost,
    Told,
    as_json,
    fail_export,
    finish_export,
    note_progress,
    write_rows,
)
from accounts.models import ExportFailure, ExportState, Tenant, WorkspaceExport
from accounts.models.tenancy import TenantModel, TenantQuerySet
from config.export import Exported, list_exported
from config.jobs.leases import Lease

logger = logging.getLogger(__name__)

COPY_BUFFER_BYTES = 1024 * 1024
FILENAME_MAX_CHARS = 120
# Renewed with every batch; of a large file, storing is the longest step without one.
LEASE = Lease("worker_id", "lease_until", timedelta(minutes=10))
STORAGE_ERRORS = (OSError, BotoCoreError, ClientError)

# --- Whose turn it is -----------------------------------------------------------------------------


def make_export(tenant: Tenant, export_id: uuid.UUID) -> None:
    """Claims and makes the export; does nothing if another worker has it or it is made. After an
    attempt that died it starts again, once the lease has ended."""
    export = claim_export(tenant, export_id)
    if export is None:
        return
    if export.attempts > MAX_ATTEMPTS:
        fail_export(claimed_export(export), ExportFailure.GAVE_UP)
        return
    try:
        key, size = store_archive(export)
    except LeaseLost:
        logger.warning("export %s went to another worker", export.pk)
    except SoftTimeLimitExceeded:
        fail_export(claimed_export(export), ExportFailure.TOO_LARGE)
    except STORAGE_ERRORS:
        logger.exception("export %s failed", export.pk)
        fail_export(claimed_export(export), ExportFailure.NO_STORAGE)
    else:
        keep_archive(export, key, size)


def keep_archive(export: WorkspaceExport, key: str, size_bytes: int) -> None:
    """Puts the archive in the place of the older ones, or deletes it if another worker has taken
    the export over."""
    expires_at = timezone.now() + KEPT
    made = {"archive": key, "size_bytes": size_bytes, "expires_at": expires_at}
    if finish_export(claimed_export(export), state=ExportState.READY, **made):
        older = WorkspaceExport.objects.for_tenant(export.tenant).exclude(pk=export.pk)
        delete_exports(older.filter(finished_at__isnull=False))
        delete_leftovers(key)
    else:
        delete_archive(key)


def claim_export(tenant: Tenant, export_id: uuid.UUID) -> WorkspaceExport | None:
    rows = WorkspaceExport.objects.for_tenant(tenant).filter(
        pk=export_id, state__in=[ExportState.WAITING, ExportState.WORKING]
    )
    changes = {"state": ExportState.WORKING, "attempts": models.F("attempts") + 1}
    if LEASE.take(rows, **changes) is None:
        return None
    return rows.select_related("tenant").first()


def claimed_export(export: WorkspaceExport) -> TenantQuerySet[WorkspaceExport]:
    """The export's row, or no row once another worker has it."""
    exports = WorkspaceExport.objects.for_tenant(export.tenant)
    return exports.filter(pk=export.pk, worker_id=export.worker_id, state=ExportState.WORKING)


def delete_exports(exports: models.QuerySet[WorkspaceExport]) -> int:
    """Deletes the exports, each archive before its row, so that a file that stays is found the next
    time."""
    count = 0
    for export in exports:
        if not export.archive or delete_archive(export.archive):
            count += export.delete()[0]
    return count


def delete_leftovers(key: str) -> None:
    """Deletes archives beside `key` that other workers stored and never recorded, because they were
    killed."""
    folder, _, name = key.rpartition("/")
    # The archive itself is whole. What stays of older ones is deleted with the next one.
    with suppress(*STORAGE_ERRORS):
        for other in default_storage.listdir(folder)[1]:
            if other != name:
                delete_archive(f"{folder}/{other}")


def delete_archive(key: str) -> bool:
    """Returns True if the archive was deleted."""
    try:
        default_storage.delete(key)
    except STORAGE_ERRORS:
        logger.exception("an archive could not be deleted: %s", key)
        return False
    return True


# --- What is in it --------------------------------------------------------------------------------


def store_archive(export: WorkspaceExport) -> tuple[str, int]:
    """Stores the archive, and returns its key and its size. Raises LeaseLost, and what storage
    raises."""
    parts = list(parts_of(export.tenant))
    total = sum(rows.count() * (2 if rule.original else 1) for rows, rule in parts)
    claimed_export(export).update(total_count=total)
    with tempfile.TemporaryFile() as file:
        write_archive(
            file,
            export.tenant,
            parts,
            lambda done: note_progress(LEASE, claimed_export(export), done),
        )
        size = file.tell()
        file.seek(0)
        return default_storage.save(archive_key(export), File(file)), size


def archive_key(export: WorkspaceExport) -> str:
    """The place of this attempt's archive, in the tenant's folder, which is deleted with the
    tenant."""
    return f"{export.tenant_id}/exports/{export.worker_id}.zip"


def parts_of(tenant: Tenant) -> Iterator[tuple[TenantQuerySet[Any], Exported]]:
    """Yields the rows that each model exports; of versions, only the live ones."""
    for model, rule in list_exported():
        if not issubclass(model, TenantModel):
            raise TypeError(f"{model._meta.label} belongs to no tenant")
        rows = model.objects.for_tenant(tenant)
        live = getattr(rows, "live", None)
        yield (live() if live else rows).order_by("pk"), rule


def write_archive(
    file: IO[bytes], tenant: Tenant, parts: list[tuple[TenantQuerySet[Any], Exported]], told: Told
) -> None:
    """Writes the archive. `told` gets the number of rows and files in it, after each batch."""
    done = 0
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("workspace.json", as_json(describe_tenant(tenant)) + "\n")
        for rows, rule in parts:
            done = write_rows(archive, rule.name, rows.values(*rule.columns), done, told)
        for rows, rule in parts:
            if rule.original:
                done = write_originals(archive, rows, *rule.original, done, told)


def describe_tenant(tenant: Tenant) -> dict[str, Any]:
    return {
        "id": tenant.pk,
        "slug": tenant.slug,
        "name": tenant.name,
        "language": tenant.language,
        "time_zone": tenant.time_zone,
        "plan": tenant.plan_id,
        "requires_two_factor": tenant.requires_two_factor,
        "created_at": tenant.created_at,
        "exported_at": timezone.now(),
    }


def write_originals(
    archive: zipfile.ZipFile,
    rows: TenantQuerySet[Any],
    file_column: str,
    name_column: str,
    done: int,
    told: Told,
) -> int:
    for key, stored, name in rows.values_list("pk", file_column, name_column).iterator():
        if stored:
            # The source may have been deleted since its row was read.
            with suppress(FileNotFoundError, SuspiciousFileOperation):
                copy_file(archive, stored, f"originals/{key}/{clean_filename(name)}")
            told(done)
        done += 1
    told(done)
    return done


def copy_file(archive: zipfile.ZipFile, stored: str, path: str) -> None:
    with (
        default_storage.open(stored, "rb") as original,
        archive.open(path, "w", force_zip64=True) as copy,
    ):
        shutil.copyfileobj(original, copy, COPY_BUFFER_BYTES)


def clean_filename(name: str) -> str:
    """The client's file name without characters that could mean a folder; its ending, which tells
    the kind, stays."""
    try:
        return get_valid_filename(name)[-FILENAME_MAX_CHARS:].lstrip(".") or "file"
    except SuspiciousFileOperation:
        return "file"
