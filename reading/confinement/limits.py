"""Takes from the calling process, for good, all that a parser of files does not need.

One wall behind the other, and each holds when another one falls: limits; a user of its own and a
file system of its own, where they are to be had; Landlock, where the kernel has it; an allow-list
of system calls, with no_new_privs. Limits and the allow-list must succeed, and whatever else the
kernel has and refuses, else ConfinementFailed. Standard library only.
"""

import os
import resource
import signal
from dataclasses import dataclass, fields
from pathlib import Path

from reading.confinement.file_view import enter_view
from reading.confinement.identity import become_nobody
from reading.confinement.kernel import (
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_PDEATHSIG,
    ConfinementFailed,
    control,
)
from reading.confinement.landlock import restrict_reading
from reading.confinement.seccomp import install_filter

OPEN_FILES_MAX = 64
MEGABYTE = 1024 * 1024


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


def confine(
    limits: Limits, *, readable: tuple[Path, ...], private: tuple[Path, ...] = (), parent_pid: int
) -> None:
    """`readable`: the folders that may still be read; `private`: those of them that the operator
    chose, who may have kept them for himself. SIGKILL when the parent ends.
    """
    limit_resources(limits)
    # Before the change of user, which takes the right to mount away
    has_view = enter_view(readable)
    become_nobody(private, reached_by=() if has_view else readable)
    control(PR_SET_DUMPABLE, 0)  # a neighbour of the same user may not look into it either
    control(PR_SET_PDEATHSIG, signal.SIGKILL)  # another user would lose it
    # It may have ended before the signal was asked for, and then none comes
    if os.getppid() != parent_pid:
        raise ConfinementFailed("the parent has ended")
    # Landlock and the filter are refused to an ordinary user without it
    control(PR_SET_NO_NEW_PRIVS, 1)
    # In this order: the filter forbids the calls that all the others need
    restrict_reading(readable)
    install_filter()


def limit_resources(limits: Limits) -> None:
    address_space = current_address_space() + limits.memory_bytes
    for kind, soft, hard in (
        (resource.RLIMIT_AS, address_space, address_space),
        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1),  # SIGXCPU, then SIGKILL
        # Pipes are not limited by it, and it writes to nothing else
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES_MAX, OPEN_FILES_MAX),
        # A core dump would be a copy of the customer's file
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
    """Starts the CPU time of a step again: an extractor calls this for the next page, the next
    minute of sound, so that long work may take long, but work that hangs ends soon. Does nothing
    where steps are not limited."""
    _, step_seconds = signal.getitimer(signal.ITIMER_PROF)
    if step_seconds:
        signal.setitimer(signal.ITIMER_PROF, step_seconds, step_seconds)


def current_address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")
