"""Fits the order and the relevance of passages on collected rows, leaving one tenant out.

A tenant's figures come from weights and an order that were fitted on the others (both languages of
a tenant are left out together); the weights that are written are fitted on everything.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np

from query.calibration import Ordering, RelevanceFit
from query.calibration.collect import Found
from query.calibration.logistic import Array, Flags, Numbers, fit_choice, fit_decision
from query.matching import Match
from query.ordering import CANDIDATES_ORDERED
from query.relevance import PASSAGES_JUDGED

# Questions in another language than their document are as many as the others in eval/, and rarer in
# life.
CROSS_LANGUAGE_WEIGHT = 0.3
PICKS = 6  # at most: which passage of a question is the most probable depends on the fit
# The rule for the answer threshold: the lowest at which no kind of question without an answer, in
# no language, gets sources more often than this. Smaller kinds cannot tell 2 %.
WRONG_ANSWERS_MAX = 0.02
KIND_MIN_QUESTIONS = 50
THRESHOLDS = tuple(step / 100 for step in range(20, 100))
SOURCE_THRESHOLD = 0.2  # beside the passage that answers, others are shown from here on
DECIMALS = 4


class NothingToFit(ValueError):
    """The rows cannot teach a decision; the message says what they lack."""


@dataclass(frozen=True)
class Rows:
    """What was found, as arrays: n questions, c candidates each, the best by fused score first.

    `evidence` (n, c, 6), `features` of relevance (n, c, 3), `present` and `gold` (n, c),
    `is_answerable`, `is_unanswerable`, `weights` and `folds` (n,). Questions of which sources may
    be shown or not are neither answerable nor unanswerable.
    """

    evidence: Array
    features: Array
    present: Flags
    gold: Flags
    is_answerable: Flags
    is_unanswerable: Flags
    weights: Array
    folds: tuple[str, ...]


@dataclass(frozen=True)
class Weights:
    """`ordering` (6,), its sum 1; `bias` and `relevance` (3,) of the decision."""

    ordering: Array
    bias: float
    relevance: Array


@dataclass(frozen=True)
class Judged:
    """Of each question: the gold passage's rank, from 1, in the fused and in the new order (0: not
    among the candidates), and the probability that its best passage answers."""

    fused_ranks: Array
    ranks: Array
    probabilities: Array


def to_rows(found: Sequence[Found]) -> Rows:
    shape = (len(found), CANDIDATES_ORDERED)
    evidence = np.zeros((*shape, len(fields(Ordering))))
    features = np.zeros((*shape, 3))
    present, gold = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for number, row in enumerate(found):
        size = len(row.chunks)
        if size:
            evidence[number, :size] = [astuple(item) for item in row.evidence]
            features[number, :size] = [
                relevance_features(chunk.similarity, chunk.match or Match()) for chunk in row.chunks
            ]
        present[number, :size] = True
        gold[number, :size] = row.is_gold
    questions = [row.question for row in found]
    return Rows(
        evidence,
        features,
        present,
        gold,
        np.array([question.expect == "answer" for question in questions]),
        np.array([question.expect == "no_sources" for question in questions]),
        np.array([CROSS_LANGUAGE_WEIGHT if is_across(row) else 1.0 for row in found]),
        tuple(row.fold for row in found),
    )


def relevance_features(similarity: float, match: Match) -> tuple[float, float, float]:
    """As query/relevance.py weighs them."""
    return similarity, match.titled_sentence, math.log1p(match.information)


def is_across(row: Found) -> bool:
    return row.question.group == "cross-language"


def fit(rows: Rows, used: Flags) -> Weights:
    """On the questions `used` (n,). Raises NothingToFit."""
    ordering = fit_ordering(rows, used)
    bias, relevance = fit_relevance(rows, used, ordering)
    return Weights(ordering, bias, relevance)


def fit_ordering(rows: Rows, used: Flags) -> Array:
    """Where several passages are gold, the best by fused score is chosen and the others are not
    there."""
    teaches = used & rows.is_answerable & rows.gold.any(axis=1)
    if not teaches.any():
        raise NothingToFit("no question has its passage among the candidates")
    gold = rows.gold[teaches]
    chosen = np.zeros_like(gold)
    chosen[np.arange(len(gold)), gold.argmax(axis=1)] = True
    present = rows.present[teaches] & (chosen | ~gold)
    weights = fit_choice(rows.evidence[teaches], present, chosen, rows.weights[teaches])
    if not weights.any():
        raise NothingToFit("nothing that is known of passages tells the right ones")
    return np.asarray(weights / weights.sum())


def fit_relevance(rows: Rows, used: Flags, ordering: Array) -> tuple[float, Array]:
    teaches = used & (rows.is_answerable | rows.is_unanswerable)
    labels = rows.is_answerable[teaches].astype(float)
    if not labels.any() or labels.all():
        raise NothingToFit("questions with and without an answer are both needed")
    features, present = judged_features(rows, ordering)
    features, present = features[teaches], present[teaches]
    picks = np.zeros(len(labels), dtype=int)
    for _ in range(PICKS):
        best = features[np.arange(len(picks)), picks]
        bias, relevance = fit_decision(best, labels, rows.weights[teaches])
        new = np.where(present, features @ relevance, -np.inf).argmax(axis=1)
        if (new == picks).all():
            break
        picks = new
    return bias, np.maximum(relevance, 0.0)


def judged_features(rows: Rows, ordering: Array) -> tuple[Array, Flags]:
    """Of the first PASSAGES_JUDGED in order: (n, p, 3) and whether they are there, (n, p)."""
    order = new_order(rows, ordering)[:, :PASSAGES_JUDGED]
    features = np.take_along_axis(rows.features, order[:, :, None], axis=1)
    present = np.take_along_axis(rows.present, order, axis=1)
    present[:, 0] = True  # a question that finds nothing is judged by zeros
    return features, present


def new_order(rows: Rows, ordering: Array) -> Numbers:
    scores = np.where(rows.present, rows.evidence @ ordering, -np.inf)
    return np.argsort(-scores, axis=1, kind="stable")


def judge(rows: Rows, weights: Weights) -> Judged:
    features, present = judged_features(rows, weights.ordering)
    scores = np.where(present, weights.bias + features @ weights.relevance, -np.inf).max(axis=1)
    ordered = np.take_along_axis(rows.gold, new_order(rows, weights.ordering), axis=1)
    return Judged(first_ranks(rows.gold), first_ranks(ordered), 1 / (1 + np.exp(-scores)))


def first_ranks(gold: Flags) -> Array:
    return np.where(gold.any(axis=1), gold.argmax(axis=1) + 1.0, 0.0)


def judge_left_out(rows: Rows) -> Judged:
    """Each tenant by weights fitted on the others; a single tenant by its own."""
    folds = np.array(rows.folds)
    parts = [np.zeros(len(folds)) for _ in range(3)]
    for fold in sorted(set(rows.folds)):
        left_out = folds == fold
        used = ~left_out if not left_out.all() else left_out
        judged = judge(rows, fit(rows, used))
        for part, values in zip(parts, astuple(judged), strict=True):
            part[left_out] = values[left_out]
    return Judged(*parts)


Group = tuple[str, str, str]  # set, group, language


def group_of(row: Found) -> Group:
    return row.corpus.split("-", maxsplit=1)[0], row.question.group, row.question.language


def groups_of(found: Sequence[Found], expect: str) -> dict[Group, list[int]]:
    """The numbers of the questions that expect this, by group."""
    groups: dict[Group, list[int]] = defaultdict(list)
    for number, row in enumerate(found):
        if row.question.expect == expect:
            groups[group_of(row)].append(number)
    return dict(sorted(groups.items()))


def choose_threshold(found: Sequence[Found], probabilities: Array) -> float:
    """By the rule above; the highest when none keeps it."""
    kinds = [
        probabilities[numbers]
        for numbers in groups_of(found, "no_sources").values()
        if len(numbers) >= KIND_MIN_QUESTIONS
    ]
    return next(
        (
            threshold
            for threshold in THRESHOLDS
            if all(with_sources(kind, threshold) <= WRONG_ANSWERS_MAX for kind in kinds)
        ),
        THRESHOLDS[-1],
    )


def with_sources(probabilities: Array, threshold: float) -> float:
    """The share of questions that get sources."""
    return float((probabilities >= threshold).mean())


def to_sections(weights: Weights, answer_threshold: float) -> tuple[Ordering, RelevanceFit]:
    """Rounded, as they are written."""
    ordering = Ordering(*rounded(weights.ordering))
    similarity, coverage, information = rounded(weights.relevance)
    (bias,) = rounded([weights.bias])
    relevance = RelevanceFit(
        bias=bias,
        similarity=similarity,
        coverage=coverage,
        information=information,
        answer_threshold=answer_threshold,
        source_threshold=min(SOURCE_THRESHOLD, answer_threshold),
    )
    return ordering, relevance


def rounded(values: Iterable[float]) -> list[float]:
    return [round(float(value), DECIMALS) for value in values]


def recall_figures(found: Sequence[Found], ranks: Array) -> dict[Group, Mapping[str, float]]:
    return {
        group: {
            "recall@1": share(ranks[numbers] == 1),
            "recall@5": share((ranks[numbers] >= 1) & (ranks[numbers] <= 5)),
            "mrr@10": round(float(inverse(ranks[numbers]).mean()), DECIMALS),
        }
        for group, numbers in groups_of(found, "answer").items()
    }


def inverse(ranks: Array) -> Array:
    return np.divide(1.0, ranks, out=np.zeros_like(ranks), where=ranks > 0)


def share(hits: Flags) -> float:
    return round(float(hits.mean()), DECIMALS)
