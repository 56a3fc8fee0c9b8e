"""Django's `migrate`, as the owner of the tables."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections

from config.database.acting import as_migrations
from config.database.owner import log_in_as_owner


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        log_in_as_owner(connections[options["database"]])
        with as_migrations():
            super().handle(*args, **options)
