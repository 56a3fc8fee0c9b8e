"""The database of an earlier version, and its upgrade to this one."""

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from config.database.acting import as_migrations
from config.database.policies import apply_policies


def migrate_back(name: str) -> None:
    """To the migration `name` of sources, and others to where they need no later one."""
    migrate([("sources", name)])


@as_migrations()
def upgrade() -> None:
    """One by one, for what one has deferred is in the next one's way."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    for migration, _ in plan:
        migrate([(migration.app_label, migration.name)])
    apply_policies(connection)


def migrate(targets: list[tuple[str, str]]) -> None:
    connection.check_constraints()  # what is deferred would be in the way of ALTER TABLE
    with as_migrations():
        MigrationExecutor(connection).migrate(targets)
