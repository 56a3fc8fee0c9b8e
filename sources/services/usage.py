"""The part of its plan that a tenant has used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from accounts.models import Tenant, UsageCounter
from accounts.plans.usage import (
    limit_of_kept,
    list_counters,
    month_after,
    over_limit,
    start_of,
    this_month,
)
from sources.models import Source

FORECAST_AFTER = timedelta(days=3)


@dataclass(frozen=True)
class Quota:
    """`limit` None: unlimited."""

    used: int
    limit: int | None
    overage: int = 0


@dataclass(frozen=True)
class Usage:
    """The usage in the calendar month (UTC) that began at `period_start`, and ends before
    `period_end`."""

    plan: str
    period_start: datetime
    period_end: date
    documents: Quota
    passages: Quota
    queries: Quota
    connectors: Quota


def get_usage(tenant: Tenant) -> Usage:
    """The tenant's usage of its plan. Four queries."""
    month, plan = this_month(), tenant.plan
    counters, sources = list_counters(tenant, month), Source.objects.for_tenant(tenant)
    queries = counters[UsageCounter.Metric.QUERIES]
    return Usage(
        plan=plan.slug,
        period_start=start_of(month),
        period_end=month_after(month),
        documents=quota_of_kept(
            tenant, counters[UsageCounter.Metric.DOCUMENTS], sources.uploads().count()
        ),
        passages=quota_of_kept(
            tenant, counters[UsageCounter.Metric.PASSAGES], sources.sum_passages()
        ),
        queries=Quota(queries.used, plan.max_queries_per_month, queries.overage),
        connectors=Quota(sources.connectors().count(), plan.max_connectors),
    )


def forecast_queries(usage: Usage, now: datetime) -> int | None:
    """Return how many questions the month will have if it goes on as so far; None while it is too
    young to tell."""
    elapsed = now - usage.period_start
    if elapsed < FORECAST_AFTER:
        return None
    month = start_of(usage.period_end) - usage.period_start
    return round(usage.queries.used * (month / elapsed))


def quota_of_kept(tenant: Tenant, counter: UsageCounter, kept: int) -> Quota:
    """`overage` as it was at its highest this month, or is now: the limit may have come down."""
    plan, metric = tenant.plan, UsageCounter.Metric(counter.metric)
    overage = max(counter.overage, over_limit(tenant, metric, kept))
    return Quota(kept, limit_of_kept(plan, metric), 0 if plan.blocks_overage else overage)
