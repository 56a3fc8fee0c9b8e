"""How old what a source answers with may be: the badge's colours (docs/specification.md)."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Case, CharField, Count, Q, Value, When

from accounts.models import ScheduleFrequency, Tenant
from sources.models import Schedule, Source
from sources.syncing.schedules import INTERVALS

FRESH_FOR = timedelta(days=7)  # docs/specification.md, Freshness badge
DUE_FOR = timedelta(days=30)
# Of a schedule's interval: a run that is a little late has not failed, four in a row have.
LATE = 1.25
MISSED = 4


class Freshness(StrEnum):
    FRESH = "fresh"
    DUE = "due"
    STALE = "stale"
    NEVER = "never"


def freshness_of(last_synced_at: datetime | None, *, frequency: str, now: datetime) -> Freshness:
    """The freshness of a source. `frequency`: of its schedule; "manual" without one."""
    if last_synced_at is None:
        return Freshness.NEVER
    fresh_for, due_for = ages_of(frequency)
    age = now - last_synced_at
    if age < fresh_for:
        return Freshness.FRESH
    return Freshness.DUE if age <= due_for else Freshness.STALE


def ages_of(frequency: str) -> tuple[timedelta, timedelta]:
    """The ages up to which a source is fresh, and due: what a schedule promises, and never longer
    than without one."""
    interval = INTERVALS.get(frequency)
    if interval is None:
        return FRESH_FOR, DUE_FOR
    return min(interval * LATE, FRESH_FOR), min(interval * MISSED, DUE_FOR)


def list_frequencies(tenant: Tenant, source_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The frequency of each of these sources that is synced automatically. One query."""
    schedules = Schedule.objects.for_tenant(tenant).filter(enabled=True, source__in=source_ids)
    return dict(schedules.values_list("source_id", "frequency"))


def count_freshness(tenant: Tenant, now: datetime) -> dict[Freshness, int]:
    """The number of sources of each freshness. One query."""
    badge = Case(
        When(last_synced_at=None, then=Value(Freshness.NEVER)),
        *(case for frequency in INTERVALS for case in cases_of(frequency, now)),
        *cases_of(ScheduleFrequency.MANUAL, now),
        default=Value(Freshness.STALE),
        output_field=CharField(),
    )
    sources = Source.objects.for_tenant(tenant).order_by().annotate(badge=badge)
    counts = dict(sources.values_list("badge").annotate(count=Count("pk")))
    return {each: counts.get(each.value, 0) for each in Freshness}


def cases_of(frequency: str, now: datetime) -> list[When]:
    fresh_for, due_for = ages_of(frequency)
    is_its = Q()
    if frequency != ScheduleFrequency.MANUAL:
        is_its = Q(schedules__enabled=True, schedules__frequency=frequency)
    return [
        When(is_its & Q(last_synced_at__gt=now - fresh_for), then=Value(Freshness.FRESH)),
        When(is_its & Q(last_synced_at__gte=now - due_for), then=Value(Freshness.DUE)),
        *([When(is_its, then=Value(Freshness.STALE))] if is_its else []),
    ]
