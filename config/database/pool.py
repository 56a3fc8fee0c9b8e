"""The pool of connections to the database: a request that waits for a client, a worker or another
server does not need one meanwhile."""

from django.db import connection


def release_connection() -> None:
    """Give the connection back to the pool, so that requests that wait do not use it up."""
    if not connection.in_atomic_block:
        connection.close()
