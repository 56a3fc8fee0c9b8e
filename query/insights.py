"""How the tenant's agents are doing, in numbers. Stands in for the module of the same name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from accounts.models import Tenant


@dataclass(frozen=True)
class DayOutcomes:
    """Questions of a day in the tenant's time zone."""

    day: date
    answered: int
    unsure: int
    unanswered: int

    @property
    def total(self) -> int:
        return self.answered + self.unsure + self.unanswered


def daily_outcomes(tenant: Tenant, days: int = 14) -> list[DayOutcomes]:
    """The last `days` days with today, oldest first; also those without a question."""
    return []
