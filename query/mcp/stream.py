"""A request's answer as server-sent events: how far it is, then the result.

https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress, read 2026-11-23.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Any

from query.mcp.cancelling import Cancellation
from query.mcp.failures import to_rpc_error
from query.mcp.protocol import (
    REQUEST_CANCELLED,
    RpcError,
    is_id,
    notification,
    reply,
    reply_error,
    write_message,
)
from query.mcp.server import Call, Work
from query.mcp.tools.interface import Progress

TOLD_EVERY_SECONDS = 0.5  # of the same step
# Says nothing to anybody; to write it is how we learn that the client has gone.
SIGN_OF_LIFE = ":\n\n"


def write_stream(call: Call, work: Work) -> Generator[str, None, None]:
    """Writes a request's stream. Closing it, as the server does when the client has left, stops the
    work. An error of the work is not raised: it is the last event."""
    telling = Telling(call.message.meta)
    cancellation = Cancellation(call.caller, call.session_id, call.message.id)
    with closing(work.steps):
        while True:
            try:
                step = next(work.steps)
            except StopIteration as end:
                yield write_event(reply(call.message.id, end.value))
                return
            except Exception as error:  # noqa: BLE001 - it is logged, and told
                yield write_event(reply_error(call.message.id, to_rpc_error(error)))
                return
            if cancellation.was_asked_for():
                cancelled = RpcError(REQUEST_CANCELLED, "Request cancelled")
                yield write_event(reply_error(call.message.id, cancelled))
                return
            yield telling.tell(step)


class Telling:
    """Progress notifications, for clients that asked for them by a token. They count up."""

    def __init__(self, meta: Any) -> None:
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self.token = token if is_id(token) else None  # nobody need be told
        self.count = 0
        self.last_message = ""
        self.told_at = 0.0

    def tell(self, step: Progress) -> str:
        now = time.monotonic()
        is_due = step.message != self.last_message or now - self.told_at >= TOLD_EVERY_SECONDS
        if self.token is None or not is_due:
            return SIGN_OF_LIFE
        self.count, self.last_message, self.told_at = self.count + 1, step.message, now
        params = {"progressToken": self.token, "progress": self.count, "message": step.message}
        return write_event(notification("notifications/progress", params))


def write_event(message: Mapping[str, Any]) -> str:
    return f"event: message\ndata: {write_message(message)}\n\n"
