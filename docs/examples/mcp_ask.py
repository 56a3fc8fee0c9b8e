"""Ask over the Model Context Protocol. Needs: pip install mcp

A program that a person sits at signs in by itself instead: it needs the address, and no token.
"""

import asyncio
import os
from typing import Any

import httpx2  # comes with mcp
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ADDRESS = f"{os.environ['BASE_URL']}/tenants/me/mcp"


async def ask(question: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as http,
        Client(streamable_http_client(ADDRESS, http_client=http)) as client,
    ):
        result = await client.call_tool("ask", {"question": question})
    answer: dict[str, Any] | None = result.structured_content
    if result.is_error or answer is None:
        raise SystemExit(f"Refused: {result.content}")
    return answer


answer = asyncio.run(ask(os.environ["QUESTION"]))
print(answer["answer"])
for number, source in enumerate(answer["sources"], start=1):
    print(f"[{number}] {source['file']}, {source['place']}")
