"""Indexes each sheet in a fresh tenant, asks its questions and judges the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bench.evaluation.datasets import EvalCorpus
from bench.evaluation.document import markdown_table
from bench.evaluation.run import TELLING, fresh_tenant, index_file
from bench.tables.sheets import Half, Sheet, SheetQuestion, load_sheets
from query.answering.tables.answering import MODEL_LABEL
from query.answers import Answer
from query.models import Outcome
from query.pipeline import answer_findings, find_for_text


class SheetVerdict(StrEnum):
    """On an answer. Of a near miss only RIGHT and WRONG."""

    RIGHT = "right"
    TOLD = "told, not answered"  # quoted under a doubt, or a question back
    WRONG = "wrong"
    MISSED = "missed"


@dataclass(frozen=True)
class JudgedAnswer:
    sheet: str
    question: SheetQuestion
    answer: Answer
    verdict: SheetVerdict

    @property
    def is_computed(self) -> bool:
        return self.answer.model == MODEL_LABEL


def ask_half(half: Half, on_sheet: Callable[[], object]) -> list[JudgedAnswer]:
    judged: list[JudgedAnswer] = []
    for sheet in load_sheets(half):
        judged += ask_sheet(sheet)
        on_sheet()
    return judged


def ask_sheet(sheet: Sheet) -> Iterator[JudgedAnswer]:
    corpus = EvalCorpus(f"sheet-{sheet.name}", sheet.name, (sheet.file,), ())
    with fresh_tenant(corpus) as tenant:
        index_file(tenant, sheet.file)
        for question in sheet.questions:
            answer = answer_findings(tenant, find_for_text(tenant, question.text))
            yield JudgedAnswer(sheet.name, question, answer, judge(question, answer))


def judge(question: SheetQuestion, answer: Answer) -> SheetVerdict:
    is_answered = answer.outcome == Outcome.ANSWERED
    if question.is_near_miss:
        return SheetVerdict.WRONG if is_answered else SheetVerdict.RIGHT
    is_told = answer.outcome in TELLING and question.is_met(answer.text)
    if is_answered:
        return SheetVerdict.RIGHT if is_told else SheetVerdict.WRONG
    return SheetVerdict.TOLD if is_told else SheetVerdict.MISSED


def figures(judged: Sequence[JudgedAnswer]) -> str:
    """A table, the languages of the questions apart."""
    headings = ["", "n", *SheetVerdict, "computed, of right"]
    headings += ["near misses", "answered"]
    lines: list[list[str | int | float | None]] = []
    for language in ("es", "en"):
        own = [one for one in judged if one.question.language == language]
        asked = [one for one in own if not one.question.is_near_miss]
        near = [one for one in own if one.question.is_near_miss]
        right = [one for one in asked if one.verdict is SheetVerdict.RIGHT]
        shares = [share([one.verdict is verdict for one in asked]) for verdict in SheetVerdict]
        computed = share([one.is_computed for one in right])
        wrongly = sum(one.verdict is SheetVerdict.WRONG for one in near)
        lines.append([language, len(asked), *shares, computed, len(near), wrongly])
    return markdown_table(headings, lines)


def share(values: Sequence[bool]) -> float:
    return sum(values) / len(values) if values else 0.0
