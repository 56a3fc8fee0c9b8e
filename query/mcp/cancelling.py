"""Cancelling by a message of its own, as the handshake revisions do: another process may run the
request. Since 2026-07-28 a client closes the stream instead."""

from __future__ import annotations

import hashlib
import json
import logging
import time

from redis import RedisError

from config.jobs.redis_client import client
from query.mcp.callers import McpCaller
from query.mcp.protocol import RequestId

logger = logging.getLogger(__name__)

KEPT_SECONDS = 300  # longer than any answer takes
LOOK_EVERY_SECONDS = 0.2


def cancel(caller: McpCaller, session_id: str, request_id: RequestId) -> None:
    """Without Redis the request runs to its end, as the protocol allows."""
    try:
        client().set(flag_of(caller, session_id, request_id), b"1", ex=KEPT_SECONDS)
    except RedisError as error:
        logger.warning("Redis does not answer, a request is not cancelled: %s", error)


class Cancellation:
    """Whether a request that runs was cancelled."""

    def __init__(self, caller: McpCaller, session_id: str, request_id: RequestId | None) -> None:
        # Without a session nobody could have said so.
        self.flag = flag_of(caller, session_id, request_id) if session_id else ""
        self.looked_at = 0.0

    def was_asked_for(self) -> bool:
        """Asks Redis at most every LOOK_EVERY_SECONDS."""
        now = time.monotonic()
        if not self.flag or now - self.looked_at < LOOK_EVERY_SECONDS:
            return False
        self.looked_at = now
        try:
            return bool(client().exists(self.flag))
        except RedisError as error:
            logger.warning("Redis does not answer, a request goes on: %s", error)
            return False


def flag_of(caller: McpCaller, session_id: str, request_id: RequestId | None) -> str:
    """1 and "1" are two ids. Hashed: a client chooses it."""
    asked = json.dumps([session_id, request_id])
    return f"{caller.tenant.pk}:mcp:cancelled:{hashlib.sha256(asked.encode()).hexdigest()}"
