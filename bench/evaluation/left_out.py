"""What each tenant gets by weights and thresholds that were fitted on the others.

What serves is fitted on all of the data, so its figures on the same data flatter it. Both languages
of a tenant are left out together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType

from bench.calibration.collect import Found, look_up
from bench.calibration.fit import NothingToFit, fit
from bench.evaluation.run import Asked, Indexed, score_answer
from query.pipeline import TOP_K, answer_findings, judge_findings
from query.search.calibration import Calibration, trying
from query.search.ordering import order_chunks

STEPS_PER_QUESTION = 2


@dataclass(frozen=True)
class LookedUp:
    """A question's candidates, which no calibration has ordered yet."""

    item: Indexed
    found: Found


def ask_left_out(
    indexed: Sequence[Indexed],
    scorer: ModuleType,
    model: str,
    *,
    on_step: Callable[[], object],
    on_fit: Callable[[str], object],
) -> list[Asked]:
    """In the order of `indexed`. `on_step` is called STEPS_PER_QUESTION times a question, `on_fit`
    hears what is being fitted. Raises NothingToFit."""
    looked_up = []
    for item in indexed:
        for question in item.corpus.questions:
            looked_up.append(LookedUp(item, look_up(item.tenant, item.corpus, question, scorer)))
            on_step()
    by_fold = fit_by_fold(looked_up, model, on_fit)
    asked = []
    for part in looked_up:
        asked.append(answer_by(by_fold[part.found.fold], part, scorer))
        on_step()
    return asked


def fit_by_fold(
    looked_up: Sequence[LookedUp], model: str, on_fit: Callable[[str], object]
) -> dict[str, Calibration]:
    """Of every fold, fitted on the others; files that could not be indexed teach nothing."""
    rows = [part.found for part in looked_up if part.item.has_indexed(part.found.question)]
    if len({row.fold for row in rows}) < 2:
        raise NothingToFit("one tenant alone leaves none to fit on")
    fitted = fit(rows, model, on_fit)
    # A fold of which nothing could be indexed is not in the fit on everything either.
    return {
        part.found.fold: fitted.left_out.get(part.found.fold, fitted.calibration)
        for part in looked_up
    }


def answer_by(calibration: Calibration, looked_up: LookedUp, scorer: ModuleType) -> Asked:
    """The service's own answer: the candidates do not depend on a calibration, the rest does."""
    item, found = looked_up.item, looked_up.found
    with trying(calibration):
        chunks = order_chunks(found.asked, found.chunks, calibration)[:TOP_K]
        findings = judge_findings(found.asked, chunks)
        answer = answer_findings(item.tenant, findings)
        return score_answer(item, found.question, findings, answer, seconds=0.0, scorer=scorer)
