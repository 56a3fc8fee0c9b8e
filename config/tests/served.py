"""The product's web server on a port of its own, and clients that are slow, odd or hostile."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from config.embedded.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
ANSWER_SECONDS = 60


@dataclass(frozen=True)
class Answered:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Server:
    """One process with `threads` threads, so that a test can hold all of them."""

    def __init__(self, application: str, *, threads: int, worker: str = "", **environ: str) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = int(self.listener.getsockname()[1])
        bind = f"--bind=fd://{self.listener.fileno()}"
        options = ("-c", "python:config.running.gunicorn", "--workers=1", f"--threads={threads}")
        own = (f"--worker-class={worker}",) if worker else ()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", *options, *own, bind, application],
            cwd=ROOT,
            env={**os.environ, **environ},
            pass_fds=[self.listener.fileno()],
            start_new_session=True,
        )

    def connect(self, address: str = "127.0.0.1") -> socket.socket:
        """`address`: of the client, any of loopback."""
        server = ("127.0.0.1", self.port)
        return socket.create_connection(server, ANSWER_SECONDS, source_address=(address, 0))

    def exchange(self, *pieces: bytes) -> Answered:
        """Of a connection of its own."""
        with self.connect() as client:
            for piece in pieces:
                client.sendall(piece)
            return read_answer(client)

    def get(self, path: str, *headers: str) -> Answered:
        return self.exchange(head("GET", path, *headers))

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(ANSWER_SECONDS)

    def kill(self) -> None:
        """Its worker too, which would wait for threads that a test holds for ever."""
        with suppress(ProcessLookupError):  # a test has stopped it
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def worker_files(self) -> int:
        """Open files of the process that answers."""
        return len(list(Path(f"/proc/{self.worker_pid()}/fd").iterdir()))

    def worker_pid(self) -> int:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        assert wait_until(lambda: bool(children.read_text()), timeout_seconds=ANSWER_SECONDS)
        return int(children.read_text().split()[0])


@contextmanager
def serving(
    application: str, *, threads: int = 2, worker: str = "", **environ: str
) -> Iterator[Server]:
    server = Server(application, threads=threads, worker=worker, **environ)
    try:
        yield server
    finally:
        server.kill()
        server.listener.close()


def head(method: str, path: str, *headers: str, version: str = "1.1") -> bytes:
    """With a Host, unless `headers` have one."""
    lines = [f"{method} {path} HTTP/{version}", *headers]
    if not any(line.lower().startswith("host:") for line in headers):
        lines.append("Host: localhost")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def read_answer(client: socket.socket) -> Answered:
    return read_answers(client, 1)[0]


def read_answers(client: socket.socket, count: int) -> list[Answered]:
    """The first ones; what was read beyond them is lost."""
    with client.makefile("rb") as lines:
        return [read_next(lines) for _ in range(count)]


def read_next(lines: BinaryIO) -> Answered:
    """One of a known length, or the last of its connection."""
    status = int(lines.readline().split()[1])
    headers = http.client.parse_headers(lines)
    length = headers["Content-Length"]
    return Answered(status, headers, lines.read(int(length) if length else -1))


def is_closed(client: socket.socket) -> bool:
    """Waits for the other end to close; a byte before that is an answer nobody expects."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True
