"""The programs that make up the running service, and supervisord's configuration for them."""

import os
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from config.running.environment import REPOSITORY

START_SECONDS = 10  # a program has to live this long to count as started
START_TRIES = 3  # when the last one fails too, everything is stopped
PYTHON = (sys.executable, "-P")
FAILURE_FILE = "failure.txt"  # in DATA_DIR: why there is no service


@dataclass(frozen=True)
class Program:
    """A supervised program: a `module` that is run with `arguments`, as `python -m` does.

    `order` is the place in the start; the stop goes the other way round. Equal ones start and stop
    together. After `stop_signal` it has `stop_seconds`, then it is killed with all its children.
    `end_signal` is what it gets when supervisord itself has been killed. `niceness` (0 to 19): how
    far it stands back when others want the processor. `environ` is added to its environment; what
    is in there is read when it is used, for the settings were read before (supervisor.py).
    """

    name: str
    module: str
    arguments: tuple[str, ...]
    order: int
    stop_signal: str = "TERM"
    stop_seconds: int = 15
    end_signal: str = "KILL"
    niceness: int = 0
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> tuple[str, ...]:
        return (*PYTHON, "-m", self.module, *self.arguments)


# supervisord's event listener
LOG = Program("log", "config.running.log_lines", (), order=1)


def programs(environ: Mapping[str, str], embedded_names: Sequence[str]) -> list[Program]:
    """The programs to run, given the complete environment and the names of the embedded servers in
    use."""
    web = Program(
        "web",
        "gunicorn",
        ("-c", "python:config.running.gunicorn", "config.wsgi"),
        order=30,
    )
    beat = Program(
        "beat",
        "celery",
        (
            *celery("beat"),
            "--loglevel",
            "INFO",
            "--schedule",
            f"{environ['DATA_DIR']}/beat-schedule",
            "--pidfile=",
        ),
        order=20,
    )
    workers = [
        worker("worker", "default", environ.get("WORKER_PROCESSES", "2")),
        answering_worker(environ),
        # Somebody waits for an upload: a long sync must not stand before it. And nobody's question
        # is slower because somebody else's file is read.
        worker("uploads", "uploads", environ.get("UPLOAD_PROCESSES", "3"), niceness=10),
        worker("ingestion", "ingestion", environ.get("INGESTION_PROCESSES", "2"), niceness=15),
        checking_worker(environ),
    ]
    # Last to stop, and in order even without supervisord: it stops PostgreSQL and Redis.
    services = Program(
        "services",
        "config.running.services",
        tuple(embedded_names),
        order=10,
        stop_seconds=60,
        end_signal="TERM",
    )
    models = [language_model()] if environ.get("LLM_MODEL_FILE", "").strip() else []
    return [*([services] if embedded_names else []), *models, *workers, beat, web]


def language_model() -> Program:
    """The watcher of a model, which stays up when its model does not: nobody's answer waits for
    it."""
    return Program("model", "config.running.language_model", (), order=15, niceness=5)


def celery(subcommand: str) -> tuple[str, ...]:
    return ("--app", "config", "--quiet", subcommand)


def worker(name: str, queues: str, concurrency: str, *, niceness: int = 0) -> Program:
    """A Celery worker. On QUIT it ends what it can within CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT and
    gives the rest back to the queue, which a kill would leave for the visibility timeout to find.
    """
    return Program(
        name,
        "celery",
        (
            *celery("worker"),
            *("--hostname", f"{name}@%h", "--queues", queues, "--concurrency", concurrency),
            *("--loglevel", "INFO"),
            *("--without-gossip", "--without-mingle"),  # nothing listens to their chatter
        ),
        order=20,
        stop_signal="QUIT",
        niceness=niceness,
    )


def answering_worker(environ: Mapping[str, str]) -> Program:
    """Answers what messengers bring. It waits for a language model and for messengers, so threads
    do; one of them embeds a question, as in the web server (config.running.gunicorn)."""
    program = with_threads(worker("webhooks", "webhooks", environ.get("WEBHOOK_THREADS", "8")))
    threads = {"EMBEDDING_THREADS": environ.get("EMBEDDING_THREADS", "1")}
    return replace(program, environ=threads)


def checking_worker(environ: Mapping[str, str]) -> Program:
    """Looks at websites, some of which let it wait."""
    threads = environ.get("CHECK_THREADS", "12")
    return with_threads(worker("checks", "checks", threads, niceness=5))


def with_threads(program: Program) -> Program:
    """The worker with threads, for tasks that wait for others most of the time. Celery's time
    limits do not hold in it: its tasks have deadlines of their own."""
    return replace(program, arguments=(*program.arguments, "--pool", "custom"))


def supervisord_configuration(all_programs: Sequence[Program], data_dir: Path) -> str:
    """The text of supervisord.conf. Output goes to the listener config.running.log_lines only."""
    together = [program.name for program in all_programs if program.order == 20]
    return "\n".join(
        [
            section("supervisord", supervisord_settings(data_dir)),
            *(section(f"program:{program.name}", settings(program)) for program in all_programs),
            section("group:workers", {"programs": ",".join(together), "priority": "20"}),
            section(f"eventlistener:{LOG.name}", listener_settings()),
        ]
    )


def supervisord_settings(data_dir: Path) -> dict[str, str]:
    return {
        "nodaemon": "true",
        "silent": "true",
        "logfile": str(data_dir / "log" / "supervisord.log"),
        "logfile_maxbytes": "5MB",
        "logfile_backups": "1",
        "pidfile": str(data_dir / "supervisord.pid"),
        "childlogdir": str(data_dir / "log"),
        # The user that started it; saying so as root saves a warning at every start.
        **({"user": "root"} if os.geteuid() == 0 else {}),
    }


def settings(program: Program) -> dict[str, str]:
    return {
        "command": shlex.join(program.command),
        "directory": str(REPOSITORY),
        "priority": str(program.order),
        "autorestart": "true",
        "startsecs": str(START_SECONDS),
        "startretries": str(START_TRIES - 1),
        "stopsignal": program.stop_signal,
        "stopwaitsecs": str(program.stop_seconds),
        "killasgroup": "true",
        "redirect_stderr": "true",
        "stdout_logfile": "NONE",
        "stdout_events_enabled": "true",
    }


def listener_settings() -> dict[str, str]:
    return {
        "command": shlex.join(LOG.command),
        "directory": str(REPOSITORY),
        "events": "PROCESS_LOG,PROCESS_STATE_EXITED,PROCESS_STATE_BACKOFF,PROCESS_STATE_FATAL",
        "buffer_size": "10000",  # events that wait while it writes; what overflows is lost
        "priority": str(LOG.order),
        "stopwaitsecs": "5",
        # Its standard output is for talking to supervisord. This is the pipe to bin/up.
        "stderr_logfile": "/dev/stderr",
        "stderr_logfile_maxbytes": "0",
        "stdout_logfile": "NONE",
    }


def section(name: str, values: Mapping[str, str]) -> str:
    """A section of the configuration; supervisord replaces %(…)s in values, so a percent sign is
    doubled."""
    lines = (f"{key} = {value.replace('%', '%%')}" for key, value in values.items())
    return "\n".join([f"[{name}]", *lines, ""])


@contextmanager
def step(title: str) -> Iterator[None]:
    """Prints a line when a part of the start begins, and a line with its seconds when it is
    done."""
    started = time.monotonic()
    print(f"{title} …", flush=True)
    yield
    print(f"  done in {time.monotonic() - started:.1f} s", flush=True)
