"""What a report keeps of a question that was asked: figures and no text (the evaluation data has a
licence of its own), enough to compare two runs question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

from bench.evaluation.datasets import set_name
from bench.evaluation.run import Asked
from query.models import Outcome


@dataclass(frozen=True)
class Row:
    """`corpus` and `qid` together name the question. `rank` is 0 when the gold passage is not among
    the first ten; `relevance` and `certainty` are probabilities, 0 … 1 (`certainty` is -1 without
    sources). `has_gold_answer`: in an answer, or in what an unsure one quotes."""

    corpus: str
    qid: str
    group: str
    kind: str
    expect: str
    language: str
    is_indexed: bool
    is_on_recording: bool
    rank: int
    relevance: float
    n_sources: int
    foreign_sources: int
    outcome: str
    certainty: float
    has_gold_source: bool
    has_gold_answer: bool
    has_wrong_answer: bool
    milliseconds: float

    @property
    def key(self) -> tuple[str, str]:
        return self.corpus, self.qid

    @property
    def dataset(self) -> str:
        return set_name(self.corpus)

    @property
    def asserts(self) -> bool:
        """It says something as a fact, and not as the closest that was found."""
        return self.outcome == Outcome.ANSWERED

    @property
    def is_right(self) -> bool:
        return self.asserts and self.has_gold_answer

    @property
    def is_wrong(self) -> bool:
        """Of a question that has an answer."""
        return self.asserts and not self.has_gold_answer


COLUMNS = tuple(field.name for field in fields(Row))


class BadReport(ValueError):
    """The content is no report of this version."""


def to_row(asked: Asked) -> Row:
    question = asked.question
    is_small_talk = asked.outcome == Outcome.SMALL_TALK  # told before the gate
    return Row(
        corpus=asked.corpus,
        qid=question.qid,
        group=question.group,
        kind=question.kind,
        expect=question.expect,
        language=question.language,
        is_indexed=asked.is_indexed,
        is_on_recording=question.is_on_recording,
        rank=asked.rank or 0,
        relevance=0.0 if is_small_talk else round(asked.relevance, 4),
        n_sources=len(asked.source_files),
        foreign_sources=asked.foreign_sources,
        outcome=str(asked.outcome),
        certainty=-1.0 if asked.certainty is None else round(asked.certainty, 4),
        has_gold_source=asked.has_gold_source,
        has_gold_answer=asked.has_gold_answer,
        has_wrong_answer=asked.has_wrong_answer,
        milliseconds=round(1000 * asked.seconds, 1),
    )


def rows_as_json(rows: Sequence[Row]) -> list[list[Any]]:
    return [list(astuple(row)) for row in rows]


def rows_from_json(report: Mapping[str, Any], section: str) -> list[Row]:
    """Raises BadReport."""
    if report.get("columns") != list(COLUMNS) or not isinstance(report.get(section), list):
        raise BadReport("It was written by another version of bin/manage evaluate.")
    return [Row(*values) for values in report[section]]
