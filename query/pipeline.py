"""A message to an answer: lead turn → recall → retrieve → judge → answer → record. Everything that
asks goes through here."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TypeVar

from django.conf import settings

from accounts.models import Tenant
from agents.scope import scope_of
from language.message import Message, read_message
from language.people import asks_for_person
from query.answering.contact_card import tell_contact
from query.answering.drafts import Draft, DraftWriter
from query.answering.extraction import MODEL_LABEL, extract_answer
from query.answering.generation import generate_answer, look_closer
from query.answering.hidden import hidden_of
from query.answering.joining import join_answers
from query.answering.redirecting import FALLBACK, introduce_closest, redirect
from query.answering.tables.answering import MODEL_LABEL as TABLES
from query.answering.tables.answering import TableAnswer, answer_from_tables
from query.answers import Answer
from query.conversations.follow_ups import complete_question
from query.conversations.memory import recall, remember
from query.conversations.outcomes import count_outcome
from query.conversations.parts import QuestionPart, complete_parts, is_answered_by
from query.conversations.transcripts import keep_transcript
from query.leads.turns import LeadTurn, take_lead_turn
from query.models import Outcome
from query.search.candidates import NO_VECTOR, Question, RetrievedChunk
from query.search.headings import asked_for_first
from query.search.reader.decisions import READ_CLOSELY, get_decisions
from query.search.reader.reader import get_reader
from query.search.relevance import (
    MAX_SOURCES,
    Relevance,
    best_of,
    holding_codes,
    judge_passages,
    judge_read,
    select_near,
    select_sources,
)
from query.search.retrieval import read_question, retrieve_chunks
from query.search.siblings import find_families, named_alone, with_headings, without_other_headings
from query.search.threads import without_superseded
from query.understanding.contact import name_line
from query.understanding.dates import name_day
from query.understanding.inquiries import Inquiry
from query.understanding.spelling import correct_question
from query.understanding.turns import Turn

NOTHING, CLOSE, CERTAIN = range(3)  # what is told of a part of a message
TOP_K = 10  # passages retrieved; the best of them are judged


@dataclass(frozen=True)
class SourcesFound:
    """The passages that are answered from, before a word is written. `findings`: the findings they
    were chosen from, for explaining the answer; None where nothing was looked for."""

    sources: tuple[RetrievedChunk, ...]
    findings: Findings | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Piece:
    """A part of the answer's text. All of them, joined, are the text."""

    text: str


Event = SourcesFound | Piece | Answer
Writing = Generator[Event, None, Answer]
Told = TypeVar("Told")


@dataclass(frozen=True)
class Findings:
    """The passages that the search found, best first, how the first ones were judged, and the
    `sources` to answer from; none when nothing that is indexed is about the question, or it is
    small talk. `near`: where `sources` is empty, the passages that a language model may look at
    all the same, for it can decline."""

    question: Question
    chunks: tuple[RetrievedChunk, ...]
    judged: tuple[Relevance, ...]
    sources: tuple[RetrievedChunk, ...]
    near: tuple[RetrievedChunk, ...] = ()


def answer_question(inquiry: Inquiry) -> Answer:
    """The whole answer at once."""
    return run_to_end(converse(inquiry, streams=False))


def stream_answer(inquiry: Inquiry) -> Writing:
    """Yields SourcesFound, then Pieces, then the Answer. Closing the generator stops the work."""
    return converse(inquiry, streams=True)


def converse(inquiry: Inquiry, *, streams: bool) -> Writing:
    """Answers an inquiry. A lead is written down before anything else: a visitor who left an
    address may leave at once."""
    lead = take_lead_turn(inquiry)
    turns = recall(inquiry)
    question = complete_question(inquiry.message, turns)
    asked: Question | None = None
    if lead.answers_alone:
        yield SourcesFound(())
        answer = yield from say(lead.remark, Outcome.CONTACT_TAKEN)
    else:
        answer, asked, question = yield from answer_in_context(
            inquiry, question, turns, lead, streams=streams
        )
    remember(inquiry, answer, completed=question.text, language=question.language)
    count_outcome(inquiry, answer.outcome)
    keep_transcript(inquiry, answer, asked)
    yield answer
    return answer


