"""Processes that begin with the whole product loaded: forked from one that has loaded it, once in
a run of tests, where `manage.py` takes seconds of processor to load it anew.

They are processes as any other, with connections, threads and models of their own: `kill()` is a
real `kill -9`.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection

import manage
from query.tests import loaded_product


def environ_of_processes() -> dict[str, str]:
    """What has a process work on the database of this run, with the product's own settings."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}")),
        "SECRET_KEY": settings.SECRET_KEY,
        "LOG_LEVEL": "ERROR",
    }


def start(target: Any, *arguments: Any) -> ForkServerProcess:
    context = get_context("forkserver")
    context.set_forkserver_preload([loaded_product.__name__])
    with environ(environ_of_processes()):
        forkserver.ensure_running()
    process = context.Process(target=target, args=arguments, daemon=True)
    process.start()
    return process


@contextmanager
def environ(values: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class Command:
    """A management command in a process of its own. `over`: settings of it alone."""

    def __init__(self, output: Path, *words: str, **over: Any) -> None:
        self._output = output
        self._process = start(run_command, output, words, over)

    @property
    def has_ended(self) -> bool:
        return not self._process.is_alive()

    def wait(self, seconds: float) -> tuple[int | None, str, str]:
        """Its exit code, and what it printed: on the one, and on the other stream."""
        self._process.join(seconds)
        assert self.has_ended
        printed, errors = (
            path.read_text() if path.exists() else "" for path in streams_in(self._output)
        )
        return self._process.exitcode, printed, errors

    def kill(self) -> None:
        """`kill -9`, whether it has ended or not."""
        self._process.kill()
        self._process.join()


def streams_in(output: Path) -> tuple[Path, Path]:
    return output.with_suffix(".out"), output.with_suffix(".err")


def run_command(output: Path, words: tuple[str, ...], over: dict[str, Any]) -> None:
    """In the process: what `manage.py` does with these words."""
    for name, value in over.items():
        setattr(settings, name, value)
    sys.argv = ["manage.py", *words]
    printed, errors = streams_in(output)
    with (
        printed.open("w") as out,
        errors.open("w") as err,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        manage.main()
