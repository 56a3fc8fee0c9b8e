"""A source that has begun to fail, or needs its account, is told of once until it works again."""

from __future__ import annotations

import json
import logging
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction

from query.models import Notification
from query.notifications.recipients import mail_members
from sources.models import Source, SyncStatus

logger = logging.getLogger(__name__)

KINDS = {
    SyncStatus.ERROR: Notification.Kind.SOURCE_FAILED,
    SyncStatus.REAUTH_REQUIRED: Notification.Kind.REAUTH_REQUIRED,
}


def notify_of_failed_run(source: Source, **_: Any) -> None:
    """Receives sources.syncing.signals.run_failed. The run ends in the same way when this cannot be
    written down."""
    try:
        with transaction.atomic():
            notify_once(source, KINDS[SyncStatus(source.sync_status)])
    except DatabaseError as error:
        kind = type(error).__name__
        logger.error("nobody was told that source %s failed: %s", source.pk, kind)


def notify_once(source: Source, kind: Notification.Kind) -> None:
    """Notifies at the first failure after a success: a scheduled source may fail every hour."""
    told = Notification.objects.for_tenant(source.tenant).filter(kind=kind, source=source)
    last = told.values_list("created_at", flat=True).first()
    if last and (source.last_synced_at is None or last > source.last_synced_at):
        return
    told.delete()
    Notification.objects.for_tenant(source.tenant).create(kind=kind, source=source)
    mail_members(source.tenant, kind, template="source_failed", context=mail_context(source))


def mail_context(source: Source) -> dict[str, str]:
    return {
        "tenant_name": source.tenant.name,
        "source_name": source.name,
        "reason": json.dumps(source.error.to_json()),
        "link": f"{settings.BASE_URL}/dashboard/notifications",
    }
