"""Figures from asked questions: one row a set, group and language, never English and Spanish in
one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from query.evaluation.run import Asked


@dataclass(frozen=True)
class AnswerableFigures:
    """Shares are 0 … 1 of `questions`. `recall` at 1, 5 and 10 and `mrr` are of retrieval, before
    the gate."""

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
    answer_has_gold: float


@dataclass(frozen=True)
class UnanswerableFigures:
    """`with_sources`: the share of questions that wrongly (no_sources) or tolerably (no_invention)
    got sources."""

    dataset: str
    kind: str
    expect: str
    language: str
    questions: int
    with_sources: float


def answerable_figures(asked: Sequence[Asked]) -> list[AnswerableFigures]:
    groups: dict[tuple[str, str, str], list[Asked]] = defaultdict(list)
    for item in asked:
        if item.question.kind == "answerable":
            group = item.question.group if item.is_indexed else "file not indexed"
            groups[dataset(item), group, item.question.language].append(item)
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
        answer_has_gold=share(row.has_gold_answer for row in rows),
    )


def unanswerable_figures(asked: Sequence[Asked]) -> list[UnanswerableFigures]:
    groups: dict[tuple[str, str, str, str], list[Asked]] = defaultdict(list)
    for item in asked:
        if item.question.kind != "answerable":
            question = item.question
            groups[dataset(item), question.kind, question.expect, question.language].append(item)
    return [
        UnanswerableFigures(
            *key, questions=len(rows), with_sources=share(bool(row.source_files) for row in rows)
        )
        for key, rows in sorted(groups.items())
    ]


def dataset(item: Asked) -> str:
    return item.corpus.split("-", maxsplit=1)[0]


def share(hits: Iterable[bool]) -> float:
    values = list(hits)
    return round(sum(values) / len(values), 4) if values else 0.0


def answerable_table(figures: Sequence[AnswerableFigures]) -> str:
    lines = [
        f"{'answerable':34} {'n':>5} {'R@1':>6} {'R@5':>6} {'R@10':>6} {'MRR':>6} {'sources':>8} {'gold src':>9} {'gold ans':>9}"
    ]
    lines += [
        f"{f'{row.dataset} {row.group} {row.language}':34} {row.questions:5} {row.recall_at_1:6.3f} {row.recall_at_5:6.3f}"
        f" {row.recall_at_10:6.3f} {row.mrr:6.3f} {row.with_sources:8.3f} {row.gold_among_sources:9.3f}"
        f" {row.answer_has_gold:9.3f}"
        for row in figures
    ]
    return "\n".join(lines)


def unanswerable_table(figures: Sequence[UnanswerableFigures]) -> str:
    lines = [f"{'without an answer':34} {'n':>5} {'expected':>13} {'with sources':>13}"]
    lines += [
        f"{f'{row.dataset} {row.kind} {row.language}':34} {row.questions:5} {row.expect:>13} {row.with_sources:13.3f}"
        for row in figures
    ]
    return "\n".join(lines)