def answer_in_context(
    inquiry: Inquiry,
    question: Message,
    turns: Sequence[Turn],
    lead: LeadTurn,
    *,
    streams: bool,
) -> Generator[Event, None, tuple[Answer, Question, Message]]:
    """The answer, the question as it was searched for, and as it is remembered."""
    parts = complete_parts(inquiry.message, turns)
    # A person who wants to buy is not told what we do not know.
    is_parted = len(parts) > 1 and not lead.remark and not asks_for_person(inquiry.message)
    if is_parted and not settings.LLM_BASE_URL:
        told = yield from answer_parts(inquiry, question, parts, turns)
        if told is not None:
            return told
    findings, meant = find_in_scope(inquiry, question)
    if is_parted and settings.LLM_BASE_URL:
        findings = with_sources_of_parts(inquiry, findings, parts)
    answer = yield from write_answer(inquiry, findings, turns, lead, streams=streams)
    return answer, findings.question, meant


def answer_parts(
    inquiry: Inquiry, question: Message, parts: Sequence[QuestionPart], turns: Sequence[Turn]
) -> Generator[Event, None, tuple[Answer, Question, Message] | None]:
    """The answers to several questions in one message as one, the question that is answered worst,
    and what is remembered; None where nothing is found for any, or for none for certain where they
    are about one thing: then the message is answered as one question."""

    def tell(findings: Findings) -> Answer | None:
        return run_to_end(answer_found(inquiry, findings, turns, LeadTurn(), streams=False))

    found = [find_in_scope(inquiry, part.question) for part in parts]
    answers = [tell(findings) for findings, _ in found]
    ranks = list(map(rank, answers))
    leans = any(part.leans for part in parts)
    if max(ranks) < (CERTAIN if leans else CLOSE):
        return None
    answer = join_answers(list(zip(parts, answers, strict=True)))
    findings, _ = found[ranks.index(min(ranks))]
    meant = found[-1][1].reworded(" ".join(one.text for _, one in found))
    if leans and min(ranks) < CERTAIN:
        of_whole = find_in_scope(inquiry, question)
        whole = tell(of_whole[0])
        if rank(whole) == CERTAIN and whole is not None and is_answered_by(whole.text, parts):
            answer, (findings, meant) = whole, of_whole
    yield SourcesFound(answer.sources, findings)
    yield Piece(answer.text)
    return answer, findings.question, meant


def rank(answer: Answer | None) -> int:
    if answer is None:
        return NOTHING
    return CERTAIN if answer.outcome == Outcome.ANSWERED else CLOSE


def with_sources_of_parts(
    inquiry: Inquiry, findings: Findings, parts: Sequence[QuestionPart]
) -> Findings:
    """The findings with the sources of each question in turn, for a language model that reads them
    all and answers at once."""
    of_parts = [find_in_scope(inquiry, part.question)[0].sources for part in parts]
    in_turn = (one for row in zip_longest(*of_parts) for one in row if one is not None)
    sources = {one.chunk_id: one for one in (*in_turn, *findings.sources)}
    return replace(findings, sources=tuple(sources.values())[:MAX_SOURCES])


def find_in_scope(inquiry: Inquiry, question: Message) -> tuple[Findings, Message]:
    """The findings for a question that was perhaps completed from earlier ones, and the question
    without the thing that it no longer asks about: searched again where it named one."""
    findings = find_with_day(inquiry, question)
    meant = without_other_headings(question, findings.chunks)
    return (findings if meant is question else find_with_day(inquiry, meant)), meant


def find_with_day(inquiry: Inquiry, question: Message) -> Findings:
    scope = scope_of(inquiry.tenant, inquiry.agent)
    if not question.small_talk:  # «hasta mañana» means no day
        question = name_day(inquiry.tenant, question, source_ids=scope)
    return find(inquiry.tenant, question, source_ids=scope)


