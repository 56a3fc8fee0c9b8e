"""What a benchmark gives: figures of several rounds, each beside its limit and its goal.

What was measured in the same round is compared with each other, because what else the machine did
slowed both; the median of the rounds' ratios is judged.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One line of the table.

    `values`: one a round; their median is the figure, the smallest and the largest its noise.
    `limits`: of the same rounds, what `against` names. `goal`: of the ratio, or of the figure
    itself where there are no limits; a ceiling, or a floor (`at_least`: throughput, recall).
    """

    what: str
    unit: str
    values: Sequence[float]
    against: str = ""
    limits: Sequence[float] = ()
    goal: float | None = None
    at_least: bool = False

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"{self.what}: nothing was measured.")
        if self.limits and len(self.limits) != len(self.values):
            raise ValueError(f"{self.what}: every round has a value and a limit, or none has one.")

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def ratios(self) -> list[float]:
        """Of each round; none where there are no limits."""
        if not self.limits:
            return []
        return [value / limit for value, limit in zip(self.values, self.limits, strict=True)]

    @property
    def ratio(self) -> float | None:
        return statistics.median(self.ratios) if self.limits else None

    @property
    def is_reached(self) -> bool | None:
        """None where there is no goal."""
        if self.goal is None:
            return None
        judged = self.median if self.ratio is None else self.ratio
        return judged >= self.goal if self.at_least else judged <= self.goal


@dataclass(frozen=True)
class Picture:
    """A bar for each of `bars`: what it stands for, and its values, one a round."""

    title: str
    unit: str
    bars: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Measurement:
    title: str
    figures: Sequence[Figure]
    notes: Sequence[str] = ()
    pictures: Sequence[Picture] = ()


def as_values(measurement: Measurement) -> dict[str, Any]:
    """For JSON."""
    figures = [
        {
            **asdict(figure),
            "median": figure.median,
            "ratio": figure.ratio,
            "is_reached": figure.is_reached,
        }
        for figure in measurement.figures
    ]
    return {"title": measurement.title, "figures": figures, "notes": list(measurement.notes)}
