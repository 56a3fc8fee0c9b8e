"""The database of an earlier version, and its upgrade to this one."""

from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from config.database.acting import as_migrations
from config.database.policies import apply_policies


def migrate_back(name: str, app: str = "sources") -> None:
    """To the migration `name` of `app`, and others to where they need no later one."""
    migrate([(app, name)])


@as_migrations()
def upgrade() -> None:
    migrate(MigrationExecutor(connection).loader.graph.leaf_nodes())
    apply_policies(connection)


@as_migrations()
def migrate(targets: list[Any]) -> None:
    MigrationExecutor(connection, check_what_is_deferred).migrate(targets)


def check_what_is_deferred(*_: Any) -> None:
    """Before and after each migration. The tests' transaction is around all of them, not around
    each as in a product: what one has deferred would be in the way of the next one's ALTER TABLE.
    """
    connection.check_constraints()
