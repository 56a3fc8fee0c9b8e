"""What a tenant has used of its plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from accounts.models import Tenant, UsageCounter
from accounts.quotas import (
    documents_over_limit,
    list_counters,
    start_of,
    this_month,
)
from sources.models import Source


@dataclass(frozen=True)
class Quota:
    """`limit` None: unlimited."""

    used: int
    limit: int | None
    overage: int = 0


@dataclass(frozen=True)
class Usage:
    """Of the calendar month (UTC) that began at `period_start`."""

    plan: str
    period_start: datetime
    documents: Quota
    queries: Quota
    connectors: Quota


def get_usage(tenant: Tenant) -> Usage:
    """Three queries."""
    month, plan = this_month(), tenant.plan
    counters = list_counters(tenant, month)
    queries = counters[UsageCounter.Metric.QUERIES]
    return Usage(
        plan=plan.slug,
        period_start=start_of(month),
        documents=get_documents(tenant, counters[UsageCounter.Metric.DOCUMENTS]),
        queries=Quota(queries.used, plan.max_queries_per_month, queries.overage),
        connectors=Quota(
            Source.objects.for_tenant(tenant).connectors().count(), plan.max_connectors
        ),
    )


def get_documents(tenant: Tenant, counter: UsageCounter) -> Quota:
    """`overage` as it was at its highest this month, or is now: the limit may have come down."""
    kept, plan = Source.objects.for_tenant(tenant).uploads().count(), tenant.plan
    overage = max(counter.overage, documents_over_limit(tenant, kept))
    return Quota(kept, plan.max_documents, 0 if plan.blocks_overage else overage)
