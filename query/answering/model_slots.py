"""Limits how many answers a process has a language model write at once.

Each holds one of the web server's threads until it is written: a slow model must not take them all,
nor one tenant's customers the model from all others'. In the web server as many as the threads
that may wait allow, too (config.serving.waiting).
"""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from config.serving.waiting import Kind, waiting_threads

_lock = threading.Lock()
_taken: Counter[uuid.UUID] = Counter()  # by tenant; those without any have no entry


@contextmanager
def model_slot(tenant_id: uuid.UUID) -> Iterator[bool]:
    """Takes a slot while the block runs. Yields False, at once, when all LLM_PARALLEL slots are
    taken, this tenant has its half, or too many threads wait."""
    has_slot = take(tenant_id)
    try:
        yield has_slot
    finally:
        if has_slot:
            give_back(tenant_id)


def take(tenant_id: uuid.UUID) -> bool:
    with _lock:
        limit, limit_of_one = settings.LLM_PARALLEL, (settings.LLM_PARALLEL + 1) // 2
        if _taken.total() >= limit or _taken[tenant_id] >= limit_of_one:
            return False
        if not waiting_threads.begin(Kind.MODEL, tenant_id):
            return False
        _taken[tenant_id] += 1
        return True


def give_back(tenant_id: uuid.UUID) -> None:
    with _lock:
        waiting_threads.end(Kind.MODEL, tenant_id)
        _taken[tenant_id] -= 1
        if not _taken[tenant_id]:
            del _taken[tenant_id]
