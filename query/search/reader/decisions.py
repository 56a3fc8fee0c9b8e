"""Weighs the reader's scores beside the calibration's: of a passage, of a sentence, and of how sure
an answer is. `python -m bench.reader.fit` fits the weights, on companies that the reader that read
them had not seen; the numbers are in decisions.json.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from language.words import Language
from query.search.calibration import threshold_name
from query.search.candidates import ReadScores
from query.search.evidence import Evidence

FILE = Path(__file__).with_name("decisions.json")
READ_CLOSELY = 5  # the first in order: as many as are judged
LOWEST = -10.0  # of a score: beyond, it is clear
# From here on the reader is sure: it is of 63 in 100 answerable questions, of 1 in 100 off topic,
# and of 4 in 100 on a topic that nothing answers.
SEES_ANSWER = 4.0
NOT_READ = -6.0  # the score of what is beyond what is read


@dataclass(frozen=True)
class PassageEvidence(Evidence):
    """Evidence that a passage is about the question. Both are logarithms of odds: `calibrated` is
    what the calibration makes of it, `answers` the reader's that it answers at all."""

    calibrated: float
    answers: float


@dataclass(frozen=True)
class AnswerEvidence(Evidence):
    """Evidence that the best sentence answers. Logarithms of odds: `calibrated` by the calibration,
    `score` by the reader for this sentence, `any` by the reader that anything it read answers, and
    `behind` (≤ 0) how far `score` is below the reader's own choice. The others are as in
    CertaintyEvidence."""

    calibrated: float
    score: float
    any: float
    behind: float
    ahead: float
    ahead_of_others: float
    window: float
    misfits: float
    is_row: float
    crosses_languages: float
    asked_in_spanish: float


@dataclass(frozen=True)
class Decisions:
    """Thresholds are probabilities. `sentence`: the weight of a score beside a sentence's own.
    Below `unread_threshold`, by the calibration alone, nothing is read."""

    passage: Mapping[str, float]
    answer: Mapping[str, float]
    sentence: float
    unread_threshold: float
    answer_threshold: float
    source_threshold: float
    certainty: Mapping[str, float]

    def enough(self, asked: Language, written: Language) -> float:
        """How certain is enough, for the question's language and the passage's."""
        return self.certainty[threshold_name(asked, written)]


_tried: ContextVar[Decisions | None] = ContextVar("tried_decisions", default=None)


def get_decisions() -> Decisions:
    return _tried.get() or shipped_decisions()


@contextmanager
def trying_decisions(decisions: Decisions) -> Iterator[None]:
    """Lets these decisions count meanwhile, in this context alone: a measurement can try others."""
    token = _tried.set(decisions)
    try:
        yield
    finally:
        _tried.reset(token)


@cache
def shipped_decisions() -> Decisions:
    return Decisions(**json.loads(FILE.read_text(encoding="utf-8")))


def any_answers(scores: Sequence[float]) -> float:
    """Returns the logarithm of odds that one of the sentences answers; LOWEST without scores."""
    if not scores:
        return LOWEST
    highest = max(scores)
    total = sum(math.exp(score - highest) for score in scores)
    return max(LOWEST, highest + math.log(total))


def read_only(scores: ReadScores | None) -> list[float]:
    """Drops the sentences that were not read."""
    return [score for score in scores or () if score is not None]
