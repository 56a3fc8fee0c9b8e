"""A parser that was taken over: does what an attacker would, one attempt a file.

The file is JSON: {"attempt": name, and what it aims at}. Answers with one block: the name of the
errno that refused it, or "DONE" and what it got. Raw system calls, because that is what an attacker
has; numbers of x86_64 and aarch64.
"""

import ctypes
import errno
import json
import mmap
import os
import platform
import resource
import signal
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reading.extractors.interface import Extraction
from reading.passages import Block

libc = ctypes.CDLL(None, use_errno=True)
COLUMN = {"x86_64": 0, "aarch64": 1}[platform.machine()]
NUMBERS = {
    "memfd_create": (319, 279),
    "execveat": (322, 281),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "pidfd_open": (434, 434),
    "prlimit64": (302, 261),
    "setpriority": (141, 140),
    "sched_setaffinity": (203, 122),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "mount": (165, 40),
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "timer_create": (222, 107),
    "clone": (56, 220),
    "clone3": (435, 435),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "landlock_create_ruleset": (444, 444),
    "personality": (135, 92),
    "setresuid": (117, 147),
    "capset": (126, 91),
    "kcmp": (312, 272),
    "splice": (275, 76),
    "vmsplice": (278, 75),
    "memfd_secret": (447, 447),
    "seccomp": (317, 277),
    "openat2": (437, 437),
    "fsopen": (430, 430),
    "setitimer": (38, 103),
    "mlock": (149, 228),
    "sysinfo": (99, 179),
}
THREADS_TRIED = 2000
KEYRING_SESSION = -3
Aim = dict[str, Any]


def extract(data: bytes) -> Extraction:
    aim = json.loads(data)
    attempt = ATTEMPTS[aim["attempt"]]
    try:
        got = attempt(aim)
    except OSError as error:
        return Extraction([Block(errno.errorcode.get(error.errno or 0, str(error)))])
    return Extraction([Block(f"DONE {got}")])


def call(name: str, *arguments: Any) -> int:
    """Raises OSError."""
    given = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = int(libc.syscall(ctypes.c_long(NUMBERS[name][COLUMN]), *given))
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return result


def read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(16).hex()


def write(path: str) -> str:
    with open(path, "wb") as file:
        file.write(b"x")
    return path


def run_from_memory(_: Aim) -> int:
    memory = call("memfd_create", b"x", 0)
    os.write(memory, b"#!/bin/true\n")
    return call("execveat", memory, b"", None, None, 0x1000)


def open_socket(family: int, kind: int = 1, protocol: int = 0) -> Callable[[Aim], int]:
    return lambda _: call("socket", family, kind, protocol)


def read_memory(aim: Aim) -> int:
    buffer = ctypes.create_string_buffer(16)
    local = struct.pack("PN", ctypes.addressof(buffer), 16)
    remote = struct.pack("PN", aim["address"], 16)
    return call("process_vm_readv", aim["worker"], local, 1, remote, 1, 0)


def trace(aim: Aim) -> int:
    """PTRACE_SEIZE: lets go when this process ends."""
    return call("ptrace", 0x4206, aim["worker"], None, None)


def fork(_: Aim) -> int:
    child = call("clone", int(signal.SIGCHLD), None, None, None, None)
    if child == 0:
        os._exit(0)
    return child


def fork_anew(_: Aim) -> int:
    """clone3(2), as a new C library forks."""
    arguments = struct.pack("QQQQQQQQ", 0, 0, 0, 0, int(signal.SIGCHLD), 0, 0, 0)
    child = call("clone3", arguments, len(arguments))
    if child == 0:
        os._exit(0)
    return child


def start_threads(_: Aim) -> str:
    """Refused when the kernel refuses one, before there are THREADS_TRIED of them."""
    threading.stack_size(64 * 1024)
    is_over = threading.Event()
    try:
        for _number in range(THREADS_TRIED):
            threading.Thread(target=is_over.wait, daemon=True).start()
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, "threads") from error
    finally:
        is_over.set()
    return f"{THREADS_TRIED} threads"


def send_signal(aim: Aim) -> int:
    return call("kill", aim["worker"], int(signal.SIGURG))


def send_to_thread(aim: Aim) -> int:
    return call("tgkill", aim["worker"], aim["worker"], int(signal.SIGURG))


