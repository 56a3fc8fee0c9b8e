"""Cancelling by a message of its own, as the handshake revisions do: another process may run the
request. Since 2026-07-28 a client closes the stream instead."""

from __future__ import annotations

import hashlib
import json
import time

from config.jobs.redis_client import ask_redis
from query.mcp.callers import McpCaller
from query.mcp.protocol import RequestId

KEPT_SECONDS = 300  # longer than any answer takes
# It is asked for at each step of an answer. A round trip for each would slow down the answer.
LOOK_EVERY_SECONDS = 0.2


def cancel(caller: McpCaller, session_id: str, request_id: RequestId) -> None:
    """Marks the request as cancelled. Without Redis it runs to its end, as the protocol allows."""
    flag = flag_of(caller, session_id, request_id)
    ask_redis(lambda redis: redis.set(flag, b"1", ex=KEPT_SECONDS))


class Cancellation:
    """Tells whether a running request was cancelled."""

    def __init__(self, caller: McpCaller, session_id: str, request_id: RequestId | None) -> None:
        # Without a session nobody could have said so.
        self.flag = flag_of(caller, session_id, request_id) if session_id else ""
        self.looked_at = float("-inf")  # the clock begins when the machine does

    def was_asked_for(self) -> bool:
        """Asks Redis at most every LOOK_EVERY_SECONDS."""
        now = time.monotonic()
        if not self.flag or now - self.looked_at < LOOK_EVERY_SECONDS:
            return False
        self.looked_at = now
        return bool(ask_redis(lambda redis: redis.exists(self.flag)))


def flag_of(caller: McpCaller, session_id: str, request_id: RequestId | None) -> str:
    """The key of the request's flag in Redis. The ids 1 and "1" differ. Hashed: a client chooses
    the id."""
    asked = json.dumps([session_id, request_id])
    return f"{caller.tenant.pk}:mcp:cancelled:{hashlib.sha256(asked.encode()).hexdigest()}"
