"""The number of threads of a web process that may wait for something else at once: half of them
together, so that the other half answers. A request that would wait beyond that is answered at once,
without waiting.

Each kind of waiting has a few threads that are its own, and whatever is free of the rest: however
many uploads wait, a language model goes on answering. A tenant has at most half of a kind.
"""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum


class Kind(StrEnum):
    """The things that threads wait for."""

    MODEL = "model"  # an answer that a language model writes: as JSON, in a stream, for MCP
    UPLOADS = "uploads"  # a worker that indexes a file
    SERVERS = "servers"  # websites and accounts that somebody looks at
    READERS = "readers"  # clients that read slowly what is still being made


# The part of all that is a kind's own: one in so many.
OWN = {Kind.MODEL: 3, Kind.UPLOADS: 6, Kind.SERVERS: 6, Kind.READERS: 6}


class WaitingThreads:
    """The threads that wait now. `allowed`: how many may, of all kinds together; None outside the
    web server, where a thread that waits holds up nobody."""

    def __init__(self, allowed: int | None = None) -> None:
        self.allowed = allowed
        self._lock = threading.Lock()
        # By tenant, None for who has none; what nobody waits for has no entry.
        self._waiting: Counter[tuple[Kind, uuid.UUID | None]] = Counter()

    def begin(self, kind: Kind, tenant_id: uuid.UUID | None = None) -> bool:
        """Takes a thread to wait; False, at once, when too many wait. `end` gives it back."""
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
        """Yields True if the body of the `with` may wait."""
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
