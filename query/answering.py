"""The extractive answerer: the sentences that answer, in the document's own words, each with its
source's number; or nothing, when none does (answerability.py).

It never writes a fact of its own, so it cannot invent one. A table row is one sentence: its headers
are in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from query.answerability import Evidence, is_answer, shortness
from query.asking import (
    Asked,
    counted_words,
    has_kind,
    missing_numbers,
    missing_words,
    negates,
    read_asked,
    share_held,
)
from query.cleaning import inert
from query.drafts import Draft, DraftWriter
from query.retrieval import Question, RetrievedChunk
from sources.ingestion.embed import CloseReading, Embedder, Vectors, get_embedder
from sources.ingestion.index import for_model
from sources.ingestion.sentences import split_sentences
from sources.language.terms import content_words, terms_of
from sources.language.words import Language, information
from sources.models import ChunkLevel

MODEL_LABEL = "extractive"
PASSAGES_READ = 5
# The best by their words; each costs about 1 ms of the answer.
SENTENCES_READ_CLOSELY = 12
MAX_SENTENCES = 3
MAX_CHARS = 700
WHOLE_PASSAGE_MAX_WORDS = 40
SENTENCE_ENDS = (".", "!", "?", "…", ":", '"', "”", "»", ")")
RARE_NAME_INFORMATION = 7.0  # of a word that is in no list

# A sentence's score is a logarithm of odds against the others: weights fitted on eval/ as a choice
# of one sentence a question.
PASSAGE_SCORE_WEIGHT = 3.7
PASSAGE_SIMILARITY_WEIGHT = 5.0
COVERAGE_WEIGHT = 1.0
NEAR_COVERAGE_WEIGHT = 3.1
PASSAGE_COVERAGE_WEIGHT = 2.0
KIND_WEIGHT = 2.2
SIMILARITY_WEIGHT = 3.6
CLOSENESS_WEIGHT = 7.6
# A further sentence may be this much worse than the best one; beyond, it is padding.
NEARLY_AS_GOOD = 1.0


@dataclass(frozen=True)
class Sentence:
    """One of a passage, and what its words tell. `held` are the terms of it and its heading."""

    text: str
    chunk: int  # index into the passages given
    position: int  # order within its passage
    held: frozenset[str] = field(repr=False)
    near_coverage: float  # of the question, together with the sentences before and after
    score_by_words: float


@dataclass(frozen=True)
class Judged:
    """A sentence that was read closely."""

    sentence: Sentence
    score: float
    similarity: float
    closeness: float


@dataclass(frozen=True)
class Reading:
    """All sentences in the documents' order, the likely ones best first, and what speaks for the
    best."""

    sentences: Sequence[Sentence]
    ranked: Sequence[Judged]
    evidence: Evidence


def extract_answer(
    question: Question, chunks: Sequence[RetrievedChunk], *, marks_sources: bool
) -> DraftWriter:
    """Sentences of `chunks` (best first, at least one) that answer, in the documents' order.

    `marks_sources` puts [n] behind each run of sentences of one passage, n counting `chunks` from
    1. A refusal yields nothing.
    """
    reading = read_passages(question, chunks)
    sources = tuple(range(len(chunks)))
    if not is_answer(reading.evidence):
        return Draft("", sources, MODEL_LABEL, is_refusal=True)
    parts = list(compose(choose(reading), marks_sources=marks_sources))
    yield from parts
    return Draft("".join(parts), sources, MODEL_LABEL)


def write_best(question: Question, chunks: Sequence[RetrievedChunk]) -> tuple[str, int, Evidence]:
    """What would be answered if nothing were refused, the index of the passage that says it, and
    the evidence for it: for measurements and fits."""
    reading = read_passages(question, chunks)
    text = "".join(compose(choose(reading), marks_sources=False))
    return text, reading.ranked[0].sentence.chunk, reading.evidence


def read_passages(question: Question, chunks: Sequence[RetrievedChunk]) -> Reading:
    asked = read_asked(question.text, question.language)
    sentences = read_sentences(asked, chunks[:PASSAGES_READ])
    ranked = rank_sentences(question, sentences, chunks)
    return Reading(sentences, ranked, weigh(question, asked, ranked[0], chunks))


def read_sentences(asked: Asked, chunks: Sequence[RetrievedChunk]) -> list[Sentence]:
    best_score = max(chunk.score for chunk in chunks) or 1.0
    return [
        sentence
        for number, chunk in enumerate(chunks)
        for sentence in read_passage(asked, number, chunk, chunk.score / best_score)
    ]


def read_passage(
    asked: Asked, number: int, chunk: RetrievedChunk, score_share: float
) -> Iterator[Sentence]:
    texts = [chunk.text] if chunk.level == ChunkLevel.ROW else split_sentences(chunk.text)
    heading = terms(chunk.section_title, chunk.language)
    held = [heading | terms(text, chunk.language) for text in texts]
    whole = set().union(terms(chunk.document_title, chunk.language), *held)
    of_passage = (
        PASSAGE_SCORE_WEIGHT * score_share
        + PASSAGE_SIMILARITY_WEIGHT * chunk.similarity
        + PASSAGE_COVERAGE_WEIGHT * share_held(asked, whole)
    )
    for position, text in enumerate(texts):
        near = share_held(asked, set().union(*held[max(0, position - 1) : position + 2]))
        yield Sentence(
            text=text,
            chunk=number,
            position=position,
            held=frozenset(held[position]),
            near_coverage=near,
            score_by_words=of_passage
            + COVERAGE_WEIGHT * share_held(asked, held[position])
            + NEAR_COVERAGE_WEIGHT * near
            + KIND_WEIGHT * has_kind(text, asked),
        )


def terms(text: str, language: Language) -> set[str]:
    return terms_of(content_words(text, language), language)


def rank_sentences(
    question: Question, sentences: Sequence[Sentence], chunks: Sequence[RetrievedChunk]
) -> list[Judged]:
    """Best first, of those that their words make likely."""
    likely = sorted(sentences, key=lambda item: -item.score_by_words)[:SENTENCES_READ_CLOSELY]
    embedder = get_embedder(question.space)
    texts = [
        for_model(in_context(item, chunks), chunks[item.chunk].language, embedder)
        for item in likely
    ]
    wording = for_model(question.text, question.language, embedder)
    asked, *readings = embedder.read_closely([wording, *texts])
    weights, words = word_vectors(wording, asked, model_language(question, embedder))
    judged = [
        judge(item, float(reading.vector @ question.vector), closeness(weights, words, reading))
        for item, reading in zip(likely, readings, strict=True)
    ]
    return sorted(judged, key=lambda item: -item.score)


def judge(sentence: Sentence, similarity: float, close: float) -> Judged:
    score = sentence.score_by_words + SIMILARITY_WEIGHT * similarity + CLOSENESS_WEIGHT * close
    return Judged(sentence, score, similarity, close)


def in_context(sentence: Sentence, chunks: Sequence[RetrievedChunk]) -> str:
    """A sentence under its heading: "It is free" says what is free only with "Delivery" above
    it."""
    title = chunks[sentence.chunk].section_title
    return f"{title}: {sentence.text}" if title else sentence.text


def model_language(question: Question, embedder: Embedder) -> Language:
    """The language in which the model reads the question."""
    return "en" if embedder.card.is_english_only else question.language


def word_vectors(
    wording: str, reading: CloseReading, language: Language
) -> tuple[Vectors, Vectors]:
    """Of the question's words that count: their information (n,) and vectors (n, dimension)."""
    weights, vectors = [], []
    for (start, end), weight in counted_words(wording, language):
        tokens = [
            index
            for index, (first, last) in enumerate(reading.spans)
            if first >= start and last <= end
        ]
        if tokens:
            mean = reading.tokens[tokens].mean(axis=0)
            weights.append(weight)
            vectors.append(mean / max(float(np.linalg.norm(mean)), 1e-9))
    return np.array(weights, dtype=np.float32), np.array(vectors, dtype=np.float32)


