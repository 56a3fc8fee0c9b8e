"""One migrated database of a test run, of which each process copies its own: a copy takes a tenth
of a second, the migrations take several.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from django.core.management import call_command
from django.db.backends.base.base import BaseDatabaseWrapper

from config import embedded

NAME = "test_template"


def give_template(connection: BaseDatabaseWrapper) -> None:
    """Have the test database of `connection` made from the template, which is made first if this
    run has none. The connection is that of the owner of the tables.
    """
    with embedded.locked(Path(os.environ["DATA_DIR"], "template.lock"), fcntl.LOCK_EX):
        if not exists(connection):
            make(connection)
    connection.settings_dict["TEST"]["TEMPLATE"] = NAME


def exists(connection: BaseDatabaseWrapper) -> bool:
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT FROM pg_database WHERE datname = %s", [NAME])
        return cursor.fetchone() is not None


def make(connection: BaseDatabaseWrapper) -> None:
    """Under another name until it is whole: a run that was killed leaves no half a template."""
    draft, name = f"{NAME}_draft", connection.settings_dict["NAME"]
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {draft}")
        cursor.execute(f"CREATE DATABASE {draft}")
    connection.close()
    connection.settings_dict["NAME"] = draft
    try:
        call_command("migrate", verbosity=0, interactive=False)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = name
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"ALTER DATABASE {draft} RENAME TO {NAME}")
