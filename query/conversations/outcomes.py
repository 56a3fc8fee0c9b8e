"""Counts the outcomes of questions for each day and agent, without a word of the questions."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from datetime import date, datetime

from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from accounts.models import Tenant
from query.models import Outcome
from query.understanding.inquiries import Inquiry

logger = logging.getLogger(__name__)

# The visitor waits: not for the disk as well. A PostgreSQL that is killed loses what it counted in
# the last half second. Never within a transaction, whose other rows would not wait either.
NOT_FOR_THE_DISK = "SET LOCAL synchronous_commit = off;"
ADD_OUTCOME = """
UPDATE query_outcomecount SET count = count + 1
WHERE tenant_id = %(tenant)s AND agent_id IS NOT DISTINCT FROM %(agent)s
  AND day = %(day)s AND outcome = %(outcome)s
"""
ADD_FIRST_OUTCOME = """
INSERT INTO query_outcomecount (tenant_id, agent_id, day, outcome, count)
VALUES (%(tenant)s, %(agent)s, %(day)s, %(outcome)s, 1)
ON CONFLICT (tenant_id, day, agent_id, outcome)
DO UPDATE SET count = query_outcomecount.count + 1
"""


def count_outcome(inquiry: Inquiry, outcome: Outcome) -> None:
    """Adds the outcome to its day with one UPDATE, and an INSERT for the first of a day. An answer
    that was written is given even when it cannot be counted."""
    tenant = inquiry.tenant
    parameters = {
        "tenant": tenant.pk,
        "agent": inquiry.agent.pk if inquiry.agent else None,
        "day": day_of(tenant, timezone.now()),
        "outcome": outcome,
    }
    # What fails must not end the transaction around it, where there is one.
    is_within = connection.in_atomic_block
    guard = transaction.atomic() if is_within else nullcontext()
    try:
        with guard, connection.cursor() as cursor:
            cursor.execute(ADD_OUTCOME if is_within else NOT_FOR_THE_DISK + ADD_OUTCOME, parameters)
            if not cursor.rowcount:
                cursor.execute(ADD_FIRST_OUTCOME, parameters)
    except DatabaseError as error:
        kind = type(error).__name__
        logger.error("an answer of tenant %s was not counted: %s", tenant.pk, kind)


def day_of(tenant: Tenant, moment: datetime) -> date:
    """The day in the tenant's time zone."""
    return moment.astimezone(tenant.zone).date()
