"""Workspaces whose waiting time is over are deleted for good."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from celery.exceptions import SoftTimeLimitExceeded

from accounts.models import AskedBy
from accounts.services.leaving.deletion import begin_due_deletions
from query.conversations.erasure import erase_tenant, finish_tenant, list_unfinished

logger = logging.getLogger(__name__)


def delete_due_workspaces(now: datetime) -> int:
    """Deletes the workspaces whose time is over. Returns how many. A failure in one is logged and
    does not stop the others; the next run goes on where it was."""
    count = 0
    for tenant in begin_due_deletions(now):
        with going_on(f"workspace {tenant.pk} is not deleted yet"):
            erase_tenant(tenant, asked_by=AskedBy.ADMIN)
            logger.warning("workspace %s (%s) is deleted, as was asked for", tenant.pk, tenant.slug)
            count += 1
    for receipt in list_unfinished():
        with going_on(f"the deleted workspace {receipt.workspace_id} has no receipt yet"):
            finish_tenant(receipt)
    return count


@contextmanager
def going_on(told: str) -> Iterator[None]:
    try:
        yield
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the others must not wait for it
        logger.error("%s: %r", told, error)
