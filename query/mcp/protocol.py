"""JSON-RPC 2.0 messages, and the revisions of the protocol that they may be of.

https://www.jsonrpc.org/specification and https://modelcontextprotocol.io/specification/2026-07-28,
read 2026-11-23. A test compares the numbers with the official `mcp_types`, which is not imported
here: it costs a quarter of a second, and every process reads the table of addresses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeGuard

# Without a handshake: each request says its revision and what its client can do.
MODERN = ("2026-07-28",)
# With `initialize` and a session, for the clients that people have.
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LATEST_HANDSHAKE = HANDSHAKE[-1]
UNNAMED = "2025-03-26"  # what speaks without naming a revision, for that one had no header

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_PROTOCOL_VERSION = -32022
RESOURCE_NOT_FOUND = -32002  # of the handshake revisions; then it became INVALID_PARAMS
FORBIDDEN = -32003  # ours
REQUEST_CANCELLED = -32800  # as the official servers end a stream that was cancelled

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"

RequestId = str | int
# A client gets them back, a progress token with each step: long ones would fill what is sent to who
# does not read, and hold the thread.
ID_MAX_CHARS = 200


class RpcError(Exception):
    """A refusal inside JSON-RPC."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


@dataclass(frozen=True)
class RpcMessage:
    """A message that a client posts: a request; a notification (`id` None); or its reply to a
    server's request (no `method`), which we never send."""

    id: RequestId | None
    method: str
    params: dict[str, Any]

    @property
    def is_request(self) -> bool:
        return self.id is not None

    @property
    def meta(self) -> Any:
        return self.params.get("_meta")


def read_message(body: bytes) -> RpcMessage:
    """Raises RpcError."""
    try:
        content = json.loads(body.decode(), parse_constant=refuse_constant)
    except (ValueError, RecursionError):  # ValueError: also no UTF-8, and numbers without an end
        raise RpcError(PARSE_ERROR, "The body is not JSON in UTF-8.") from None
    if isinstance(content, list):
        raise RpcError(INVALID_REQUEST, "Batches are not accepted: post one message at a time.")
    if not isinstance(content, dict) or content.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "The body must be one JSON-RPC 2.0 message.")
    if "method" not in content and ("result" in content or "error" in content):
        return RpcMessage(None, "", {})
    method, params, number = content.get("method"), content.get("params", {}), content.get("id")
    is_known_id = "id" not in content or is_id(number)
    if not (isinstance(method, str) and method and isinstance(params, dict) and is_known_id):
        raise RpcError(
            INVALID_REQUEST,
            "A message has a method, params that are an object, and an id that is a whole number or"
            f" a text of at most {ID_MAX_CHARS} characters.",
        )
    return RpcMessage(number, method, params)


def is_id(number: Any) -> TypeGuard[RequestId]:
    """Tells whether this may be the id of a request, or a token of its progress."""
    return type(number) is int or (isinstance(number, str) and len(number) <= ID_MAX_CHARS)


def refuse_constant(name: str) -> NoReturn:
    """Refuses NaN and the infinities, which Python takes for JSON. Raises ValueError."""
    raise ValueError(name)


def reply(id: RequestId | None, result: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def reply_error(id: RequestId | None, error: RpcError) -> dict[str, Any]:
    content: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        content["data"] = error.data
    return {"jsonrpc": "2.0", "id": id, "error": content}


def notification(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": dict(params)}


def write_message(message: Mapping[str, Any]) -> str:
    """The message as JSON, in ASCII alone: no character of a passage can end a line of a stream."""
    return json.dumps(message, separators=(",", ":"))