def queue_signal(aim: Aim) -> int:
    information = struct.pack("iiii", int(signal.SIGURG), 0, -1, 0) + bytes(112)
    return call("rt_sigqueueinfo", aim["worker"], int(signal.SIGURG), information)


def limit_worker(aim: Aim) -> int:
    """No core: harmless, and as much a change as any other."""
    return call("prlimit64", aim["worker"], resource.RLIMIT_CORE, struct.pack("QQ", 0, 0), None)


def limit_itself(_: Aim) -> int:
    return call("prlimit64", 0, resource.RLIMIT_FSIZE, struct.pack("QQ", 1, 1), None)


def steal_key(_: Aim) -> int:
    return call("add_key", b"user", b"k", b"x", 1, KEYRING_SESSION)


def search_keys(_: Aim) -> int:
    return call("keyctl", 0, KEYRING_SESSION, 1)  # KEYCTL_GET_KEYRING_ID, made if need be


def leave_root(_: Aim) -> str:
    """Out of what it may see, by a folder that is still open, or by `..`."""
    os.chdir("/../../../../..")
    return ",".join(sorted(os.listdir("/../../proc"))[:3])


def list_descriptors(_: Aim) -> str:
    """Refused when there is nothing but the silenced standard streams and the pipe."""
    held = []
    for number in range(256):
        try:
            held.append((number, os.fstat(number).st_mode & 0o170000))
        except OSError:
            continue
    others = [mode for number, mode in held if number > 2]
    if others == [0o010000]:
        raise OSError(errno.EBADF, "descriptors")
    return str(held)


def write_to_memory(aim: Aim) -> str:
    with open(f"/proc/{aim['worker']}/mem", "r+b", buffering=0) as memory:
        memory.seek(aim["address"])
        return memory.read(8).hex()


def list_worker_files(aim: Aim) -> str:
    return os.readlink(f"/proc/{aim['worker']}/fd/0")


def inject_terminal(_: Aim) -> int:
    """TIOCSTI: types into whatever terminal is there."""
    if libc.ioctl(0, 0x5412, b"x") == -1:
        code = ctypes.get_errno()
        raise OSError(code, "ioctl")
    return 0


def move_pipe(_: Aim) -> int:
    """F_SETPIPE_SZ of the pipe to the worker: its memory."""
    pipe = next(number for number in range(3, 64) if is_pipe(number))
    if libc.fcntl(pipe, 1031, 64 * 1024) == -1:
        raise OSError(ctypes.get_errno(), "fcntl")
    return pipe


def is_pipe(number: int) -> bool:
    try:
        return os.fstat(number).st_mode & 0o170000 == 0o010000
    except OSError:
        return False


def take_memory(_: Aim) -> str:
    """Refused at the limit."""
    kept = []
    try:
        while True:
            kept.append(mmap.mmap(-1, 256 * 1024 * 1024))
    except (OSError, ValueError) as error:
        if len(kept) < 16:
            raise OSError(errno.ENOMEM, "mmap") from error
    return f"{len(kept)} × 256 MB"


def run_for_ever(_: Aim) -> str:
    """Refused by a signal; it puts the clock of its step forward all the time."""
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        signal.setitimer(signal.ITIMER_PROF, 1000)
    return "20 s"


def fill_pipe(_: Aim) -> str:
    pipe = next(number for number in range(3, 64) if is_pipe(number))
    while True:
        os.write(pipe, b"x" * 65536)


def sleep(_: Aim) -> str:
    time.sleep(600)
    return "600 s"


def path_of(name: str) -> Callable[[Aim], str]:
    return lambda aim: read(aim[name])


def of_worker(name: str) -> Callable[[Aim], str]:
    return lambda aim: read(f"/proc/{aim['worker']}/{name}")


def raw(name: str, *arguments: Any) -> Callable[[Aim], int]:
    return lambda _: call(name, *arguments)


def connect(aim: Aim) -> int:
    descriptor = call("socket", 1, 1, 0)
    address = struct.pack("H", 1) + os.fsencode(aim["socket"]) + b"\0"
    if libc.connect(descriptor, address, len(address)) == -1:
        raise OSError(ctypes.get_errno(), "connect")
    return descriptor


