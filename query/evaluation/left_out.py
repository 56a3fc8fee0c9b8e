"""What each tenant gets by weights and thresholds that were fitted on the others alone.

What serves is fitted on all of the data, so its figures on the same data flatter it. Both languages
of a tenant are left out together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from query.answerability import fit as fit_answerability
from query.answerability import probability
from query.calibration import Calibration, trying
from query.calibration.answers import Labelled, label, weight
from query.calibration.collect import Found, look_up
from query.calibration.fit import (
    NothingToFit,
    Rows,
    choose_threshold,
    fit,
    judge,
    to_rows,
    to_sections,
)
from query.calibration.make import in_order
from query.evaluation.run import Asked, Indexed, score_answer
from query.pipeline import Findings, answer_findings
from query.relevance import judge_passages

STEPS_PER_QUESTION = 3


@dataclass(frozen=True)
class Tried:
    """A question with its passages in the order of its fold's fit, and what can be learned from
    their answers: the first example is of the question itself."""

    item: Indexed
    found: Found
    labelled: tuple[Labelled, ...]


def ask_left_out(
    indexed: Sequence[Indexed], scorer: ModuleType, model: str, on_step: Callable[[], object]
) -> list[Asked]:
    """`on_step` is called STEPS_PER_QUESTION times a question. Raises NothingToFit."""
    looked_up = []
    for item in indexed:
        for question in item.corpus.questions:
            looked_up.append((item, look_up(item.tenant, item.corpus, question, scorer)))
            on_step()
    fits = fit_searches([found for _, found in looked_up], model)
    tried = []
    for item, found in looked_up:
        tried.append(try_answers(fits[found.fold], item, found))
        on_step()
    fits = fit_answers(tried, fits)
    asked = []
    for attempt in tried:
        asked.append(answer_by(fits[attempt.found.fold], attempt, scorer))
        on_step()
    return asked


def fit_searches(found: Sequence[Found], model: str) -> dict[str, Calibration]:
    """By fold: order and gate, fitted on the questions of the others. Nothing is refused yet."""
    rows = to_rows(found)
    folds = np.array(rows.folds)
    if len(set(rows.folds)) < 2:
        raise NothingToFit("one tenant alone leaves none to fit on")
    return {
        str(fold): fit_search(
            [row for row in found if row.fold != fold], rows, folds != fold, model
        )
        for fold in np.unique(folds)
    }


def fit_search(
    others: Sequence[Found], rows: Rows, used: np.typing.NDArray[np.bool_], model: str
) -> Calibration:
    weights = fit(rows, used)
    threshold = choose_threshold(others, judge(rows, weights).probabilities[used])
    ordering, relevance = to_sections(weights, threshold)
    return Calibration(model, ordering, relevance, answerability={})


def try_answers(calibration: Calibration, item: Indexed, found: Found) -> Tried:
    """The first candidates are all that an order changes (query/ordering.py): there is no need to
    search again."""
    ordered = in_order(found, calibration.ordering)
    with trying(calibration):
        return Tried(item, ordered, tuple(label(ordered)))


def fit_answers(tried: Sequence[Tried], fits: Mapping[str, Calibration]) -> dict[str, Calibration]:
    """`fits` with the refusal fitted on the other folds' answers."""
    return {
        fold: replace(calibration, answerability=fit_refusal(tried, without=fold))
        for fold, calibration in fits.items()
    }


def fit_refusal(tried: Sequence[Tried], *, without: str) -> dict[str, float]:
    """Nothing, so that nothing is refused, when the others' answers are all right or all wrong."""
    labelled = [part for item in tried if item.found.fold != without for part in item.labelled]
    sizes = Counter(part.group for part in labelled if part.example.evidence is not None)
    examples = [replace(part.example, weight=weight(part.group, sizes)) for part in labelled]
    if len({example.is_right for example in examples if example.evidence is not None}) < 2:
        return {}
    return fit_answerability(examples)


def answer_by(calibration: Calibration, tried: Tried, scorer: ModuleType) -> Asked:
    found = tried.found
    with trying(calibration):
        judged = tuple(judge_passages(found.asked, found.chunks))
        findings = Findings(found.asked, found.chunks, judged)
        answer = answer_findings(tried.item.tenant, findings)
    asked = score_answer(tried.item, found.question, findings, answer, seconds=0.0, scorer=scorer)
    return replace(asked, answerability=answerability_of(tried, calibration))


def answerability_of(tried: Tried, calibration: Calibration) -> float | None:
    evidence = tried.labelled[0].example.evidence if tried.labelled else None
    if evidence is None or not calibration.answerability:
        return None
    return probability(evidence, calibration.answerability)
