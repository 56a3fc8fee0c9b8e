"""The time that one statement of a request may take: then PostgreSQL ends it, and the request with
503.

Only requests have a limit: workers, beat, commands and migrations take the time that they need. It
stands in a context variable beside the role that we act in (config/database/acting.py), and goes
out in the same message as the statement: PostgreSQL counts each part of such a message separately.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

NO_LIMIT = 0
# Of what a request deletes in one statement: all that is indexed of a large source, for instance.
DELETION_SECONDS = 300

_seconds: ContextVar[int] = ContextVar("statement_seconds", default=NO_LIMIT)


def current_limit() -> int:
    """The limit in seconds, or NO_LIMIT."""
    return _seconds.get()


@contextmanager
def limiting_statements(seconds: int) -> Iterator[None]:
    token = _seconds.set(seconds)
    try:
        yield
    finally:
        _seconds.reset(token)


@contextmanager
def allowing_statements(seconds: int) -> Iterator[None]:
    """Raises a lower limit to `seconds`, for statements of one tenant that are known to be long."""
    limit = current_limit()
    with limiting_statements(max(limit, seconds) if limit else NO_LIMIT):
        yield


def limit_in_sql() -> str:
    """SQL that holds to the end of the transaction in which it stands."""
    limit = current_limit()
    return f"SET LOCAL statement_timeout = '{limit}s'; " if limit else ""
