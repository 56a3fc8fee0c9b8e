"""The order of the candidates: a weighted sum of what is cheap to know of each, by the model's
calibration. docs/retrieval.md has what it brings.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from query.search.calibration import Calibration
from query.search.candidates import Question, RetrievedChunk
from query.search.evidence import OrderEvidence, weigh

LONG_PASSAGE_WORDS = 400  # content words; from here on the share of `length` is 1
# So many of a model's ordinary vectors are mixed with a tenant's own: few passages have no mean of
# their own that could be relied on.
ORDINARY_VECTORS = 30


def order_chunks(
    question: Question, candidates: Sequence[RetrievedChunk], calibration: Calibration
) -> list[RetrievedChunk]:
    """`candidates` with new scores, best first, ties by id."""
    evidence = gather_evidence(question, candidates, calibration)
    scored = [
        replace(chunk, score=weigh(item, calibration.ordering))
        for chunk, item in zip(candidates, evidence, strict=True)
    ]
    # By number where scores are the same, or two askings would be answered differently
    return sorted(scored, key=lambda chunk: (-chunk.score, chunk.chunk_id))


def gather_evidence(
    question: Question, candidates: Sequence[RetrievedChunk], calibration: Calibration
) -> list[OrderEvidence]:
    standings = [standing(question, chunk, calibration) for chunk in candidates]
    best_standing = max(standings, default=0.0)
    best_lexical = max((chunk.lexical for chunk in candidates), default=0.0)
    # Across languages few words are shared: the best of the other language would always look bad
    in_language = {
        language: max(chunk.lexical for chunk in candidates if chunk.language == language)
        for language in {chunk.language for chunk in candidates}
    }
    return [
        OrderEvidence(
            standing=share(value, best_standing),
            lexical=share(chunk.lexical, best_lexical),
            lexical_in_language=share(chunk.lexical, in_language[chunk.language]),
            sentence=chunk.match.sentence,
            titled_sentence=chunk.match.titled_sentence,
            adjacency=chunk.match.adjacency,
            title=chunk.match.title,
            length=min(1.0, math.log1p(chunk.match.words) / math.log1p(LONG_PASSAGE_WORDS)),
            crosses_languages=float(chunk.language != question.language),
            closeness=chunk.closeness.mean,
            sentence_closeness=chunk.closeness.nearest_sentence,
            window_closeness=chunk.closeness.nearest_window,
        )
        for chunk, value in zip(candidates, standings, strict=True)
    ]


def standing(question: Question, chunk: RetrievedChunk, calibration: Calibration) -> float:
    """The number of deviations by which the chunk's cosine is above the mean of all in its
    language: a cosine's height means nothing by itself, and least of all across languages."""
    level = calibration.levels[question.language, chunk.language]
    # A tenant of ten passages says little about what is usual: then the fitted level counts
    own = chunk.neighbours / (chunk.neighbours + ORDINARY_VECTORS)
    mean = own * chunk.mean + (1 - own) * level.mean
    deviation = own * chunk.deviation + (1 - own) * level.deviation
    return (chunk.similarity - mean) / max(deviation, 1e-3)


def share(value: float, best: float) -> float:
    return max(0.0, value) / best if best > 0 else 0.0