def find(
    tenant: Tenant, asked: Message, *, source_ids: Sequence[uuid.UUID] | None = None
) -> Findings:
    """The findings for a question. Small talk is neither read by the model nor searched for."""
    meant = correct_question(tenant, asked, source_ids)
    if meant.small_talk:
        return Findings(Question(meant, NO_VECTOR), (), (), ())
    meant = name_line(tenant, meant, source_ids=source_ids)
    question, chunks = retrieve_chunks(
        tenant, read_question(meant), top_k=TOP_K, source_ids=source_ids
    )
    return judge_findings(question, chunks)


def find_for_inquiry(inquiry: Inquiry) -> Findings:
    """The findings that the inquiry would be answered from if no message came before it."""
    return find_with_day(inquiry, inquiry.message)


def find_for_text(tenant: Tenant, text: str) -> Findings:
    """The findings in all of the tenant's sources, for a message that nothing came before."""
    return find(tenant, read_message(text))


def judge_findings(question: Question, chunks: Sequence[RetrievedChunk]) -> Findings:
    """Judges the passages, `chunks` best first, and chooses the sources."""
    chunks = asked_for_first(question, chunks)
    judged = judge_passages(question, chunks)
    if is_worth_reading(question, judged):
        chunks = read_first(question, chunks)
        judged = judge_read(judged, chunks)
    if question.small_talk:
        return Findings(question, tuple(chunks), tuple(judged), ())
    families = find_families(chunks)

    def told(passages: Sequence[RetrievedChunk]) -> tuple[RetrievedChunk, ...]:
        said_now = without_superseded(question, passages, chunks)
        return with_headings(named_alone(question.message, said_now, families), families)

    sources = told(select_sources(chunks, judged) or holding_codes(question, chunks))
    near = () if sources else told(select_near(chunks, judged))
    return Findings(question, tuple(chunks), tuple(judged), sources, near)


def is_worth_reading(question: Question, judged: Sequence[Relevance]) -> bool:
    """Tells whether the reader should read the passages: not those that are clearly about something
    else, nor those under the heading that was asked for."""
    is_near = get_decisions().unread_threshold <= best_of(judged) < 1
    return settings.READER and is_near and not question.small_talk


