"""Functions of the database whose SQL is a file of an app.

Functions are not migrations. The app's AppConfig names the files (`database_functions`), each makes
the function that it is named after, and `migrate` ends with installing them, each under a name that
holds the hash of its content. So a change is a change of the file, and the versions of the service
before and after it, which run side by side during a deploy, each call their own.

The functions that were current before stay, for the versions that call them; those before the last
KEPT go when the next is installed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from django.apps import apps
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.migrations.loader import MigrationLoader

from config.database.acting import as_migrations

LOCK = 20_034  # of pg_advisory_xact_lock: one process of a database at a time
# Of each file: the current function and those before it. A version whose start failed has installed
# its own too, while an earlier one serves.
KEPT = 5

# Since when each is the current one stands in its comment, which a dump keeps too. A function of
# the same name that a migration made has a number in place of the hash, and is not one of these.
READ_INSTALLED = """
SELECT proname, oid::regprocedure::text
FROM pg_proc
WHERE pronamespace = current_schema()::regnamespace AND proname ~ %s
ORDER BY obj_description(oid, 'pg_proc') DESC NULLS LAST
"""
# An anonymous block, because COMMENT takes a literal alone.
SAY_CURRENT = """
DO $block$ BEGIN
EXECUTE format(
    'COMMENT ON FUNCTION {name} IS %L',
    to_char(clock_timestamp() AT TIME ZONE 'UTC', '"Current since" YYYY-MM-DD HH24:MI:SS.US')
);
END $block$
"""


@dataclass(frozen=True)
class DatabaseFunction:
    """The function that a file makes."""

    file: Path

    @cached_property
    def content(self) -> str:
        return self.file.read_text(encoding="utf-8")

    @cached_property
    def name(self) -> str:
        """The name in the database, which is another for another content."""
        return f"{self.file.stem}_{hashlib.sha256(self.content.encode()).hexdigest()[:8]}"

    @property
    def statement(self) -> str:
        """The content, with the name in the database. Raises ValueError if it has no place."""
        before, made, after = self.content.partition(f"CREATE FUNCTION {self.file.stem}(")
        if not made:
            raise ValueError(f"{self.file} does not make the function that it is named after")
        return f"{before}CREATE FUNCTION {self.name}({after}"


def install_functions(connection: BaseDatabaseWrapper) -> None:
    """Installs all functions, or none, as the owner of the tables."""
    with (
        as_migrations(),
        transaction.atomic(using=connection.alias),
        connection.cursor() as cursor,
    ):
        # Several copies of the service may be started, and migrate, at the same time.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        for function in functions_of_apps(connection):
            install(cursor, function)


def functions_of_apps(connection: BaseDatabaseWrapper) -> Iterator[DatabaseFunction]:
    """Yields those whose app is migrated: before that, types that they take may be missing."""
    loader = MigrationLoader(connection)
    for app in apps.get_app_configs():
        if all(leaf in loader.applied_migrations for leaf in loader.graph.leaf_nodes(app.label)):
            for file in getattr(app, "database_functions", ()):
                yield DatabaseFunction(Path(app.path, file))


def install(cursor: CursorWrapper, function: DatabaseFunction) -> None:
    """Makes the function the current one of its file, and drops those that nothing calls."""
    names = [name for name, _ in read_installed(cursor, function)]
    if names[:1] == [function.name]:
        return
    if function.name not in names:
        cursor.execute(function.statement)
    cursor.execute(SAY_CURRENT.format(name=function.name))
    for _, signature in read_installed(cursor, function)[KEPT:]:
        cursor.execute(f"DROP FUNCTION {signature}")


def read_installed(cursor: CursorWrapper, function: DatabaseFunction) -> list[tuple[str, str]]:
    """The names and signatures of what the file has made, the current one first."""
    cursor.execute(READ_INSTALLED, [f"^{function.file.stem}_[0-9a-f]{{8}}$"])
    return [(name, signature) for name, signature in cursor.fetchall()]