def closeness(weights: Vectors, words: Vectors, reading: CloseReading) -> float:
    """0 … 1: the mean over the question's words of the best cosine with a token of the sentence
    (late interaction: Khattab, Zaharia: ColBERT, 2020), by the words' information."""
    if not weights.sum() or not len(reading.tokens):
        return 0.0
    best = (words @ reading.tokens.T).max(axis=1)
    return max(0.0, float(best @ weights / weights.sum()))


def weigh(
    question: Question, asked: Asked, best: Judged, chunks: Sequence[RetrievedChunk]
) -> Evidence:
    """What speaks for the best sentence, and what is missing. Names and numbers may stand anywhere
    in the passages: "it" in one is named in another."""
    sentence = best.sentence
    chunk = chunks[sentence.chunk]
    passage = passage_terms(chunk)
    everything = set().union(*map(passage_terms, chunks[:PASSAGES_READ]))
    short = shortness(paragraph_words(sentence, chunk))
    lost_names = asked.names.intersection(missing_words(asked, everything))
    lost = max((information(name, asked.language) for name in lost_names), default=0.0)
    return Evidence(
        similarity=best.similarity,
        closeness=best.closeness,
        coverage=sentence.near_coverage,
        passage_similarity=chunk.similarity,
        lacks_number=float(bool(missing_numbers(asked, passage))),
        lacks_rare_name=min(1.0, lost / RARE_NAME_INFORMATION) * short,
        lacks_kind=float(not has_kind(sentence.text, asked)),
        lacks_negation=float(asked.is_negated and not negates(sentence.text)),
        is_short=short,
        crosses_languages=float(chunk.language != question.language),
    )


