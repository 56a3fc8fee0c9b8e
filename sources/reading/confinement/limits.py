"""Takes from the calling process, for good, all that a parser of files does not need.

Works for an ordinary user and in a container: limits, no_new_privs, a seccomp filter (no network,
no new program or process, no change of the file system, no signal to others) and, where the kernel
has it, Landlock (reads only where the interpreter and its packages are). Everything but Landlock
must succeed, else ConfinementFailed. Standard library only.
"""

import ctypes
import errno
import os
import platform
import resource
import signal
import struct
import sys
from dataclasses import dataclass, fields
from pathlib import Path

from sources.reading.confinement.system_calls import ARCHITECTURES, Architecture

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
OPEN_FILES_MAX = 64
MEGABYTE = 1024 * 1024


class ConfinementFailed(Exception):
    """The kernel refused: the process must not touch a file."""


@dataclass(frozen=True)
class Limits:
    """`memory_bytes`: address space above what the process has already. `step_cpu_seconds`: of one
    step of a long work (`begin_step`); without it, only the whole is limited.
    """

    memory_bytes: int
    cpu_seconds: int
    wall_seconds: int
    step_cpu_seconds: int | None = None

    def __post_init__(self) -> None:
        """setrlimit(2) takes -1 for "without limit"."""
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value <= 0:
                raise ValueError(f"{field.name} must be positive")


def confine(limits: Limits, *, readable: tuple[Path, ...]) -> None:
    """`readable`: the folders that may still be read where Landlock is there."""
    limit_resources(limits)
    libc = ctypes.CDLL(None, use_errno=True)
    control(libc, PR_SET_DUMPABLE, 0)  # a neighbour of the same user may not look into it either
    control(libc, PR_SET_NO_NEW_PRIVS, 1)
    restrict_reading(libc, readable)
    install_filter(libc)


def die_with_parent(parent_pid: int) -> None:
    """SIGKILL when the parent ends. Raises ConfinementFailed when it has ended already."""
    control(ctypes.CDLL(None, use_errno=True), PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        raise ConfinementFailed("the parent has ended")


def control(libc: ctypes.CDLL, option: int, argument: int) -> None:
    zero = ctypes.c_ulong(0)
    if libc.prctl(option, ctypes.c_ulong(argument), zero, zero, zero) != 0:
        raise ConfinementFailed(f"prctl({option}): {os.strerror(ctypes.get_errno())}")


def limit_resources(limits: Limits) -> None:
    address_space = current_address_space() + limits.memory_bytes
    for kind, soft, hard in (
        (resource.RLIMIT_AS, address_space, address_space),
        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1),  # SIGXCPU, then SIGKILL
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES_MAX, OPEN_FILES_MAX),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        try:
            resource.setrlimit(kind, (soft, hard))
        except (OSError, ValueError) as error:
            raise ConfinementFailed(f"setrlimit({kind}): {error}") from error
    if limits.step_cpu_seconds:
        signal.setitimer(
            signal.ITIMER_PROF, limits.step_cpu_seconds, limits.step_cpu_seconds
        )  # SIGPROF, which ends the process


def begin_step() -> None:
    """For an extractor: the next page, the next minute of sound. Its CPU time counts anew, so that
    long work may take long, and what hangs ends soon. Does nothing where steps are not limited.
    """
    _, step_seconds = signal.getitimer(signal.ITIMER_PROF)
    if step_seconds:
        signal.setitimer(signal.ITIMER_PROF, step_seconds, step_seconds)


def current_address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


# --- seccomp --------------------------------------------------------------------------------------
# Classic BPF over struct seccomp_data {int nr; u32 arch; u64 ip; u64 args[6]} (seccomp(2),
# linux/filter.h).

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
OFFSET_NUMBER, OFFSET_ARCHITECTURE = 0, 4
OFFSET_ARGUMENT_0, OFFSET_ARGUMENT_1, OFFSET_ARGUMENT_2 = 16, 24, 32
# The same on all architectures from here on; the C library does without every one of them
NEW_CALLS_FROM = 424
CLONE_THREAD = 0x00010000
WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def install_filter(libc: ctypes.CDLL) -> None:
    architecture = ARCHITECTURES.get(platform.machine())
    if architecture is None or sys.byteorder != "little":
        raise ConfinementFailed(f"no seccomp filter for {platform.machine()}")
    program = b"".join(build_filter(architecture))
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    address = ctypes.create_string_buffer(header, len(header))
    zero = ctypes.c_ulong(0)
    if libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), address, zero, zero) != 0:
        raise ConfinementFailed(f"seccomp: {os.strerror(ctypes.get_errno())}")


