"""A request that waits for a client, a worker or another server needs no database meanwhile."""

from django.db import connection


def release_connection() -> None:
    """Back to the pool: requests that wait must not use it up."""
    if not connection.in_atomic_block:
        connection.close()
