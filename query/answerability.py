"""Does this sentence, in its passage, answer the question? What the extractive answerer says, or
refuses to say.

The relevance gate tells whether the passages are about the question; here they are. Left to tell
are questions that the text does not answer: another name, another year, the opposite, a detail that
nobody wrote down. One logistic decision on a few features of the best sentence; docs/retrieval.md
has the figures, and what they cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np
import numpy.typing as npt

from query.calibration import get_calibration

Floats = npt.NDArray[np.float64]

SHORT_WORDS, LONG_WORDS = 30, 90  # a paragraph is short up to here, long from here on


@dataclass(frozen=True)
class Evidence:
    """What speaks for the best sentence. Shares and cosines 0 … 1, the others 0 or 1.

    `closeness`: how near each of the question's words is to some word of the sentence, by their
    vectors. `is_short` is of the paragraph, row or list item: a short one tells one thing; in a
    long one many sentences share the question's words, so more is needed there.
    """

    similarity: float
    closeness: float
    coverage: float
    passage_similarity: float
    lacks_number: float
    lacks_rare_name: float
    lacks_kind: float
    lacks_negation: float
    is_short: float
    crosses_languages: float


@dataclass(frozen=True)
class Example:
    """A question of which it is known whether the answer was right. `evidence`: None when the gate
    let no passage through. `weight`: how much it counts in the fit; 0 when it is not fitted on.
    `limit`: the group whose asserted share the threshold bounds, "" when none."""

    evidence: Evidence | None
    is_right: bool
    weight: float
    limit: str = ""


BIAS, THRESHOLD = "bias", "threshold"
NAMES = tuple(field.name for field in fields(Evidence))
# Of the questions of a kind that have no answer, this share may get one. The customer's bound is
# 0.30; the rest is margin for other tenants.
ASSERTED_MAX = 0.27
RIDGE = 2.0  # keeps weights of rare features small
NEWTON_STEPS = 25  # it converges in about 8


def shortness(words: int) -> float:
    """1 for a short paragraph, 0 for a long one."""
    return min(1.0, max(0.0, (LONG_WORDS - words) / (LONG_WORDS - SHORT_WORDS)))


def is_answer(evidence: Evidence) -> bool:
    """True also when nothing was ever fitted for the model: it then never refuses."""
    weights = get_calibration().answerability
    return not weights or probability(evidence, weights) >= weights[THRESHOLD]


def probability(evidence: Evidence, weights: Mapping[str, float]) -> float:
    """0 … 1 that the sentence answers."""
    score = weights[BIAS] + sum(weights[name] * getattr(evidence, name) for name in NAMES)
    return 1 / (1 + math.exp(-score))


def fit(examples: Sequence[Example]) -> dict[str, float]:
    """Weights by logistic regression, and the lowest threshold that keeps every limit's group
    within ASSERTED_MAX. Nothing, and so no refusals, when right or wrong answers are missing."""
    fitted = [item for item in examples if item.evidence is not None and item.weight > 0]
    if len({item.is_right for item in fitted}) < 2:
        return {}
    features = np.array([astuple(item.evidence) for item in fitted if item.evidence is not None])
    weights = fit_logistic(
        features.astype(np.float64),
        np.array([item.is_right for item in fitted], dtype=np.float64),
        np.array([item.weight for item in fitted]),
    )
    return {**weights, THRESHOLD: choose_threshold(examples, weights)}


def fit_logistic(features: Floats, targets: Floats, counts: Floats) -> dict[str, float]:
    """Newton's method on standardised features with a ridge penalty."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    design = np.column_stack([np.ones(len(features)), (features - mean) / spread])
    ridge = RIDGE * np.eye(design.shape[1])
    ridge[0, 0] = 0.0
    solution = np.zeros(design.shape[1])
    for _ in range(NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-design @ solution))
        curvature = (design * (counts * expected * (1 - expected))[:, None]).T @ design + ridge
        slope = design.T @ (counts * (targets - expected)) - ridge @ solution
        solution += np.linalg.solve(curvature, slope)
    weights = solution[1:] / spread
    named = dict(zip(NAMES, map(float, weights), strict=True))
    return {BIAS: float(solution[0] - weights @ mean), **named}


def choose_threshold(examples: Sequence[Example], weights: Mapping[str, float]) -> float:
    groups: dict[str, list[float]] = {}
    for item in examples:
        if item.limit:
            found = 0.0 if item.evidence is None else probability(item.evidence, weights)
            groups.setdefault(item.limit, []).append(found)
    return max((lowest_threshold(group) for group in groups.values()), default=0.5)


def lowest_threshold(probabilities: Sequence[float]) -> float:
    """Just above the best of those that must be refused."""
    allowed = int(ASSERTED_MAX * len(probabilities))
    return float(np.nextafter(sorted(probabilities, reverse=True)[allowed], 1.0))
