"""Is one run better than another? Both asked the same questions, so questions are drawn in pairs:
the paired bootstrap (Efron, Tibshirani: An Introduction to the Bootstrap, 1993, ch. 13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from bench.evaluation.report import table
from bench.evaluation.requirements import REQUIREMENTS, Requirement
from bench.evaluation.rows import Row

RESAMPLES = 2_000
SEED = 20261121  # the same two runs always give the same interval
PERCENTILES = (2.5, 97.5)
DRAWN_AT_ONCE = 100  # resamples: thousands of questions each would fill the memory

Array = npt.NDArray[np.float64]


class Change(StrEnum):
    BETTER = "better"
    WORSE = "worse"
    NONE = "no difference"


@dataclass(frozen=True)
class Difference:
    """Of a figure in two runs; `low` … `high` is the 95 % interval of `after - before`."""

    requirement: Requirement
    questions: int
    before: float
    after: float
    low: float
    high: float

    @property
    def change(self) -> Change:
        """None when the interval holds 0."""
        if self.low <= 0 <= self.high:
            return Change.NONE
        has_risen = self.low > 0
        return Change.BETTER if has_risen == self.requirement.higher_is_better else Change.WORSE


def compare(before: Sequence[Row], after: Sequence[Row]) -> list[Difference]:
    """Of each figure, over the questions that both runs asked."""
    earlier = {row.key: row for row in before}
    pairs = [(earlier[row.key], row) for row in after if row.key in earlier]
    differences = []
    for requirement in REQUIREMENTS:
        asked = [pair for pair in pairs if all(map(requirement.applies, pair))]
        if asked:
            values = np.array([[requirement.measure(row) for row in pair] for pair in asked])
            differences.append(compare_values(requirement, values))
    return differences


def compare_values(requirement: Requirement, values: Array) -> Difference:
    """`values` (n, 2): before and after."""
    factor = len(values) if requirement.is_count else 1
    before, after = values.mean(axis=0) * factor
    low, high = bootstrap(values[:, 1] - values[:, 0])
    return Difference(requirement, len(values), before, after, low * factor, high * factor)


def bootstrap(values: Array) -> tuple[float, float]:
    """The 95 % interval of the mean."""
    draw = np.random.default_rng(SEED)
    means = [
        values[draw.integers(len(values), size=(DRAWN_AT_ONCE, len(values)))].mean(axis=1)
        for _ in range(RESAMPLES // DRAWN_AT_ONCE)
    ]
    low, high = np.percentile(np.concatenate(means), PERCENTILES)
    return float(low), float(high)


def comparison_table(differences: Sequence[Difference]) -> str:
    rows = [
        (
            item.requirement.name,
            item.questions,
            float(item.before),
            float(item.after),
            f"{item.after - item.before:+.3f}",
            f"{item.low:+.3f} … {item.high:+.3f}",
            item.change.value,
        )
        for item in differences
    ]
    return table(("figure", "n", "before", "after", "difference", "95 %", ""), rows)