ATTEMPTS: dict[str, Callable[[Aim], object]] = {
    "read the secret key": path_of("secret_key"),
    "read the encryption key": path_of("encryption_key"),
    "read another tenant's file": path_of("media"),
    "read /etc/passwd": lambda _: read("/etc/passwd"),
    "list DATA_DIR": lambda aim: os.listdir(Path(aim["media"]).parent),
    "whether a file exists": lambda aim: os.stat(aim["media"]).st_size,
    "a handle on a folder": lambda _: call(
        "name_to_handle_at", -100, b"/", struct.pack("I", 128) + bytes(132), bytes(8), 0
    ),
    "out of its root": leave_root,
    "the worker's environment": of_worker("environ"),
    "the worker's memory map": of_worker("maps"),
    "the worker's memory, by /proc": write_to_memory,
    "the worker's open files": list_worker_files,
    "its own environment, by /proc": lambda _: read("/proc/self/environ"),
    "open files that it inherited": list_descriptors,
    "write to /tmp": lambda _: write("/tmp/hijacked"),
    "write to /dev/shm": lambda _: write("/dev/shm/hijacked"),
    "write beside the secrets": lambda aim: write(f"{aim['secret_key']}.new"),
    "write into our code": lambda aim: write(f"{aim['code']}/hijacked.py"),
    "a file in memory": raw("memfd_create", b"x", 0),
    "a program from memory": run_from_memory,
    "another program": lambda _: os.execv("/bin/true", ["true"]),  # noqa: S606
    "TCP": open_socket(2),
    "UDP": open_socket(2, 2),
    "TCP over IPv6": open_socket(10),
    "a raw packet": open_socket(17, 3),
    "netlink": open_socket(16, 3),
    "vsock": open_socket(40),
    "a Unix socket, abstract ones too": open_socket(1),
    "a pair of sockets": raw("socketpair", 1, 1, 0, bytes(8)),
    "PostgreSQL's or Redis's socket": connect,
    "ptrace the worker": trace,
    "process_vm_readv of the worker": read_memory,
    "compare with the worker (kcmp)": lambda aim: call("kcmp", os.getpid(), aim["worker"], 1, 0, 0),
    "fork": fork,
    "fork by clone3": fork_anew,
    "2,000 threads": start_threads,
    "kill the worker": send_signal,
    "tgkill": send_to_thread,
    "sigqueue": queue_signal,
    "a handle on the worker (pidfd)": lambda aim: call("pidfd_open", aim["worker"], 0),
    "the worker's limits": limit_worker,
    "the worker's priority": lambda aim: call("setpriority", 0, aim["worker"], 19),
    "the worker's processors": lambda aim: call("sched_setaffinity", aim["worker"], 8, b"\1" * 8),
    "a key in the kernel's keyring": steal_key,
    "search the kernel's keyring": search_keys,
    "request a key": raw("request_key", b"user", b"k", None, 0),
    "io_uring": lambda _: call("io_uring_setup", 1, bytes(120)),
    "userfaultfd": raw("userfaultfd", 1),
    "bpf": lambda _: call("bpf", 0, struct.pack("IIII", 2, 4, 4, 1) + bytes(56), 72),
    "perf": lambda _: call("perf_event_open", struct.pack("II", 1, 112) + bytes(104), 0, -1, -1, 0),
    "mount": raw("mount", b"none", b"/", None, 1 << 18, None),
    "a new mount API": raw("fsopen", b"tmpfs", 0),
    "a user namespace": raw("unshare", 0x10000000),
    "a mount namespace": raw("unshare", 0x00020000),
    "chroot": raw("chroot", b"/"),
    "become root": raw("setresuid", 0, 0, 0),
    "shared memory (System V)": raw("shmget", 0, 4096, 0o1600),
    "semaphores (System V)": raw("semget", 0, 1, 0o1600),
    "a message queue (System V)": raw("msgget", 0, 0o1600),
    "a message queue (POSIX)": lambda _: call("mq_open", b"hijacked", os.O_CREAT, 0o600, None),
    "inotify": raw("inotify_init1", 0),
    "fanotify": raw("fanotify_init", 0, 0),
    "type into a terminal (TIOCSTI)": inject_terminal,
    "a timer that sends signals": lambda _: call("timer_create", 0, None, bytes(8)),
    "another limit for itself": limit_itself,
    "another filter": lambda _: call("seccomp", 2, 0, struct.pack("I", 0x7FFF0000)),
    "another personality": raw("personality", 0x0040000),
    "secret memory": raw("memfd_secret", 0),
    "another size of the pipe": move_pipe,
    "4 GB of memory": take_memory,
    "processor time without end": run_for_ever,
    "an answer without end": fill_pipe,
    "never ending": sleep,
}
