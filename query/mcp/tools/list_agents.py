"""The tool `list_agents`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from agents.services import list_agents_with_scope
from config.paging import read_page
from query.mcp.callers import McpCaller
from query.mcp.tools.interface import CLEAN, Arguments, QuickTool, ToolResult, as_json

AGENTS_PLACE = "mcp:agents.Agent"
CURSOR_MAX_CHARS = 400


class PageArguments(Arguments):
    cursor: Annotated[
        str,
        Field(max_length=CURSOR_MAX_CHARS, description="next_cursor of the previous page."),
        CLEAN,
    ] = ""


class AgentLine(TypedDict):
    """`sources_count` None: it answers from all sources."""

    agent_id: str
    name: str
    status: Literal["active", "inactive"]
    sources_count: int | None


class AgentsOutput(TypedDict):
    agents: list[AgentLine]
    next_cursor: str


class ListAgents(QuickTool[PageArguments]):
    name = "list_agents"
    title = "List the agents"
    description = (
        "The company's agents: who answers, and from how many sources (sources_count; null: from"
        " all). Call it to choose whom to ask. Only active ones answer. next_cursor is empty on"
        " the last page."
    )
    arguments = PageArguments
    output = AgentsOutput

    def call(self, caller: McpCaller, given: PageArguments) -> ToolResult:
        tenant = caller.tenant
        rows = list_agents_with_scope(tenant).order_by("created_at", "id")
        page = read_page(rows, place=AGENTS_PLACE, owner=tenant, cursor=given.cursor or None)
        lines = [
            AgentLine(
                agent_id=str(agent.pk),
                name=agent.name,
                status="active" if agent.status == "active" else "inactive",
                sources_count=(vars(agent)["scope_size"] or 0) if agent.is_scoped else None,
            )
            for agent in page.rows
        ]
        return as_json(AgentsOutput(agents=lines, next_cursor=page.next_cursor))
