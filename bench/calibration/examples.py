"""From what was found to what can be learned: numbers of each passage and sentence, and whether it
is the right one.

How much a question counts: companies' questions are what the service is for, and fewer than the
encyclopedias' in the data; a question that nothing answers counts more where there are few.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from bench.calibration.collect import Found
from bench.calibration.regression import Array, Flags
from language.words import WORD, fold
from query.answering.weighing import read_passages
from query.search.calibration import Calibration, trying
from query.search.evidence import CertaintyEvidence, Evidence, SentenceEvidence
from query.search.ordering import gather_evidence as gather_order
from query.search.ordering import order_chunks
from query.search.relevance import PASSAGES_JUDGED
from query.search.relevance import gather_evidence as gather_relevance

THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}\b)")
COMPANY_WEIGHT = 4.0
# Questions in another language than their document are as many as the others in the encyclopedias,
# and rarer in life.
ENCYCLOPEDIA_ACROSS_WEIGHT = 0.3
# Of questions that have no answer on their topic, against those that have one.
NEAR_WEIGHTS = {"company": 6.0, "wiki": 4.0, "nq": 0.8, "filings": 0.3}
ANSWERED_WEIGHTS = {"company": 3.0, "wiki": 0.5, "nq": 0.5, "filings": 0.1}


@dataclass(frozen=True)
class Choices:
    """Of n questions their c ≥ 1 choices: `features` (n, c, k), which are there, and the right one
    (n, c); one a row that teaches. `weights` (n,)."""

    features: Array
    present: Flags
    right: Flags
    weights: Array

    @property
    def teaches(self) -> Flags:
        wrong = self.present & ~self.right
        return np.asarray(self.right.any(axis=1) & wrong.any(axis=1))


@dataclass(frozen=True)
class BestSentence:
    """What was found to be the best sentence of a question. `evidence` None: nothing was found.
    `holds`: of the sentences, best first, whether each holds an answer."""

    evidence: CertaintyEvidence | None
    is_right: bool
    holds: tuple[bool, ...] = ()


def set_of(row: Found) -> str:
    """ "company" for all companies."""
    name = row.corpus.split("-", maxsplit=1)[0]
    return name if name in ("wiki", "nq", "filings") else "company"


def weight_of(row: Found) -> float:
    if set_of(row) == "company":
        return COMPANY_WEIGHT
    return ENCYCLOPEDIA_ACROSS_WEIGHT if row.question.group == "cross-language" else 1.0


def in_order(row: Found, calibration: Calibration) -> Found:
    """Its candidates as the search will order them."""
    chunks = order_chunks(row.asked, row.chunks, calibration)
    gold = {chunk.chunk_id for chunk, gold in zip(row.chunks, row.is_gold, strict=True) if gold}
    return Found(
        row.corpus,
        row.fold,
        row.question,
        row.asked,
        tuple(chunks),
        tuple(chunk.chunk_id in gold for chunk in chunks),
    )


def order_choices(rows: Sequence[Found], calibration: Calibration) -> Choices:
    evidence = [gather_order(row.asked, row.chunks, calibration) for row in rows]
    return to_choices(evidence, [row.is_gold for row in rows], map(weight_of, rows))


def relevance_features(rows: Sequence[Found], calibration: Calibration) -> tuple[Array, Flags]:
    """Of the first PASSAGES_JUDGED of rows in order: (n, p, k), and which are there (n, p)."""
    evidence = [
        gather_relevance(row.asked, row.chunks[:PASSAGES_JUDGED], calibration) for row in rows
    ]
    choices = to_choices(evidence, [(False,) * len(part) for part in evidence], [1.0] * len(rows))
    return choices.features, choices.present


def to_choices(
    evidence: Sequence[Sequence[Evidence]],
    right: Sequence[Sequence[bool]],
    weights: Iterable[float],
) -> Choices:
    size = max((len(part) for part in evidence), default=1) or 1
    width = next((len(astuple(part[0])) for part in evidence if part), 1)
    features = np.zeros((len(evidence), size, width))
    present = np.zeros((len(evidence), size), dtype=bool)
    is_right = np.zeros_like(present)
    for number, (part, flags) in enumerate(zip(evidence, right, strict=True)):
        if part:
            features[number, : len(part)] = [astuple(item) for item in part]
            present[number, : len(part)] = True
            is_right[number, : len(flags)] = flags
    return Choices(features, present, is_right, np.array(list(weights)))


def sentence_choices(rows: Sequence[Found], calibrations: Sequence[Calibration]) -> Choices:
    """Of rows in order, each read by its own calibration. A sentence is right when it holds an
    answer, in a right passage."""
    evidence: list[list[SentenceEvidence]] = []
    right: list[list[bool]] = []
    for row, calibration in zip(rows, calibrations, strict=True):
        if not row.chunks:
            evidence.append([])
            right.append([])
            continue
        with trying(calibration):
            sentences = read_passages(row.asked, row.chunks).sentences
        evidence.append([sentence.evidence for sentence in sentences])
        right.append(
            [
                row.is_gold[sentence.chunk] and holds(sentence.text, row.question.answers)
                for sentence in sentences
            ]
        )
    return to_choices(evidence, right, map(weight_of, rows))


def best_sentence(row: Found, calibration: Calibration) -> BestSentence:
    """Of a row in order."""
    if not row.chunks:
        return BestSentence(None, is_right=False)
    with trying(calibration):
        reading = read_passages(row.asked, row.chunks)
    best = reading.ranked[0]
    flags = tuple(holds(item.text, row.question.answers) for item in reading.ranked[:3])
    is_right = row.is_gold[best.chunk] and (flags[0] or is_told_by_passage(row))
    return BestSentence(reading.certainty, is_right, flags)


def is_told_by_passage(row: Found) -> bool:
    """Where the answers are in the other language, or whole sentences, the passage tells."""
    is_across = set_of(row) == "wiki" and row.question.group == "cross-language"
    return is_across or row.corpus == "nq"


def holds(text: str, answers: Sequence[str]) -> bool:
    """As score.py compares them: without case, accents and punctuation, and «1.200» as 1200."""
    words = f" {plain(text)} "
    return any(f" {plain(answer)} " in words for answer in answers if plain(answer))


def plain(text: str) -> str:
    return " ".join(WORD.findall(fold(THOUSANDS.sub("", text))))
