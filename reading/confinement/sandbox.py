"""Reads an untrusted file in a confined process, from a worker's side.

Each worker has a warm parent (server.py), started at the first file and ended with the worker; one
whose threads read at once has several.
"""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
import select
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from queue import LifoQueue
from typing import BinaryIO

from reading.confinement.limits import MEGABYTE, Limits
from reading.confinement.messages import (
    REQUEST_MAX_BYTES,
    RESULT_MAX_BYTES,
    STOP,
    InvalidMessage,
    JobReport,
    JobResult,
    Request,
    decode_result,
)
from reading.errors import ReadingUnavailable

logger = logging.getLogger(__name__)

# Measured: the hungriest honest 50 MB file takes a third of each (docs/decisions/0006).
DEFAULT_LIMITS = Limits(memory_bytes=1536 * MEGABYTE, cpu_seconds=90, wall_seconds=180)
GRACE_SECONDS = 10  # past the wall limit, for the warm parent's imports and its report
PARENTS_MAX = 4  # of one process that reads in threads; of one that does not, one
START_ATTEMPTS = 2  # a warm parent that was killed from outside costs nobody his file
EXTRACTORS_PACKAGE = "reading.extractors"
SERVER_MODULE = "reading.confinement.server"
PROJECT = Path(__file__).resolve().parents[2]
PIPE_BYTES = 1024 * 1024
READ_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Reading:
    result: JobResult
    report: JobReport


class WarmParentLost(Exception):
    """The warm parent has died, or does not answer: another one is started."""


class Sandbox:
    """The warm parent of this process and the way to it. `package`: where the extractors are."""

    def __init__(self, package: str = EXTRACTORS_PACKAGE) -> None:
        self._package = package
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None

    def read(self, path: Path, request: Request) -> Reading:
        """Runs one extractor over one file. Raises ReadingUnavailable when no process can be had
        for it.

        Whatever the file does to its process is in the answer: `report.status`, `report.timed_out`.
        """
        with self._lock, path.open("rb") as file:
            for _ in range(START_ATTEMPTS):
                try:
                    return self._run(request, file)
                except WarmParentLost as error:
                    logger.warning("The warm parent of file reading was lost: %s", error)
                    file.seek(0)
        raise ReadingUnavailable("The process that reads files was lost again and again.")

    def stop(self) -> None:
        """Ends the warm parent and what it runs. The next file starts another."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._connection = self._process = None

    def forget(self) -> None:
        """Forgets the warm parent in a forked process: it belongs to the other process, and its
        socket must not be held open here."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.returncode = 0  # not our child: nothing to wait for
        self._connection = self._process = None
        self._lock = threading.Lock()  # another thread of the other process may have held it

    @property
    def process_id(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def _run(self, request: Request, file: BinaryIO) -> Reading:
        is_done = False
        try:
            connection = self._connect()
            output = send_request(connection, request, file)
            reading = receive(
                connection, output, seconds=request.limits.wall_seconds + GRACE_SECONDS
            )
            is_done = True
            return reading
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise WarmParentLost(str(error)) from error
        finally:
            if (
                not is_done
            ):  # also when Celery's time limit interrupts us: nothing may be left in between
                self.stop()

    def _connect(self) -> socket.socket:
        if self._connection is None or self._process is None or self._process.poll() is not None:
            self.stop()
            self._process, self._connection = start_warm_parent(self._package)
        return self._connection


def start_warm_parent(package: str) -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-m", SERVER_MODULE, package, str(theirs.fileno())],
            cwd=PROJECT,
            env={"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"},  # no secret of ours
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,  # Ctrl-C is for the worker
        )
    return process, ours


def send_request(connection: socket.socket, request: Request, file: BinaryIO) -> int:
    """Returns the reading end of the pipe on which the answer comes."""
    reader, writer = os.pipe()
    try:
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        socket.send_fds(connection, [request.encode()], [file.fileno(), writer])
    except BaseException:
        os.close(reader)
        raise
    finally:
        # Else the pipe would not end when the confined process does
        os.close(writer)
    return reader


def receive(connection: socket.socket, output: int, *, seconds: float) -> Reading:
    deadline = time.monotonic() + seconds
    try:
        data = read_pipe(output, deadline)
    finally:
        os.close(output)
    if data is None:
        connection.send(STOP)
    # At least a second: the report comes after the kill, also when time is up
    connection.settimeout(max(deadline - time.monotonic(), 1))
    answer = connection.recv(REQUEST_MAX_BYTES)
    if not answer:
        raise WarmParentLost("it ended")
    report = JobReport.decode(answer)
    return Reading(result=decode_or_nothing(data), report=report)


def read_pipe(output: int, deadline: float) -> bytes | None:
    """All bytes from the pipe; None if it is more than RESULT_MAX_BYTES or does not end in time."""
    data = bytearray()
    while len(data) <= RESULT_MAX_BYTES:
        readable, _, _ = select.select([output], [], [], max(deadline - time.monotonic(), 0))
        if not readable:
            return None
        part = os.read(output, READ_BYTES)
        if not part:
            return bytes(data)
        data += part
    return None


def decode_or_nothing(data: bytes | None) -> JobResult:
    """The result; an empty one for data that cannot be trusted: the file has made its process say
    it."""
    if data is None:
        return JobResult()
    try:
        return decode_result(data)
    except InvalidMessage as error:
        logger.warning("A confined process wrote %s.", error)
        return JobResult()


class Sandboxes:
    """A pool with as many warm parents as threads of this process read at once, PARENTS_MAX at
    most: one that reads a hostile page does not keep the others waiting."""

    def __init__(self, package: str = EXTRACTORS_PACKAGE) -> None:
        self._all = [Sandbox(package) for _ in range(PARENTS_MAX)]
        self._idle = self._stack()

    def read(self, path: Path, request: Request) -> Reading:
        """Reads a file with a free parent, as Sandbox.read."""
        free = self._idle.get()
        try:
            return free.read(path, request)
        finally:
            self._idle.put(free)

    def stop(self) -> None:
        for each in self._all:
            each.stop()

    def forget(self) -> None:
        """Forgets all warm parents in a forked process, as Sandbox.forget."""
        for each in self._all:
            each.forget()
        self._idle = self._stack()

    @property
    def process_id(self) -> int | None:
        """The process id of the warm parent that a single thread uses."""
        return self._all[0].process_id

    def _stack(self) -> LifoQueue[Sandbox]:
        """A stack with the first parent on top: a thread that reads alone always gets the same."""
        stack: LifoQueue[Sandbox] = LifoQueue()
        for each in reversed(self._all):
            stack.put(each)
        return stack


sandbox = Sandboxes()
atexit.register(sandbox.stop)
os.register_at_fork(after_in_child=sandbox.forget)
