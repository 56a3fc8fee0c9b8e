"""Tells which revision a message is of, and whether its headers say the same as its body.

https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http, read
2026-11-23. Headers are for those who pass requests on: one that says something else than the body
would lead them astray.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from query.mcp.protocol import (
    CAPABILITIES_KEY,
    HANDSHAKE,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    MODERN,
    UNNAMED,
    UNSUPPORTED_PROTOCOL_VERSION,
    VERSION_KEY,
    RpcError,
    RpcMessage,
)

VERSION_HEADER = "MCP-Protocol-Version"
METHOD_HEADER = "Mcp-Method"
NAME_HEADER = "Mcp-Name"
# The param that a request is told by, beside its method.
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
ENCODED = re.compile(r"=\?base64\?(.*)\?=", re.DOTALL)


def read_revision(message: RpcMessage, headers: Mapping[str, str]) -> str:
    """Raises RpcError."""
    named = headers.get(VERSION_HEADER, "").strip()
    if is_modern(message, named):
        if message.is_request:
            check_envelope(message, named, headers)
        if named not in MODERN:
            raise unsupported(named)
        return named
    if named and named not in HANDSHAKE:
        raise unsupported(named)
    return named or UNNAMED


def is_modern(message: RpcMessage, named: str) -> bool:
    has_envelope = isinstance(message.meta, dict) and VERSION_KEY in message.meta
    return named in MODERN or has_envelope or message.method == "server/discover"


def check_envelope(message: RpcMessage, named: str, headers: Mapping[str, str]) -> None:
    """Checks first for what is missing, then for contradictions. Raises RpcError."""
    meta: Any = message.meta
    if not isinstance(meta, dict):
        raise RpcError(
            INVALID_PARAMS, f"params._meta must hold {VERSION_KEY} and {CAPABILITIES_KEY}."
        )
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.")
    if not named or named != meta[VERSION_KEY]:
        raise mismatch(VERSION_HEADER, f"_meta's {VERSION_KEY}")
    if headers.get(METHOD_HEADER, "").strip() != message.method:
        raise mismatch(METHOD_HEADER, "method")
    key = NAMED_BY.get(message.method, "")
    name = message.params.get(key)
    if name is not None and decode_header(headers.get(NAME_HEADER, "")) != name:
        raise mismatch(NAME_HEADER, f"params.{key}")


def decode_header(value: str) -> str | None:
    """The header's text: what does not fit a header is sent as `=?base64?…?=`, of UTF-8. None when
    that is broken."""
    value = value.strip()
    encoded = ENCODED.fullmatch(value)
    if encoded is None:
        return value
    try:
        return base64.b64decode(encoded[1], validate=True).decode()
    except ValueError:
        return None


def mismatch(header: str, field: str) -> RpcError:
    return RpcError(
        HEADER_MISMATCH, f"The header {header} is missing, or says something else than the {field}."
    )


def unsupported(named: str) -> RpcError:
    """The error for an unknown revision. `supported` names the revisions without a handshake, as
    `server/discover` does."""
    return RpcError(
        UNSUPPORTED_PROTOCOL_VERSION,
        "This revision of the protocol is not supported here.",
        {"supported": list(MODERN), "requested": named},
    )
