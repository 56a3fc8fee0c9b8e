"""A run as files: a Markdown report to read, with its pictures, and a JSON one to compare with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.evaluation.comparison import bootstrap
from bench.evaluation.curves import certainty_curves, gate_curves
from bench.evaluation.plots import draw_certainty, draw_gate, draw_speed
from bench.evaluation.report import (
    ANSWERABLE_SHARES,
    UNANSWERABLE_SHARES,
    AnswerableFigures,
    UnanswerableFigures,
    answerable_figures,
    unanswerable_figures,
)
from bench.evaluation.requirements import Requirement, Shown, show
from bench.evaluation.rows import COLUMNS, BadReport, Row, rows_as_json, rows_from_json, to_row
from bench.evaluation.run import Asked

Cell = str | int | float | None


@dataclass(frozen=True)
class EvaluationReport:
    """`left_out`: the same questions, each tenant by what was fitted on the others; empty when that
    was not possible. `run` tells what ran: model, sets, speed."""

    name: str
    run: Mapping[str, Any]
    asked: Sequence[Asked]
    left_out: Sequence[Asked]

    @property
    def rows(self) -> list[Row]:
        return [to_row(item) for item in self.asked]

    @property
    def left_out_rows(self) -> list[Row]:
        return [to_row(item) for item in self.left_out]


def write_report(report: EvaluationReport, folder: Path) -> list[Path]:
    """The files that were written."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = draw_pictures(report, folder)
    page, data = folder / f"{report.name}.md", folder / f"{report.name}.json"
    page.write_text(as_markdown(report, pictures), encoding="utf-8")
    data.write_text(as_json(report), encoding="utf-8")
    return [page, data, *pictures.values()]


