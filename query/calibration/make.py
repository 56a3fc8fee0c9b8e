"""From what was found to a calibration with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from django.utils import timezone

from query.calibration import Calibration, Ordering, trying
from query.calibration.answers import fit_answerability
from query.calibration.collect import Found
from query.calibration.fit import choose_threshold, fit, judge_left_out, to_rows, to_sections
from query.calibration.report import Report
from query.ordering import weigh


def calibrate(found: Sequence[Found], model: str) -> Report:
    """Raises NothingToFit."""
    rows = to_rows(found)
    judged = judge_left_out(rows)
    threshold = choose_threshold(found, judged.probabilities)
    ordering, relevance = to_sections(fit(rows, np.ones(len(found), dtype=bool)), threshold)
    calibration = Calibration(model, ordering, relevance, answerability={})
    with trying(calibration):  # which passages are answered from depends on it
        answerability = fit_answerability([in_order(row, ordering) for row in found])
    made_at = timezone.now().date().isoformat()
    return Report(replace(calibration, answerability=answerability), found, judged, made_at)


def in_order(row: Found, ordering: Ordering) -> Found:
    """Its chunks as the search will answer them."""
    scores = [weigh(evidence, ordering) for evidence in row.evidence]
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], row.chunks[at].chunk_id))
    return replace(
        row,
        chunks=tuple(replace(row.chunks[at], score=scores[at]) for at in order),
        evidence=tuple(row.evidence[at] for at in order),
        is_gold=tuple(row.is_gold[at] for at in order),
    )
