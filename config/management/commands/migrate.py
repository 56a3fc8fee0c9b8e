"""Django's `migrate`, as the owner of the tables, who then says what others may do with them, and
installs the functions that are files."""

from typing import Any

from django.core.checks import Tags
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.database.acting import as_migrations
from config.database.functions import install_functions
from config.database.owner import log_in_as_owner
from config.database.policies import apply_policies

LAST_BEFORE_0_1 = "b04cd0e9"  # the last commit whose migrations lead from every older one


class Command(migrate.Command):
    def get_check_kwargs(self, options: dict[str, Any]) -> Any:
        """Leave out the checks of addresses, which load all views: `bin/check` makes them."""
        return {**super().get_check_kwargs(options), "tags": [Tags.database, Tags.models]}

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        log_in_as_owner(connection)
        with as_migrations():
            require_upgradable(connection)
            super().handle(*args, **options)
        if not options["plan"]:
            apply_policies(connection)
            install_functions(connection)


def require_upgradable(connection: BaseDatabaseWrapper) -> None:
    """Raise CommandError if the database is older than the migrations lead from.

    A migration that replaced others cannot take the place of some of them
    (docs/decisions/0069-squashed-migrations.md).
    """
    applied = MigrationRecorder(connection).applied_migrations().keys()
    if not applied:
        return
    for migration in MigrationLoader(None).disk_migrations.values():
        replaced = {*map(tuple, migration.replaces)}
        if replaced & applied and not replaced <= applied:
            raise CommandError(
                "This database is older than version 0.1 can upgrade: first check out commit"
                f" {LAST_BEFORE_0_1} and run its `bin/manage migrate`, then upgrade to this one."
            )
