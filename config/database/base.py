"""Django's engine for PostgreSQL, in which each statement says as whom it acts.

The preamble (config/database/acting.py) goes out in the same message as the statement. PostgreSQL
runs such a message as one transaction ("Multiple Statements in a Simple Query" in its chapter on
the protocol), or as a part of the one that is open. So role and tenant hold for this transaction
and end with it, and a connection that goes back to the pool carries nothing over. It costs no round
trip.
"""

from __future__ import annotations

import select
from typing import Any, Never, Self

from django.db import NotSupportedError
from django.db.backends.postgresql import base
from psycopg import ClientCursor, sql
from psycopg.pq import TransactionStatus

from config.database.acting import current_acting
from config.database.limits import limit_in_sql


class ActingCursor(ClientCursor[Any]):
    """Puts the preamble before each statement, and refuses calls that would go to the server
    without it."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        preamble = preamble_for(self.connection)
        if not preamble:
            return super().execute(query, params, **options)
        whole = sql.SQL(preamble) + query if isinstance(query, sql.Composable) else preamble + query
        super().execute(whole, params, **options)
        self.set_result(-1)  # the statement's own, behind those of the preamble
        return self

    def executemany(self, *_: Any, **__: Any) -> Never:
        raise NotSupportedError("executemany does not say as whom: use execute with unnest")

    def copy(self, *_: Any, **__: Any) -> Never:
        raise NotSupportedError("COPY does not know row security: use INSERT with unnest")

    def stream(self, *_: Any, **__: Any) -> Never:
        raise NotSupportedError("stream does not say as whom: use execute")


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        return super().get_connection_params() | {"cursor_factory": ActingCursor}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Takes a connection from the pool whose server is there. A server that ends says so on
        every connection: to look costs nothing, where CONN_HEALTH_CHECKS would ask it and wait."""
        connection = super().get_new_connection(conn_params)
        while self.pool and has_ended(connection):
            connection.close()
            self.pool.putconn(connection)
            connection = super().get_new_connection(conn_params)
        return connection

    def create_cursor(self, name: str | None = None) -> Any:
        """Makes a cursor. One on the server (`.iterator()`) keeps the role that acts when it is
        opened. It needs a transaction: outside, the rows are fetched at once."""
        if name and not self.connection.autocommit:
            with self.connection.cursor() as cursor:
                cursor.execute("SELECT 1")  # its preamble holds for the cursor too
            return super().create_cursor(name)
        return super().create_cursor()


def has_ended(connection: Any) -> bool:
    """True if the server has closed the connection, or has sent something that nobody asked for."""
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def preamble_for(connection: Any) -> str:
    """The statements that set role, tenant and limit. Empty in a transaction that has failed, which
    takes a rollback alone, and for migrations outside one: `CREATE DATABASE` allows no other
    statement beside it."""
    acting = current_acting()
    has_failed = connection.info.transaction_status == TransactionStatus.INERROR
    if has_failed or (acting.role is None and connection.autocommit):
        return ""
    return acting.preamble + limit_in_sql()