def read_rows(path: Path) -> list[Row]:
    """Of a JSON report: the left-out ones where it has them. Raises BadReport."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadReport(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise BadReport(f"{path} is no report.")
    return rows_from_json(content, "left_out_rows") or rows_from_json(content, "rows")


def draw_pictures(report: EvaluationReport, folder: Path) -> dict[str, Path]:
    """By what they show; those that there is nothing to draw for are left out."""
    rows = report.rows
    judged = report.left_out_rows or rows
    pictures: dict[str, Path] = {}

    def path(kind: str) -> Path:
        pictures[kind] = folder / f"{report.name}-{kind}.png"
        return pictures[kind]

    gate, certainty = list(gate_curves(judged)), list(certainty_curves(judged))
    if gate:
        draw_gate(gate, path("gate"))
    if certainty:
        draw_certainty(certainty, path("certainty"))
    draw_speed(rows, path("speed"))
    return pictures


def as_json(report: EvaluationReport) -> str:
    """A question a line, without a word of its text."""
    head = {
        "name": report.name,
        "run": dict(report.run),
        "requirements": [shown_as_json(item) for item in show(report.rows)],
        "left_out_requirements": [shown_as_json(item) for item in show(report.left_out_rows)],
        "answerable": [asdict(row) for row in answerable_figures(report.asked)],
        "unanswerable": [asdict(row) for row in unanswerable_figures(report.asked)],
        "columns": COLUMNS,
    }
    parts = [f'"{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in head.items()]
    parts += [
        f'"rows": {a_row_a_line(report.rows)}',
        f'"left_out_rows": {a_row_a_line(report.left_out_rows)}',
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def a_row_a_line(rows: Sequence[Row]) -> str:
    return "[\n" + ",\n".join(json.dumps(values) for values in rows_as_json(rows)) + "\n]"


def shown_as_json(shown: Shown) -> dict[str, Any]:
    return {
        "name": shown.requirement.name,
        "questions": shown.questions,
        "figure": round(shown.figure, 4),
        "floor": shown.requirement.floor,
        "aim": shown.requirement.aim,
        "verdict": shown.verdict.value,
    }


PICTURES = {
    "gate": "The probability that the best passage is about the question: its threshold moves along"
    " the lines; the dotted line is the floor. Companies' questions against companies', the"
    " encyclopedia's answerable ones against the others.",
    "certainty": "The probability that the best sentence answers: its threshold moves along the"
    " lines; the dotted line is the floor.",
    "speed": "In process, one after the other, on the machine that ran this.",
}


def as_markdown(report: EvaluationReport, pictures: Mapping[str, Path]) -> str:
    facts = "\n".join(f"- {name.replace('_', ' ')}: {value}" for name, value in report.run.items())
    parts = [f"# {report.name}", facts, "## Must show", required_text(report), "## Curves"]
    parts += [f"![{kind}]({path.name})\n\n{PICTURES[kind]}" for kind, path in pictures.items()]
    parts += ["## All figures, as served", answerable_markdown(answerable_figures(report.asked))]
    parts.append(unanswerable_markdown(unanswerable_figures(report.asked)))
    return "\n\n".join(parts) + "\n"


def required_text(report: EvaluationReport) -> str:
    served = show(report.rows)
    if not report.left_out:
        return required_markdown(report.rows, served, {})
    text = (
        "Each tenant by weights and thresholds fitted on the others. *served*: by the fit that"
        " serves, which was made on all of them."
    )
    by_name = {shown.requirement.name: shown for shown in served}
    rows = report.left_out_rows
    return f"{text}\n\n{required_markdown(rows, show(rows), by_name)}"


def required_markdown(
    rows: Sequence[Row], judged: Sequence[Shown], served: Mapping[str, Shown]
) -> str:
    """`served`, by name: empty when what is judged is what serves."""
    headings = ["what", "n", "floor", "aim", "figure", "95 %", "verdict"]
    cells: list[list[Cell]] = []
    for shown in judged:
        requirement = shown.requirement
        line: list[Cell] = [requirement.name, shown.questions]
        line += [bound(requirement, requirement.floor), bound(requirement, requirement.aim)]
        line += [figure(shown), interval(requirement, rows), shown.verdict.value]
        cells.append(line + ([figure(served[requirement.name])] if served else []))
    return markdown_table(headings + (["served"] if served else []), cells)


def bound(requirement: Requirement, value: float | None) -> str:
    if value is None:
        return ""
    return f"{'≥' if requirement.higher_is_better else '≤'} {value:g}"


def figure(shown: Shown) -> Cell:
    return round(shown.figure) if shown.requirement.is_count else float(shown.figure)


def interval(requirement: Requirement, rows: Sequence[Row]) -> str:
    """Of the mean; a count has none."""
    if requirement.is_count:
        return ""
    low, high = bootstrap(np.array(requirement.values(rows)))
    return f"{low:.3f} … {high:.3f}"


def answerable_markdown(figures: Sequence[AnswerableFigures]) -> str:
    headings = ["answerable", "n", "recall@1", "@5", "@10", "MRR"]
    headings += ["with sources", "gold among sources", "gold string, answered or unsure"]
    headings += ["answered", "gold string, answered"]
    cells: list[list[Cell]] = []
    for row in figures:
        name = f"{row.dataset}, {row.group}, {row.language}"
        cells.append([name, row.questions, *shares(row, ANSWERABLE_SHARES)])
    return markdown_table(headings, cells)


def unanswerable_markdown(figures: Sequence[UnanswerableFigures]) -> str:
    headings = ["no answer exists", "n", "with sources", "answered", "wrong answer"]
    cells: list[list[Cell]] = []
    for row in figures:
        name = f"{row.dataset}, {row.kind}, {row.language} ({row.expect})"
        cells.append([name, row.questions, *shares(row, UNANSWERABLE_SHARES)])
    return markdown_table(headings, cells)


def shares(row: object, names: Sequence[str]) -> list[float]:
    return [float(getattr(row, name)) for name in names]


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Shares with three decimals."""
    lines = [headings, ["---"] * len(headings)]
    lines += [
        [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
