"""A question to an answer: retrieve → judge → answer. Everything that asks goes through
`answer_question`."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.models import Tenant
from query.answering import MODEL_LABEL, extract_answer
from query.redirecting import is_small_talk, redirect
from query.relevance import (
    ANSWER_THRESHOLD,
    IRRELEVANT,
    SOURCE_THRESHOLD,
    Relevance,
    judge_passages,
)
from query.retrieval import Question, RetrievedChunk, read_question, retrieve_chunks

TOP_K = 10  # passages retrieved; the best of them are judged
# A passage with less than this share of the best one's fused score is not shown as a source.
SOURCE_MIN_SHARE = 0.4


@dataclass(frozen=True)
class Answer:
    """What a caller gets. `sources` best first, empty when nothing relevant is indexed."""

    text: str
    sources: tuple[RetrievedChunk, ...]
    model: str


@dataclass(frozen=True)
class Findings:
    """What the search found, best first, and how the first passages were judged."""

    question: Question
    chunks: tuple[RetrievedChunk, ...]
    judged: tuple[Relevance, ...]

    @property
    def best(self) -> Relevance:
        """The relevance of the most probable passage."""
        return max(self.judged, key=lambda relevance: relevance.probability, default=IRRELEVANT)

    @property
    def sources(self) -> tuple[RetrievedChunk, ...]:
        """The passages to answer from, best first; none when the question is not answered."""
        if self.best.probability < ANSWER_THRESHOLD or is_small_talk(self.question.text):
            return ()
        enough = SOURCE_MIN_SHARE * self.chunks[0].score
        return tuple(
            chunk
            for chunk, relevance in zip(self.chunks, self.judged, strict=False)
            if relevance.probability >= SOURCE_THRESHOLD and chunk.score >= enough
        )


def answer_question(tenant: Tenant, text: str) -> Answer:
    """Answers from the tenant's default configuration: all its sources, source marks in the
    text."""
    return answer_findings(tenant, find(tenant, text))


def find(tenant: Tenant, text: str) -> Findings:
    question = read_question(text)
    chunks = retrieve_chunks(tenant, question, top_k=TOP_K)
    return Findings(question, tuple(chunks), tuple(judge_passages(question, chunks)))


def answer_findings(tenant: Tenant, findings: Findings) -> Answer:
    sources = findings.sources
    if not sources:
        return Answer(text=redirect(tenant, findings.question), sources=(), model=MODEL_LABEL)
    extracted = extract_answer(findings.question, sources, marks_sources=True)
    return Answer(text=extracted.text, sources=sources, model=MODEL_LABEL)
