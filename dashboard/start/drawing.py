"""Numbers as shapes: whole units of a viewBox, for templates know no style and no commas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from query.services.insights import DayOutcomes
from sources.services.freshness import Freshness
from sources.services.usage import Quota

BAR_HEIGHT = 120
COLUMN_WIDTH = 40
BAR_WIDTH = 24
METER_WIDTH = 100
NEARLY_FULL = 80  # of a hundred
STRIP_WIDTH = 600


@dataclass(frozen=True)
class UsageMeter:
    """The used part of a plan's quota. `width`: of METER_WIDTH; `tone`: a class of .meter."""

    label: Promise
    quota: Quota
    width: int
    tone: str


@dataclass(frozen=True)
class Piece:
    """A rectangle. `kind`: its class, and what it stands for."""

    kind: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class DayBar:
    outcomes: DayOutcomes
    x: int  # of its column's middle
    pieces: list[Piece]


@dataclass(frozen=True)
class QuestionsChart:
    bars: list[DayBar]
    highest: int
    width: int
    total: int


@dataclass(frozen=True)
class Share:
    """A piece of the freshness strip: the number of sources with that freshness."""

    kind: str
    label: Promise
    count: int
    x: int
    width: int


SHARES = {
    Freshness.FRESH: _("Up to date"),
    Freshness.DUE: _("Due for an update"),
    Freshness.STALE: _("Out of date"),
    Freshness.NEVER: _("Never read"),
}


def draw_meter(label: Promise, quota: Quota) -> UsageMeter:
    """An unlimited quota has an empty meter."""
    if not quota.limit:
        return UsageMeter(label, quota, METER_WIDTH if quota.limit == 0 and quota.used else 0, "")
    width = min(METER_WIDTH, quota.used * METER_WIDTH // quota.limit)
    if quota.used >= quota.limit:
        return UsageMeter(label, quota, width, "bad")
    return UsageMeter(label, quota, width, "warn" if width >= NEARLY_FULL else "")


def draw_questions(days: Sequence[DayOutcomes]) -> QuestionsChart:
    highest = max((day.total for day in days), default=0)
    bars = [
        DayBar(
            day,
            number * COLUMN_WIDTH + COLUMN_WIDTH // 2,
            stack(day, left=number * COLUMN_WIDTH, highest=highest),
        )
        for number, day in enumerate(days)
    ]
    total = sum(day.total for day in days)
    return QuestionsChart(bars, highest, len(days) * COLUMN_WIDTH, total)


def stack(day: DayOutcomes, *, left: int, highest: int) -> list[Piece]:
    """The pieces of a day's bar from the bottom up: answered, unsure, unanswered. Counts above zero
    stay visible."""
    pieces: list[Piece] = []
    bottom = BAR_HEIGHT
    for kind in ("answered", "unsure", "unanswered"):
        count: int = getattr(day, kind)
        if not count:
            continue
        height = max(2, round(count * BAR_HEIGHT / highest))
        bottom -= height
        x = left + (COLUMN_WIDTH - BAR_WIDTH) // 2
        pieces.append(Piece(kind, x, bottom, BAR_WIDTH, height))
    return pieces


def draw_freshness(counts: dict[Freshness, int]) -> list[Share]:
    """A strip of STRIP_WIDTH, shared by how many there are of each."""
    total, left, shares = sum(counts.values()), 0, []
    for kind, label in SHARES.items():
        width = round(counts[kind] * STRIP_WIDTH / total) if total else 0
        shares.append(Share(kind.value, label, counts[kind], left, width))
        left += width
    return shares
