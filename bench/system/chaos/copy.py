"""The service under test: all its processes, what each of them is, and its database seen from
outside."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
import redis

from bench.service import MODELS, PASSWORD, ROOT
from config.embedded import servers_named
from config.tests.service_copy import Copy, is_running, kill_running

READY_SECONDS = 600
# bin/up, which gives up after three minutes; where others work too, a start takes longer
PATIENT_UP = f"""\
import sys
from config.running import up  # config.running.up
up.READY_TIMEOUT_SECONDS = {READY_SECONDS}
sys.exit(up.main())"""
STOP_SECONDS = 150
# What a question raises of a server that has just been killed
DOWN = (psycopg.OperationalError, redis.RedisError, OSError)
PROGRAMS = (  # words of a command line, and what it is
    ("reading.confinement.server", "parser"),
    ("config.running.up", "up"),
    ("config.running.supervisor", "supervisord"),
    ("config.running.services", "services"),
    ("config.running.log_lines", "log"),
    ("gunicorn", "web"),
    ("celery --app config --quiet beat", "beat"),
    ("redis-server", "redis"),
    ("valkey-server", "redis"),
)
WORKER = re.compile(r"--hostname (\w+)@")


class ChaosCopy(Copy):
    """A `Copy` that is started again and again, with one log of all its lives."""

    def __init__(self, folder: Path, **environ: str) -> None:
        super().__init__(folder / "data")
        self.looking = threading.Lock()
        self.temp_dir = folder / "tmp"
        self.temp_dir.mkdir()
        self.temp_dir.chmod(0o1777)
        self.data_dir.mkdir()
        if MODELS.exists():
            (self.data_dir / "models").symlink_to(MODELS.resolve())
        self.environ |= {
            **environ,
            "TMPDIR": str(self.temp_dir),
            "PYTHONPATH": str(ROOT),
            "ENVIRONMENT": "development",
            "SYSTEM_PACKAGES": "no",
        }

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", PATIENT_UP],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environ,
                start_new_session=True,
            )

    def start_until_ready(self) -> bool:
        """False when it ended, or is not ready in time."""
        self.start()
        assert self.process is not None
        give_up_at = time.monotonic() + READY_SECONDS
        while time.monotonic() < give_up_at and self.process.poll() is None:
            if self.status("/readyz") == 200:
                return True
            time.sleep(0.5)
        return False

    def has_ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def stop(self) -> int | None:
        """The exit code of a stop in order; None when it took too long, and was killed."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            return self.process.wait(STOP_SECONDS)
        self.kill_all()
        return None

    def kill_all(self) -> None:
        give_up_at = time.monotonic() + STOP_SECONDS
        while kill_running(self) and time.monotonic() < give_up_at:
            time.sleep(0.2)
        if self.process is not None:
            self.process.wait(STOP_SECONDS)

    def processes(self) -> list[psutil.Process]:
        """Several threads ask."""
        with self.looking:
            self.seen = {process for process in self.seen if is_running(process)}
            return super().processes()

    def roles(self) -> dict[psutil.Process, str]:
        """What each process is: `web`, `web child`, `uploads`, `parser job`, …"""
        running = self.processes()
        own = {process.pid: name_program(process) for process in running}
        roles = {}
        for process in running:
            with suppress(psutil.Error):
                roles[process] = name_role(own, process.pid, process.ppid())
        return roles

    # --- Looking inside ---------------------------------------------------------------------------

    def database(self) -> psycopg.Connection[Any]:
        """As PostgreSQL's superuser, whom no policy binds."""
        server = servers_named(self.data_dir, ["postgres"])[0]
        return psycopg.connect(
            host=str(server.socket_folder),
            dbname="knowledge_agents",
            user="postgres",
            autocommit=True,
            connect_timeout=10,
        )

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[Any]:
        with self.database() as connection:
            return connection.execute(query, parameters or None).fetchall()

    def redis(self) -> redis.Redis:
        return redis.Redis.from_url(servers_named(self.data_dir, ["redis"])[0].url)

    def create_tenant_with(self, slug: str, email: str) -> None:
        launch = (sys.executable, "-P", "-m", "config.running.launch")
        command = (*launch, sys.executable, "-P", str(ROOT / "manage.py"), "create_tenant")
        tenant = ("--slug", slug, "--name", slug, "--plan", "enterprise", "--admin-email", email)
        subprocess.run(
            (*command, *tenant),
            env=self.environ,
            cwd=ROOT,
            input=PASSWORD,
            text=True,
            capture_output=True,
            check=True,
        )


def name_program(process: psutil.Process) -> str:
    try:
        words, name = " ".join(process.cmdline()), process.name()
    except psutil.Error:
        return "ended"
    for program, role in PROGRAMS:
        if program in words:
            return role
    if match := WORKER.search(words):
        return match[1]
    return "postgres" if name.startswith("postgres") else name


def name_role(own: dict[int, str], pid: int, parent: int) -> str:
    """A process that forked itself has children of the same name."""
    role = own[pid]
    if own.get(parent) != role or parent == pid:
        return role
    return f"{role} {'job' if role == 'parser' else 'child'}"
