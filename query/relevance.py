"""Does anything that was found answer this question? The gate between retrieval and answering.

One logistic decision on two features and their product: how near the nearest passage is (cosine),
and how much of what the question says stands in one passage (coverage, sources/language/terms.py).
Each alone fails: cosine passes small talk, coverage passes questions made of common words; a
passage that answers has some of both. `bench/fit_relevance.py` fits the weights on eval/, leaving
one tenant out; docs/retrieval.md has the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from query.retrieval import Question, RetrievedChunk
from sources.language.terms import coverage

PASSAGES_JUDGED = 5  # the best by fused score
# Fitted for all-MiniLM-L6-v2 read through the glossary.
BIAS = -9.30
SIMILARITY_WEIGHT = 16.73
COVERAGE_WEIGHT = 3.50
PRODUCT_WEIGHT = 10.15
THRESHOLD = 0.5


@dataclass(frozen=True)
class Relevance:
    """`probability` 0 … 1 that a passage answers; `similarity` and `coverage` 0 … 1 are what it was
    judged by."""

    similarity: float
    coverage: float

    @property
    def probability(self) -> float:
        product = self.similarity * self.coverage
        score = (
            BIAS
            + SIMILARITY_WEIGHT * self.similarity
            + COVERAGE_WEIGHT * self.coverage
            + PRODUCT_WEIGHT * product
        )
        return 1 / (1 + math.exp(-score))

    @property
    def is_relevant(self) -> bool:
        return self.probability >= THRESHOLD


def judge_relevance(question: Question, chunks: Sequence[RetrievedChunk]) -> Relevance:
    """`chunks` best first."""
    judged = chunks[:PASSAGES_JUDGED]
    return Relevance(
        similarity=max((chunk.similarity for chunk in judged), default=0.0),
        coverage=max((chunk_coverage(question, chunk) for chunk in judged), default=0.0),
    )


def chunk_coverage(question: Question, chunk: RetrievedChunk) -> float:
    passage = f"{chunk.document_title}\n{chunk.section_title}\n{chunk.text}"
    return coverage(question.text, question.language, passage, chunk.language)
