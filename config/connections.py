"""Frees the database for others: a request that waits for a client, a worker or another server does
not need it meanwhile."""

from django.db import connection


def release_connection() -> None:
    """Gives the connection back to the pool: requests that wait must not use it up."""
    if not connection.in_atomic_block:
        connection.close()
