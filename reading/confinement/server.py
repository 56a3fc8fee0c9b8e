"""The warm parent: keeps the extractors imported and forks one confined process a file. Run by
sandbox.py, never imported by it; imports neither Django nor config, and its environment holds no
secret.

    worker (sandbox.py) ══ socket ══ warm parent (this) ── fork ──> confined process: one file, then
    it ends
            └──────────────── pipe: JSON lines ─────────────────────────┘

It ends when its worker does: their socket then reads as closed.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, NoReturn, cast

from reading.confinement.kernel import ConfinementFailed
from reading.confinement.limits import Limits, confine
from reading.confinement.messages import (
    BLOCKS_MAX,
    EXIT_BROKEN_PIPE,
    EXIT_UNCONFINED,
    RECORD_MAX_BYTES,
    REQUEST_MAX_BYTES,
    RESULT_MAX_BYTES,
    STOP,
    JobReport,
    Request,
    divide,
    encode_block,
    encode_end,
    encode_facts,
    encode_member,
)
from reading.errors import UnreadableFile
from reading.extractors.interface import TOO_LARGE, Extractor
from reading.passages import Block, Member

OUTPUT_MARGIN_BYTES = 64 * 1024  # room for the last record
WRITE_BYTES = 256 * 1024
PROJECT = Path(__file__).resolve().parents[2]
OOM_SCORE = "1000"  # when the machine runs out of memory, the parser goes first
NICENESS = (
    19  # when it runs out of processors, the parser waits: nobody's question is slower for it
)


Folders = tuple[Path, ...]
Prepare = Callable[[Mapping[str, str]], Folders | None]


class Prepared(NamedTuple):
    options: Mapping[str, str]
    readable: Folders


# What extractors that have settings were last prepared with: by the function, because images and
# PDF share theirs.
prepared: dict[Prepare, Prepared] = {}


def main() -> None:
    package, descriptor = sys.argv[1:]
    connection = socket.socket(fileno=int(descriptor))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the worker, whose end is ours
    gc.freeze()
    while handle_request(connection, package):
        pass


def handle_request(connection: socket.socket, package: str) -> bool:
    """Handles one file; False if the worker has gone."""
    message, descriptors, _, _ = socket.recv_fds(connection, REQUEST_MAX_BYTES, 2)
    if not message:
        return False
    if message == STOP:  # of the last file, which had ended by itself
        return True
    request = Request.decode(message)
    extract, readable = load_extractor(package, request.extractor, request.options)
    source, target = descriptors
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        # What parses must not be able to speak for the warm parent
        connection.close()
        run_job(extract, source, target, parent=parent, limits=request.limits, readable=readable)
    os.close(source)
    os.close(target)
    report = supervise(connection, pid, wall_seconds=request.limits.wall_seconds)
    return report is not None and send_report(connection, report)


def load_extractor(
    package: str, name: str, options: Mapping[str, str]
) -> tuple[Extractor, Folders]:
    """Imported at its first file: a worker that reads texts only never pays for the others. With
    the folders that it may read besides.
    """
    module = importlib.import_module(f"{package}.{name}")
    prepare: Prepare | None = getattr(module, "prepare", None)
    readable: Folders = ()
    if prepare is not None:
        if prepare not in prepared or prepared[prepare].options != options:
            prepared[prepare] = Prepared(options, prepare(options) or ())
        readable = prepared[prepare].readable
    gc.freeze()  # the pages stay shared with the forked processes
    return cast(Extractor, module.extract), readable


def supervise(connection: socket.socket, pid: int, *, wall_seconds: int) -> JobReport | None:
    """Waits for the confined process; kills it at the limit and at a word of the worker. None: the
    worker has gone.
    """
    # A number can be given to another process between two calls, a descriptor cannot
    ended = os.pidfd_open(pid)
    readable, _, _ = select.select([ended, connection.fileno()], [], [], wall_seconds)
    worker_has_gone = connection.fileno() in readable and not connection.recv(1)
    if ended not in readable:
        signal.pidfd_send_signal(ended, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    os.close(ended)
    if worker_has_gone:
        return None
    return JobReport(
        status=os.waitstatus_to_exitcode(status),
        timed_out=not readable,
        cpu_seconds=round(usage.ru_utime + usage.ru_stime, 3),
        peak_bytes=usage.ru_maxrss * 1024,
    )


def send_report(connection: socket.socket, report: JobReport) -> bool:
    try:
        connection.send(report.encode())
    except OSError:
        return False
    return True


# --- In the confined process ----------------------------------------------------------------------


def run_job(
    extract: Extractor,
    source: int,
    target: int,
    *,
    parent: int,
    limits: Limits,
    readable: Folders,
) -> NoReturn:
    try:
        silence_standard_streams()
        Path("/proc/self/oom_score_adj").write_text(OOM_SCORE)
        os.nice(NICENESS)
        folders = (*own_folders(), *readable)
        confine(limits, readable=folders, private=readable, parent_pid=parent)
    except (ConfinementFailed, OSError):
        os._exit(EXIT_UNCONFINED)
    output = Output(target)
    try:
        output.write(extract_to(output, extract, source))
        output.flush()
    except BrokenPipeError:
        os._exit(EXIT_BROKEN_PIPE)  # the worker has read enough
    os._exit(0)


def silence_standard_streams() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def own_folders() -> Folders:
    """The folders of the interpreter, its packages, our own code: a late import or a codec may need
    them."""
    system = (Path("/usr"), Path("/lib"), Path("/lib64"))
    folders = {Path(sys.prefix), Path(sys.base_prefix), PROJECT / "reading", *system}
    return tuple(folder for folder in folders if folder.is_dir())


def extract_to(output: Output, extract: Extractor, source: int) -> bytes:
    """Writes the blocks; returns the last record."""
    try:
        with os.fdopen(source, "rb") as file:
            data = file.read()
        extraction = extract(data)
        if extraction.facts:
            output.write_facts(encode_facts(extraction.facts))
        # Written as they come: a long document is never in memory whole
        for block in extraction.blocks:
            for part in divide(block):
                output.write_block(part)
        for member in extraction.members:
            output.write_member(member)
        return encode_end(warnings=extraction.warnings, pages=extraction.pages)
    except UnreadableFile as error:
        return encode_end(refusal=error.reason)
    except MemoryError:
        return encode_end(refusal=TOO_LARGE)
    except BrokenPipeError:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a parser raises is reported, then the process ends
        return encode_end(failure=describe(error))


def describe(error: BaseException) -> str:
    """A description of the error for our log: its message and its place."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames))
    words = f"{type(error).__name__}: {str(error)[:300]} ({places})"
    if isinstance(error, OSError) and error.errno in (errno.ENOSYS, errno.EPERM):
        return f"{words}: a system call that confinement/system_calls.py does not allow?"
    return words


