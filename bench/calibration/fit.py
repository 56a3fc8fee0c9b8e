"""Fits the four decisions on collected rows: order, relevance, sentence, certainty.

Every tenant's figures come from weights that were fitted on the others (both languages of a tenant
are left out together); the weights that are written are fitted on everything. A later decision
learns from rows as the earlier ones, fitted without their tenant, left them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from bench.calibration.collect import Found
from bench.calibration.examples import (
    ANSWERED_WEIGHTS,
    NEAR_WEIGHTS,
    BestSentence,
    Choices,
    best_sentence,
    in_order,
    order_choices,
    relevance_features,
    sentence_choices,
    set_of,
    weight_of,
)
from bench.calibration.regression import Array, Flags, fit_choice, fit_decision
from language.words import Language
from query.answering.certainty import languages_of
from query.search.calibration import (
    CERTAINTY_THRESHOLDS,
    LANGUAGES,
    Calibration,
    Level,
    Weights,
    threshold_name,
)
from query.search.evidence import (
    CertaintyEvidence,
    OrderEvidence,
    RelevanceEvidence,
    SentenceEvidence,
)

PICKS = 6  # at most: which passage of a question is the most probable depends on the fit
# The rule for the answer threshold: the lowest at which, of a set's questions in a language that
# nothing is about, no more than this share gets sources. Smaller groups cannot tell.
WRONG_SOURCES_MAX = 0.03
GROUP_MIN_QUESTIONS = 50
SOURCE_THRESHOLD = 0.3  # beside the passage that answers, others are shown from here on
# The rule for the certainty threshold of each pair of languages, the question's and its passage's:
# of the questions on a topic that nothing answers, so many are answered, and of the answerable ones
# so many wrongly. Where a pair has few, those of the language asked in count, or all.
NEAR_ANSWERED_MAX = 0.15
WRONG_ANSWERS_MAX = 0.05
PAIR_MIN_QUESTIONS = 20
THRESHOLDS = tuple(step / 100 for step in range(10, 100))
LEVEL_MIN_VECTORS = 20  # of a tenant whose mean counts
DECIMALS = 4
Fits = Mapping[str, Calibration]  # by the fold that was left out


class NothingToFit(ValueError):
    """The rows cannot teach a decision; the message says what they lack."""


@dataclass(frozen=True)
class Fitted:
    """`calibration` is fitted on everything, `left_out` by fold on the others. `found` are the rows
    in order, with the `probabilities` that their passages are about them, and their best sentence
    with the `certainties` that it answers: each by its own fold's."""

    calibration: Calibration
    left_out: Fits
    found: Sequence[Found]
    probabilities: Array
    best: Sequence[BestSentence]
    certainties: Array


def fit(found: Sequence[Found], model: str, on_step: Callable[[str], object]) -> Fitted:
    """`on_step` hears what is being fitted. Raises NothingToFit."""
    folds = sorted({row.fold for row in found})
    on_step("the order of passages")
    unweighted = unfitted(model, ordinary_levels(found))
    orders = fit_orders(found, unweighted, folds)
    on_step("their relevance")
    found = [in_order(row, orders[row.fold]) for row in found]
    relevant, probabilities = fit_relevances(found, orders, folds)
    on_step("the sentence that answers")
    sentences = fit_sentences(found, relevant, folds)
    on_step("how sure it is")
    best = [best_sentence(row, sentences[row.fold]) for row in found]
    certain, certainties = fit_certainties(found, best, sentences, folds)
    left_out = {fold: certain[fold] for fold in folds}
    return Fitted(certain[EVERYTHING], left_out, found, probabilities, best, certainties)


EVERYTHING = ""  # the fold that leaves nothing out


def unfitted(model: str, levels: Mapping[tuple[Language, Language], Level]) -> Calibration:
    """With weights of 0 and thresholds in the middle."""
    return Calibration(
        model=model,
        levels=levels,
        ordering=dict.fromkeys(OrderEvidence.names(), 0.0),
        relevance={
            **dict.fromkeys(RelevanceEvidence.names(), 0.0),
            "bias": 0.0,
            "answer_threshold": 0.5,
            "source_threshold": 0.5,
        },
        sentences=dict.fromkeys(SentenceEvidence.names(), 0.0),
        certainty={
            **dict.fromkeys(CertaintyEvidence.names(), 0.0),
            "bias": 0.0,
            **dict.fromkeys(CERTAINTY_THRESHOLDS, 0.5),
        },
    )


def ordinary_levels(found: Sequence[Found]) -> dict[tuple[Language, Language], Level]:
    """The mean over all questions of their tenants' means and deviations; where no question crosses
    the languages, that of all."""
    seen: dict[tuple[Language, Language], list[tuple[float, float]]] = defaultdict(list)
    for row in found:
        for chunk in row.chunks:
            if chunk.neighbours >= LEVEL_MIN_VECTORS:
                seen[row.asked.language, chunk.language].append((chunk.mean, chunk.deviation))
    everything = [pair for pairs in seen.values() for pair in pairs] or [(0.0, 1.0)]
    means = {
        (asked, written): np.mean(seen[asked, written] or everything, axis=0).tolist()
        for asked in LANGUAGES
        for written in LANGUAGES
    }
    return {
        pair: Level(round(mean, DECIMALS), round(deviation, DECIMALS))
        for pair, (mean, deviation) in means.items()
    }


