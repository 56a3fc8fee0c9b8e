"""The official Python client (package mcp) against a copy of the service: by token and by OAuth.

    python -m bench.system.programs.mcp_python

Both eras of the protocol: the handshake of the revisions up to 2025-11-25, and 2026-07-28. A
stand-in for a language model writes the answers, so that one can be cancelled in the middle. Prints
a Markdown line a check; exits with 1 when one fails.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from importlib.metadata import version
from typing import Any

import anyio
from mcp import Client

from bench.system.programs.checks import Check, Checks, expect, in_turn, print_checks, show
from bench.system.programs.client import ERAS, Connection, text_of
from bench.system.programs.program import try_programs
from bench.system.programs.stage import FREE_QUERIES, Stage, open_stage, quote_passages

QUESTION = "What time does the shop close on Saturday?"
ANSWER = "14:30"
ASKED = {"question": QUESTION}
ELSEWHERE = "Who won the football world cup in 1974?"
TOOLS = ["ask", "list_agents", "list_sources", "read_source_passage", "search"]
TOOLS_OF_ANYBODY = ["ask", "list_agents"]
DEMO_SOURCES = 8
FREE_REQUESTS_PER_MINUTE = 30
LEFT_SECONDS = 8


async def try_reading(client: Client) -> Checks:
    """As the demo company's admin."""
    yield expect("tools/list", await names_of_tools(client), TOOLS)
    passages = (await structured(client, "search", query=QUESTION))["passages"]
    yield Check("search finds the passage", ANSWER in str(passages), show(passages[:1]))
    found = passages[0]
    around = await structured(
        client, "read_source_passage", passage_id=found["passage_id"], before=1, after=1
    )
    texts = [passage["text"] for passage in around["passages"]]
    yield Check("read_source_passage gives it", found["text"] in texts, show(around))
    sources = (await structured(client, "list_sources"))["sources"]
    yield expect("list_sources", len(sources), DEMO_SOURCES)
    agents = (await structured(client, "list_agents"))["agents"]
    yield expect("list_agents", [agent["name"] for agent in agents], ["Marusía"])
    resources = (await client.list_resources()).resources
    yield expect("resources/list", len(resources), DEMO_SOURCES)
    contents = (await client.read_resource(resources[0].uri)).contents
    yield Check("resources/read", len(contents) == 1, show(contents[0]))
    templates = (await client.list_resource_templates()).resource_templates
    yield Check("resources/templates/list", bool(templates), show(templates[0].uri_template))


async def try_asking(client: Client) -> Checks:
    steps: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, message))

    asked = await client.call_tool("ask", ASKED, progress_callback=note)
    answer = asked.structured_content or {}
    yield Check("ask answers", ANSWER in answer["answer"], show(answer["answer"]))
    yield Check("with sources", bool(answer["sources"]), show(answer["sources"][:1]))
    reached = [progress for progress, _ in steps]
    grows = len(steps) > 1 and reached == sorted(set(reached))
    yield Check("with progress that grows", grows, show(steps))
    other = await structured(client, "ask", question=ELSEWHERE)
    found = other["confidence"], other["sources"]
    yield expect("says when the documents do not", found, ("none", []))


async def try_cancelling(stage: Stage, client: Client) -> Checks:
    """While the model writes: it must see its reader leave."""
    is_writing = anyio.Event()

    async def note(progress: float, total: float | None, message: str | None) -> None:
        if message and message.startswith("Writing"):
            is_writing.set()

    stage.chat.was_left.clear()
    stage.chat.says(quote_passages(seconds_between=1))
    async with anyio.create_task_group() as group:
        group.start_soon(partial(client.call_tool, "ask", ASKED, progress_callback=note))
        with anyio.fail_after(LEFT_SECONDS):
            await is_writing.wait()
        group.cancel_scope.cancel()
    started = anyio.current_time()
    was_left = await anyio.to_thread.run_sync(stage.chat.was_left.wait, LEFT_SECONDS)
    seconds = anyio.current_time() - started
    stage.chat.says(quote_passages())
    yield Check("cancelling stops the model", was_left, f"after {seconds:.1f} s")
    passages = (await structured(client, "search", query=QUESTION))["passages"]
    yield Check("and the connection goes on", ANSWER in str(passages), "search answers")


async def try_token(stage: Stage, era: str) -> Checks:
    """As an API token: it may ask, and see no source."""
    connection = Connection(stage.url, stage.make_api_token(), era=era)
    async with connection.open() as client:
        yield expect("tools/list of an API token", await names_of_tools(client), TOOLS_OF_ANYBODY)
        answer = await structured(client, "ask", question=QUESTION)
        yield Check("ask by API token", ANSWER in answer["answer"], show(answer["answer"]))
    for tool in ("search", "list_sources"):
        refusal = await connection.refusal(tool)
        yield Check(f"{tool} is refused to its role", "role" in refusal, show(refusal))


async def try_refusals(stage: Stage, era: str) -> Checks:
    for what, token in (("no token", ""), ("a broken token", "broken")):
        connection = Connection(stage.url, token, era=era)
        refusal = await connection.refusal()
        yield expect(f"{what}: 401", bool(refusal) and set(connection.statuses), {401})
        challenge = connection.answers[0].headers["WWW-Authenticate"]
        yield Check("says where to sign in", "resource_metadata=" in challenge, show(challenge))


async def try_limits(stage: Stage, era: str) -> Checks:
    free = stage.make_free_tenant(f"free-{era}")
    connection = Connection(stage.url, free.token, era=era)
    for _ in range(FREE_QUERIES):
        await connection.refusal("search", query=QUESTION)
    refusal = await connection.refusal("search", query=QUESTION)
    yield Check("a query beyond the plan is refused", "PLAN_LIMIT" in refusal, show(refusal))
    refusal = ""
    while not refusal and len(connection.answers) <= 2 * FREE_REQUESTS_PER_MINUTE:
        refusal = await connection.refusal()
    last = next(answer for answer in connection.answers if answer.status_code == 429)
    yield Check("too many requests: 429", bool(refusal), show(last.headers.get("Retry-After")))


async def names_of_tools(client: Client) -> list[str]:
    return sorted(tool.name for tool in (await client.list_tools()).tools)


async def structured(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Raises RuntimeError when the tool failed."""
    result = await client.call_tool(tool, arguments)
    if result.is_error or result.structured_content is None:
        raise RuntimeError(f"{tool}: {text_of(result)}")
    return dict(result.structured_content)


async def try_era(stage: Stage, era: str) -> Checks:
    async with Connection(stage.url, stage.service.token, era=era).open() as client:
        yield Check("connects by token", True, f"revision {client.protocol_version}")
        inside = try_reading(client), try_asking(client), try_cancelling(stage, client)
        async for check in in_turn(*inside):
            yield check
    outside = try_token(stage, era), try_refusals(stage, era), try_limits(stage, era)
    async for check in in_turn(*outside, try_programs(stage, era)):
        yield check


async def try_eras() -> bool:
    passed = True
    with open_stage() as stage:
        for era in ERAS:
            title = f"mcp {version('mcp')} (Python), {era}"
            passed &= await print_checks(title, try_era(stage, era))
    return passed


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(try_eras()) else 1)
