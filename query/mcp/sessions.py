"""Sessions of the handshake revisions: an id that is signed for its caller, and nothing stored.

Not a credential: every request brings its own, and a session id of another caller is unknown.
"""

from __future__ import annotations

import secrets

from config.security.encryption import is_keyed_hash, keyed_hash
from query.mcp.callers import McpCaller
from query.mcp.errors import McpSessionMissing, McpSessionUnknown

RANDOM_BYTES = 16
PURPOSE = "mcp session"


def begin_session(caller: McpCaller) -> str:
    number = secrets.token_hex(RANDOM_BYTES)
    return f"{number}.{keyed_hash(bind(caller, number), purpose=PURPOSE)}"


def require_session(caller: McpCaller, session_id: str) -> None:
    """Checks the caller's session. Raises McpSessionMissing, McpSessionUnknown."""
    if not session_id:
        raise McpSessionMissing
    number, _, signed = session_id.partition(".")
    if not is_keyed_hash(signed, bind(caller, number), purpose=PURPOSE):
        raise McpSessionUnknown


def bind(caller: McpCaller, number: str) -> str:
    return f"{caller.tenant.pk}:{caller.key}:{number}"
