"""Right and wrong answers for query/answerability.py to learn from, out of what the search found.

Wrong are the answers to questions that have none, and to questions whose passages are taken away:
what is left is on their topic and does not answer them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from query.answerability import Example, fit
from query.answering import write_best
from query.calibration.collect import Found
from query.relevance import judge_passages, select_sources
from sources.language.words import tokenize

# How much a group counts, all its questions together. Kinds of which there are few, and that matter
# as much, count more than their number.
TOTALS = {
    ("wiki", "on_topic"): 800.0,
    ("wiki", "removed"): 300.0,
    ("wiki", "removed, cross-language"): 240.0,
    ("nq", "near_topic"): 250.0,
    ("nq", "removed"): 50.0,
    ("filings", "other_company"): 40.0,
}
# The others, each question: to refuse a customer who could be answered costs most.
EACH = {
    ("wiki", "cross-language"): 0.5,
    ("company", "answerable"): 20.0,
    ("company", "near_topic"): 15.0,
    ("company", "removed"): 5.0,
}
# Of these, the threshold bounds the share that is answered.
LIMITED = {("wiki", "on_topic"), ("nq", "near_topic")}


@dataclass(frozen=True)
class Labelled:
    """`group` is a key of TOTALS or EACH, or neither."""

    group: tuple[str, str]
    example: Example


def fit_answerability(found: Sequence[Found]) -> dict[str, float]:
    """Of rows in the order in which the search answers; about 20 ms each."""
    labelled = [item for row in found for item in label(row)]
    sizes = Counter(item.group for item in labelled if item.example.evidence is not None)
    return fit([replace(item.example, weight=weight(item.group, sizes)) for item in labelled])


def weight(group: tuple[str, str], sizes: Counter[tuple[str, str]]) -> float:
    if group in TOTALS:
        return TOTALS[group] / max(sizes[group], 1)
    return EACH.get(group, 1.0)


def label(row: Found) -> Iterator[Labelled]:
    """The answer to the question, and the one without its passages."""
    name = row.corpus.split("-", maxsplit=1)[0]
    kind = row.question.kind
    if row.question.expect == "no_invention":
        limit = f"{kind} {row.question.language}" if (name, kind) in LIMITED else ""
        yield Labelled((name, kind), attempt(row, limit=limit))
    elif row.question.expect == "answer":
        across = name == "wiki" and row.question.group == "cross-language"
        yield Labelled((name, "cross-language" if across else kind), attempt(row))
        rest = tuple(chunk for chunk, gold in zip(row.chunks, row.is_gold, strict=True) if not gold)
        removed = replace(row, chunks=rest, is_gold=(False,) * len(rest))
        yield Labelled((name, "removed, cross-language" if across else "removed"), attempt(removed))


def attempt(row: Found, *, limit: str = "") -> Example:
    passages = select_sources(row.chunks, judge_passages(row.asked, row.chunks))
    if not passages:
        return Example(None, is_right=False, weight=0.0, limit=limit)
    text, best, evidence = write_best(row.asked, passages)
    gold = [chunk.chunk_id for chunk, gold in zip(row.chunks, row.is_gold, strict=True) if gold]
    is_right = bool(gold) and (
        holds(text, row.question.answers)
        or (is_told_by_passage(row) and passages[best].chunk_id in gold)
    )
    return Example(evidence, is_right=is_right, weight=0.0, limit=limit)


def is_told_by_passage(row: Found) -> bool:
    """Where the answers are in the other language, or whole sentences, the passage tells."""
    return bool(row.question.gold_paragraph) and (
        row.question.group == "cross-language" or row.corpus == "nq"
    )


def holds(text: str, answers: Sequence[str]) -> bool:
    words = f" {' '.join(tokenize(text))} "
    return any(f" {' '.join(tokenize(answer))} " in words for answer in answers if answer.strip())
