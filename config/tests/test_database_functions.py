"""Functions of the database that are files: `migrate` ends with installing each, under a name that
holds the hash of its content.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import ProgrammingError, connection, transaction

from config.database.acting import as_migrations, as_tenant
from config.database.functions import (
    KEPT,
    DatabaseFunction,
    functions_of_apps,
    install,
    install_functions,
)
from config.tests.rows import make_source

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "say_number.sql"


def say(file: Path, number: int) -> DatabaseFunction:
    """The file's function, when it says that number."""
    file.write_text(
        "-- Says a number.\n"
        f"CREATE FUNCTION say_number() RETURNS int LANGUAGE sql AS 'SELECT {number}'"
    )
    function = DatabaseFunction(file)
    assert function.content  # reads it now: the file changes
    return function


def function_name(file: Path, number: int) -> str:
    return say(file, number).name


def migrate(function: DatabaseFunction) -> None:
    with as_migrations(), connection.cursor() as cursor:
        install(cursor, function)


def call(function: DatabaseFunction) -> int:
    """What it says to the role that serves."""
    with (
        as_tenant(make_source().tenant_id),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"SELECT {function.name}()")
        (number,) = cursor.fetchone() or (0,)
    return number


def functions() -> set[tuple[str, ...]]:
    """All functions, with what changes when one is made anew or described anew."""
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, oid::text, xmin::text, obj_description(oid, 'pg_proc') FROM pg_proc"
            " WHERE pronamespace = current_schema()::regnamespace"
        )
        return set(cursor.fetchall())


def names() -> set[str]:
    return {name for name, *_ in functions()}


def test_migrate_has_installed_the_functions_of_all_apps() -> None:
    with as_migrations():
        installed = {function.name for function in functions_of_apps(connection)}

    assert installed
    assert installed <= names()


def test_installing_again_changes_nothing() -> None:
    before = functions()

    install_functions(connection)

    assert functions() == before


def test_what_is_missing_is_installed_the_next_time() -> None:
    with as_migrations(), connection.cursor() as cursor:
        (function,) = functions_of_apps(connection)
        cursor.execute(f"DROP FUNCTION {function.name}")

    install_functions(connection)

    assert function.name in names()


def test_nothing_is_installed_of_an_app_whose_migrations_are_pending() -> None:
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'query' AND name > '0002'")

        assert list(functions_of_apps(connection)) == []


def test_a_changed_file_installs_a_second_function_beside_the_first(file: Path) -> None:
    migrate(old := say(file, 1))

    migrate(new := say(file, 2))

    assert (call(old), call(new)) == (1, 2)


def test_the_functions_before_stay_and_older_ones_go(file: Path) -> None:
    for number in range(KEPT + 2):
        migrate(say(file, number))

    kept = {name for name in names() if name.startswith("say_number_")}
    assert kept == {function_name(file, number) for number in range(2, KEPT + 2)}


def test_a_function_of_another_file_or_of_a_migration_stays(file: Path) -> None:
    others = ("say_number_2", "say_number", "say_number_loudly_0a1b2c3d", "says_number_0a1b2c3d")
    with as_migrations(), connection.cursor() as cursor:
        for name in others:
            cursor.execute(f"CREATE FUNCTION {name}() RETURNS int LANGUAGE sql AS 'SELECT 0'")

    for number in (1, 2, 3):
        migrate(say(file, number))

    assert names() >= set(others)


def test_who_goes_back_to_an_earlier_version_and_on_keeps_that_one(file: Path) -> None:
    """It is what runs while the next version is deployed."""
    for number in (0, 1, 0, *range(2, KEPT)):
        migrate(say(file, number))

    migrate(new := say(file, KEPT))

    assert (call(say(file, 0)), call(new)) == (0, KEPT)
    assert say(file, 1).name not in names()


def test_a_file_that_makes_another_function_is_refused(file: Path) -> None:
    function = DatabaseFunction(file.with_name("say_word.sql"))
    function.file.write_text("CREATE FUNCTION say_number() RETURNS int LANGUAGE sql AS 'SELECT 1'")

    with pytest.raises(ValueError, match="does not make the function that it is named after"):
        migrate(function)


def test_a_function_that_is_not_installed_yet_is_an_error_of_the_database(file: Path) -> None:
    """As a table or a column that a pending migration makes."""
    with pytest.raises(ProgrammingError, match="does not exist"):
        call(say(file, 1))
