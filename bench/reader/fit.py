"""Fits query/search/reader/decisions.json: what the reader's scores weigh beside the calibration.

Each company is read by a reader, and judged by a calibration, that had not seen it; both of its
languages are left out together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from bench.calibration.collect import Found
from bench.calibration.examples import holds, in_order
from bench.calibration.fit import lowest_threshold, named
from bench.calibration.regression import fit_decision
from query.answering.certainty import answer_evidence, languages_of
from query.answering.extraction import choose
from query.answering.headings import find_entry
from query.answering.weighing import Reading, read_passages
from query.search.calibration import LANGUAGES, Calibration, threshold_name, trying
from query.search.candidates import ReadScores
from query.search.evidence import weigh
from query.search.reader.decisions import (
    READ_CLOSELY,
    AnswerEvidence,
    Decisions,
    PassageEvidence,
    trying_decisions,
)
from query.search.relevance import (
    PASSAGES_JUDGED,
    Relevance,
    judge_passages,
    judge_read,
    logistic,
    passage_evidence,
    select_sources,
)

SENTENCE_WEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.7)
# The rules for the thresholds: of questions that nothing is about so many get sources; of those on
# a topic that nothing answers so many are answered; of the answerable ones so many wrongly.
OFF_TOPIC_MAX = 0.05
NEAR_ANSWERED_MAX = 0.08
WRONG_ANSWERS_MAX = 0.06
# Nothing is read where so few of the answerable questions would be lost by it.
UNREAD_LOST_MAX = 0.002
SOURCE_THRESHOLD = 0.55
PAIR_MIN_QUESTIONS = 60

Scores = Mapping[int, ReadScores]  # by the passage's id


@dataclass(frozen=True)
class JudgedRow:
    """A question as its own fold's calibration orders and judges its passages, with the scores of
    its own fold's reader."""

    found: Found
    calibration: Calibration
    judged: Sequence[Relevance]

    @property
    def is_answerable(self) -> bool:
        return self.found.question.expect == "answer"

    @property
    def is_off_topic(self) -> bool:
        return self.found.question.expect == "no_sources"


def make_row(found: Found, calibration: Calibration, scores: Scores) -> JudgedRow:
    ordered = in_order(found, calibration)
    first = [
        replace(chunk, read=scores.get(chunk.chunk_id)) if number < READ_CLOSELY else chunk
        for number, chunk in enumerate(ordered.chunks)
    ]
    with trying(calibration):
        judged = judge_passages(ordered.asked, ordered.chunks)
    return JudgedRow(replace(ordered, chunks=tuple(first)), calibration, judged)


def fit(rows: Sequence[JudgedRow]) -> Decisions:
    """Fits all decisions to `rows`, each of which has at least one passage."""
    passage = fit_passages(rows)
    unread = unread_threshold(rows)
    draft = Decisions(
        passage=passage,
        answer={},
        sentence=0.0,
        unread_threshold=unread,
        answer_threshold=0.5,
        source_threshold=SOURCE_THRESHOLD,
        certainty={},
    )
    off_topic = [
        max(probabilities(row, draft), default=0.0)
        for row in rows
        if row.is_off_topic and not row.found.asked.small_talk
    ]
    answer_threshold = lowest_threshold([off_topic], OFF_TOPIC_MAX)
    draft = replace(
        draft,
        answer_threshold=answer_threshold,
        source_threshold=min(SOURCE_THRESHOLD, answer_threshold),
    )
    draft = replace(draft, sentence=best_sentence_weight(rows, draft))
    told = [item for row in rows if (item := tell(row, draft)) is not None]
    draft = replace(draft, answer=fit_answers(told))
    return replace(draft, certainty=certainty_thresholds(told, draft))


# --- The passage ----------------------------------------------------------------------------------


def fit_passages(rows: Sequence[JudgedRow]) -> dict[str, float]:
    """Weighs the evidence of one passage a question: the right one that was read where there is an
    answer, else the likeliest."""
    features, labels = [], []
    for row in rows:
        evidence = [
            passage_evidence(item, chunk, row.calibration)
            for item, chunk in zip(row.judged, row.found.chunks[:READ_CLOSELY], strict=False)
        ]
        right = [item for item, gold in zip(evidence, row.found.is_gold, strict=False) if gold]
        if row.is_answerable and right:
            features.append(astuple(max(right, key=lambda item: item.answers)))
        elif row.is_off_topic and evidence:
            features.append(astuple(max(evidence, key=lambda item: item.answers)))
        else:
            continue
        labels.append(float(row.is_answerable))
    bias, weights = fit_decision(np.array(features), np.array(labels), np.ones(len(labels)))
    return {"bias": round(bias, 4), **named(PassageEvidence.names(), weights)}