def others(found: Sequence[Found], fold: str) -> Flags:
    """Which rows are not of the fold; all of a single tenant."""
    flags = np.array([row.fold != fold for row in found], dtype=bool)
    return flags if flags.any() else ~flags


def named(names: Sequence[str], values: Array) -> dict[str, float]:
    return {name: round(float(value), DECIMALS) for name, value in zip(names, values, strict=True)}


# --- Order and sentence ---------------------------------------------------------------------------


def fit_orders(found: Sequence[Found], base: Calibration, folds: Sequence[str]) -> Fits:
    choices = order_choices(found, base)
    names = OrderEvidence.names()
    return {
        fold: replace(base, ordering=fit_chosen(choices, others(found, fold), names))
        for fold in (EVERYTHING, *folds)
    }


def fit_sentences(found: Sequence[Found], fits: Fits, folds: Sequence[str]) -> Fits:
    choices = sentence_choices(found, [fits[row.fold] for row in found])
    names = SentenceEvidence.names()
    return {
        fold: replace(fits[fold], sentences=fit_chosen(choices, others(found, fold), names))
        for fold in (EVERYTHING, *folds)
    }


def fit_chosen(choices: Choices, used: Flags, names: Sequence[str]) -> Weights:
    """Where several are right, the first is chosen and the others are not there."""
    teaches = used & choices.teaches
    if not teaches.any():
        raise NothingToFit("no question has its passage among the candidates")
    right = choices.right[teaches]
    chosen = np.zeros_like(right)
    chosen[np.arange(len(right)), right.argmax(axis=1)] = True
    present = choices.present[teaches] & (chosen | ~right)
    features, weights = choices.features[teaches], choices.weights[teaches]
    return named(names, fit_choice(features, present, chosen, weights))


# --- Relevance ------------------------------------------------------------------------------------


def fit_relevances(found: Sequence[Found], fits: Fits, folds: Sequence[str]) -> tuple[Fits, Array]:
    """And each row's probability by its own fold's."""
    features, present = relevance_features(found, fits[EVERYTHING])
    weights = {
        fold: fit_relevance(found, features, present, others(found, fold))
        for fold in (EVERYTHING, *folds)
    }
    probabilities = np.zeros(len(found))
    for fold in folds:
        rows = np.array([row.fold == fold for row in found])
        probabilities[rows] = best_probability(features[rows], present[rows], weights[fold])
    return {
        fold: replace(
            fits[fold],
            relevance={
                **weights[fold],
                **relevance_thresholds(found, probabilities, others(found, fold)),
            },
        )
        for fold in (EVERYTHING, *folds)
    }, probabilities


def fit_relevance(found: Sequence[Found], features: Array, present: Flags, used: Flags) -> Weights:
    """Of an answerable question its right passage, where it is among the first, of another one the
    most probable."""
    gold = np.zeros_like(present)
    for number, row in enumerate(found):
        flags = row.is_gold[: present.shape[1]]
        gold[number, : len(flags)] = flags
    answerable = np.array([row.question.expect == "answer" for row in found]) & gold.any(axis=1)
    silent = np.array([row.question.expect == "no_sources" for row in found])
    teaches = used & (answerable | silent)
    labels = answerable[teaches].astype(float)
    if not labels.any() or labels.all():
        raise NothingToFit("questions with and without an answer are both needed")
    counts = np.array([weight_of(row) for row in found])[teaches]
    rows = np.arange(len(labels))
    right = gold[teaches].argmax(axis=1)
    picks = np.where(labels > 0, right, 0)
    for _ in range(PICKS):
        bias, weights = fit_decision(features[teaches][rows, picks], labels, counts)
        scores = np.where(present[teaches], features[teaches] @ weights, -np.inf)
        new = np.where(labels > 0, right, scores.argmax(axis=1))
        if (new == picks).all():
            break
        picks = new
    return {"bias": round(bias, DECIMALS), **named(RelevanceEvidence.names(), weights)}


def best_probability(features: Array, present: Flags, weights: Weights) -> Array:
    values = np.array([weights[name] for name in RelevanceEvidence.names()])
    scores = np.where(present, weights["bias"] + features @ values, -50.0).max(axis=1)
    return np.asarray(1 / (1 + np.exp(-scores)))


def relevance_thresholds(
    found: Sequence[Found], probabilities: Array, used: Flags
) -> dict[str, float]:
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row, probability, is_used in zip(found, probabilities, used, strict=True):
        if is_used and row.question.expect == "no_sources":
            groups[set_of(row), row.question.language].append(probability)
    telling = [group for group in groups.values() if len(group) >= GROUP_MIN_QUESTIONS]
    answer = lowest_threshold(telling, WRONG_SOURCES_MAX)
    return {"answer_threshold": answer, "source_threshold": min(SOURCE_THRESHOLD, answer)}


