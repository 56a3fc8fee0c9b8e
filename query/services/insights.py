"""How the tenant's agents are doing, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Sum
from django.utils import timezone

from accounts.models import Tenant
from query.conversations.outcomes import day_of
from query.models import Outcome, OutcomeCount


@dataclass(frozen=True)
class DayOutcomes:
    """Questions of a day in the tenant's time zone. `unsure`: also those that the language model
    failed at. Small talk and contact data do not count as questions."""

    day: date
    answered: int
    unsure: int
    unanswered: int

    @property
    def total(self) -> int:
        return self.answered + self.unsure + self.unanswered


def daily_outcomes(tenant: Tenant, days: int = 14) -> list[DayOutcomes]:
    """The outcomes of the last `days` days with today, oldest first; also of days without a
    question. One query."""
    today = day_of(tenant, timezone.now())
    span = [today - timedelta(days=ago) for ago in reversed(range(days))]
    rows = OutcomeCount.objects.for_tenant(tenant).filter(day__range=(span[0], today))
    sums = rows.order_by().values_list("day", "outcome").annotate(total=Sum("count"))
    counts = Counter({(day, outcome): total for day, outcome, total in sums})
    return [
        DayOutcomes(
            day,
            answered=counts[day, Outcome.ANSWERED],
            unsure=counts[day, Outcome.UNSURE] + counts[day, Outcome.FAILED],
            unanswered=counts[day, Outcome.REDIRECTED],
        )
        for day in span
    ]
