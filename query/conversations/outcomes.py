"""How many questions came to what, a day: counted for every agent, without a word of them."""

from __future__ import annotations

import logging
import zoneinfo
from datetime import date, datetime

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import Tenant
from query.models import Outcome, OutcomeCount
from query.understanding.inquiries import Inquiry

logger = logging.getLogger(__name__)


def count_outcome(inquiry: Inquiry, outcome: Outcome) -> None:
    """One UPDATE, but for the first of a day. An answer that was written is given, also when it
    cannot be counted."""
    tenant, agent = inquiry.tenant, inquiry.agent
    counts = OutcomeCount.objects.for_tenant(tenant)
    key = {"day": day_of(tenant, timezone.now()), "outcome": outcome}
    mine = counts.filter(agent=agent, **key)
    try:
        with transaction.atomic():
            if mine.update(count=F("count") + 1):
                return
            first = OutcomeCount(tenant=tenant, agent=agent, **key)
            counts.bulk_create([first], ignore_conflicts=True)
            mine.update(count=F("count") + 1)
    except DatabaseError as error:
        kind = type(error).__name__
        logger.error("an answer of tenant %s was not counted: %s", tenant.pk, kind)


def day_of(tenant: Tenant, moment: datetime) -> date:
    """In the tenant's time zone, else in the service's."""
    zone = zoneinfo.ZoneInfo(tenant.time_zone or settings.LOCAL_TIME_ZONE)
    return moment.astimezone(zone).date()
