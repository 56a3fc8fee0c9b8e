"""The system calls that a confined process may make, all of them, with what each is needed for.

A call that is not here answers ENOSYS, which a library takes for an older kernel and does without;
PermissionError answers one whose arguments are refused. To find what a new library asks for: see
docs/decisions/0034. Numbers as in the headers of Linux (asm/unistd_64.h, asm-generic/unistd.h).
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

ABSENT = "-"  # the architecture has no such call
LINE = re.compile(r"^ {4}(\w+) +(\d+|-) +(\d+|-)(?: +([a-z_]+))?$")

# name                x86_64 aarch64 condition
TABLE = """
    # the file, the pipe to the worker, late imports
    read                   0      63
    write                  1      64
    readv                 19      65
    writev                20      66
    pread64               17      67
    lseek                  8      62
    close                  3      57
    dup                   32      23
    open                   2       -  reads_second
    openat               257      56  reads_third
    fcntl                 72      25  describes_itself
    ioctl                 16      29  asks_for_terminal

    # what kind of file, which folder
    stat                   4       -
    lstat                  6       -
    fstat                  5      80
    newfstatat           262      79
    statx                332     291
    access                21       -
    faccessat            269      48
    readlink              89       -
    readlinkat           267      78
    getdents64           217      61
    getcwd                79      17

    # memory
    brk                   12     214
    mmap                   9     222
    munmap                11     215
    mremap                25     216
    mprotect              10     226
    madvise               28     233  advises

    # threads, of numpy, onnxruntime and ctranslate2; no other process
    clone                 56     220  starts_thread
    futex                202      98
    set_robust_list      273      99
    rseq                 334     293
    sched_yield           24     124
    sched_getaffinity    204     123
    membarrier           324     283
    gettid               186     178
    exit                  60      93
    exit_group           231      94
    restart_syscall      219     128

    # waiting, for one's own locks
    poll                   7       -
    ppoll                271      73
    select                23       -
    pselect6             270      72

    # time; the step of a long work (begin_step)
    clock_gettime        228     113
    clock_getres         229     114
    clock_nanosleep      230     115
    nanosleep             35     101
    gettimeofday          96     169
    time                 201       -
    times                100     153
    setitimer             38     103
    getitimer             36     102

    # its own signals: Python's handlers, the limit of processor time
    rt_sigaction          13     134
    rt_sigprocmask        14     135
    rt_sigreturn          15     139
    sigaltstack          131     132

    # what it is, and what it may use
    getpid                39     172
    getppid              110     173
    getuid               102     174
    geteuid              107     175
    getgid               104     176
    getegid              108     177
    getrlimit             97     163
    prlimit64            302     261  asks_for_own_limits
    getrusage             98     165
    getpriority          140     141
    uname                 63     160
    sysinfo               99     179
    getcpu               309     168
    getrandom            318     278
    prctl                157     167  names_itself
"""


@dataclass(frozen=True)
class Condition:
    """A condition on one argument (0 to 5): it is one of `equals`, or, if these are empty, has only
    bits of `bits`. `half`: 0 for its lower 32 bits, 1 for its upper ones."""

    argument: int
    equals: tuple[int, ...] = ()
    bits: int = 0
    half: int = 0


READING_FLAGS = (
    os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
)
# CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM | SETTLS | PARENT_SETTID | CHILD_CLEARTID:
# what the C library's pthread_create asks for, and nothing beside it
THREAD_FLAGS = 0x3D0F00
F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC = 1, 2, 3, 1030
TCGETS, TIOCGWINSZ, FIOCLEX = 0x5401, 0x5413, 0x5451  # isatty(), close-on-exec
PR_SET_NAME, PR_GET_NAME, PR_SET_VMA = 15, 16, 0x53564D41  # names of threads and of memory
# MADV_NORMAL to DONTNEED, FREE, the advice about huge pages, DONTDUMP
ADVICE = (0, 1, 2, 3, 4, 8, 14, 15, 16)

CONDITIONS: dict[str, tuple[Condition, ...]] = {
    "reads_second": (Condition(1, bits=READING_FLAGS),),
    "reads_third": (Condition(2, bits=READING_FLAGS),),
    "describes_itself": (Condition(1, equals=(F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC)),),
    "asks_for_terminal": (Condition(1, equals=(TCGETS, TIOCGWINSZ, FIOCLEX)),),
    "advises": (Condition(2, equals=ADVICE),),
    "starts_thread": (Condition(0, equals=(THREAD_FLAGS,)),),
    "names_itself": (Condition(0, equals=(PR_SET_NAME, PR_GET_NAME, PR_SET_VMA)),),
    "asks_for_own_limits": (
        Condition(0, equals=(0,)),  # of itself
        Condition(2, equals=(0,)),  # and gives no new ones
        Condition(2, equals=(0,), half=1),
    ),
}


@dataclass(frozen=True)
class Call:
    name: str
    number: int
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Architecture:
    """`audit`: AUDIT_ARCH_… of linux/audit.h."""

    audit: int
    allowed: tuple[Call, ...]


def calls_of(column: int) -> tuple[Call, ...]:
    """`column`: 0 for x86_64, 1 for aarch64."""
    rows = [match.groups() for line in TABLE.splitlines() if (match := LINE.match(line))]
    return tuple(
        Call(name, int(numbers[column]), CONDITIONS[condition] if condition else ())
        for name, *numbers, condition in rows
        if numbers[column] != ABSENT
    )


X86_64 = Architecture(audit=0xC000003E, allowed=calls_of(0))
AARCH64 = Architecture(audit=0xC00000B7, allowed=calls_of(1))
ARCHITECTURES = {"x86_64": X86_64, "aarch64": AARCH64}  # as platform.machine() names them
