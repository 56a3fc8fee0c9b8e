"""Sessions of the handshake revisions: an id that is signed for its caller, and nothing stored.

Not a credential: every request brings its own, and a session id of another caller is unknown.
"""

from __future__ import annotations

import hmac
import secrets

from config.security.encryption import keyed_hash
from query.mcp.callers import McpCaller
from query.mcp.errors import McpSessionMissing, McpSessionUnknown

RANDOM_BYTES = 16


def begin_session(caller: McpCaller) -> str:
    number = secrets.token_hex(RANDOM_BYTES)
    return f"{number}.{signature(caller, number)}"


def require_session(caller: McpCaller, session_id: str) -> None:
    """Raises McpSessionMissing, McpSessionUnknown."""
    if not session_id:
        raise McpSessionMissing
    number, _, signed = session_id.partition(".")
    if not hmac.compare_digest(signed.encode(), signature(caller, number).encode()):
        raise McpSessionUnknown


def signature(caller: McpCaller, number: str) -> str:
    return keyed_hash(f"{caller.tenant.pk}:{caller.key}:{number}", purpose="mcp session")
