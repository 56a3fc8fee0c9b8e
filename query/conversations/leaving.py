"""Workspaces whose waiting time is over are deleted for good."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import DatabaseError
from redis import RedisError

from accounts.models import AskedBy
from accounts.receipts import SomethingIsLeft
from accounts.services.deletion import begin_due_deletions
from config.errors import ServiceError
from query.conversations.erasure import erase_tenant, finish_tenants

logger = logging.getLogger(__name__)


def delete_due_workspaces(now: datetime) -> int:
    """How many are gone. What stops one of them is logged, and stops no other; the next time goes
    on where it was."""
    count = 0
    for tenant in begin_due_deletions(now):
        try:
            erase_tenant(tenant, asked_by=AskedBy.ADMIN)
        except (ServiceError, RedisError, DatabaseError, SomethingIsLeft) as error:
            logger.error("workspace %s is not deleted yet: %r", tenant.pk, error)
        else:
            logger.warning("workspace %s (%s) is deleted, as was asked for", tenant.pk, tenant.slug)
            count += 1
    try:
        finish_tenants()
    except (ServiceError, SomethingIsLeft) as error:
        logger.error("a deleted workspace has no receipt yet: %r", error)
    return count
