"""The tool `read_source_passage`: what stands around what was found."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from accounts.models import Scope
from query.mcp.callers import READERS, McpCaller
from query.mcp.tools.interface import (
    FILLED,
    NO_BOOLEAN,
    Arguments,
    QuickTool,
    ToolResult,
    as_json,
)
from query.mcp.tools.passages import Badge, badge_of, tell_time
from sources.models import Chunk
from sources.services.reading import get_passage, list_neighbours

AROUND_MAX = 5
PASSAGE_ID_MAX_CHARS = 40


class PassageArguments(Arguments):
    passage_id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=PASSAGE_ID_MAX_CHARS,
            coerce_numbers_to_str=True,  # it looks like a number, so models send one
            description="From a source of ask or search.",
        ),
        FILLED,
    ]
    before: Annotated[int, Field(ge=0, le=AROUND_MAX), NO_BOOLEAN] = 1
    after: Annotated[int, Field(ge=0, le=AROUND_MAX), NO_BOOLEAN] = 1


class PassageText(TypedDict):
    passage_id: str
    place: str
    section: str
    text: str


class PassageOutput(TypedDict):
    """`passages`: in the document's order, the one that was asked for among them."""

    passage_id: str
    source_id: str
    source: str
    file: str
    document: str
    link: str
    synced_at: str
    freshness: Badge
    passages: list[PassageText]


class ReadSourcePassage(QuickTool[PassageArguments]):
    name = "read_source_passage"
    title = "Read a passage in its document"
    description = (
        "A passage with the ones before and after it in its document. Call it when a"
        " passage that was found is not enough by itself. Passages are replaced when their"
        " document is read again: then search again."
    )
    arguments = PassageArguments
    output = PassageOutput
    scope = Scope.SOURCES
    roles = READERS

    def call(self, caller: McpCaller, given: PassageArguments) -> ToolResult:
        passage = get_passage(caller.tenant, given.passage_id)
        around = list_neighbours(caller.tenant, passage, before=given.before, after=given.after)
        return as_json(tell_passage(passage, around))


def tell_passage(passage: Chunk, around: list[Chunk]) -> PassageOutput:
    """`passage` with its document and source."""
    document, source = passage.document, passage.source
    return PassageOutput(
        passage_id=str(passage.pk),
        source_id=str(source.pk),
        source=source.name,
        file=document.place or document.external_id,
        document=document.title,
        link=document.link,
        synced_at=tell_time(source.last_synced_at) if source.last_synced_at else "",
        freshness=badge_of(source.last_synced_at),
        passages=[
            PassageText(
                passage_id=str(one.pk), place=one.location, section=one.section_title, text=one.text
            )
            for one in around
        ],
    )
