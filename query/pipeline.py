"""A question to an answer: retrieve → judge → answer. Everything that asks goes through
`answer_question`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.models import Tenant
from query.answering import MODEL_LABEL, extract_answer
from query.redirecting import is_small_talk, redirect
from query.relevance import Relevance, judge_relevance
from query.retrieval import Question, RetrievedChunk, read_question, retrieve_chunks

TOP_K = 10  # passages retrieved and judged
MAX_SOURCES = 5
# A passage with less than this share of the best one's score is not shown as a source.
SOURCE_MIN_SHARE = 0.4


@dataclass(frozen=True)
class Answer:
    """What a caller gets. `sources` best first, empty when nothing relevant is indexed."""

    text: str
    sources: tuple[RetrievedChunk, ...]
    model: str


@dataclass(frozen=True)
class Findings:
    """What the search found and how it was judged, before an answer is made; `evaluate` reads
    it."""

    question: Question
    chunks: tuple[RetrievedChunk, ...]
    relevance: Relevance

    @property
    def sources(self) -> tuple[RetrievedChunk, ...]:
        if not self.relevance.is_relevant or is_small_talk(self.question.text):
            return ()
        return choose_sources(self.chunks)


def answer_question(tenant: Tenant, text: str) -> Answer:
    """Answers from the tenant's default configuration: all its sources, source marks in the
    text."""
    return answer_findings(tenant, find(tenant, text))


def find(tenant: Tenant, text: str) -> Findings:
    question = read_question(text)
    chunks = retrieve_chunks(tenant, question, top_k=TOP_K)
    return Findings(question, tuple(chunks), judge_relevance(question, chunks))


def answer_findings(tenant: Tenant, findings: Findings) -> Answer:
    sources = findings.sources
    if not sources:
        return Answer(text=redirect(tenant, findings.question), sources=(), model=MODEL_LABEL)
    extracted = extract_answer(findings.question, sources, marks_sources=True)
    return Answer(text=extracted.text, sources=sources, model=MODEL_LABEL)


def choose_sources(chunks: Sequence[RetrievedChunk]) -> tuple[RetrievedChunk, ...]:
    best = chunks[0].score
    return tuple(chunk for chunk in chunks[:MAX_SOURCES] if chunk.score >= SOURCE_MIN_SHARE * best)