def build_filter(architecture: Architecture) -> list[bytes]:
    """Each test that matches returns at once; what no test matches is allowed."""
    refuse, absent = ERRNO | errno.EACCES, ERRNO | errno.ENOSYS
    program = [
        instruction(LOAD, OFFSET_ARCHITECTURE),
        instruction(JUMP_EQUAL, architecture.audit, if_true=1),
        instruction(RETURN, KILL),
        instruction(LOAD, OFFSET_NUMBER),
        # clone3, openat2, io_uring, pidfd, Landlock's own: absent, so that the C library falls back
        # to the calls below.
        # x32's numbers are above as well.
        instruction(JUMP_AT_LEAST, NEW_CALLS_FROM, if_false=1),
        instruction(RETURN, absent),
    ]
    for number in architecture.refused.values():
        program += [instruction(JUMP_EQUAL, number, if_false=1), instruction(RETURN, refuse)]
    program += refuse_flags(architecture.openat, OFFSET_ARGUMENT_2, WRITING_FLAGS)
    if architecture.open is not None:
        program += refuse_flags(architecture.open, OFFSET_ARGUMENT_1, WRITING_FLAGS)
    program += [  # a thread is no new process
        instruction(JUMP_EQUAL, architecture.clone, if_false=3),
        instruction(LOAD, OFFSET_ARGUMENT_0),
        instruction(JUMP_ANY_BIT, CLONE_THREAD, if_true=1),
        instruction(RETURN, refuse),
        instruction(RETURN, ALLOW),
    ]
    return program


def refuse_flags(number: int, offset: int, flags: int) -> list[bytes]:
    return [
        instruction(JUMP_EQUAL, number, if_false=4),
        instruction(LOAD, offset),
        instruction(JUMP_ANY_BIT, flags, if_false=1),
        instruction(RETURN, ERRNO | errno.EACCES),
        instruction(RETURN, ALLOW),
    ]


def instruction(code: int, operand: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, operand)


# --- Landlock (landlock(7)) -----------------------------------------------------------------------

LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_VERSION_FLAG, LANDLOCK_RULE_PATH_BENEATH = 1, 1
LANDLOCK_READ_FILE, LANDLOCK_READ_DIR = 1 << 2, 1 << 3
LANDLOCK_ALL_OF_VERSION_1 = (1 << 13) - 1


def has_landlock() -> bool:
    return landlock_version(ctypes.CDLL(None, use_errno=True)) > 0


def landlock_version(libc: ctypes.CDLL) -> int:
    """Less than 1 where the kernel has none, or a container's filter hides it."""
    size = ctypes.c_size_t(0)
    return int(libc.syscall(LANDLOCK_CREATE_RULESET, None, size, LANDLOCK_VERSION_FLAG))


def restrict_reading(libc: ctypes.CDLL, readable: tuple[Path, ...]) -> bool:
    """False where the kernel has no Landlock; raises ConfinementFailed when it has and refuses."""
    if landlock_version(libc) < 1:
        return False
    handled = struct.pack("Q", LANDLOCK_ALL_OF_VERSION_1)
    ruleset = libc.syscall(LANDLOCK_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    if ruleset < 0:
        raise ConfinementFailed(f"landlock: {os.strerror(ctypes.get_errno())}")
    for folder in readable:
        allow_reading(libc, ruleset, folder)
    if libc.syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0) != 0:
        raise ConfinementFailed(f"landlock: {os.strerror(ctypes.get_errno())}")
    os.close(ruleset)
    return True


def allow_reading(libc: ctypes.CDLL, ruleset: int, folder: Path) -> None:
    descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    rule = struct.pack("=Qi", LANDLOCK_READ_FILE | LANDLOCK_READ_DIR, descriptor)
    if libc.syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0) != 0:
        raise ConfinementFailed(f"landlock: {os.strerror(ctypes.get_errno())}")
    os.close(descriptor)
