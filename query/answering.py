"""The extractive answerer: the sentences that answer, in the document's own words, each with its
source's number.

It never writes a fact of its own, so it cannot invent one. A table row is one sentence: its headers
are in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from query.drafts import Draft, DraftWriter
from query.retrieval import Question, RetrievedChunk
from sources.ingestion.embed import get_embedder
from sources.ingestion.index import for_model
from sources.ingestion.sentences import split_sentences
from sources.language.terms import coverage
from sources.models import ChunkLevel

MODEL_LABEL = "extractive"
PASSAGES_READ = 3  # the best ones; further ones would pad the answer
# The best by their words; each costs 1 to 3 ms of the answer.
SENTENCES_EMBEDDED = 20
MAX_SENTENCES = 3
WHOLE_PASSAGE_MAX_WORDS = 40
MAX_CHARS = 700
# A further sentence must score nearly as well as the best one, or it is padding.
NEARLY_AS_GOOD = 0.85
# Shares of a sentence's score: meaning, the question's words, and how good its passage is.
SIMILARITY_SHARE, COVERAGE_SHARE, PASSAGE_SHARE = 0.4, 0.3, 0.3
# A sentence that holds the kind of thing asked for: a number, a date, a name
EXPECTED_KIND_BONUS = 0.15

NUMBER = re.compile(r"\d")
NAME = re.compile(r"(?<=[\w,;:] )[A-ZÁÉÍÓÚÑ][\w'-]+")
ASKS_FOR_NUMBER = re.compile(
    r"\b(cu[aá]nt[oa]s?|cu[aá]ndo|precio|cuesta"
    r"|qu[eé] (hora|d[ií]as?|precio|plazo|fecha|horario|descuento)"
    r"|how (much|many|long|far|old|often)|when|price|cost|what (time|date|year))\b",
    re.IGNORECASE,
)
ASKS_FOR_NAME = re.compile(
    r"\b(qui[eé]n(es)?|d[oó]nde|who|whose|where|which (country|city|person))\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Sentence:
    text: str
    chunk: int  # index into the passages given
    position: int  # order within its passage


def extract_answer(
    question: Question, chunks: Sequence[RetrievedChunk], *, marks_sources: bool
) -> DraftWriter:
    """Sentences of `chunks` (best first, at least one) that answer, in the documents' order.

    `marks_sources` puts [n] behind each run of sentences of one passage, n counting `chunks` from
    1.
    """
    sentences = [
        Sentence(text, number, position)
        for number, chunk in enumerate(chunks[:PASSAGES_READ])
        for position, text in enumerate(read_sentences(chunk))
    ]
    chosen = choose(sentences, rank_sentences(question, sentences, chunks))
    text = compose(chosen, marks_sources=marks_sources)
    yield text
    return Draft(text, tuple(range(len(chunks))), MODEL_LABEL)


def read_sentences(chunk: RetrievedChunk) -> list[str]:
    if chunk.level == ChunkLevel.ROW:
        return [chunk.text]
    return split_sentences(chunk.text)


def rank_sentences(
    question: Question, sentences: Sequence[Sentence], chunks: Sequence[RetrievedChunk]
) -> list[tuple[float, Sentence]]:
    """Scores (0 … about 1.2) and sentences, best first, of those that their words make likely."""
    by_words = {item: score_by_words(question, item, chunks) for item in sentences}
    shortlist = sorted(by_words, key=lambda item: -by_words[item])[:SENTENCES_EMBEDDED]
    embedder = get_embedder(question.space)
    texts = [
        for_model(in_context(item, chunks), chunks[item.chunk].language, embedder)
        for item in shortlist
    ]
    nearness = [
        max(0.0, float(np.max(windows @ question.vector)))
        for windows in embedder.embed_passages(texts)
    ]
    scored = [
        (by_words[item] + SIMILARITY_SHARE * near, item)
        for item, near in zip(shortlist, nearness, strict=True)
    ]
    return sorted(scored, key=lambda pair: -pair[0])


def score_by_words(
    question: Question, sentence: Sentence, chunks: Sequence[RetrievedChunk]
) -> float:
    chunk = chunks[sentence.chunk]
    best_passage = max(chunk.score for chunk in chunks) or 1.0
    found = coverage(question.text, question.language, in_context(sentence, chunks), chunk.language)
    return (
        COVERAGE_SHARE * found.share
        + PASSAGE_SHARE * chunk.score / best_passage
        + expected_kind(question, sentence)
    )


def in_context(sentence: Sentence, chunks: Sequence[RetrievedChunk]) -> str:
    """A sentence under its heading: "It is free" says what is free only with "Delivery" above
    it."""
    title = chunks[sentence.chunk].section_title
    return f"{title}: {sentence.text}" if title else sentence.text


def expected_kind(question: Question, sentence: Sentence) -> float:
    wants_number = ASKS_FOR_NUMBER.search(question.text) and NUMBER.search(sentence.text)
    wants_name = ASKS_FOR_NAME.search(question.text) and NAME.search(sentence.text)
    return EXPECTED_KIND_BONUS if wants_number or wants_name else 0.0


def choose(
    sentences: Sequence[Sentence], ranked: Sequence[tuple[float, Sentence]]
) -> list[Sentence]:
    """The best sentence and those nearly as good, within MAX_SENTENCES and MAX_CHARS, in order.

    A short passage is given whole: its sentences lean on each other ("No. They exceed the limit.").
    """
    best_score, best = ranked[0]
    passage = [item for item in sentences if item.chunk == best.chunk]
    if sum(len(item.text.split()) for item in passage) <= WHOLE_PASSAGE_MAX_WORDS:
        return passage
    chosen = [best]
    length = len(best.text)
    for score, sentence in ranked[1:MAX_SENTENCES]:
        length += len(sentence.text)
        if score < NEARLY_AS_GOOD * best_score or length > MAX_CHARS:
            break
        chosen.append(sentence)
    return sorted(chosen, key=lambda item: (item.chunk, item.position))


def compose(sentences: Sequence[Sentence], *, marks_sources: bool) -> str:
    runs = []
    for chunk in dict.fromkeys(sentence.chunk for sentence in sentences):
        run = " ".join(sentence.text for sentence in sentences if sentence.chunk == chunk)
        runs.append(f"{run} [{chunk + 1}]" if marks_sources else run)
    return " ".join(runs)
