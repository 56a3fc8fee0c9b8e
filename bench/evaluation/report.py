"""Figures from asked questions: one row a set, group and language, never English and Spanish in
one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.evaluation.datasets import set_name
from bench.evaluation.requirements import Shown
from bench.evaluation.run import Asked
from query.models import Outcome


@dataclass(frozen=True)
class AnswerableFigures:
    """Shares are 0 … 1 of `questions`. `recall` at 1, 5 and 10 and `mrr` are of retrieval, before
    the gate. `told`: the gold string is in the answer or in what an unsure one quotes; `right`: in
    an answer that is given as such."""

    dataset: str
    group: str
    language: str
    questions: int
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    mrr: float
    with_sources: float
    gold_among_sources: float
    told: float
    answered: float
    right: float


@dataclass(frozen=True)
class UnanswerableFigures:
    """`with_sources`: the share of questions that wrongly (no_sources) or tolerably (no_invention)
    got sources; `answered`: that got an answer as such; `wrong_answer`: that got one of those that
    were foreseen."""

    dataset: str
    kind: str
    expect: str
    language: str
    questions: int
    with_sources: float
    answered: float
    wrong_answer: float


def answerable_figures(asked: Sequence[Asked]) -> list[AnswerableFigures]:
    groups: dict[tuple[str, str, str], list[Asked]] = defaultdict(list)
    for item in asked:
        if item.question.kind == "answerable":
            group = item.question.group if item.is_indexed else "file not indexed"
            groups[set_name(item.corpus), group, item.question.language].append(item)
    return [answerable_row(*key, rows) for key, rows in sorted(groups.items())]


def answerable_row(
    name: str, group: str, language: str, rows: Sequence[Asked]
) -> AnswerableFigures:
    ranks = [row.rank for row in rows]
    return AnswerableFigures(
        dataset=name,
        group=group,
        language=language,
        questions=len(rows),
        recall_at_1=share(rank is not None and rank <= 1 for rank in ranks),
        recall_at_5=share(rank is not None and rank <= 5 for rank in ranks),
        recall_at_10=share(rank is not None for rank in ranks),
        mrr=sum(1 / rank for rank in ranks if rank) / len(ranks),
        with_sources=share(bool(row.source_files) for row in rows),
        gold_among_sources=share(row.has_gold_source for row in rows),
        told=share(row.has_gold_answer for row in rows),
        answered=share(row.outcome == Outcome.ANSWERED for row in rows),
        right=share(is_right(row) for row in rows),
    )


def unanswerable_figures(asked: Sequence[Asked]) -> list[UnanswerableFigures]:
    groups: dict[tuple[str, str, str, str], list[Asked]] = defaultdict(list)
    for item in asked:
        if item.question.kind != "answerable":
            kind, expect, language = (
                item.question.kind,
                item.question.expect,
                item.question.language,
            )
            groups[set_name(item.corpus), kind, expect, language].append(item)
    return [
        UnanswerableFigures(
            *key,
            questions=len(rows),
            with_sources=share(bool(row.source_files) for row in rows),
            answered=share(row.outcome == Outcome.ANSWERED for row in rows),
            wrong_answer=share(row.has_wrong_answer for row in rows),
        )
        for key, rows in sorted(groups.items())
    ]


def is_right(item: Asked) -> bool:
    return item.outcome == Outcome.ANSWERED and item.has_gold_answer


def share(hits: Iterable[bool]) -> float:
    values = list(hits)
    return round(sum(values) / len(values), 4) if values else 0.0


ANSWERABLE_SHARES = (
    "recall_at_1",
    "recall_at_5",
    "recall_at_10",
    "mrr",
    "with_sources",
    "gold_among_sources",
    "told",
    "answered",
    "right",
)
UNANSWERABLE_SHARES = ("with_sources", "answered", "wrong_answer")


def answerable_table(figures: Sequence[AnswerableFigures]) -> str:
    rows: list[tuple[str | int | float, ...]] = [
        (
            f"{row.dataset} {row.group} {row.language}",
            row.questions,
            *(getattr(row, name) for name in ANSWERABLE_SHARES),
        )
        for row in figures
    ]
    headings = ["R@1", "R@5", "R@10", "MRR", "sources", "gold source", "told", "answered", "right"]
    return table(("answerable", "n", *headings), rows)


def unanswerable_table(figures: Sequence[UnanswerableFigures]) -> str:
    rows = [
        (
            f"{row.dataset} {row.kind} {row.language} ({row.expect})",
            row.questions,
            *(getattr(row, name) for name in UNANSWERABLE_SHARES),
        )
        for row in figures
    ]
    return table(("without an answer", "n", "with sources", "answered", "wrong answer"), rows)


def required_table(shown: Sequence[Shown]) -> str:
    rows = [
        (
            item.requirement.name,
            item.questions,
            "" if item.requirement.floor is None else f"{item.requirement.floor:g}",
            "" if item.requirement.aim is None else f"{item.requirement.aim:g}",
            float(item.figure),
            item.verdict.value,
        )
        for item in shown
    ]
    return table(("must show", "n", "floor", "aim", "figure", ""), rows)


def table(headings: Sequence[str], rows: Sequence[Sequence[str | int | float]]) -> str:
    """Columns as wide as their widest cell, the first to the left; shares with three decimals."""
    cells = [
        headings,
        *(
            [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row]
            for row in rows
        ),
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    )
