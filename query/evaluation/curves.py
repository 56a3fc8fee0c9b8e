"""What other settings would have done, recomputed from the scores of one run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from query.evaluation.requirements import of, wiki_own
from query.evaluation.rows import Row
from query.evaluation.run import RANKS_SCORED, Asked, Candidate
from query.ordering import share

DENSE_SHARES = tuple(step / 20 for step in range(21))
THRESHOLDS = tuple(step / 100 for step in range(1, 100))
SMALLEST_KIND = 20  # questions; a curve of fewer is a staircase


@dataclass(frozen=True)
class FusionPoint:
    """`recall_at_1` and `mrr` of the fused order alone, 0 … 1."""

    dense_share: float
    recall_at_1: float
    mrr: float


@dataclass(frozen=True)
class TradeOffPoint:
    """`kept` is the share of what should be and is, `wrong` of what should not be and is."""

    threshold: float
    kept: float
    wrong: float


@dataclass(frozen=True)
class FusionCurve:
    name: str
    language: str
    questions: int
    points: tuple[FusionPoint, ...]


@dataclass(frozen=True)
class TradeOff:
    """A curve over the thresholds; `operating` is what was served."""

    name: str
    language: str
    questions: int
    points: tuple[TradeOffPoint, ...]
    operating: TradeOffPoint


def fusion_curves(asked: Sequence[Asked]) -> list[FusionCurve]:
    """Of the encyclopedia, by language of the question, documents in the same and in the other."""
    curves = []
    for group in ("core", "cross-language"):
        for language in ("en", "es"):
            candidates = [
                item.candidates
                for item in asked
                if item.corpus.startswith("wiki-")
                and item.question.group == group
                and item.question.language == language
            ]
            if candidates:
                points = tuple(fusion_point(candidates, dense) for dense in DENSE_SHARES)
                curves.append(FusionCurve(group, language, len(candidates), points))
    return curves


def fusion_point(candidates: Sequence[Sequence[Candidate]], dense: float) -> FusionPoint:
    ranks = [fused_rank(items, dense) for items in candidates]
    inverse = [1 / rank if 1 <= rank <= RANKS_SCORED else 0.0 for rank in ranks]
    return FusionPoint(dense, mean(rank == 1 for rank in ranks), sum(inverse) / len(inverse))


def fused_rank(candidates: Sequence[Candidate], dense: float) -> int:
    """Of the first gold passage, from 1; 0 when there is none. As query/retrieval.py fuses: ties by
    id, which is the order of `candidates`."""
    best_similarity = max((item.similarity for item in candidates), default=0.0)
    best_lexical = max((item.lexical for item in candidates), default=0.0)

    def score(item: Candidate) -> float:
        similarity = share(item.similarity, best_similarity)
        return dense * similarity + (1 - dense) * share(item.lexical, best_lexical)

    ranked = sorted(candidates, key=score, reverse=True)
    return next((rank for rank, item in enumerate(ranked, start=1) if item.is_gold), 0)


def gate_curves(rows: Sequence[Row]) -> Iterator[TradeOff]:
    """Answerable questions of the encyclopedia that get sources, against each kind that must
    not."""
    for language in ("en", "es"):
        answerable = list(filter(wiki_own(language), rows))
        for dataset, kind in silent_kinds(rows, language):
            silent = list(filter(of(dataset, language, kind=kind), rows))
            if answerable and len(silent) >= SMALLEST_KIND:
                yield trade_off(
                    f"{dataset} {kind}",
                    language,
                    answerable,
                    silent,
                    score=lambda row: row.gate,
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


def refusal_curves(rows: Sequence[Row]) -> Iterator[TradeOff]:
    """Answerable questions that get an answer, against questions on the topic without one.

    Both through the gate as it was served: what it closed asserts nothing at any threshold.
    """
    for dataset, kind, language in (
        ("wiki", "on_topic", "en"),
        ("wiki", "on_topic", "es"),
        ("nq", "near_topic", "en"),
    ):
        group = "core" if dataset == "wiki" else None
        answerable = list(filter(of(dataset, language, group=group), rows))
        without = list(filter(of(dataset, language, kind=kind), rows))
        if answerable and without:
            yield trade_off(
                f"{dataset} {kind}",
                language,
                answerable,
                without,
                score=lambda row: row.answerability,
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
