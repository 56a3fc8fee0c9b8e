"""How many threads of a web process may wait for something else at once: half of them together, so
that the other half answers. Beyond, whoever would wait is answered at once, without.

Each kind of waiting has a few that are its own, and of the rest what is free: whatever uploads
wait, a language model goes on answering. Of a kind a tenant has at most half.
"""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum


class Kind(StrEnum):
    """What is waited for."""

    MODEL = "model"  # an answer that a language model writes: as JSON, in a stream, for MCP
    UPLOADS = "uploads"  # a worker that indexes a file
    SERVERS = "servers"  # websites and accounts that somebody looks at
    READERS = "readers"  # clients that read slowly what is still being made


# The part of all that is a kind's own: one in so many.
OWN = {Kind.MODEL: 3, Kind.UPLOADS: 6, Kind.SERVERS: 6, Kind.READERS: 6}


class WaitingThreads:
    """`allowed`: how many, of all kinds together; None outside the web server, where whoever waits
    holds up nobody."""

    def __init__(self, allowed: int | None = None) -> None:
        self.allowed = allowed
        self._lock = threading.Lock()
        # By tenant, None for who has none; what nobody waits for has no entry.
        self._waiting: Counter[tuple[Kind, uuid.UUID | None]] = Counter()

    def begin(self, kind: Kind, tenant_id: uuid.UUID | None = None) -> bool:
        """False, at once, when too many wait. `end` gives it back."""
        with self._lock:
            if self.allowed is not None and not self._has_room(self.allowed, kind, tenant_id):
                return False
            self._waiting[kind, tenant_id] += 1
            return True

    def end(self, kind: Kind, tenant_id: uuid.UUID | None = None) -> None:
        with self._lock:
            self._waiting[kind, tenant_id] -= 1
            if not self._waiting[kind, tenant_id]:
                del self._waiting[kind, tenant_id]

    @contextmanager
    def waiting(self, kind: Kind, tenant_id: uuid.UUID | None = None) -> Iterator[bool]:
        """Its body waits when this is True."""
        may_wait = self.begin(kind, tenant_id)
        try:
            yield may_wait
        finally:
            if may_wait:
                self.end(kind, tenant_id)

    def _has_room(self, allowed: int, kind: Kind, tenant_id: uuid.UUID | None) -> bool:
        own = {other: allowed // part for other, part in OWN.items() if other != kind}
        left_to_others = sum(max(0, own[other] - self._count(other)) for other in own)
        if self._waiting.total() + left_to_others >= allowed:
            return False
        of_tenant = (allowed - sum(own.values()) + 1) // 2
        return tenant_id is None or self._waiting[kind, tenant_id] < of_tenant

    def _count(self, kind: Kind) -> int:
        return sum(number for (other, _), number in self._waiting.items() if other == kind)


waiting_threads = WaitingThreads()
