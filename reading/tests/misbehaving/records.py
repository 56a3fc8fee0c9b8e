"""Writes the bytes of the file to the worker as if they were records, and ends."""

import os
import stat

from reading.extractors.interface import Extraction

FLOOD = b"FLOOD"


def extract(data: bytes) -> Extraction:
    pipe = next(number for number in range(3, 64) if is_pipe(number))
    if data == FLOOD:
        while True:
            os.write(pipe, b"x" * 65536)
    while data:
        data = data[os.write(pipe, data) :]
    os._exit(0)


def is_pipe(descriptor: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:
        return False