def probabilities(row: JudgedRow, decisions: Decisions) -> list[float]:
    with trying(row.calibration), trying_decisions(decisions):
        return [item.probability for item in judge_read(row.judged, row.found.chunks)]


def unread_threshold(rows: Sequence[JudgedRow]) -> float:
    unread = [
        max(item.probability for item in row.judged)
        for row in rows
        if row.is_answerable and any(row.found.is_gold[:PASSAGES_JUDGED])
    ]
    return round(float(np.quantile(unread, UNREAD_LOST_MAX)), 4)


# --- The sentence ---------------------------------------------------------------------------------


def best_sentence_weight(rows: Sequence[JudgedRow], draft: Decisions) -> float:
    def share_right(weight: float) -> float:
        told = [tell(row, replace(draft, sentence=weight)) for row in rows if row.is_answerable]
        return float(np.mean([item.is_right for item in told if item is not None]))

    return max(SENTENCE_WEIGHTS, key=share_right)


@dataclass(frozen=True)
class Told:
    """What would be answered from the sources, were it certain enough."""

    row: JudgedRow
    reading: Reading
    is_right: bool


def tell(row: JudgedRow, decisions: Decisions) -> Told | None:
    """Returns the answer as it would be composed, or None where no passage becomes a source."""
    with trying(row.calibration), trying_decisions(decisions):
        judged = judge_read(row.judged, row.found.chunks)
        sources = select_sources(row.found.chunks, judged)
        if not sources:
            return None
        reading = read_passages(row.found.asked, sources)
        chosen = find_entry(row.found.asked, sources, reading) or choose(reading)
    files = {
        item.chunk_id
        for item, gold in zip(row.found.chunks, row.found.is_gold, strict=True)
        if gold
    }
    is_right = any(sources[item.chunk].chunk_id in files for item in chosen) and holds(
        " ".join(item.text for item in chosen), row.found.question.answers
    )
    return Told(row, reading, is_right)


# --- Certainty ------------------------------------------------------------------------------------


def fit_answers(told: Sequence[Told]) -> dict[str, float]:
    teaches = [item for item in told if not item.row.is_off_topic]
    features = np.array([astuple(evidence_of(item)) for item in teaches])
    labels = np.array([float(item.is_right) for item in teaches])
    bias, weights = fit_decision(features, labels, np.ones(len(labels)))
    return {"bias": round(bias, 4), **named(AnswerEvidence.names(), weights)}


def evidence_of(item: Told) -> AnswerEvidence:
    with trying(item.row.calibration):
        evidence = answer_evidence(item.reading)
    if evidence is None:
        raise ValueError("the passages of a row were not read")
    return evidence


def certainty_thresholds(told: Sequence[Told], draft: Decisions) -> dict[str, float]:
    """One for each pair of languages, where there are enough questions to tell."""
    certainties = [logistic(weigh(evidence_of(item), draft.answer)) for item in told]
    pairs = [languages_of(item.reading.certainty) for item in told]

    def groups(pair: tuple[str, str]) -> Iterator[list[float]]:
        for is_answerable in (False, True):
            kind = [
                (of, 0.0 if item.is_right else certainty)
                for item, certainty, of in zip(told, certainties, pairs, strict=True)
                if item.row.is_answerable is is_answerable and not item.row.is_off_topic
            ]
            own = [certainty for of, certainty in kind if of == pair]
            language = [certainty for of, certainty in kind if of[0] == pair[0]]
            yield own if len(own) >= PAIR_MIN_QUESTIONS else language

    return {
        threshold_name(asked, written): max(
            lowest_threshold([group], allowed)
            for group, allowed in zip(
                groups((asked, written)), (NEAR_ANSWERED_MAX, WRONG_ANSWERS_MAX), strict=True
            )
        )
        for asked in LANGUAGES
        for written in LANGUAGES
    }


def as_json(decisions: Decisions) -> str:
    return json.dumps(vars(decisions), indent=1) + "\n"
