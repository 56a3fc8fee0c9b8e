"""A program as the tests play it: one message a POST, in either era of the protocol."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from mcp_types.methods import validate_server_result
from rest_framework.test import APIClient

PATH = "/tenants/me/mcp"
MODERN, HANDSHAKE = "2026-07-28", "2025-11-25"
BOTH = "application/json, text/event-stream"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
NAMED_BY = {"tools/call": "name", "resources/read": "uri"}
JUST_JSON = "application/json"


def modern_headers(method: str, params: dict[str, Any]) -> dict[str, str]:
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    name = params.get(NAMED_BY.get(method, ""))
    return headers | ({"Mcp-Name": str(name)} if name is not None else {})


@dataclass
class Program:
    """`revision`: of the era that it speaks. `result` is held to the official types."""

    api: APIClient
    revision: str = MODERN
    headers: dict[str, str] = field(default_factory=dict)
    accept: str = BOTH

    def post(self, body: Any, **headers: str) -> Any:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"Accept": self.accept} | self.headers | headers
        return self.api.post(PATH, content, content_type="application/json", headers=sent)

    def send(
        self, method: str, params: dict[str, Any] | None = None, *, id: Any = 1, **headers: str
    ) -> Any:
        params = dict(params or {})
        own: dict[str, str] = {}
        if self.revision == MODERN:
            params["_meta"] = ENVELOPE | params.get("_meta", {})
            own = modern_headers(method, params)
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        return self.post(message, **(own | headers))

    def result(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = self.send(method, params)
        assert answer.status_code == 200, answer.content
        (*_, last) = read_answer(answer)
        assert last["id"] == 1
        validate_server_result(method, self.revision, last["result"])
        result: dict[str, Any] = last["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.result("tools/call", {"name": tool, "arguments": arguments})

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a call that succeeds gives, held to the tool's own schema by the callers' test."""
        result = self.call(tool, **arguments)
        assert result["isError"] is False, result
        data: dict[str, Any] = result["structuredContent"]
        return data

    def failure(self, tool: str, **arguments: Any) -> str:
        result = self.call(tool, **arguments)
        assert result["isError"] is True, result
        (block,) = result["content"]
        return str(block["text"])

    def begin(self) -> None:
        """The handshake; then every message is of its session."""
        asked = {
            "protocolVersion": self.revision,
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        }
        answer = self.send("initialize", asked)
        assert answer.status_code == 200, answer.content
        self.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        self.headers["MCP-Protocol-Version"] = self.revision
        assert self.notify("notifications/initialized").status_code == 202

    def notify(self, method: str, **params: Any) -> Any:
        return self.post({"jsonrpc": "2.0", "method": method, "params": params})


def read_answer(answer: Any) -> list[dict[str, Any]]:
    """The messages of an answer, whichever form it has."""
    if not answer.streaming:
        return [json.loads(answer.content)]
    return read_events(b"".join(answer.streaming_content))


def read_events(stream: bytes) -> list[dict[str, Any]]:
    """Read as strictly as it is written."""
    blocks = stream.decode("ascii").removesuffix("\n\n").split("\n\n")
    messages = []
    for block in blocks:
        if block == ":":
            continue
        event, data = block.split("\n")
        assert event == "event: message"
        messages.append(json.loads(data.removeprefix("data: ")))
    return messages
