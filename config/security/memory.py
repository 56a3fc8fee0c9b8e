"""Hides from other processes of the same user what is in this one: its memory, its environment in
/proc, its open files.

Root may still look (py-spy, gdb): docs/operations.md. A program that this process starts is visible
again until it hides itself.
"""

import ctypes
import os
import resource

PR_SET_DUMPABLE = 4


def hide_memory() -> None:
    """Hides the memory of this process and those that it forks. A crash writes no core."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
