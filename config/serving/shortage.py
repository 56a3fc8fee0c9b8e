"""The text for staff (/readyz) about bodies that had to make room since the web server was started:
every process of it tells the same."""

import ctypes
import mmap
import time
from datetime import UTC, datetime


class Shortage(ctypes.Structure):
    """The number of bodies that had to make room. `at`: Unix time of the last; `whose`: its
    holders. No lock: two at the same moment may count as one."""

    _fields_ = [
        ("count", ctypes.c_uint64),
        ("at", ctypes.c_double),
        ("whose", ctypes.c_char * 400),
    ]


# Made where gunicorn starts; the processes that it forks all have the same memory here.
shared = Shortage.from_buffer(mmap.mmap(-1, mmap.PAGESIZE))


def note(whose: str) -> None:
    shared.count += 1
    shared.at = time.time()
    shared.whose = whose.encode()[:399]


def tell() -> str:
    """A text for staff; "ok" while no body had to make room."""
    if not shared.count:
        return "ok"
    last = datetime.fromtimestamp(shared.at, UTC).isoformat(timespec="seconds")
    whose = shared.whose.decode(errors="replace")
    return f"{shared.count} had to make room since the start, the last at {last}: {whose}"
