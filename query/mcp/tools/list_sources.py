"""The tool `list_sources`."""

from __future__ import annotations

from typing_extensions import TypedDict

from accounts.models import Scope
from config.paging import read_page
from query.mcp.callers import READERS, McpCaller
from query.mcp.tools.interface import QuickTool, ToolResult, as_json
from query.mcp.tools.list_agents import PageArguments
from query.mcp.tools.passages import Badge, badge_of, tell_time
from sources.models import FAILING, Source
from sources.services.reading import count_documents, list_sources

SOURCES_ORDER = ("position", "created_at", "id")
SOURCES_PLACE = "mcp:sources.Source"


class SourceLine(TypedDict):
    """A source in the list. `reason`: why its last sync failed. `last_synced_at` is "" when it was
    never synced."""

    source_id: str
    name: str
    type: str
    state: str
    reason: str
    last_synced_at: str
    freshness: Badge
    documents: int
    passages: int


class SourcesOutput(TypedDict):
    sources: list[SourceLine]
    next_cursor: str


class ListSources(QuickTool[PageArguments]):
    name = "list_sources"
    title = "List the sources"
    description = (
        "Where the company's knowledge comes from: files, websites and connected accounts, with"
        " their state and their age (freshness: green under 7 days, yellow up to 30, red beyond)."
        " Call it to see what is indexed and whether it is up to date. next_cursor is empty on the"
        " last page."
    )
    arguments = PageArguments
    output = SourcesOutput
    scope = Scope.SOURCES
    roles = READERS

    def call(self, caller: McpCaller, given: PageArguments) -> ToolResult:
        tenant = caller.tenant
        rows = list_sources(tenant).order_by(*SOURCES_ORDER)
        page = read_page(rows, place=SOURCES_PLACE, owner=tenant, cursor=given.cursor or None)
        documents = count_documents(tenant, [source.pk for source in page.rows])
        lines = [tell_source(source, documents.get(source.pk, 0)) for source in page.rows]
        return as_json(SourcesOutput(sources=lines, next_cursor=page.next_cursor))


def tell_source(source: Source, documents: int) -> SourceLine:
    synced_at = source.last_synced_at
    return SourceLine(
        source_id=str(source.pk),
        name=source.name,
        type=source.source_type,
        state=source.sync_status,
        reason=source.error_message if source.sync_status in FAILING else "",
        last_synced_at=tell_time(synced_at) if synced_at else "",
        freshness=badge_of(synced_at),
        documents=documents,
        passages=source.chunks_count,
    )
