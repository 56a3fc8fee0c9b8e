"""What the archives of a workspace and of a person have in common: the worker that makes one, and
rows as lines of JSON."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import ExportFailure, ExportState
from config.jobs.leases import Lease

KEPT = timedelta(days=7)
# An archive that ends its worker, by its memory say, would otherwise end one worker after another.
MAX_ATTEMPTS = 3
# Rows in memory at a time, and between two renewals of the lease: the lease must outlast them.
ROWS_AT_ONCE = 2000

# Is told the number of rows and files that an archive has so far.
Told = Callable[[int], None]


class LeaseLost(Exception):
    """An export that another worker has now, or that was deleted."""


# `claimed` names the export's row while this worker has it, and no row afterwards.


def note_progress(lease: Lease, claimed: QuerySet[Any], done_count: int) -> None:
    """Note the progress and renew the lease. Raises LeaseLost."""
    if not lease.renew(claimed, done_count=done_count):
        raise LeaseLost


def finish_export(claimed: QuerySet[Any], **outcome: Any) -> bool:
    """End the export with this outcome. False if another worker has it."""
    done = {"worker_id": None, "lease_until": None, "finished_at": timezone.now()}
    return bool(claimed.update(**done, **outcome))


def fail_export(claimed: QuerySet[Any], reason: ExportFailure) -> None:
    finish_export(claimed, state=ExportState.FAILED, reason=reason)


def write_rows(
    archive: zipfile.ZipFile, name: str, rows: QuerySet[Any, dict[str, Any]], done: int, told: Told
) -> int:
    """Write a file of JSON lines, one for each of the rows. Return `done` and the rows together."""
    with archive.open(f"{name}.jsonl", "w", force_zip64=True) as lines:
        for row in rows.iterator(chunk_size=ROWS_AT_ONCE):
            lines.write(as_json(row).encode(errors="replace") + b"\n")
            done += 1
            if done % ROWS_AT_ONCE == 0:
                told(done)
    told(done)
    return done


def as_json(row: dict[str, Any]) -> str:
    return json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
