"""Ids and names of another tenant inside bodies: they answer as those that never existed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accounts.models import Role
from accounts.tests.factories import PASSWORD
from config.tests.isolation.matrix import (
    FOREIGN,
    MALFORMED,
    MALFORMED_ID,
    MISSING,
    MISSING_ID,
    Answer,
    Cell,
    Problem,
    send,
    undone,
)
from config.tests.isolation.public_rows import judge_silence, refresh_token
from config.tests.isolation.url_table import Endpoint
from config.tests.isolation.world import Side, World
from sources.models import Chunk


@dataclass(frozen=True)
class BodyRow:
    """An admin of ours sends `body(cell, what)`, where `what` is theirs, nobody's or nonsense.

    `own_id` is what stands in the address, where it names something.
    """

    method: str
    route: str
    field: str
    status: int
    theirs: Callable[[World], object]
    body: Callable[[Cell, str], Any]
    missing: str = MISSING_ID
    malformed: str = MALFORMED_ID
    own_id: Callable[[Side], object] = lambda side: ""
    headers: tuple[tuple[str, str], ...] = ()

    def ask(self, cell: Cell) -> Answer:
        named = {
            FOREIGN: self.theirs(cell.world),
            MISSING: self.missing,
            MALFORMED: self.malformed,
        }
        with undone():
            body = self.body(cell, str(named[cell.target]))
            headers = cell.side.headers[Role.ADMIN] | dict(self.headers)
            path = cell.endpoint.path(str(self.own_id(cell.side)))
            return send(self.method, path, headers, body)


def find_body_problems(row: BodyRow, world: World) -> list[Problem]:
    endpoint = Endpoint(row.method, row.route)
    cells = [Cell(endpoint, Role.ADMIN, target, world) for target in (FOREIGN, MISSING, MALFORMED)]
    answers = {cell: row.ask(cell) for cell in cells}
    missing = answers[cells[1]]
    problems = []
    for cell, answer in answers.items():
        found = list(judge_silence(cell, answer))
        if answer.status != row.status or not answer.is_like(missing):
            found.append(f"answered {answer}, not as a missing one: {missing}")
        problems += [Problem(f"{cell} {row.field}", what) for what in found]
    return problems


def login(cell: Cell, slug: str) -> dict[str, Any]:
    email = cell.side.people[Role.ADMIN].email
    return {"email": email, "password": PASSWORD, "tenant_slug": slug}


def of_mcp(tool: str, argument: str, theirs: Callable[[World], object], **others: str) -> BodyRow:
    """A tool's argument: the refusal is the tool's answer."""

    def call(cell: Cell, given: str) -> dict[str, Any]:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": tool, "arguments": {**others, argument: given}, "_meta": meta}
        return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    return BodyRow(
        "POST",
        "tenants/me/mcp",
        f"{tool}'s {argument}",
        200,
        theirs=theirs,
        body=call,
        headers=(
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", tool),
        ),
    )


def their_agent(world: World) -> object:
    return world.theirs.agent.pk


def their_passage(world: World) -> object:
    chunks = Chunk.objects.for_tenant(world.theirs.tenant).filter(source=world.theirs.source)
    return chunks.values_list("pk", flat=True)[0]


NO_SLUG = "nobody"
MALFORMED_SLUG = "No Slug!"

BODY_ROWS = [
    BodyRow(
        "PATCH",
        "ingest/sources/reorder",
        "source_id",
        404,
        theirs=lambda world: world.theirs.source.pk,
        body=lambda cell, given: [
            {"source_id": str(cell.side.source.pk), "position": 1},
            {"source_id": given, "position": 2},
        ],
    ),
    BodyRow(
        "POST",
        "agent/query",
        "agent_id",
        404,
        theirs=lambda world: world.theirs.agent.pk,
        body=lambda cell, given: {"query": "When does the shop open?", "agent_id": given},
    ),
    BodyRow(
        "POST",
        "v1/chat/completions",
        "model",
        404,
        theirs=lambda world: world.theirs.agent.pk,
        body=lambda cell, given: {
            "model": given,
            "messages": [{"role": "user", "content": "When does the shop open?"}],
        },
    ),
    of_mcp("ask", "agent", their_agent, question="When does the shop open?"),
    of_mcp("search", "agent", their_agent, query="When does the shop open?"),
    of_mcp("read_source_passage", "passage_id", their_passage),
    BodyRow(
        "PUT",
        "agents/<str:agent_id>/sources",
        "source_ids",
        404,
        theirs=lambda world: world.theirs.source.pk,
        body=lambda cell, given: {"source_ids": [str(cell.side.source.pk), given]},
        own_id=lambda side: side.agent.pk,
    ),
    BodyRow(
        "POST",
        "auth/login",
        "tenant_slug",
        403,
        theirs=lambda world: world.theirs.tenant.slug,
        body=login,
        missing=NO_SLUG,
        malformed=MALFORMED_SLUG,
    ),
    BodyRow(
        "POST",
        "auth/refresh",
        "tenant_slug",
        403,
        theirs=lambda world: world.theirs.tenant.slug,
        body=lambda cell, given: {**refresh_token(cell), "tenant_slug": given},
        missing=NO_SLUG,
        malformed=MALFORMED_SLUG,
    ),
]
