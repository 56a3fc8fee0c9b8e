"""What other thresholds would have done, recomputed from the probabilities of one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.evaluation.datasets import COMPANIES_SET
from bench.evaluation.requirements import LANGUAGES, of, wiki_own
from bench.evaluation.rows import Row

THRESHOLDS = tuple(step / 100 for step in range(1, 100))
SMALLEST_KIND = 20  # questions; a curve of fewer is a staircase


@dataclass(frozen=True)
class TradeOffPoint:
    """`kept` is the share of what should be and is, `wrong` of what should not be and is."""

    threshold: float
    kept: float
    wrong: float


@dataclass(frozen=True)
class TradeOff:
    """A curve over the thresholds; `operating` is what was served."""

    name: str
    language: str
    questions: int
    points: tuple[TradeOffPoint, ...]
    operating: TradeOffPoint


def gate_curves(rows: Sequence[Row]) -> Iterator[TradeOff]:
    """Answerable questions that get sources, against each kind that must not: companies' against
    companies', the encyclopedia's against all others."""
    for language in LANGUAGES:
        for dataset, kind in silent_kinds(rows, language):
            is_companies = dataset == COMPANIES_SET
            asks = of(COMPANIES_SET, language) if is_companies else wiki_own(language)
            answerable = list(filter(asks, rows))
            silent = list(filter(of(dataset, language, kind=kind), rows))
            if answerable and len(silent) >= SMALLEST_KIND:
                yield trade_off(
                    f"{dataset} {kind}",
                    language,
                    answerable,
                    silent,
                    score=lambda row: row.relevance,
                    served=lambda row: row.n_sources > 0,
                )


def silent_kinds(rows: Sequence[Row], language: str) -> list[tuple[str, str]]:
    return sorted(
        {
            (row.dataset, row.kind)
            for row in rows
            if row.expect == "no_sources" and row.language == language
        }
    )


def certainty_curves(rows: Sequence[Row]) -> Iterator[TradeOff]:
    """Answerable questions that are answered, against questions on the topic without an answer.

    Both through the gate as it was served: what it closed is answered at no threshold.
    """
    for dataset, kind, group in (
        (COMPANIES_SET, "near_topic", None),
        ("wiki", "on_topic", "core"),
        ("nq", "near_topic", None),
    ):
        for language in LANGUAGES:
            answerable = list(filter(of(dataset, language, group=group), rows))
            without = list(filter(of(dataset, language, kind=kind), rows))
            if answerable and without:
                yield trade_off(
                    f"{dataset} {kind}",
                    language,
                    answerable,
                    without,
                    score=lambda row: row.certainty,
                    served=lambda row: row.asserts,
                )


def trade_off(
    name: str,
    language: str,
    wanted: Sequence[Row],
    unwanted: Sequence[Row],
    *,
    score: Callable[[Row], float],
    served: Callable[[Row], bool],
) -> TradeOff:
    points = tuple(
        TradeOffPoint(
            threshold,
            mean(score(row) >= threshold for row in wanted),
            mean(score(row) >= threshold for row in unwanted),
        )
        for threshold in THRESHOLDS
    )
    operating = TradeOffPoint(0.0, mean(map(served, wanted)), mean(map(served, unwanted)))
    return TradeOff(name, language, len(unwanted), points, operating)


def mean(hits: Iterator[bool] | map[bool]) -> float:
    values = list(hits)
    return sum(values) / len(values)
