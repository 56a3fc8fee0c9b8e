"""The tool `search`: passages, and nothing written about them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from query.answering.hidden import hidden_of
from query.answering.rows import told_text
from query.mcp.callers import READERS, McpCaller
from query.mcp.tools.chosen_agent import AGENT_MAX_CHARS, choose_agent
from query.mcp.tools.interface import (
    CLEAN,
    FILLED,
    NO_BOOLEAN,
    Arguments,
    QuickTool,
    ToolResult,
    as_json,
)
from query.mcp.tools.passages import Citation, cite
from query.models import TEXT_MAX_CHARS
from query.pipeline import TOP_K
from query.services.asking import search
from query.understanding.inquiries import Inquiry
from reading.passages import ChunkLevel

DEFAULT_LIMIT = 5


class SearchArguments(Arguments):
    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=TEXT_MAX_CHARS,
            description="A question, or the words to look for.",
        ),
        FILLED,
    ]
    agent: Annotated[
        str,
        Field(
            max_length=AGENT_MAX_CHARS,
            description="An agent's id or name: only its sources are searched.",
        ),
        CLEAN,
    ] = ""
    limit: Annotated[int, Field(ge=1, le=TOP_K), NO_BOOLEAN] = DEFAULT_LIMIT


class FoundPassage(Citation):
    """`is_relevant`: whether an answer would be made from it."""

    text: str
    is_relevant: bool


class SearchOutput(TypedDict):
    passages: list[FoundPassage]
    has_relevant: bool


class Search(QuickTool[SearchArguments]):
    name = "search"
    title = "Search the documents"
    description = (
        "Finds passages of the company's documents, best first, with the place where each stands."
        " Call it to read for yourself what the documents say. similarity is 0 to 1; is_relevant"
        " says whether a passage is about the query, and has_relevant is false when none is: then"
        " the documents do not answer it. Columns that the company hides in answers are left out."
        " Each call counts as one query of the plan."
    )
    arguments = SearchArguments
    output = SearchOutput
    roles = READERS  # it hands out passages, as reading a source does

    def call(self, caller: McpCaller, given: SearchArguments) -> ToolResult:
        agent = choose_agent(caller.tenant, given.agent)
        findings = search(Inquiry(caller.tenant, given.query, agent))
        relevant = {chunk.chunk_id for chunk in findings.sources}
        found = (*findings.sources, *(c for c in findings.chunks if c.chunk_id not in relevant))
        hidden = hidden_of(caller.tenant)
        passages = [
            FoundPassage(**cite(chunk), text=text, is_relevant=chunk.chunk_id in relevant)
            for chunk in found
            if (text := told_text(chunk.text, hidden, is_sheets=chunk.level == ChunkLevel.ROW))
        ]
        has_relevant = any(passage["is_relevant"] for passage in passages)
        return as_json(SearchOutput(passages=passages[: given.limit], has_relevant=has_relevant))
