"""The order of the best candidates: a weighted mean of what is cheap to know of each.

The fused score of retrieval chooses the candidates and is blunt between the best of them. Here each
of the first CANDIDATES_ORDERED gets the mean of six shares, weighted by the model's calibration.
docs/retrieval.md has what it brings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from query.calibration import Ordering
from query.matching import Match, Matcher

if TYPE_CHECKING:
    from query.retrieval import Question, RetrievedChunk

CANDIDATES_ORDERED = 10  # more cost time and change nothing (8 to 30 were tried)
LONG_PASSAGE_WORDS = 400  # content words; from here on the share of `length` is 1


@dataclass(frozen=True)
class Evidence:
    """Shares 0 … 1, named and in order as their weights in calibration's Ordering.

    `similarity` and `lexical` are of the best candidate's cosine and BM25, so they mean the same
    with any model; the next three are Match's. `length`: the vector of a long passage is blurred
    over more subjects, so the same cosine says more.
    """

    similarity: float
    lexical: float
    sentence: float
    adjacency: float
    title: float
    length: float


EVIDENCE = tuple(field.name for field in fields(Evidence))


def order_chunks(
    question: Question, fused: Sequence[RetrievedChunk], weights: Ordering
) -> list[RetrievedChunk]:
    """`fused` (best first) with new scores, 0 … 1, best first, ties by id.

    What is behind the first CANDIDATES_ORDERED stays behind them, in its order.
    """
    matched = match_chunks(question, fused[:CANDIDATES_ORDERED])
    ordered = [
        replace(chunk, score=weigh(evidence, weights))
        for chunk, evidence in zip(matched, gather_evidence(matched, fused), strict=True)
    ]
    ordered.sort(key=lambda chunk: (-chunk.score, chunk.chunk_id))
    return ordered + scored_below(ordered, fused[CANDIDATES_ORDERED:])


def match_chunks(question: Question, chunks: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    matcher = Matcher(question)
    return [replace(chunk, match=matcher.match(chunk)) for chunk in chunks]


def gather_evidence(
    chunks: Sequence[RetrievedChunk], candidates: Sequence[RetrievedChunk]
) -> list[Evidence]:
    """Of `chunks`, which are among `candidates`."""
    best_similarity = max((chunk.similarity for chunk in candidates), default=0.0)
    best_lexical = max((chunk.lexical for chunk in candidates), default=0.0)
    return [
        evidence_of(
            chunk.match or Match(),
            similarity=share(chunk.similarity, best_similarity),
            lexical=share(chunk.lexical, best_lexical),
        )
        for chunk in chunks
    ]


def evidence_of(match: Match, *, similarity: float, lexical: float) -> Evidence:
    length = min(1.0, math.log1p(match.words) / math.log1p(LONG_PASSAGE_WORDS))
    return Evidence(similarity, lexical, match.sentence, match.adjacency, match.title, length)


def weigh(evidence: Evidence, weights: Ordering) -> float:
    products = (getattr(evidence, name) * getattr(weights, name) for name in EVIDENCE)
    return float(sum(products))


def scored_below(
    ordered: Sequence[RetrievedChunk], rest: Sequence[RetrievedChunk]
) -> list[RetrievedChunk]:
    """The rest of the candidates keep their fused scores' proportions, under the last score."""
    if not rest:
        return []
    last, best = ordered[-1].score, rest[0].score
    return [replace(chunk, score=last * share(chunk.score, best)) for chunk in rest]


def share(value: float, best: float) -> float:
    return max(0.0, value) / best if best > 0 else 0.0
