"""Is a passage about this question? The gate between retrieval and answering.

One logistic decision a passage: how its vector stands among the tenant's and beside texts about the
world at large, how much of the question its best sentence says, how near its words are, and how
much they say (small talk is made of common words). `bin/manage calibrate` fits it for each model
and judges every company by a fit on the others; docs/retrieval.md has the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from language.dates import order_of
from language.words import Language, tokenize
from query.search.calibration import Calibration, get_calibration
from query.search.candidates import Question, RetrievedChunk
from query.search.contact_lines import contact_lines
from query.search.evidence import RelevanceEvidence, weigh
from query.search.headings import has_asked_heading
from query.search.ordering import standing
from query.search.reader.decisions import (
    NOT_READ,
    SEES_ANSWER,
    PassageEvidence,
    any_answers,
    get_decisions,
    read_only,
)
from query.understanding.asked_for import asks_of_a_day, compare_dates
from reading.passages import ChunkLevel
from sources.embedding.embedder import get_embedder

PASSAGES_JUDGED = 5  # the first in order
MAX_SOURCES = 5
CODE_MIN_CHARS = 4  # shorter ones, «A4», "B12", are words of many texts
NEAREST = 10  # of the background's texts
# From here on a language model is asked where the gate stays shut. Of the questions of six
# companies that it refuses though the first passages answer them, 61 of 89 lie above; of those that
# are asked of another trade or of none, 20 of 54 and not 11 are then read (docs/retrieval.md).
NEAR_THRESHOLD = 0.2
MAY_ANSWER = -1.0  # the reader's logarithm of odds that a passage answers


@dataclass(frozen=True)
class Relevance:
    """`probability` (0 … 1) that a passage is about the question."""

    evidence: RelevanceEvidence
    probability: float


def judge_passages(question: Question, chunks: Sequence[RetrievedChunk]) -> list[Relevance]:
    """The relevance of the first PASSAGES_JUDGED of `chunks`, in their order. What stands under a
    heading that is the question is about it, the line that tells how the company is reached, and
    what names the day that is asked about, with all else of the question."""
    calibration = get_calibration()
    lines = contact_lines(question, chunks)
    evidence = gather_evidence(question, chunks[:PASSAGES_JUDGED], calibration)
    return [
        Relevance(
            item,
            1.0
            if chunk.chunk_id in lines
            or has_asked_heading(question, chunk)
            or is_of_asked_day(question, chunk)
            else logistic(weigh(item, calibration.relevance)),
        )
        for chunk, item in zip(chunks, evidence, strict=False)
    ]


def is_of_asked_day(question: Question, chunk: RetrievedChunk) -> bool:
    total = sum(word.information for word in question.message.content.words)
    unsaid = (1 - chunk.match.titled_sentence) * total
    if not asks_of_a_day(question.asked, unsaid=unsaid):
        return False
    order = order_of(chunk.sentences) or "day"
    return any(True in compare_dates(question.asked, text, order) for text in chunk.sentences)


def judge_read(judged: Sequence[Relevance], chunks: Sequence[RetrievedChunk]) -> list[Relevance]:
    """The judgements with what the reader has said of `chunks`, to the first of which `judged`
    belongs."""
    weights, calibration = get_decisions().passage, get_calibration()
    return [
        item
        if item.probability == 1.0  # its heading was asked for
        else replace(
            item, probability=logistic(weigh(passage_evidence(item, chunk, calibration), weights))
        )
        for item, chunk in zip(judged, chunks, strict=False)
    ]


def passage_evidence(
    item: Relevance, chunk: RetrievedChunk, calibration: Calibration
) -> PassageEvidence:
    return PassageEvidence(
        calibrated=weigh(item.evidence, calibration.relevance),
        answers=NOT_READ if chunk.read is None else any_answers(read_only(chunk.read)),
    )


def gather_evidence(
    question: Question, chunks: Sequence[RetrievedChunk], calibration: Calibration
) -> list[RelevanceEvidence]:
    levels = {
        language: background_levels(question, language)
        for language in {chunk.language for chunk in chunks}
    }
    return [
        evidence_of(
            question, chunk, standing(question, chunk, calibration), *levels[chunk.language]
        )
        for chunk in chunks
    ]


def background_levels(question: Question, language: Language) -> tuple[float, float]:
    """The question's cosine with the nearest text about the world at large, and the mean of the
    NEAREST."""
    vectors = get_embedder(question.space).background.vectors[language]
    nearest = np.sort(vectors @ question.vector)[-NEAREST:]
    return float(nearest[-1]), float(nearest.mean())


def evidence_of(
    question: Question, chunk: RetrievedChunk, stands: float, nearest: float, ten: float
) -> RelevanceEvidence:
    # Weights of their own: across languages words and vectors agree less
    across = float(chunk.language != question.language)
    closeness, coverage = chunk.closeness, chunk.match.titled_sentence
    return RelevanceEvidence(
        standing=stands,
        coverage=coverage,
        # A logarithm, or a long question would pass the gate by its length
        information=math.log1p(chunk.match.information),
        closeness=closeness.mean,
        window_closeness=closeness.nearest_window,
        weakest=closeness.weakest,
        is_row=float(chunk.level == ChunkLevel.ROW),
        lead=chunk.similarity - nearest,
        lead_over_ten=chunk.similarity - ten,
        unheard=question.unheard,
        question_words=math.log1p(len(question.words.weights)),
        crosses_languages=across,
        standing_across=across * stands,
        coverage_across=across * coverage,
        closeness_across=across * closeness.mean,
        window_across=across * closeness.nearest_window,
        weakest_across=across * closeness.weakest,
    )


def logistic(score: float) -> float:
    """The probability of a score, always below 1: 1 is for passages under the heading that was
    asked for."""
    return 1 / (1 + math.exp(-max(-50.0, min(30.0, score))))


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of relevance: `answer`, from which on there is an answer, and `source`, from which
    on a passage is answered from."""

    answer: float
    source: float


