"""The times of scheduled syncs. dispatch.py claims those that are due."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from accounts.models import Plan, ScheduleFrequency
from config.errors import PlanLimitReached
from sources.models import Schedule, SyncEvent
from sources.syncing.runs import record_event

INTERVALS: Mapping[str, timedelta] = MappingProxyType(
    {
        ScheduleFrequency.HOURLY: timedelta(hours=1),
        ScheduleFrequency.EVERY_SIX_HOURS: timedelta(hours=6),
        ScheduleFrequency.DAILY: timedelta(hours=24),
        ScheduleFrequency.WEEKLY: timedelta(weeks=1),
    }
)


def check_frequency(plan: Plan, frequency: str) -> None:
    """Raises PlanLimitReached."""
    if plan.includes_frequency(frequency):
        return
    included = ", ".join(kind for kind in ScheduleFrequency if kind in plan.schedule_frequencies)
    raise PlanLimitReached(
        f"The {plan.name} plan does not include the frequency {frequency}."
        f" Choose one of: {included or ScheduleFrequency.MANUAL}; or change the plan."
    )


def first_slot(frequency: str, now: datetime) -> datetime | None:
    """The time of the first sync; None for `manual`."""
    interval = INTERVALS.get(frequency)
    return now + interval if interval else None


def next_slot(frequency: str, *, due: datetime, now: datetime) -> datetime:
    """The first time after `now` in the rhythm that `due` is in: what was missed is one run, and
    its delay does not move the rest.
    """
    interval = INTERVALS[frequency]
    return due + interval * ((now - due) // interval + 1)


def stop_schedule(schedule: Schedule, reason: str, **details: Any) -> None:
    """Stops a schedule that the plan no longer includes; the history says why. Call it inside a
    transaction."""
    schedule.enabled, schedule.next_sync_at = False, None
    schedule.save(update_fields=["enabled", "next_sync_at"])
    record_event(
        schedule.tenant,
        schedule.source,
        SyncEvent.Action.SCHEDULE_STOPPED,
        frequency=schedule.frequency,
        reason=reason,
        **details,
    )
