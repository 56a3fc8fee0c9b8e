"""A PostgreSQL that is killed and started again, as the program `services` does it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import OperationalError
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from config.database.acting import as_migrations
from config.embedded import servers_named, use
from config.embedded.processes import wait_until
from config.environment import env


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Any]:
    """Of this test alone."""
    (server,) = servers_named(tmp_path, ["postgres"])
    with use([server]):
        yield server


@pytest.fixture
def connection(server: Any, django_db_blocker: DjangoDbBlocker) -> Iterator[Any]:
    """Through a pool, as the service has it."""
    database = env.db_url_config(server.url)
    database["ENGINE"] = settings.DATABASES["default"]["ENGINE"]
    database.setdefault("OPTIONS", {})["pool"] = settings.DATABASE_POOL
    connection: Any = ConnectionHandler({"default": database})["default"]
    with django_db_blocker.unblock(), as_migrations():  # a server without our roles
        yield connection
        connection.close()
        connection.close_pool()


def ask(connection: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return int(cursor.fetchone()[0])


def kill(server: Any) -> None:
    (pid_file,) = server.data_dir.rglob("postmaster.pid")
    os.kill(int(pid_file.read_text().split()[0]), signal.SIGKILL)
    assert wait_until(lambda: not server.is_running(), timeout_seconds=120)


def test_pooled_connections_that_died_cost_no_request(server: Any, connection: Any) -> None:
    assert ask(connection) == 1
    connection.close()  # the request has ended: back to the pool

    kill(server)
    server.start()

    assert ask(connection) == 1


def test_a_request_that_held_one_fails_and_the_next_does_not(server: Any, connection: Any) -> None:
    assert ask(connection) == 1

    kill(server)
    server.start()
    with pytest.raises(OperationalError):
        ask(connection)
    connection.close()

    assert ask(connection) == 1
