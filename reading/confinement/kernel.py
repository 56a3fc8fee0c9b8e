"""The C library, called so that a refusal raises. Standard library only, as all of this folder that
the confined process runs.
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38


class ConfinementFailed(Exception):
    """The kernel refused: the process must not touch a file."""


def control(option: int, argument: int) -> None:
    """prctl(2). Raises ConfinementFailed."""
    zero = ctypes.c_ulong(0)
    expect(libc.prctl(option, ctypes.c_ulong(argument), zero, zero, zero), f"prctl({option})")


def expect(result: int, what: str) -> int:
    """`result` of a call that answers -1 when it fails. Raises ConfinementFailed."""
    if result == -1:
        raise ConfinementFailed(f"{what}: {os.strerror(ctypes.get_errno())}")
    return int(result)
