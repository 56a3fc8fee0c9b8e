"""A calibration as its file, and its figures as tables."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from query.calibration import Calibration
from query.calibration.collect import Found
from query.calibration.fit import (
    DECIMALS,
    KIND_MIN_QUESTIONS,
    WRONG_ANSWERS_MAX,
    Group,
    Judged,
    groups_of,
    recall_figures,
    with_sources,
)
from query.evaluation.report import table

THRESHOLDS_SHOWN = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
RULE = (
    f"the lowest threshold at which no kind of at least {KIND_MIN_QUESTIONS} questions without an"
    f" answer gets sources for more than {WRONG_ANSWERS_MAX:.0%} of them"
)


@dataclass(frozen=True)
class Report:
    """`judged`: each tenant by weights that were fitted on the others."""

    calibration: Calibration
    found: Sequence[Found]
    judged: Judged
    made_at: str


def as_text(report: Report) -> str:
    threshold = report.calibration.relevance.answer_threshold
    return "\n\n".join(
        (
            recall_table(report),
            sources_table(report),
            f"answer threshold {threshold}: {RULE}",
        )
    )


def recall_table(report: Report) -> str:
    fused = recall_figures(report.found, report.judged.fused_ranks)
    ordered = recall_figures(report.found, report.judged.ranks)
    names = ("recall@1", "recall@5", "mrr@10")
    rows: list[tuple[str | int | float, ...]] = [
        (name_of(group), *(part[group][name] for name in names for part in (fused, ordered)))
        for group in ordered
    ]
    headings = [f"{name} {part}" for name in names for part in ("fused", "ordered")]
    return table(("answerable, left out", *headings), rows)


def sources_table(report: Report) -> str:
    chosen = report.calibration.relevance.answer_threshold
    thresholds = sorted({*THRESHOLDS_SHOWN, chosen})
    rows: list[tuple[str | int | float, ...]] = [
        (
            f"{expect} {name_of(group)}",
            len(numbers),
            *(with_sources(report.judged.probabilities[numbers], at) for at in thresholds),
        )
        for expect in ("answer", "no_sources", "no_invention")
        for group, numbers in groups_of(report.found, expect).items()
    ]
    return table(("share with sources, left out", "n", *map(str, thresholds)), rows)


def name_of(group: Group) -> str:
    return " ".join(group)


def write_file(report: Report, path: Path) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft")
    content = json.dumps(as_content(report), indent=1, ensure_ascii=False)
    draft.write_text(content + "\n", encoding="utf-8")
    os.replace(draft, path)


def as_content(report: Report) -> dict[str, Any]:
    calibration = report.calibration
    return {
        "model": calibration.model,
        "made_at": report.made_at,
        "fitted_on": fitted_on(report.found),
        "answer_threshold_rule": RULE,
        "ordering": asdict(calibration.ordering),
        "relevance": asdict(calibration.relevance),
        "answerability": dict(calibration.answerability),
        "figures_left_out": figures(report),
    }


def fitted_on(found: Sequence[Found]) -> Mapping[str, int]:
    """Questions by set."""
    names = [row.corpus.split("-", maxsplit=1)[0] for row in found]
    return {name: names.count(name) for name in sorted(set(names))}


def figures(report: Report) -> dict[str, Any]:
    threshold = report.calibration.relevance.answer_threshold
    recall = recall_figures(report.found, report.judged.ranks)
    return {
        "recall": {name_of(group): dict(values) for group, values in recall.items()},
        "with_sources": {
            f"{expect} {name_of(group)}": round(
                with_sources(report.judged.probabilities[numbers], threshold), DECIMALS
            )
            for expect in ("answer", "no_sources")
            for group, numbers in groups_of(report.found, expect).items()
        },
    }


def write_dump(found: Sequence[Found], path: Path) -> None:
    """A JSON line for every question: what was found of its candidates."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(dump_row(row), ensure_ascii=False) + "\n" for row in found)


def dump_row(row: Found) -> dict[str, Any]:
    question = row.question
    return {
        "corpus": row.corpus,
        "fold": row.fold,
        "qid": question.qid,
        "group": question.group,
        "language": question.language,
        "expect": question.expect,
        "candidates": [
            {
                "chunk_id": chunk.chunk_id,
                "similarity": chunk.similarity,
                "lexical": chunk.lexical,
                "score": chunk.score,
                "match": asdict(chunk.match) if chunk.match else None,
                "evidence": asdict(evidence),
                "is_gold": gold,
            }
            for chunk, evidence, gold in zip(row.chunks, row.evidence, row.is_gold, strict=True)
        ],
    }
