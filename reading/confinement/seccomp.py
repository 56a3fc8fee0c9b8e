"""Takes from the calling process every system call but those of system_calls.py, for good."""

import ctypes
import errno
import platform
import struct
import sys

from reading.confinement.kernel import PR_SET_SECCOMP, ConfinementFailed, expect, libc
from reading.confinement.system_calls import (
    ARCHITECTURES,
    Architecture,
    Call,
    Condition,
)

SECCOMP_MODE_FILTER = 2
# Classic BPF over struct seccomp_data {int nr; u32 arch; u64 ip; u64 args[6]} (seccomp(2),
# linux/filter.h).
LOAD, JUMP_EQUAL, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
OFFSET_NUMBER, OFFSET_ARCHITECTURE, OFFSET_ARGUMENTS = 0, 4, 16
ALL_BITS = 0xFFFFFFFF


def install_filter() -> None:
    """Wants no_new_privs. Raises ConfinementFailed."""
    architecture = ARCHITECTURES.get(platform.machine())
    if architecture is None or sys.byteorder != "little":
        raise ConfinementFailed(f"no seccomp filter for {platform.machine()}")
    install(build_filter(architecture))


def install(program: list[bytes]) -> None:
    code = b"".join(program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    address = ctypes.create_string_buffer(header, len(header))
    zero, mode = ctypes.c_ulong(0), ctypes.c_ulong(SECCOMP_MODE_FILTER)
    expect(libc.prctl(PR_SET_SECCOMP, mode, address, zero, zero), "seccomp")


def build_filter(architecture: Architecture) -> list[bytes]:
    """A filter that allows the calls in the table; all others seem not to exist, also x32's
    numbers."""
    program = [
        instruction(LOAD, OFFSET_ARCHITECTURE),
        instruction(JUMP_EQUAL, architecture.audit, if_true=1),
        instruction(RETURN, KILL),
        instruction(LOAD, OFFSET_NUMBER),
    ]
    for call in architecture.allowed:
        program += allow(call)
    return [*program, instruction(RETURN, ERRNO | errno.ENOSYS)]


def allow(call: Call) -> list[bytes]:
    body = [step for condition in call.conditions for step in refuse_unless(condition)]
    body.append(instruction(RETURN, ALLOW))
    return [instruction(JUMP_EQUAL, call.number, if_false=len(body)), *body]


def refuse_unless(condition: Condition) -> list[bytes]:
    """Goes on behind its end where the argument is as it must be."""
    load = instruction(LOAD, OFFSET_ARGUMENTS + 8 * condition.argument + 4 * condition.half)
    refuse = instruction(RETURN, ERRNO | errno.EPERM)
    if not condition.equals:
        unwanted = ~condition.bits & ALL_BITS
        return [load, instruction(JUMP_ANY_BIT, unwanted, if_false=1), refuse]
    count = len(condition.equals)
    tests = [
        instruction(JUMP_EQUAL, value, if_true=count - place)
        for place, value in enumerate(condition.equals)
    ]
    return [load, *tests, refuse]


def instruction(code: int, operand: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, operand)
