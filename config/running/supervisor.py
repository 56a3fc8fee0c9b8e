"""supervisord, whose programs are forks of it: it loads the product once, prepares the data, and
then starts and watches them. `python -m config.running.supervisor [SERVER…]`: the embedded servers
that are in use.

Its standard input leads to bin/up, which writes a line when the tables are there, and reads what
`load_demo` says once everything is prepared.

No other process of its user can read its environment: it holds all secrets.
"""

import gc
import logging
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import django
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.urls import get_resolver
from supervisor import supervisord
from supervisor.options import ServerOptions

from config.celery import app
from config.running.forking import become
from config.running.programs import (
    FAILURE_FILE,
    LOG,
    Program,
    programs,
    step,
    supervisord_configuration,
)
from config.security.memory import hide_memory

# What the programs import when they begin, beside the product.
SHARED_MODULES = (
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.fixups.django",
    "celery.worker.consumer",
    "config.running.thread_pool",
    "config.serving.worker",
    "gunicorn.app.wsgiapp",
    "gunicorn.arbiter",
    "kombu.transport.redis",
)


class NotPrepared(Exception):
    """The message says why, and is all that an operator needs."""


@dataclass(frozen=True)
class Aside:
    """A fork that runs `python -m` with `words`. `output`: the pipe from its standard output."""

    words: tuple[str, ...]
    pid: int
    output: int

    def wait(self) -> tuple[str, int]:
        """Returns its standard output and exit code. Can be called once."""
        with open(self.output) as output:
            text = output.read()
        _, status = os.waitpid(self.pid, 0)
        return text, os.waitstatus_to_exitcode(status)


def main(embedded_names: Sequence[str]) -> int:
    hide_memory()
    bin_up = socket.socket(fileno=0)
    try:
        load_product()
        # Half a minute the first time, and it needs no database: while that is migrated. What it
        # cannot do is tried again, and told then.
        export = ("prepare_embedding_model", "--model", settings.EMBEDDING_MODEL)
        model = begin_aside("manage", *export, is_silent=True)
        load_what_is_prepared()
        if not bin_up.recv(1):
            return 1  # it has ended
        demo = prepare(embedded_names, model)
    except (ImproperlyConfigured, NotPrepared) as error:
        Path(os.environ["DATA_DIR"], FAILURE_FILE).write_text(str(error))
        return 1
    load_what_is_prepared()  # again: a model may be there now
    bin_up.sendall(demo.encode())
    bin_up.close()
    os.open(os.devnull, os.O_RDONLY)  # the lowest that is free: standard input again
    supervise(programs(os.environ, embedded_names))
    return 0


def load_product() -> None:
    """Loads the modules that every program needs, or nearly every one."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    for module in SHARED_MODULES:
        import_module(module)
    get_resolver()._populate()
    app.loader.import_default_modules()
    app.finalize()


def load_what_is_prepared() -> None:
    """Loads the models and words that it would cost each process time and memory to load for
    itself."""
    for config in apps.get_app_configs():
        if load_shared := getattr(config, "load_shared", None):
            load_shared()
    gc.collect()
    gc.freeze()  # else each fork's first collection writes to all pages, which are then its own


def prepare(embedded_names: Sequence[str], model: Aside) -> str:
    """Prepares the data and returns what `load_demo` says: "" without the demo tenant, which is for
    development only. `model`: the process that exports the settings' embedding model; another may
    answer, as the database knows."""
    if "redis" in embedded_names:  # ours alone, and no worker can be running
        run_aside("config.running.unfinished_tasks")
    with step("Preparing the embedding model"):
        model.wait()
        run_aside("manage", "prepare_embedding_model")
    with step("Preparing the speech model"):
        run_aside("manage", "prepare_whisper_model")
    if os.environ["ENVIRONMENT"] != "development" or os.environ["LOAD_DEMO"] == "no":
        return ""
    with step("Loading the demo company (the first time only)"):
        return run_aside("manage", "load_demo")


def begin_aside(module: str, *arguments: str, is_silent: bool = False) -> Aside:
    """Forks a process for `python -m`. Its standard error is shown as it comes, unless
    `is_silent`."""
    ours, theirs = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.dup2(theirs, 1)
        if is_silent:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        logging.getLogger().setLevel(os.environ.get("LOG_LEVEL", "WARNING"))
        become(module, arguments, environ=os.environ.copy(), parent=parent)
    os.close(theirs)
    return Aside((module, *arguments), pid, ours)


def run_aside(module: str, *arguments: str) -> str:
    """The standard output of `python -m`, in a fork. Raises NotPrepared when it fails."""
    aside = begin_aside(module, *arguments)
    text, code = aside.wait()
    if code != 0:
        raise NotPrepared(f"{' '.join(aside.words)} failed (exit code {code}).")
    return text


def supervise(all_programs: Sequence[Program]) -> None:
    data_dir = Path(os.environ["DATA_DIR"])
    configuration = data_dir / "supervisord.conf"
    configuration.write_text(supervisord_configuration(all_programs, data_dir))
    by_name = {program.name: program for program in (LOG, *all_programs)}
    parent = os.getpid()

    class ForkingOptions(ServerOptions):  # type: ignore[misc]  # supervisor has no types
        def execve(self, filename: str, argv: list[str], env: dict[str, str]) -> NoReturn:
            program = by_name[env["SUPERVISOR_PROCESS_NAME"]]
            os.nice(program.niceness)
            become(
                program.module,
                program.arguments,
                environ={**env, **program.environ},
                parent=parent,
                end_signal=program.end_signal,
            )

    class PromptSupervisor(supervisord.Supervisor):  # type: ignore[misc]
        def runforever(self) -> None:
            """Starts the programs at once: supervisord would first wait a second for something to
            happen."""
            for group in sorted(self.process_groups.values()):
                group.transition()
            super().runforever()

    supervisord.ServerOptions = ForkingOptions
    supervisord.Supervisor = PromptSupervisor
    supervisord.main(["--configuration", str(configuration)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
