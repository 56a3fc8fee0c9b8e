"""A message to an answer: lead turn → recall → retrieve → judge → answer → record. Everything that
asks goes through here."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from django.conf import settings

from accounts.models import Tenant
from agents.scope import scope_of
from query.answering import MODEL_LABEL, extract_answer
from query.answers import Answer
from query.drafts import Draft, DraftWriter
from query.follow_ups import CompleteQuestion, complete_question
from query.generation import generate_answer
from query.inquiries import Inquiry
from query.leads import LeadTurn, take_lead_turn
from query.memory import Turn, recall, remember
from query.models import Outcome
from query.redirecting import FALLBACK, is_small_talk, redirect, refusal_text
from query.relevance import IRRELEVANT, Relevance, judge_passages, select_sources
from query.retrieval import Question, RetrievedChunk, read_question, retrieve_chunks
from query.transcripts import keep_transcript
from sources.language.words import Language

TOP_K = 10  # passages retrieved; the best of them are judged
MAX_SOURCES = 5


@dataclass(frozen=True)
class SourcesFound:
    """The passages that are answered from, before a word is written."""

    sources: tuple[RetrievedChunk, ...]


@dataclass(frozen=True)
class Piece:
    """A part of the answer's text. All of them joined are the text."""

    text: str


Event = SourcesFound | Piece | Answer
Writing = Generator[Event, None, Answer]


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
        if is_small_talk(self.question.text):
            return ()
        return select_sources(self.chunks, self.judged)[:MAX_SOURCES]


def answer_question(inquiry: Inquiry) -> Answer:
    """The whole answer at once."""
    return last(converse(inquiry, streams=False))


def stream_answer(inquiry: Inquiry) -> Writing:
    """SourcesFound, then Pieces, then the Answer. Closing the generator stops the work."""
    return converse(inquiry, streams=True)


def converse(inquiry: Inquiry, *, streams: bool) -> Writing:
    """A lead is written down before anything else: whoever left an address may leave at once."""
    lead = take_lead_turn(inquiry)
    turns = recall(inquiry)
    question = complete_question(inquiry.text, turns, inquiry.likely_language)
    if lead.answers_alone:
        yield SourcesFound(())
        answer = yield from whole(lead.remark, Outcome.CONTACT_TAKEN)
    else:
        answer = yield from answer_in_context(inquiry, question, turns, lead, streams=streams)
    remember(inquiry, answer, completed=question.text)
    keep_transcript(inquiry, answer)
    yield answer
    return answer


def answer_in_context(
    inquiry: Inquiry,
    question: CompleteQuestion,
    turns: Sequence[Turn],
    lead: LeadTurn,
    *,
    streams: bool,
) -> Writing:
    scope = scope_of(inquiry.tenant, inquiry.agent)
    findings = find(inquiry.tenant, question.text, source_ids=scope, language=question.language)
    answer = yield from write_answer(inquiry, findings, turns, lead, streams=streams)
    return answer


def find(
    tenant: Tenant,
    text: str,
    *,
    source_ids: Sequence[uuid.UUID] | None = None,
    language: Language | None = None,
) -> Findings:
    """`language`: of the message that `text` was completed from; None: that of `text`."""
    question = read_question(text, language)
    chunks = retrieve_chunks(tenant, question, top_k=TOP_K, source_ids=source_ids)
    return Findings(question, tuple(chunks), tuple(judge_passages(question, chunks)))


def answer_findings(tenant: Tenant, findings: Findings) -> Answer:
    """Answers from the default configuration, without a conversation."""
    inquiry = Inquiry(tenant, findings.question.text)
    return last(write_answer(inquiry, findings, (), LeadTurn(), streams=False))


def write_answer(
    inquiry: Inquiry,
    findings: Findings,
    turns: Sequence[Turn],
    lead: LeadTurn,
    *,
    streams: bool,
) -> Writing:
    passages = findings.sources
    yield SourcesFound(passages)
    if not passages:
        # Whoever wants to buy is not told what we do not know.
        text = lead.remark or redirect(inquiry, findings.question)
        outcome = Outcome.SMALL_TALK if is_small_talk(inquiry.text) else Outcome.REDIRECTED
        return (yield from whole(text, outcome))
    writer = draft_writer(inquiry, findings.question, passages, turns, streams=streams)
    draft = yield from pieces(writer)
    return (yield from finish(draft, inquiry, findings, lead))


def draft_writer(
    inquiry: Inquiry,
    question: Question,
    passages: Sequence[RetrievedChunk],
    turns: Sequence[Turn],
    *,
    streams: bool,
) -> DraftWriter:
    if settings.LLM_BASE_URL:
        return generate_answer(inquiry, question, passages, turns, streams=streams)
    return extract_answer(question, passages, marks_sources=inquiry.marks_sources)


def finish(draft: Draft, inquiry: Inquiry, findings: Findings, lead: LeadTurn) -> Writing:
    """What is said where the answerer said nothing, and the lead's remark behind it."""
    sources = tuple(findings.sources[index] for index in draft.sources)
    text, outcome = draft.text, Outcome.ANSWERED
    if draft.has_failed:
        text, outcome = FALLBACK, Outcome.FAILED
    elif draft.is_refusal:
        text, outcome = refuse(inquiry, findings, lead, has_sources=bool(sources)), Outcome.REFUSED
    if text != draft.text:
        yield Piece(text)
    if lead.remark and text != lead.remark:
        yield Piece(f"\n\n{lead.remark}")
        text = f"{text}\n\n{lead.remark}"
    return Answer(text, sources, draft.model, outcome)


def refuse(inquiry: Inquiry, findings: Findings, lead: LeadTurn, *, has_sources: bool) -> str:
    """Whoever wants to buy, or has said how to reach them, hears that and no refusal."""
    if lead.remark:
        return lead.remark
    if has_sources:
        return refusal_text(findings.question)
    return redirect(inquiry, findings.question)


def whole(text: str, outcome: Outcome) -> Writing:
    yield Piece(text)
    return Answer(text, (), MODEL_LABEL, outcome)


def pieces(writer: DraftWriter) -> Generator[Event, None, Draft]:
    """Closing this one closes the writer: it stops its work."""
    try:
        while True:
            yield Piece(next(writer))
    except StopIteration as end:
        draft: Draft = end.value
        return draft
    finally:
        writer.close()


def last(writing: Writing) -> Answer:
    while True:
        try:
            next(writing)
        except StopIteration as end:
            answer: Answer = end.value
            return answer
