"""Writes down every answer of a few companies, byte for byte: two versions of the code that give
the same file behave the same.

The companies are indexed once and kept, so that only the asking is repeated. Each question is asked
alone and again in a session after the two before it, of an agent that captures leads; the dialogues
of bench/leads.jsonl and the pairs of bench/follow_ups.jsonl are asked of the first company.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from accounts.models import Plan, Tenant
from agents.models import Agent
from bench.evaluation.datasets import EvalCorpus, load_companies
from bench.evaluation.run import PLAN, index_files
from query.answers import Answer
from query.conversations.memory import forget_session
from query.models import Lead
from query.pipeline import Findings, Piece, SourcesFound, stream_answer
from query.search.candidates import RetrievedChunk
from query.understanding.inquiries import Inquiry

COMPANIES = ("hotel-rural", "peluqueria", "bike-hire-lakes")  # two Spanish, one English
LEADS, FOLLOW_UPS = (
    Path(__file__).resolve().parents[1] / name for name in ("leads.jsonl", "follow_ups.jsonl")
)
SESSION_QUESTIONS = 3  # that follow each other

Line = dict[str, Any]


def write_answers(file: Path, names: Iterable[str] = COMPANIES) -> int:
    """Writes a line for every question asked; returns how many there are."""
    corpora = {corpus.fold: corpus for corpus in load_companies()}
    count = 0
    with file.open("w", encoding="utf-8") as lines:
        for number, name in enumerate(names):
            agent = indexed_agent(corpora[name])
            for session in sessions_of(corpora[name], has_dialogues=number == 0):
                for line in ask_session(agent, session):
                    lines.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
                    count += 1
    return count


def sessions_of(corpus: EvalCorpus, *, has_dialogues: bool) -> Iterator[list[str]]:
    """The messages of each session, in their order."""
    questions = [question.text for question in corpus.questions]
    for question in questions:
        yield [question]
    for start in range(0, len(questions), SESSION_QUESTIONS):
        yield questions[start : start + SESSION_QUESTIONS]
    if has_dialogues:
        for dialogue in read_lines(LEADS):
            yield [message["text"] for message in dialogue["messages"]]
        for pair in read_lines(FOLLOW_UPS):
            yield [pair["previous"], pair["message"]]


def read_lines(path: Path) -> Iterator[Line]:
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def indexed_agent(corpus: EvalCorpus) -> Agent:
    """The agent of a company that stays indexed for the next run."""
    slug = f"answers-{corpus.fold}"
    language = corpus.questions[0].language
    tenant, is_new = Tenant.objects.get_or_create(
        slug=slug,
        defaults={"name": slug, "plan": Plan.objects.get(slug=PLAN), "language": language},
    )
    if is_new:
        index_files(tenant, corpus, lambda: None)
    agent, _ = Agent.objects.for_tenant(tenant).get_or_create(
        name=slug,
        defaults={"lead_capture_enabled": True, "lead_notification_email": "leads@example.org"},
    )
    return agent


def ask_session(agent: Agent, messages: Iterable[str]) -> Iterator[Line]:
    """Asks these messages one after the other, in a session that is forgotten before and after."""
    session = "answers"
    forget(agent, session)
    for message in messages:
        inquiry = Inquiry(agent.tenant, message, agent, session_id=session)
        yield {"company": agent.name, "message": message, **ask(inquiry), **lead_of(agent)}
    forget(agent, session)


def forget(agent: Agent, session: str) -> None:
    forget_session(agent.tenant, session)
    Lead.objects.for_tenant(agent.tenant).delete()


def ask(inquiry: Inquiry) -> Line:
    """What is answered, and what it was found by."""
    line: Line = {"pieces": []}
    for event in stream_answer(inquiry):
        match event:
            case SourcesFound(sources, findings):
                line |= found(findings) if findings else {}
                line["shown"] = [place(chunk) for chunk in sources]
            case Piece(text):
                line["pieces"].append(text)
            case Answer():
                line |= {
                    "text": event.text,
                    "outcome": event.outcome,
                    "confidence": event.confidence,
                    "model": event.model,
                    "sources": [place(chunk) for chunk in event.sources],
                }
    return line


def found(findings: Findings) -> Line:
    return {
        "question": findings.question.text,
        "language": findings.question.language,
        "small_talk": findings.question.small_talk,
        "unheard": findings.question.unheard,
        "passages": [[*place(chunk), chunk.score] for chunk in findings.chunks],
        "relevance": [one.probability for one in findings.judged],
    }


def place(chunk: RetrievedChunk) -> list[str]:
    return [chunk.source_file, chunk.location, str(chunk.chunk_id)]


def lead_of(agent: Agent) -> Line:
    leads = Lead.objects.for_tenant(agent.tenant).values("name", "email", "phone", "intent_text")
    return {"leads": list(leads)}
