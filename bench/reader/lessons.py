"""What is learned from, as groups: a question, the passages that it is put to, and which of their
sentences answer. From the written texts, from SQuAD (../shared/reading), and from what the search
finds for the questions of companies.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.calibration.collect import Found
from bench.calibration.examples import holds, in_order, plain, set_of
from bench.evaluation.datasets import COMPANY_PREFIX, HELD_OUT
from bench.reader.texts import WrittenCompany
from language.words import Language
from query.search.calibration import Calibration
from query.search.reader.reader import title_of
from reading.sentences import sentence_spans

PASSAGES_READ = 6  # of a question to a company: one more than are judged, for other orders
SIBLINGS = 2  # of a written passage, beside it
ANSWER_MIN_CHARS = 3  # a bare digit stands in any sentence
# Titles of ../shared/eval/wiki, which stay a fair judge; in Spanish as the translation has them
EVALUATED = {
    "en": {
        "Normans", "Computational_complexity_theory", "European_Union_law", "Harvard_University",
        "Imperialism", "Force",
    },
    "es": {
        "Normandos", "Complejidad computacional _ teoría", "Southern _ California",
        "Victoria _ (Australia)", "Ley Europea", "Selva Amazónica", "Ctenophora",
        "Fresno, California", "Muerte negra", "Desobediencia civil", "Construcción",
        "Escuela privada", "Universidad", "Intergovernmental _ Panel _ on _ Climate _ Change",
        "Rin", "Imperialismo", "Fuerza",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Passage:
    """`title`: of the document, and of the section within it."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Lesson:
    """`right`: places, the passage's and the sentence's within it; none where nothing answers.
    `teaches`: it is known which sentence is right, or that none is. `kind`: "written", "squad",
    or what the question's set expects. `company`: who is left out together. `key` names the
    question of what was found, `chunks` its passages; `is_learned`: of a company that may be
    learned from."""

    company: str
    kind: str
    language: Language
    question: str
    passages: tuple[Passage, ...]
    right: frozenset[tuple[int, int]]
    key: str = ""
    chunks: tuple[int, ...] = ()
    teaches: bool = True
    is_learned: bool = False


def written_lessons(companies: Sequence[WrittenCompany], seed: int) -> Iterator[Lesson]:
    """Yields each question with its passage and others of the same company."""
    chance = random.Random(seed)  # noqa: S311 - an order that can be repeated
    for company in companies:
        passages = [Passage(one.title, tuple(one.lines)) for one in company.passages]
        for number, written in enumerate(company.passages):
            others = [at for at in range(len(passages)) if at != number]
            for question in written.questions:
                beside = chance.sample(others, min(SIBLINGS, len(others)))
                yield Lesson(
                    company.name,
                    "written",
                    question.language,
                    question.text,
                    tuple(passages[at] for at in (number, *beside)),
                    frozenset((0, line) for line in question.lines),
                )


def squad_lessons(path: Path, language: Language, seed: int) -> Iterator[Lesson]:
    """Yields each question with its paragraph and another one of the same article."""
    chance = random.Random(seed)  # noqa: S311 - an order that can be repeated
    for article in json.loads(path.read_text())["data"]:
        if article["title"] in EVALUATED[language]:
            continue
        paragraphs = article["paragraphs"]
        passages = [
            Passage(article["title"].replace("_", " "), tuple(text for _, _, text in placed))
            for placed in (sentences_of(one["context"]) for one in paragraphs)
        ]
        for number, paragraph in enumerate(paragraphs):
            placed = sentences_of(paragraph["context"])
            for entry in paragraph["qas"]:
                right = frozenset(
                    (0, at)
                    for answer in entry["answers"]
                    for at, (start, end, _) in enumerate(placed)
                    if start <= answer["answer_start"] < end
                )
                if entry.get("is_impossible"):
                    right = frozenset()
                elif not right:
                    continue
                other = chance.randrange(len(passages))
                beside = (passages[other],) if other != number else ()
                yield Lesson(
                    article["title"],
                    "squad",
                    language,
                    entry["question"],
                    (passages[number], *beside),
                    right,
                )


def sentences_of(text: str) -> list[tuple[int, int, str]]:
    return [(start, end, text[start:end]) for start, end in sentence_spans(text)]


def found_lessons(rows: Sequence[Found], calibration: Calibration) -> Iterator[Lesson]:
    """Yields each question with the first passages that the search found for it, if any."""
    for row in rows:
        ordered = in_order(row, calibration)
        chunks = ordered.chunks[:PASSAGES_READ]
        if not chunks:
            continue
        answers = [one for one in row.question.answers if len(plain(one)) >= ANSWER_MIN_CHARS]
        is_answerable = row.question.expect == "answer"
        right = frozenset(
            (number, at)
            for number, chunk in enumerate(chunks)
            if is_answerable and ordered.is_gold[number]
            for at, text in enumerate(chunk.sentences)
            if holds(text, answers)
        )
        yield Lesson(
            row.fold if set_of(row) == "company" else row.corpus,
            row.question.expect,
            "es" if row.question.language == "es" else "en",
            row.asked.text,
            tuple(Passage(title_of(chunk), chunk.sentences) for chunk in chunks),
            right,
            key=f"{row.corpus}/{row.question.qid}",
            chunks=tuple(chunk.chunk_id for chunk in chunks),
            teaches=bool(right) or not is_answerable,
            is_learned=row.corpus.startswith(COMPANY_PREFIX) and row.fold not in held_out(),
        )


@cache
def held_out() -> frozenset[str]:
    return frozenset(path.name for path in HELD_OUT.iterdir())
