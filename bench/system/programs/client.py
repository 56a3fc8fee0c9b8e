"""The official Python client, with one HTTP client of its own that remembers what came back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from bench.system.programs.checks import leaves

LEGACY, MODERN = "legacy", "2026-07-28"
ERAS = (LEGACY, MODERN)


@dataclass
class Connection:
    """Where to, as whom and how; `answers` are those of the service, in order."""

    url: str
    token: str = ""
    auth: httpx2.Auth | None = None
    era: str = LEGACY
    answers: list[httpx2.Response] = field(default_factory=list)

    @property
    def statuses(self) -> list[int]:
        return [answer.status_code for answer in self.answers]

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        async with create_mcp_http_client(headers=headers, auth=self.auth) as http:
            http.event_hooks["response"].append(self.remember)
            transport = streamable_http_client(self.url, http_client=http)
            mode = LEGACY if self.era == LEGACY else "auto"
            async with Client(transport, mode=mode, cache=None) as client:
                yield client

    async def remember(self, answer: httpx2.Response) -> None:
        self.answers.append(answer)

    async def refusal(self, tool: str = "", **arguments: Any) -> str:
        """Of a connection, or of a call over it; empty when nothing was refused."""
        refusal = ""
        try:
            async with self.open() as client:
                if tool:
                    result = await client.call_tool(tool, arguments)
                    refusal = text_of(result) if result.is_error else ""
                else:
                    await client.list_tools()
        except* MCPError as group:
            refusal = "; ".join(str(error) for error in leaves(group))
        return refusal


def text_of(result: Any) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")