def thresholds_of(chunks: Sequence[RetrievedChunk]) -> Thresholds:
    """The thresholds for passages that the reader has read, or for those that it has not."""
    if any(chunk.read is not None for chunk in chunks):
        return Thresholds(get_decisions().answer_threshold, get_decisions().source_threshold)
    fit = get_calibration().relevance
    return Thresholds(fit["answer_threshold"], fit["source_threshold"])


def select_sources(
    chunks: Sequence[RetrievedChunk], judged: Sequence[Relevance]
) -> tuple[RetrievedChunk, ...]:
    """The passages to answer from, in their order; none when none of them is probable enough.

    `judged` belongs to the first of `chunks`.
    """
    thresholds = thresholds_of(chunks)
    if best_of(judged) < thresholds.answer and not any(map(sees_answer, chunks)):
        return ()
    return tuple(
        chunk
        for chunk, relevance in zip(chunks, judged, strict=False)
        if relevance.probability >= thresholds.source or may_answer(chunk)
    )[:MAX_SOURCES]


def sees_answer(chunk: RetrievedChunk) -> bool:
    """Tells whether the reader is sure, whatever words and vectors say: «¿puedo venir con mi
    perrita?» of "Small dogs on a lead are welcome"."""
    return any_answers(read_only(chunk.read)) >= SEES_ANSWER


def may_answer(chunk: RetrievedChunk) -> bool:
    """Tells whether the reader sees an answer where words and vectors do not: "Who keeps the
    lighthouse?" of "The keeper has lived in the tower since 1998"."""
    return any_answers(read_only(chunk.read)) >= MAY_ANSWER


def best_of(judged: Sequence[Relevance]) -> float:
    return max((relevance.probability for relevance in judged), default=0.0)


def holding_codes(
    question: Question, chunks: Sequence[RetrievedChunk]
) -> tuple[RetrievedChunk, ...]:
    """The passages that hold all codes of the question: "what is OF-2041-B?" says nothing beside
    its code, and what holds it is about it."""
    codes = {code for code in question.asked.codes if len(code) >= CODE_MIN_CHARS}
    holding = (chunk for chunk in chunks if codes and codes <= set(tokenize(chunk.text)))
    return tuple(holding)[:MAX_SOURCES]


def select_near(
    chunks: Sequence[RetrievedChunk], judged: Sequence[Relevance]
) -> tuple[RetrievedChunk, ...]:
    """The passages that a model which can decline may look at, whether or not the gate lets them
    pass; () when they are clearly about something else. Arguments as of `select_sources`."""
    return tuple(chunks[: len(judged)])[:MAX_SOURCES] if best_of(judged) >= NEAR_THRESHOLD else ()
