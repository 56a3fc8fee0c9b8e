"""All tools, in the order in which programs see them."""

from __future__ import annotations

from typing import Any

from query.mcp.tools.ask import Ask
from query.mcp.tools.interface import Tool
from query.mcp.tools.list_agents import ListAgents
from query.mcp.tools.list_sources import ListSources
from query.mcp.tools.read_source_passage import ReadSourcePassage
from query.mcp.tools.search import Search

TOOLS: dict[str, Tool[Any]] = {
    tool.name: tool for tool in (Ask(), Search(), ListAgents(), ListSources(), ReadSourcePassage())
}
