"""Refusals of the MCP endpoint. Outside JSON-RPC they have the legacy format."""

from accounts.models import Scope
from config.errors import Forbidden, InvalidValue, NotFound


class OriginRefused(Forbidden):
    """Raised when a page of another site asks from somebody's browser."""

    default_message = "This address does not answer requests from pages of other sites."


class McpSessionMissing(InvalidValue):
    default_message = (
        "The header Mcp-Session-Id is missing. Send initialize first, then the session id that"
        " it answers with every message."
    )


class McpSessionUnknown(NotFound):
    """Raised for a session that never existed, and for somebody else's: the answer is the same."""

    default_message = "There is no such session. Send initialize to begin one."


class ScopeMissing(Forbidden):
    """Raised when the person did not give the program this permission. `scope`: the missing one."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(f"This takes the permission {scope}, which the program was not given.")
        self.scope = scope
