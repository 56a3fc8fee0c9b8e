"""Runs the attempt that the file names; the answer is one block: the error's name, or "allowed"."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from reading.extractors.interface import Extraction
from reading.passages import Block


def extract(data: bytes) -> Extraction:
    name, _, argument = data.decode().partition(" ")
    return Extraction(blocks=[Block(outcome_of(ATTEMPTS[name], argument))])


def outcome_of(attempt: Callable[[str], object], argument: str) -> str:
    try:
        attempt(argument)
    except OSError as error:
        return type(error).__name__
    return "allowed"


def connect(argument: str) -> None:
    socket.create_connection(("127.0.0.1", int(argument)), timeout=1)


def fork(_: str) -> None:
    if os.fork() == 0:
        os._exit(0)


def start_thread(_: str) -> None:
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()


def raise_own_limit(_: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    limit = (ctypes.c_ulong * 2)(2**40, 2**40)
    if libc.setrlimit(9, limit) != 0:  # RLIMIT_AS
        raise OSError(ctypes.get_errno(), "setrlimit")


def io_uring(_: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(425, 1, None) < 0:
        raise OSError(ctypes.get_errno(), "io_uring_setup")


ATTEMPTS: dict[str, Callable[[str], object]] = {
    "connect": connect,
    "open_socket": lambda _: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "open_unix_socket": lambda _: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
    "run_program": lambda _: subprocess.run([sys.executable, "-c", ""], check=True),
    "replace_itself": lambda _: os.execv(sys.executable, [sys.executable]),  # noqa: S606
    "fork": fork,
    "start_thread": start_thread,
    "kill": lambda argument: os.kill(int(argument), 0),
    "kill_parent": lambda _: os.kill(os.getppid(), signal.SIGKILL),
    "read": lambda argument: Path(argument).read_bytes(),
    "write": lambda argument: Path(argument).write_text("x"),
    "delete": lambda argument: Path(argument).unlink(),
    "rename": lambda argument: Path(argument).rename(f"{argument}.moved"),
    "make_folder": lambda argument: Path(argument).mkdir(),
    "chmod": lambda argument: Path(argument).chmod(0o777),
    "raise_own_limit": raise_own_limit,
    "io_uring": io_uring,
    "read_own_code": lambda _: Path(__file__).read_bytes(),
    "import_late": lambda _: __import__("colorsys"),
}
