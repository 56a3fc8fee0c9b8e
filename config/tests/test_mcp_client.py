"""The official Python client against the product on a port, with a token, in both eras.

Here, for the product on a port is the widget's tests', in an app above the one that speaks MCP.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

from accounts.models import Role, Tenant
from accounts.tests.factories import bearer, make_api_token, make_user
from config.tests.running_product import Product
from query.tests.chat_server import ChatServer, serve_chat, stream
from query.tests.factories import LIGHTHOUSE, index_texts

pytestmark = pytest.mark.slow

QUESTION = "How much does a guided visit cost?"
SENTENCE = "A guided visit costs 7 euros [1]. "
MODES = [("2026-07-28", "2026-07-28"), ("auto", "2026-07-28"), ("legacy", "2025-11-25")]
SECONDS = 30
REQUESTS = 5  # enough to begin with

Work = Callable[[Client], Awaitable[object]]


@pytest.fixture(scope="module")
def product() -> Iterator[Product]:
    made = Product()
    made.start()
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def model(settings: Any) -> Iterator[ChatServer]:
    with serve_chat() as server:
        settings.LLM_BASE_URL = server.url
        settings.LLM_MODEL = "small-model"
        settings.LLM_TIMEOUT = 20
        yield server


@pytest.fixture
def headers(committed_tenant: Tenant) -> dict[str, str]:
    index_texts(committed_tenant, *LIGHTHOUSE, name="lighthouse.txt")
    return bearer(make_user(committed_tenant), committed_tenant)


@asynccontextmanager
async def connect(product: Product, headers: dict[str, str], mode: str) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http:
        transport = streamable_http_client(f"{product.url}/tenants/me/mcp", http_client=http)
        async with Client(transport, mode=mode, read_timeout_seconds=SECONDS) as client:
            yield client


def work_with(product: Product, headers: dict[str, str], mode: str, work: Work) -> None:
    async def run() -> None:
        async with connect(product, headers, mode) as client:
            await work(client)

    anyio.run(run)


@pytest.mark.parametrize(("mode", "revision"), MODES)
def test_it_lists_asks_searches_and_reads(
    product: Product, headers: dict[str, str], mode: str, revision: str
):
    steps: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, message))

    async def work(client: Client) -> None:
        assert client.protocol_version == revision
        # Pinned to the revision it does not ask for them.
        assert bool(client.instructions) == (mode != "2026-07-28")
        tools = await client.list_tools()
        assert [tool.name for tool in tools.tools][:2] == ["ask", "search"]
        answer = await client.call_tool("ask", {"question": QUESTION}, progress_callback=note)
        assert answer.structured_content is not None
        assert answer.structured_content["confidence"] == "answered"
        (listed,) = (await client.list_resources()).resources
        (content,) = (await client.read_resource(listed.uri)).contents
        assert isinstance(content, TextResourceContents)
        assert LIGHTHOUSE[1] in content.text
        found = await client.call_tool("search", {"query": QUESTION, "limit": 1})
        assert found.structured_content is not None
        assert found.structured_content["has_relevant"] is True

    work_with(product, headers, mode, work)

    assert [message for _, message in steps[:2]] == [
        "Looking through the documents.",
        "Found 1 passage.",
    ]
    assert [progress for progress, _ in steps] == [float(n + 1) for n in range(len(steps))]


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_it_cancels_and_the_language_model_stops(
    product: Product, headers: dict[str, str], model: ChatServer, mode: str
):
    model.says(stream(SENTENCE, *["And so on. "] * 300, seconds_between=0.1))

    async def work(client: Client) -> None:
        with anyio.CancelScope() as scope:

            async def leave(progress: float, total: float | None, message: str | None) -> None:
                if message == "Writing the answer.":
                    scope.cancel()

            await client.call_tool("ask", {"question": QUESTION}, progress_callback=leave)
        assert scope.cancelled_caught
        assert await anyio.to_thread.run_sync(model.was_left.wait, SECONDS)

    work_with(product, headers, mode, work)


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_it_is_told_when_the_month_is_full(
    product: Product, headers: dict[str, str], committed_tenant: Tenant, mode: str
):
    plan = committed_tenant.plan
    plan.max_queries_per_month, plan.blocks_overage = 0, True
    plan.save()

    async def work(client: Client) -> None:
        answer = await client.call_tool("ask", {"question": QUESTION})
        assert answer.is_error
        assert "PLAN_LIMIT_REACHED" in str(answer.content)

    work_with(product, headers, mode, work)


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_it_is_refused_over_the_rate_limit(
    product: Product, headers: dict[str, str], committed_tenant: Tenant, mode: str
):
    plan = committed_tenant.plan
    plan.max_requests_per_minute = REQUESTS
    plan.save()

    async def list_too_often(client: Client) -> None:
        for _ in range(REQUESTS + 1):
            await client.list_tools(cache_mode="bypass")

    async def work(client: Client) -> None:
        with pytest.raises(MCPError):
            await list_too_often(client)

    work_with(product, headers, mode, work)
    assert 429 in {exchange.status for exchange in product.exchanges}


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_it_is_refused_without_a_token(product: Product, db: None, mode: str):
    product.forget()

    with suppress(BaseExceptionGroup, MCPError, httpx2.HTTPError):
        work_with(product, {"Authorization": "Bearer nobody"}, mode, lambda c: c.list_tools())

    assert {exchange.status for exchange in product.exchanges} == {401}


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_an_api_token_asks_and_is_refused_the_sources(
    product: Product, headers: dict[str, str], committed_tenant: Tenant, mode: str
):
    token = make_api_token(make_user(committed_tenant, role=Role.ADMIN), committed_tenant)

    async def work(client: Client) -> None:
        tools = await client.list_tools()
        assert "list_sources" not in [tool.name for tool in tools.tools]
        answer = await client.call_tool("ask", {"question": QUESTION})
        assert not answer.is_error
        refused = await client.call_tool("list_sources", {})
        assert refused.is_error
        assert "FORBIDDEN" in str(refused.content)

    work_with(product, {"Authorization": f"Bearer {token}"}, mode, work)
