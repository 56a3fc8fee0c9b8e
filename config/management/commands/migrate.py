"""Django's `migrate`, as the owner of the tables, who then says what others may do with them."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from config.database.acting import as_migrations
from config.database.owner import log_in_as_owner
from config.database.policies import apply_policies


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        log_in_as_owner(connection)
        with as_migrations():
            super().handle(*args, **options)
        if not options["plan"]:
            apply_policies(connection)
