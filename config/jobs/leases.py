"""Leases of rows: who works on a row, and until when. After that the worker counts as dead, and
another may take the row."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet
from django.utils import timezone

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Lease:
    """Two columns of a table: the id that a worker gave itself, and the end of its time.

    Whatever a worker writes, it writes only while the row names its id: one that lost its lease
    and wakes up late changes nothing.
    """

    holder: str
    until: str
    lifetime: timedelta

    def is_free(self, now: datetime) -> Q:
        return Q(**{self.until: None}) | Q(**{f"{self.until}__lt": now})

    def is_held(self, now: datetime) -> Q:
        return Q(**{f"{self.until}__gte": now})

    def take(self, rows: QuerySet[Row], **changes: Any) -> uuid.UUID | None:
        """The id of the holder of the one row that `rows` names; None when somebody has it.

        One UPDATE. Its WHERE should name columns of the row alone: then of many at once PostgreSQL
        lets one through.
        """
        now, holder = timezone.now(), uuid.uuid4()
        times = {self.holder: holder, self.until: now + self.lifetime}
        return holder if rows.filter(self.is_free(now)).update(**times, **changes) else None

    def renew(self, rows: QuerySet[Row], **changes: Any) -> bool:
        """Renews the lease; True if the holder that `rows` name still held it."""
        return bool(rows.update(**{self.until: timezone.now() + self.lifetime}, **changes))
