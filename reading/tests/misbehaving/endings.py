"""Ends as the file says."""

import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import Callable

from reading.confinement.limits import begin_step
from reading.errors import UnreadableFile
from reading.extractors.interface import Extraction
from reading.passages import Block
from reasons import Reason


def extract(data: bytes) -> Extraction:
    ENDINGS[data.decode()]()
    return Extraction(blocks=[Block("survived")], warnings=[Reason("file_empty")])


def burn() -> None:
    while True:
        pass


def work_in_steps() -> None:
    """Three steps of 0.6 s."""
    for _ in range(3):
        begin_step()
        end = time.process_time() + 0.6
        while time.process_time() < end:
            pass


def fill_memory() -> None:
    bytearray(64 * 1024**3)


def fill_memory_slowly() -> None:
    kept = []
    while True:
        kept.append(b"x" * 10_000_000)


def crash() -> None:
    ctypes.string_at(0)


def refuse() -> None:
    raise UnreadableFile("This file is upside down. Turn it round and upload it again.")


def fail() -> None:
    raise ZeroDivisionError("a bug of a parser")


def nest() -> None:
    sys.setrecursionlimit(10**9)
    nest()


def say_environment() -> None:
    raise UnreadableFile(",".join(sorted(os.environ)))


def say_modules() -> None:
    heavy = {"django", "celery", "numpy", "torch", "lxml", "pypdfium2", "unstructured"}
    raise UnreadableFile(",".join(sorted(heavy & set(sys.modules))) or "none")


def say_descriptors() -> None:
    raise UnreadableFile(",".join(str(number) for number in range(256) if is_open(number)))


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


ENDINGS: dict[str, Callable[[], object]] = {
    "well": lambda: None,
    "abort": os.abort,
    "crash": crash,
    "exit": lambda: os._exit(3),
    "exit_quietly": lambda: os._exit(0),
    "exit_system": lambda: sys.exit(0),
    "killed": lambda: signal.raise_signal(signal.SIGKILL),
    "burn": burn,
    "open_socket": socket.socket,
    "work_in_steps": work_in_steps,
    "sleep": lambda: time.sleep(600),
    "fill_memory": fill_memory,
    "fill_memory_slowly": fill_memory_slowly,
    "nest": nest,
    "refuse": refuse,
    "fail": fail,
    "say_environment": say_environment,
    "say_modules": say_modules,
    "say_descriptors": say_descriptors,
}