def read_first(question: Question, chunks: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """The first passages with the reader's scores, the others as they are."""
    first, rest = chunks[:READ_CLOSELY], chunks[READ_CLOSELY:]
    scores = get_reader().read(question.text, first)
    read = [replace(chunk, read=score) for chunk, score in zip(first, scores, strict=True)]
    return [*read, *rest]


def answer_findings(tenant: Tenant, findings: Findings) -> Answer:
    """Answers from the default configuration, without a conversation."""
    inquiry = Inquiry(tenant, findings.question.text)
    return run_to_end(write_answer(inquiry, findings, (), LeadTurn(), streams=False))


def write_answer(
    inquiry: Inquiry,
    findings: Findings,
    turns: Sequence[Turn],
    lead: LeadTurn,
    *,
    streams: bool,
) -> Writing:
    if asks_for_person(findings.question.message) and best_of(findings.judged) < 1:
        told = tell_contact(inquiry.agent, findings.question.language)
        if text := " ".join(filter(None, (told, lead.remark))):
            yield SourcesFound((), findings)
            return (yield from say(text, Outcome.SMALL_TALK))
    answer = yield from answer_found(inquiry, findings, turns, lead, streams=streams)
    if answer is not None:
        return answer
    yield SourcesFound((), findings)
    # A person who wants to buy is not told what we do not know.
    question = findings.question
    text = lead.remark or redirect(inquiry, question)
    outcome = Outcome.SMALL_TALK if question.small_talk else Outcome.REDIRECTED
    return (yield from say(text, outcome))


def answer_found(
    inquiry: Inquiry,
    findings: Findings,
    turns: Sequence[Turn],
    lead: LeadTurn,
    *,
    streams: bool,
) -> Generator[Event, None, Answer | None]:
    """The answer from what was found; None where that is nothing."""
    computed = compute_answer(inquiry, findings)
    if computed is not None:
        return (yield from tell_computed(computed, findings, lead))
    if findings.sources:
        yield SourcesFound(findings.sources, findings)
        writer = draft_writer(inquiry, findings, turns, streams=streams)
        draft = yield from stream_draft(writer)
        return (yield from complete_draft(draft, findings, lead))
    return (yield from answer_from_near(inquiry, findings, turns, lead, streams=streams))


def answer_from_near(
    inquiry: Inquiry,
    findings: Findings,
    turns: Sequence[Turn],
    lead: LeadTurn,
    *,
    streams: bool,
) -> Generator[Event, None, Answer | None]:
    """A language model's answer from passages that may be about something else, which become the
    sources once it says something; None when it declines, or no model is configured."""
    if not findings.near or not settings.LLM_BASE_URL:
        return None
    findings = replace(findings, sources=findings.near)
    writer = look_closer(inquiry, findings.question, findings.near, turns, streams=streams)
    draft = yield from stream_draft(writer, before=SourcesFound(findings.near, findings))
    return (yield from complete_draft(draft, findings, lead)) if draft.text else None


def compute_answer(inquiry: Inquiry, findings: Findings) -> TableAnswer | None:
    """The answer computed from all rows of a table; None when the question does not ask for one, or
    a language model answers."""
    if settings.LLM_BASE_URL or findings.question.small_talk:
        return None
    return answer_from_tables(
        inquiry.tenant,
        findings.question,
        findings.chunks,
        hidden=hidden_of(inquiry.tenant),
        is_on_topic=bool(findings.sources),
        source_ids=scope_of(inquiry.tenant, inquiry.agent),
        marks_sources=inquiry.marks_sources,
    )


def tell_computed(computed: TableAnswer, findings: Findings, lead: LeadTurn) -> Writing:
    """Tells a computed answer. Its sources are the rows that it was computed from."""
    findings = replace(findings, sources=computed.sources)
    yield SourcesFound(computed.sources, findings)
    yield Piece(computed.text)
    cited = tuple(range(len(computed.sources)))
    answer = yield from complete_draft(Draft(computed.text, cited, TABLES), findings, lead)
    return replace(answer, outcome=Outcome.UNSURE) if computed.is_question else answer


def draft_writer(
    inquiry: Inquiry, findings: Findings, turns: Sequence[Turn], *, streams: bool
) -> DraftWriter:
    question, passages = findings.question, findings.sources
    if settings.LLM_BASE_URL:
        return generate_answer(inquiry, question, passages, turns, streams=streams)
    return extract_answer(
        question,
        passages,
        marks_sources=inquiry.marks_sources,
        hidden=hidden_of(inquiry.tenant),
    )


def complete_draft(draft: Draft, findings: Findings, lead: LeadTurn) -> Writing:
    """Completes a draft into the answer: adds a text where the answerer wrote none, and the lead's
    remark behind it."""
    passages = findings.sources
    sources = tuple(passages[index] for index in draft.sources)
    text, outcome = draft.text, Outcome.ANSWERED
    if draft.has_failed:
        text, outcome = FALLBACK, Outcome.FAILED
    elif not draft.text:
        text = introduce_closest(draft, findings.sources, findings.question.language)
        outcome = Outcome.UNSURE
    if text != draft.text:
        yield Piece(text)
    if lead.remark and text != lead.remark:
        yield Piece(f"\n\n{lead.remark}")
        text = f"{text}\n\n{lead.remark}"
    return Answer(text, sources, draft.model, outcome)


def say(text: str, outcome: Outcome) -> Writing:
    """Gives an answer in our own words."""
    yield Piece(text)
    return Answer(text, (), MODEL_LABEL, outcome)


def stream_draft(
    writer: DraftWriter, *, before: SourcesFound | None = None
) -> Generator[Event, None, Draft]:
    """Passes on a writer's pieces and returns its draft. `before`: an event to send ahead of the
    first piece. Closing this generator closes the writer, which stops its work."""
    try:
        while True:
            text = next(writer)
            if before is not None:
                yield before
                before = None
            yield Piece(text)
    except StopIteration as end:
        draft: Draft = end.value
        return draft
    finally:
        writer.close()


def run_to_end(writing: Generator[Event, None, Told]) -> Told:
    """What the writing returns, without the events before it."""
    while True:
        try:
            next(writing)
        except StopIteration as end:
            told: Told = end.value
            return told
