"""A program that signs in by OAuth: the client's own provider, and a person who answers for it."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import anyio
import httpx
import jwt
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from bench.system.programs.checks import Check, Checks, expect, in_turn, leaves, show
from bench.system.programs.client import Connection
from bench.system.programs.scripted_person import ScriptedPerson
from bench.system.programs.stage import Stage

CALLBACK = "http://127.0.0.1:33418/callback"  # never opened: the person reads it off the redirect
FORGED_SECONDS = 600
SECONDS = 60


class Program:
    """Keeps its tokens in memory. `scope`: what it asks for instead of what the service names."""

    def __init__(self, stage: Stage, person: ScriptedPerson, *, era: str, scope: str = "") -> None:
        self.stage, self.person, self.scope, self.answer = stage, person, scope, "allow"
        self.tokens: OAuthToken | None = None
        self.registered: OAuthClientInformationFull | None = None
        self.asked: list[dict[str, str]] = []  # parameters of each authorization address
        self.called_back: dict[str, str] = {}
        metadata = OAuthClientMetadata(
            client_name="Bench",
            redirect_uris=[AnyUrl(CALLBACK)],
            token_endpoint_auth_method="none",  # noqa: S106 - a method's name
        )
        self.provider = OAuthClientProvider(
            stage.url, metadata, self, self.send_person, self.take_answer
        )
        self.connection = Connection(stage.url, auth=self.provider, era=era)

    # The client's TokenStorage

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.registered

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.registered = client_info

    # Its person

    async def send_person(self, address: str) -> None:
        parameters = dict(parse_qsl(urlsplit(address).query))
        if self.scope:
            parameters["scope"], self.scope = self.scope, ""
        self.asked.append(parameters)
        target = f"{address.split('?')[0]}?{urlencode(parameters)}"
        self.called_back = await anyio.to_thread.run_sync(self.person.answer, target, self.answer)

    async def take_answer(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult.model_validate({"code": "", **self.called_back})

    @property
    def held(self) -> OAuthToken:
        if self.tokens is None:
            raise RuntimeError("the program has no tokens")
        return self.tokens

    async def send(self, method: str, path: str, **what: Any) -> httpx.Response:
        async with httpx.AsyncClient(base_url=self.stage.base_url, timeout=SECONDS) as http:
            return await http.request(method, path, **what)

    async def statuses_of(self, token: str) -> set[int]:
        """What the service answers to a client that comes with `token`; empty when it is let in."""
        connection = Connection(self.stage.url, token, era=self.connection.era)
        return set(connection.statuses) if await connection.refusal() else set()

    def forge(self, **claims: Any) -> str:
        """Its access token with other claims, signed as the service signs."""
        key = (self.stage.service.data_dir / "secret_key").read_text().strip()
        held = jwt.decode(self.held.access_token, options={"verify_signature": False})
        return jwt.encode({**held, **claims}, key, "HS256")


async def try_programs(stage: Stage, era: str) -> Checks:
    with stage.admin() as admin, stage.viewer() as viewer:
        program = Program(stage, admin, era=era)
        tries = (
            try_signing_in(program),
            try_forged(program),
            try_refreshing(program),
            try_reuse(program),
            try_step_up(Program(stage, admin, era=era, scope="ask")),
            try_viewer(Program(stage, viewer, era=era)),
            try_saying_no(Program(stage, admin, era=era)),
            try_revoking(Program(stage, admin, era=era)),
        )
        async for check in in_turn(*tries):
            yield check


async def try_signing_in(program: Program) -> Checks:
    async with program.connection.open() as client:
        tools = sorted(tool.name for tool in (await client.list_tools()).tools)
        yield Check("signs in by OAuth", "ask" in tools, show(tools))
        asked = program.asked[0]
        said = asked["code_challenge_method"], asked["resource"]
        yield expect("with PKCE and the resource", said, ("S256", program.stage.url))
        sources = await client.call_tool("list_sources", {})
        yield Check("lists the sources", not sources.is_error, show(sources.structured_content))
    issuer = program.called_back.get("iss")
    yield expect("is told who issued the code", issuer, program.stage.base_url)
    headers = {"Authorization": f"Bearer {program.held.access_token}"}
    answer = await program.send("GET", "/ingest/sources", headers=headers)
    yield expect("the REST API refuses its token", answer.status_code, 401)


async def try_forged(program: Program) -> Checks:
    """Tokens that the service itself might have signed."""
    past = int(time.time()) - FORGED_SECONDS
    expired = program.forge(exp=past, iat=past - FORGED_SECONDS)
    yield expect("an expired token: 401", await program.statuses_of(expired), {401})
    elsewhere = program.forge(aud="https://other.example/mcp")
    yield expect("a token for another resource: 401", await program.statuses_of(elsewhere), {401})


async def try_refreshing(program: Program) -> Checks:
    before = program.held
    program.provider.context.token_expiry_time = 1  # as the client has it when time has passed
    refusal = await program.connection.refusal()
    renewed = program.held.access_token != before.access_token
    replaced = program.held.refresh_token != before.refresh_token
    yield Check("refreshes", renewed and replaced and not refusal, "both tokens are new")


async def try_reuse(program: Program) -> Checks:
    """A refresh token comes twice: somebody else has a copy of it."""
    form = {
        "grant_type": "refresh_token",
        "refresh_token": program.held.refresh_token,
        "client_id": program.asked[0]["client_id"],
        "resource": program.stage.url,
    }
    first = await program.send("POST", "/oauth/token", data=form)
    second = await program.send("POST", "/oauth/token", data=form)
    found = first.status_code, second.status_code, second.json().get("error")
    yield expect("a refresh token is good once", found, (200, 400, "invalid_grant"))
    renewed = first.json().get("access_token", "")
    yield expect("and its reuse ends the access: 401", await program.statuses_of(renewed), {401})


async def try_step_up(program: Program) -> Checks:
    """Permitted to ask; a call that needs more makes the client sign in again for it."""
    async with program.connection.open() as client:
        tools = sorted(tool.name for tool in (await client.list_tools()).tools)
        yield expect("scope ask: the tools", tools, ["ask", "list_agents", "search"])
        sources = await client.call_tool("list_sources", {})
    refused = [answer for answer in program.connection.answers if answer.status_code == 403]
    challenge = refused[0].headers["WWW-Authenticate"] if refused else "no 403"
    yield Check("list_sources: insufficient_scope", "insufficient_scope" in challenge, challenge)
    scopes = [asked["scope"] for asked in program.asked]
    yield Check("then asks for more, and may", not sources.is_error, show(scopes))


async def try_viewer(program: Program) -> Checks:
    """The program never gets more than its person."""
    async with program.connection.open() as client:
        tools = sorted(tool.name for tool in (await client.list_tools()).tools)
        yield expect("a viewer's program: the tools", tools, ["ask", "list_agents"])
    refusal = await program.connection.refusal("list_sources")
    yield Check("list_sources is refused to its role", "role" in refusal, show(refusal))


async def try_saying_no(program: Program) -> Checks:
    program.answer = "cancel"
    try:
        await program.connection.refusal()
    except* OAuthFlowError as group:
        yield expect("the person says no", program.called_back.get("error"), "access_denied")
        yield Check("and the client says so", True, show(next(leaves(group))))


async def try_revoking(program: Program) -> Checks:
    """By the program itself (RFC 7009): at once, for the access token too."""
    await program.connection.refusal()
    form = {"token": program.held.refresh_token, "client_id": program.asked[0]["client_id"]}
    answer = await program.send("POST", "/oauth/revoke", data=form)
    yield expect("revokes its access", answer.status_code, 200)
    held = program.held.access_token
    yield expect("its access token: 401", await program.statuses_of(held), {401})
