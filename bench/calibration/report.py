"""A calibration as its file, and its figures as tables."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.calibration.collect import Found
from bench.calibration.examples import BestSentence, set_of
from bench.calibration.fit import (
    DECIMALS,
    GROUP_MIN_QUESTIONS,
    NEAR_ANSWERED_MAX,
    PAIR_MIN_QUESTIONS,
    WRONG_ANSWERS_MAX,
    WRONG_SOURCES_MAX,
    Fitted,
)
from bench.evaluation.report import table
from query.answering.certainty import unread_bar
from query.search.calibration import Calibration

RULE = (
    "sources: the lowest threshold at which of no set's questions in a language that nothing is"
    f" about ({GROUP_MIN_QUESTIONS} or more) more than {WRONG_SOURCES_MAX:.0%} get them; certainty:"
    f" the lowest at which, of companies' questions in a language on passages in one"
    f" ({PAIR_MIN_QUESTIONS} or more), at most {NEAR_ANSWERED_MAX:.0%} of the near-topic ones are"
    f" answered, and at most {WRONG_ANSWERS_MAX:.0%} of the answerable ones wrongly"
)
Group = tuple[str, ...]  # set, group, language


@dataclass(frozen=True)
class CalibrationReport:
    """Every figure of a tenant is by weights that were fitted on the others."""

    fitted: Fitted
    made_at: str

    @property
    def calibration(self) -> Calibration:
        return self.fitted.calibration


@dataclass(frozen=True)
class Judged:
    """A question by its own fold's fit: whether its first 1 and 5 passages hold the right one,
    whether it gets sources, is answered, and answered rightly."""

    found: Found
    best: BestSentence
    is_first: bool
    is_in_five: bool
    has_sources: bool
    is_answered: bool

    @property
    def is_right(self) -> bool:
        return self.is_answered and self.best.is_right

    @property
    def is_told(self) -> bool:
        """The best sentence, or one of the two behind it, holds the answer."""
        return self.has_sources and any(self.best.holds)


def judge(fitted: Fitted) -> list[Judged]:
    judged = []
    for row, best, probability, certainty in zip(
        fitted.found, fitted.best, fitted.probabilities, fitted.certainties, strict=True
    ):
        fold = fitted.left_out[row.fold]
        has_sources = bool(row.chunks) and probability >= fold.relevance["answer_threshold"]
        judged.append(
            Judged(
                row,
                best,
                is_first=any(row.is_gold[:1]),
                is_in_five=any(row.is_gold[:5]),
                has_sources=has_sources,
                is_answered=has_sources
                and best.evidence is not None
                and certainty >= unread_bar(fold, best.evidence),
            )
        )
    return judged


def group_of(row: Found) -> Group:
    question = row.question
    name = "our companies" if row.corpus.startswith("co-") else set_of(row)
    return name, question.group, question.language


def by_group(judged: Sequence[Judged], expect: str) -> dict[Group, list[Judged]]:
    groups: dict[Group, list[Judged]] = defaultdict(list)
    for item in judged:
        if item.found.question.expect == expect:
            groups[group_of(item.found)].append(item)
    return dict(sorted(groups.items()))


def share(items: Sequence[Judged], of: Callable[[Judged], bool]) -> float:
    return round(float(np.mean([of(item) for item in items])), DECIMALS)


def answerable_figures(judged: Sequence[Judged]) -> dict[Group, dict[str, float]]:
    return {
        group: {
            "n": len(items),
            "first": share(items, lambda item: item.is_first),
            "in five": share(items, lambda item: item.is_in_five),
            "sources": share(items, lambda item: item.has_sources),
            "told": share(items, lambda item: item.is_told),
            "answered, right": share(items, lambda item: item.is_right),
            "answered, wrong": share(items, lambda item: item.is_answered and not item.is_right),
        }
        for group, items in by_group(judged, "answer").items()
    }


def silent_figures(judged: Sequence[Judged]) -> dict[Group, dict[str, float]]:
    return {
        group: {
            "n": len(items),
            "sources": share(items, lambda item: item.has_sources),
            "answered": share(items, lambda item: item.is_answered),
        }
        for expect in ("no_sources", "no_invention")
        for group, items in by_group(judged, expect).items()
    }


def as_text(report: CalibrationReport) -> str:
    judged = judge(report.fitted)
    return "\n\n".join(
        (
            figures_table("answerable, left out", answerable_figures(judged)),
            figures_table("without an answer, left out", silent_figures(judged)),
            RULE,
        )
    )


def figures_table(title: str, figures: Mapping[Group, Mapping[str, float]]) -> str:
    headings = list(next(iter(figures.values()), {}))
    rows: list[tuple[str | int | float, ...]] = [
        (name_of(group), *values.values()) for group, values in figures.items()
    ]
    return table((title, *headings), rows)


def name_of(group: Group) -> str:
    return " ".join(group)


def write_file(report: CalibrationReport, path: Path) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    content = json.dumps(as_content(report), indent=1, ensure_ascii=False)
    draft.write_text(content + "\n", encoding="utf-8")
    os.replace(draft, path)


def as_content(report: CalibrationReport) -> dict[str, Any]:
    calibration, judged = report.calibration, judge(report.fitted)
    return {
        "model": calibration.model,
        "made_at": report.made_at,
        "fitted_on": fitted_on(report.fitted.found),
        "rule": RULE,
        "levels": {
            f"{asked}-{written}": [level.mean, level.deviation]
            for (asked, written), level in calibration.levels.items()
        },
        "ordering": dict(calibration.ordering),
        "relevance": dict(calibration.relevance),
        "sentences": dict(calibration.sentences),
        "certainty": dict(calibration.certainty),
        "figures_left_out": {
            name_of(group): figures
            for group, figures in (answerable_figures(judged) | silent_figures(judged)).items()
        },
    }


def fitted_on(found: Sequence[Found]) -> Mapping[str, int]:
    """Questions by set."""
    names = [group_of(row)[0] for row in found]
    return {name: names.count(name) for name in sorted(set(names))}