class Output:
    """The pipe to the worker, bounded."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()
        self._blocks = 0
        self._bytes = 0

    def write_block(self, block: Block) -> None:
        """Raises UnreadableFile when the file holds more than a worker would take."""
        self._blocks += 1
        if self._blocks > BLOCKS_MAX:
            raise UnreadableFile(TOO_LARGE)
        self._write_within_limits(encode_block(block))

    def write_facts(self, record: bytes) -> None:
        """Raises UnreadableFile if the record is larger than a worker would take."""
        if len(record) > RECORD_MAX_BYTES:
            raise UnreadableFile(TOO_LARGE)
        self.write(record)

    def write_member(self, member: Member) -> None:
        """Likewise; how many there are, and how large, is the extractor's care (taking.py)."""
        self._write_within_limits(encode_member(member))

    def _write_within_limits(self, record: bytes) -> None:
        if self._bytes + len(record) > RESULT_MAX_BYTES - OUTPUT_MARGIN_BYTES:
            raise UnreadableFile(TOO_LARGE)
        self.write(record)

    def write(self, record: bytes) -> None:
        self._bytes += len(record)
        self._buffer += record
        if len(self._buffer) >= WRITE_BYTES:
            self.flush()

    def flush(self) -> None:
        view = memoryview(bytes(self._buffer))
        while view:
            view = view[os.write(self._descriptor, view) :]
        self._buffer.clear()


if __name__ == "__main__":
    main()
