"""The tool `ask`: an answer from the documents, with its sources."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import closing
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from config.database.pool import release_connection
from config.security.encryption import keyed_hash
from query.answers import Answer
from query.mcp.callers import McpCaller
from query.mcp.quoting import quote
from query.mcp.tools.chosen_agent import AGENT_MAX_CHARS, choose_agent
from query.mcp.tools.interface import CLEAN, FILLED, Arguments, Progress, Steps, Tool, ToolResult
from query.mcp.tools.passages import Citation, cite
from query.models import TEXT_MAX_CHARS, Confidence
from query.pipeline import Event, SourcesFound
from query.services.asking import ask_in_stream
from query.understanding.inquiries import Inquiry

HANDLE_BYTES = 16
HANDLE_FORM = r"^[A-Za-z0-9_-]{22}$"

LOOKING = Progress("Looking through the documents.")
WRITING = Progress("Writing the answer.")


class AskArguments(Arguments):
    question: Annotated[
        str,
        Field(
            min_length=1,
            max_length=TEXT_MAX_CHARS,
            description="In the words and the language of the person who asks.",
        ),
        FILLED,
    ]
    agent: Annotated[
        str,
        Field(
            max_length=AGENT_MAX_CHARS,
            description=(
                "An agent's id or name, from list_agents. If left out, all sources are asked."
            ),
        ),
        CLEAN,
    ] = ""
    conversation: Annotated[
        str,
        Field(
            pattern=rf"^$|{HANDLE_FORM}",
            description="From an earlier answer, for a follow-up question.",
        ),
    ] = ""


class AskOutput(TypedDict):
    answer: str
    confidence: Confidence
    sources: list[Citation]
    model: str
    conversation: str


class Ask(Tool[AskArguments]):
    name = "ask"
    title = "Ask the documents"
    description = (
        "Answers a question from the company's documents, with its sources. Call it when"
        " somebody wants an answer. confidence says how far to rely on it: answered (the"
        " documents say so), unsure (the closest words, perhaps not the answer), none (no"
        " document is about it, and sources is empty). [n] in the answer counts the"
        " sources from 1. Each call counts as one query of the plan."
    )
    arguments = AskArguments
    output = AskOutput

    def run(self, caller: McpCaller, given: AskArguments) -> Steps:
        agent = choose_agent(caller.tenant, given.agent)
        handle = given.conversation or secrets.token_urlsafe(HANDLE_BYTES)
        inquiry = Inquiry(
            caller.tenant,
            given.question,
            agent,
            session_id=session_of(caller, handle),
            takes_leads=False,  # a colleague who asks in an assistant is not a customer
        )
        yield LOOKING
        answer = yield from follow(ask_in_stream(inquiry))
        return tell_answer(answer, handle)


def session_of(caller: McpCaller, handle: str) -> str:
    """The session id of a caller's conversation. The same handle from another caller names another
    conversation, which is empty."""
    return keyed_hash(f"{caller.tenant.pk}:{caller.key}:{handle}", purpose="mcp conversation")


def follow(events: Generator[Event, None, None]) -> Generator[Progress, None, Answer]:
    """Reports progress and returns the answer. The database connection goes back while the answer
    is written. Closing the generator stops the work."""
    with closing(events):
        for event in events:
            match event:
                case SourcesFound(sources):
                    release_connection()
                    yield Progress(f"Found {count_passages(len(sources))}.")
                case Answer():
                    return event
                case _:
                    yield WRITING
    raise AssertionError("every stream of events ends in an Answer")


def count_passages(count: int) -> str:
    return "1 passage" if count == 1 else f"{count or 'no'} passages"


def tell_answer(answer: Answer, handle: str) -> ToolResult:
    """The tool's result. The sources are a block of their own: an answer that quotes a passage
    cannot add to them."""
    sources = [cite(chunk) for chunk in answer.sources]
    output = AskOutput(
        answer=answer.text,
        confidence=answer.confidence,
        sources=sources,
        model=answer.model,
        conversation=handle,
    )
    numbered = [{"n": number, **source} for number, source in enumerate(sources, start=1)]
    listed = f"Sources, as JSON: {quote(numbered)}" if sources else "Sources: none."
    return ToolResult(dict(output), (answer.text, listed))