def paragraph_words(sentence: Sentence, chunk: RetrievedChunk) -> int:
    lines = [line for line in chunk.text.splitlines() if sentence.text in line]
    return len((lines or [chunk.text])[0].split())


def passage_terms(chunk: RetrievedChunk) -> set[str]:
    return terms(f"{chunk.document_title}\n{chunk.section_title}\n{chunk.text}", chunk.language)


def choose(reading: Reading) -> list[Sentence]:
    """The best sentence and those nearly as good, within MAX_SENTENCES and MAX_CHARS, in order.

    A short passage is given whole: its sentences lean on each other ("No. They exceed the limit.").
    """
    best, *others = without_repeats(reading.ranked)
    passage = [item for item in reading.sentences if item.chunk == best.sentence.chunk]
    if is_one_entry(passage):
        return without_questions(passage)
    chosen = [best.sentence]
    length = len(best.sentence.text)
    for judged in others[: MAX_SENTENCES - 1]:
        length += len(judged.sentence.text)
        if judged.score < best.score - NEARLY_AS_GOOD or length > MAX_CHARS:
            break
        chosen.append(judged.sentence)
    return sorted(without_questions(chosen), key=lambda item: (item.chunk, item.position))


def without_repeats(ranked: Sequence[Judged]) -> list[Judged]:
    """A text that stands in two documents, or on each page of a website, once."""
    best: dict[str, Judged] = {}
    for judged in ranked:
        best.setdefault(judged.sentence.text, judged)
    return list(best.values())


def is_one_entry(passage: Sequence[Sentence]) -> bool:
    """Short, and no list of rows, of which each stands for itself."""
    is_list = all(": " in sentence.text for sentence in passage)
    words = sum(len(sentence.text.split()) for sentence in passage)
    return words <= WHOLE_PASSAGE_MAX_WORDS and not is_list


def without_questions(chosen: list[Sentence]) -> list[Sentence]:
    """The heading of an entry of questions and answers is what was asked, and no answer."""
    return [item for item in chosen if not item.text.endswith("?")] or chosen


def compose(sentences: Sequence[Sentence], *, marks_sources: bool) -> Iterator[str]:
    """The text in pieces, a sentence each. Lines that end without a mark stay lines."""
    for index, sentence in enumerate(sentences):
        before = sentences[index - 1] if index else None
        after = sentences[index + 1] if index + 1 < len(sentences) else None
        ends_run = after is None or after.chunk != sentence.chunk
        mark = f" [{sentence.chunk + 1}]" if marks_sources and ends_run else ""
        yield f"{separator(before, sentence)}{inert(sentence.text)}{mark}"


def separator(before: Sentence | None, sentence: Sentence) -> str:
    if before is None:
        return ""
    return " " if before.text.endswith(SENTENCE_ENDS) else "\n"
