"""What a tenant uses in a month: questions, and the documents and passages that it keeps."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta

from django.db import connection
from django.db.models import Case, F, PositiveIntegerField, Value, When
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.models import Plan, Tenant, UsageCounter
from accounts.models.tenancy import TenantQuerySet
from config.errors import PlanLimitReached

LONGER_THAN_A_MONTH = timedelta(days=31)
# Of every question: to make this of a queryset takes as long again as to run it. No limit is NULL,
# which nothing reaches and nothing is blocked by.
ADD_QUERY = """
UPDATE accounts_usagecounter
SET used = used + 1, overage = overage + CASE WHEN used >= %(limit)s THEN 1 ELSE 0 END
WHERE tenant_id = %(tenant)s AND metric = %(metric)s AND period_start = %(month)s
  AND (%(limit)s IS NULL OR NOT %(blocks)s OR used < %(limit)s)
"""

# --- Queries a month ------------------------------------------------------------------------------


@contextmanager
def counted_query(tenant: Tenant) -> Iterator[None]:
    """Counts its body as an answered query, and gives it back when the body raises. Not when a
    client leaves in the middle of a stream (GeneratorExit): its answer had begun.

    Not within a transaction: it would hold the tenant's counter while answering. Raises
    PlanLimitReached, before the body runs, where the plan blocks what is over its limit.
    """
    month = this_month()
    count_query(tenant, month)
    try:
        yield
    except GeneratorExit:
        # Python closes a generator with GeneratorExit when its reader leaves.
        raise
    except BaseException:
        give_back_query(tenant, month)
        raise


def count_query(tenant: Tenant, month: date) -> None:
    """Counts a query in one UPDATE (the first of a month takes more). Raises PlanLimitReached."""
    if add_query(tenant, month):
        return
    make_counter(tenant, UsageCounter.Metric.QUERIES, month)
    if not add_query(tenant, month):
        raise queries_used_up(tenant, month)


def add_query(tenant: Tenant, month: date) -> bool:
    """Counts a query. False when the month is full, or has no row yet.

    Its WHERE and CASE name columns of the counter's own row alone: PostgreSQL looks at those again
    after waiting for another's update, so that many at once count exactly.
    """
    plan = tenant.plan
    with connection.cursor() as cursor:
        cursor.execute(
            ADD_QUERY,
            {
                "tenant": tenant.pk,
                "metric": UsageCounter.Metric.QUERIES,
                "month": month,
                "limit": plan.max_queries_per_month,
                "blocks": plan.blocks_overage,
            },
        )
        return bool(cursor.rowcount == 1)


def give_back_query(tenant: Tenant, month: date) -> None:
    """Undoes `count_query` with the same tenant and plan as they were then, in the same month.

    What is given back is the last one over the limit, whichever failed: so as many stay over it as
    were answered over it.
    """
    counters = counters_of(tenant, UsageCounter.Metric.QUERIES, month).filter(used__gt=0)
    limit = tenant.plan.max_queries_per_month
    if limit is None:
        counters.update(used=F("used") - 1)
        return
    was_over = When(used__gt=limit, overage__gt=0, then=Value(1))
    given_back = Case(was_over, default=Value(0), output_field=PositiveIntegerField())
    counters.update(used=F("used") - 1, overage=F("overage") - given_back)


def queries_used_up(tenant: Tenant, month: date) -> PlanLimitReached:
    plan = tenant.plan
    return PlanLimitReached(
        f"The {plan.name} plan answers {plan.max_queries_per_month} queries a month, and this"
        f" month's are used up. Wait until {month_after(month)} (UTC), or change the plan."
    )


# --- Documents and passages -----------------------------------------------------------------------


def record_kept(tenant: Tenant, metric: UsageCounter.Metric, kept: int) -> None:
    """Notes that so many documents or passages are kept now: a month remembers the most.

    Over the limit is nothing where the plan blocks it: what is left of a larger plan is not billed.
    """
    month = this_month()
    make_counter(tenant, metric, month)
    counters_of(tenant, metric, month).update(
        used=Greatest("used", Value(kept)),
        overage=Greatest("overage", Value(over_limit(tenant, metric, kept))),
    )


def over_limit(tenant: Tenant, metric: UsageCounter.Metric, kept: int) -> int:
    """The number of documents or passages above the limit, which is billed."""
    limit = limit_of_kept(tenant.plan, metric)
    if limit is None or tenant.plan.blocks_overage:
        return 0
    return max(0, kept - limit)


def limit_of_kept(plan: Plan, metric: UsageCounter.Metric) -> int | None:
    return plan.max_passages if metric == UsageCounter.Metric.PASSAGES else plan.max_documents


# --- Counters -------------------------------------------------------------------------------------


def list_counters(tenant: Tenant, month: date) -> dict[str, UsageCounter]:
    """Returns the month's counters by metric, in one query. Metrics that were not used yet have a
    counter of 0 that is not in the database."""
    metrics = UsageCounter.Metric.values
    unused = {metric: UsageCounter(metric=metric, period_start=month) for metric in metrics}
    counters = UsageCounter.objects.for_tenant(tenant).filter(period_start=month)
    return unused | {counter.metric: counter for counter in counters}


def counters_of(tenant: Tenant, metric: str, month: date) -> TenantQuerySet[UsageCounter]:
    """The one row of a metric and month, or none."""
    return UsageCounter.objects.for_tenant(tenant).filter(metric=metric, period_start=month)


def make_counter(tenant: Tenant, metric: str, month: date) -> None:
    """Makes a counter with INSERT … ON CONFLICT DO NOTHING: an existing one stays as it is."""
    counter = UsageCounter(tenant=tenant, metric=metric, period_start=month)
    UsageCounter.objects.for_tenant(tenant).bulk_create([counter], ignore_conflicts=True)


def this_month() -> date:
    """The first day of the month by UTC, which all plans are counted by."""
    return timezone.now().astimezone(UTC).date().replace(day=1)


def month_after(month: date) -> date:
    return (month + LONGER_THAN_A_MONTH).replace(day=1)


def start_of(month: date) -> datetime:
    """The first instant of the month, in UTC."""
    return datetime.combine(month, time(), tzinfo=UTC)
