"""The archive of what is held of a person: asking for it, and fetching it."""

from __future__ import annotations

import functools
import math
import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from accounts.errors import ExportNotFound, ExportUnderWay
from accounts.models import ExportState, PersonExport, User
from accounts.tasks import build_person_export
from config.database.acting import over_all_tenants
from config.errors import TooManyRequests
from config.jobs.enqueueing import enqueue

INTERVAL = timedelta(hours=1)


@over_all_tenants()
def list_exports(user: User) -> list[PersonExport]:
    """The person's exports without their archives, the newest first: one that is made, and the one
    before it."""
    return list(PersonExport.objects.filter(user=user).defer("archive"))


def next_export_at(exports: list[PersonExport]) -> datetime | None:
    """The time from which the person may ask again; None: now. Failed exports do not count."""
    counted = [one.created_at for one in exports if one.state != ExportState.FAILED]
    free_at = max(counted, default=None)
    if free_at is None or free_at + INTERVAL <= timezone.now():
        return None
    return free_at + INTERVAL


@over_all_tenants()
@transaction.atomic
def ask_export(user: User) -> PersonExport:
    """Begins an export, which a worker makes; `list_exports` shows its progress.

    Raises ExportUnderWay, TooManyRequests within an hour of the one before.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two at once are one
    exports = list_exports(user)
    if any(export.is_under_way for export in exports):
        raise ExportUnderWay
    free_at = next_export_at(exports)
    if free_at is not None:
        wait = free_at - timezone.now()
        raise TooManyRequests(retry_after_seconds=math.ceil(wait.total_seconds()))
    export = PersonExport.objects.create(user=user)
    # Without a broker, beat finds it within half a minute of its return.
    transaction.on_commit(functools.partial(enqueue, build_person_export))
    return export


@over_all_tenants()
def open_export(user: User, export_id: uuid.UUID) -> bytes:
    """The archive. Raises ExportNotFound."""
    ready = PersonExport.objects.filter(
        user=user, state=ExportState.READY, expires_at__gt=timezone.now()
    )
    archive = ready.filter(pk=export_id).values_list("archive", flat=True).first()
    if archive is None:
        raise ExportNotFound
    return bytes(archive)
