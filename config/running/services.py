"""Watches the embedded servers: `python -m config.running.services postgres redis`.

Starts again what dies, and prints what they write to their logs. It is one of their users, and in
an orderly stop the last but one.
"""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from config import embedded
from config.security.memory import hide_memory

CHECK_SECONDS = 1.0
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class LogTail:
    """Prints what is appended to a server's log from now on."""

    def __init__(self, server: embedded.EmbeddedServer) -> None:
        self.server = server
        self.position = self._size()

    def print_new(self) -> None:
        if self._size() < self.position:
            self.position = 0  # it was moved aside
        if self._size() == self.position:
            return
        with self.server.log.open("rb") as log:
            log.seek(self.position)
            lines = log.read().decode(errors="replace").splitlines()
            self.position = log.tell()
        for line in lines:
            print(f"{self.server.name}: {line}")

    def _size(self) -> int:
        return self.server.log.stat().st_size if self.server.log.exists() else 0


def watch(servers: Sequence[embedded.EmbeddedServer]) -> None:
    """Keep `servers` running until a stop signal comes."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    logs = [LogTail(server) for server in servers]
    with embedded.use(servers):
        while signal.sigtimedwait(STOP_SIGNALS, CHECK_SECONDS) is None:
            started = embedded.ensure_running(servers)
            for log in logs:
                log.print_new()
            for name in started:
                print(f"{name} was down and has been started again")


def main(names: Sequence[str]) -> int:
    hide_memory()
    try:
        watch(embedded.servers_named(Path(os.environ["DATA_DIR"]), names))
    except embedded.EmbeddedServerError as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