def lowest_threshold(groups: Sequence[Sequence[float]], allowed: float) -> float:
    """At which no group has more than the allowed share at or above it; the highest when none
    keeps it."""
    return next(
        (
            threshold
            for threshold in THRESHOLDS
            if all(np.mean(np.array(group) >= threshold) <= allowed for group in groups)
        ),
        THRESHOLDS[-1],
    )


# --- Certainty ------------------------------------------------------------------------------------


def fit_certainties(
    found: Sequence[Found],
    best: Sequence[BestSentence],
    fits: Fits,
    folds: Sequence[str],
) -> tuple[Fits, Array]:
    """And each row's certainty by its own fold's; 0 where nothing was found."""
    features = np.zeros((len(found), len(CertaintyEvidence.names())))
    for number, item in enumerate(best):
        if item.evidence is not None:
            features[number] = astuple(item.evidence)
    weights = {
        fold: fit_certainty(found, best, features, others(found, fold))
        for fold in (EVERYTHING, *folds)
    }
    certainties = certainties_of(found, best, features, weights)
    return {
        fold: replace(
            fits[fold],
            certainty={
                **weights[fold],
                **certainty_thresholds(found, best, certainties, others(found, fold)),
            },
        )
        for fold in (EVERYTHING, *folds)
    }, certainties


def certainties_of(
    found: Sequence[Found],
    best: Sequence[BestSentence],
    features: Array,
    weights: Mapping[str, Weights],
) -> Array:
    """Of each row by its own fold's weights; 0 where nothing was found."""
    certainties = np.zeros(len(found))
    for number, row in enumerate(found):
        if best[number].evidence is not None:
            own = weights[row.fold]
            values = np.array([own[name] for name in CertaintyEvidence.names()])
            certainties[number] = 1 / (1 + np.exp(-(own["bias"] + features[number] @ values)))
    return certainties


def fit_certainty(
    found: Sequence[Found], best: Sequence[BestSentence], features: Array, used: Flags
) -> Weights:
    counts = np.array([certainty_weight(row) for row in found])
    known = np.array([item.evidence is not None for item in best])
    teaches = used & known & (counts > 0)
    labels = np.array([item.is_right for item in best], dtype=float)[teaches]
    if not labels.any() or labels.all():
        raise NothingToFit("right and wrong answers are both needed")
    bias, weights = fit_decision(features[teaches], labels, counts[teaches])
    return {"bias": round(bias, DECIMALS), **named(CertaintyEvidence.names(), weights)}


def certainty_weight(row: Found) -> float:
    """0 for questions that the gate is to keep out."""
    match row.question.expect:
        case "answer":
            return ANSWERED_WEIGHTS[set_of(row)]
        case "no_invention":
            return NEAR_WEIGHTS[set_of(row)]
        case _:
            return 0.0


def certainty_thresholds(
    found: Sequence[Found], best: Sequence[BestSentence], certainties: Array, used: Flags
) -> dict[str, float]:
    """One a pair of languages: equally certain answers are not equally often right in each."""
    judged = [
        (row, item, certainty)
        for row, item, certainty, is_used in zip(found, best, certainties, used, strict=True)
        if is_used and set_of(row) == "company"
    ]
    near = certainties_by_pair(part for part in judged if part[0].question.expect == "no_invention")
    # What is right, at any certainty, is never wrongly answered
    wrong = certainties_by_pair(
        (row, item, 0.0 if item.is_right else certainty)
        for row, item, certainty in judged
        if row.question.expect == "answer"
    )
    return {
        threshold_name(asked, written): max(
            lowest_threshold(enough_of(near, asked, written), NEAR_ANSWERED_MAX),
            lowest_threshold(enough_of(wrong, asked, written), WRONG_ANSWERS_MAX),
        )
        for asked in LANGUAGES
        for written in LANGUAGES
    }


Pair = tuple[Language, Language]  # the question's and the passage's


def certainties_by_pair(
    judged: Iterable[tuple[Found, BestSentence, float]],
) -> dict[Pair, list[float]]:
    """A question for which nothing was found stands with those in its own language."""
    pairs: dict[Pair, list[float]] = defaultdict(list)
    for row, item, certainty in judged:
        asked: Language = "es" if row.question.language == "es" else "en"
        pair = (asked, asked) if item.evidence is None else languages_of(item.evidence)
        pairs[pair].append(certainty)
    return pairs


def enough_of(
    pairs: Mapping[Pair, Sequence[float]], asked: Language, written: Language
) -> list[Sequence[float]]:
    """The pair's as the only group; where they are too few the language's, or everything."""
    language = [one for pair, ones in pairs.items() if pair[0] == asked for one in ones]
    everything = [one for ones in pairs.values() for one in ones]
    groups = (pairs.get((asked, written), ()), language, everything)
    return (
        [next((group for group in groups if len(group) >= PAIR_MIN_QUESTIONS), everything)]
        if everything
        else []
    )
