"""Does a passage answer this question? The gate between retrieval and answering.

One logistic decision a passage, on three features: how near it is (cosine), what share of the
question's words its best sentence holds under its titles (coverage), and how much the words that it
holds say (information, a logarithm: small talk is made of common words). Each alone fails: cosine
passes small talk, coverage passes questions of common words. `bin/manage calibrate` fits the
weights and thresholds for each model, leaving one tenant out; docs/retrieval.md has the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from query.calibration import RelevanceFit, get_calibration
from query.matching import Match, Matcher
from query.retrieval import Question, RetrievedChunk

PASSAGES_JUDGED = 5  # the first in order
# A passage with less than this share of the best one's score is not shown as a source.
SOURCE_MIN_SHARE = 0.6


@dataclass(frozen=True)
class Relevance:
    """A passage's features and the probability, 0 … 1, that it answers.

    `similarity` (cosine) and `coverage` are 0 … 1; `information` is ≥ 0, about 7 for a word that is
    in no list (sources/language/words.py).
    """

    similarity: float
    coverage: float
    information: float
    probability: float


IRRELEVANT = Relevance(similarity=0.0, coverage=0.0, information=0.0, probability=0.0)


def judge_passages(question: Question, chunks: Sequence[RetrievedChunk]) -> list[Relevance]:
    """The relevance of the first PASSAGES_JUDGED of `chunks`, in their order."""
    fit = get_calibration().relevance
    matcher = Matcher(question)
    return [
        judge_match(chunk.similarity, chunk.match or matcher.match(chunk), fit)
        for chunk in chunks[:PASSAGES_JUDGED]
    ]


def judge_match(similarity: float, match: Match, fit: RelevanceFit) -> Relevance:
    score = (
        fit.bias
        + fit.similarity * similarity
        + fit.coverage * match.titled_sentence
        + fit.information * math.log1p(match.information)
    )
    probability = 1 / (1 + math.exp(-score))
    return Relevance(similarity, match.titled_sentence, match.information, probability)


def select_sources(
    chunks: Sequence[RetrievedChunk], judged: Sequence[Relevance]
) -> tuple[RetrievedChunk, ...]:
    """The passages to answer from, in their order; none when none of them is probable enough.

    `judged` belongs to the first of `chunks`.
    """
    fit = get_calibration().relevance
    best = max((relevance.probability for relevance in judged), default=0.0)
    if best < fit.answer_threshold:
        return ()
    enough = SOURCE_MIN_SHARE * chunks[0].score
    return tuple(
        chunk
        for chunk, relevance in zip(chunks, judged, strict=False)
        if relevance.probability >= fit.source_threshold and chunk.score >= enough
    )
