"""What a parser that was taken over can do, by what the machine has to hold it with.

Usage: .venv/bin/python -m sources.tests.hijacked_parser > bench/results/hijacked-parser.md

As root: a service that runs as root and one that does not, with Landlock and without. What is
missing is really missing: a seccomp filter answers ENOSYS for Landlock, and EPERM for unshare(2) as
a container's does, before anything of ours begins. Each attempt (reading/tests/misbehaving/
hijacked.py) is made once where nothing confines it, too, or it would prove nothing. Ends with 1
when anything was done that PERMITTED does not explain.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import json
import os
import platform
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from config.security.memory import hide_memory
from reading.confinement import file_view, kernel, seccomp
from reading.confinement.landlock import CREATE_RULESET
from reading.confinement.limits import MEGABYTE, Limits
from reading.confinement.messages import EXIT_BROKEN_PIPE, Request
from reading.confinement.sandbox import Reading, Sandbox
from reading.tests.misbehaving.hijacked import ATTEMPTS

PROJECT = Path(__file__).resolve().parents[2]
LIMITS = Limits(memory_bytes=512 * MEGABYTE, cpu_seconds=8, wall_seconds=60, step_cpu_seconds=4)
# Of attempts that nothing but a clock ends. The others' does not end one on a busy machine.
BURNING, IDLING = "processor time without end", "never ending"
LIMITS_OF = {
    BURNING: replace(LIMITS, cpu_seconds=1, step_cpu_seconds=1, wall_seconds=4),
    IDLING: replace(LIMITS, wall_seconds=1),
}
USER = 54_321  # of whom this machine knows nothing: an ordinary user
UNSHARE = {"x86_64": 272, "aarch64": 97}
LANDLOCK, NAMESPACES, WALLS = "landlock", "namespaces", "walls"
LEFT_BEHIND = (
    Path("/tmp/hijacked"),
    Path("/dev/shm/hijacked"),
    PROJECT / "reading/hijacked.py",
)  # what the attempts write
CLONE_NEWIPC = 0x08000000


@dataclass(frozen=True)
class Column:
    title: str
    is_root: bool
    without: tuple[str, ...] = ()


COLUMNS = (
    Column("root, Landlock", is_root=True),
    Column("root, none", is_root=True, without=(LANDLOCK,)),
    Column("not root, Landlock", is_root=False),
    Column("not root, none", is_root=False, without=(LANDLOCK,)),
    Column("not root, Landlock, no namespaces", is_root=False, without=(NAMESPACES,)),
    Column("not root, none, no namespaces", is_root=False, without=(LANDLOCK, NAMESPACES)),
    Column("root, Landlock, no namespaces", is_root=True, without=(NAMESPACES,)),
    Column("(nothing confines it)", is_root=True, without=(WALLS,)),
)
UNWALLED = COLUMNS[-1]
# Landlock hides what is in files and folders, not whether they are there, nor their size.
SEEN_FROM_OUTSIDE = frozenset({"whether a file exists"})
# Without Landlock and namespaces nothing is left that tells files apart: the user may read what is
# the user's. Production reads no file on such a machine (ALLOW_FILES_WITHOUT_LANDLOCK).
FILES_OF_THE_USER = frozenset(
    {
        "read the secret key",
        "read the encryption key",
        "read another tenant's file",
        "read /etc/passwd",
        "list DATA_DIR",
        "whether a file exists",
    }
)
PERMITTED: Mapping[Column, frozenset[str]] = {
    COLUMNS[4]: SEEN_FROM_OUTSIDE,
    COLUMNS[5]: FILES_OF_THE_USER,
    COLUMNS[6]: SEEN_FROM_OUTSIDE,
}
# Refused by something else than our walls, or by one that stands outside: the warm parent's clock,
# the bound of an answer.
NEVER_DONE = frozenset(
    {
        "open files that it inherited",
        "request a key",  # there is none of that name
        "type into a terminal (TIOCSTI)",  # there is none
        BURNING,
        "an answer without end",
        IDLING,
    }
)
Outcomes = Mapping[str, str]  # attempt → what came of it


def is_done(outcome: str) -> bool:
    return outcome.startswith("DONE")


def run_column(column: Column, *, but: Sequence[str] = ()) -> Outcomes:
    """In a process of its own, which becomes what the column says for good. `but`: attempts that
    are not made."""
    command = [sys.executable, "-m", "sources.tests.hijacked_parser", "--column", column.title]
    command += [word for name in but for word in ("--but", name)]
    environ = {**os.environ, "PYTHONPATH": str(PROJECT), "SECRET_KEY": "s3cret" * 10}
    answer = subprocess.run(
        command, cwd=PROJECT, env=environ, stdout=subprocess.PIPE, text=True, check=True
    )
    outcomes: Outcomes = json.loads(answer.stdout)
    return outcomes


# --- In the process of a column -------------------------------------------------------------------


def be_column(column: Column, *, but: Sequence[str] = ()) -> Outcomes:
    attempts = [name for name in ATTEMPTS if name not in but]
    with tempfile.TemporaryDirectory(prefix="hijacked-") as folder:
        try:
            return try_all(attempts, column, Path(folder))
        finally:
            for path in LEFT_BEHIND if WALLS in column.without else ():
                path.unlink(missing_ok=True)


def try_all(attempts: Sequence[str], column: Column, folder: Path) -> Outcomes:
    aim = make_targets(folder)
    if os.geteuid() == 0:
        keep_to_itself()
    refuse_calls(column.without)
    if not column.is_root and os.geteuid() == 0:
        become_user(folder)
    hide_memory()
    signal.signal(signal.SIGURG, signal.SIG_IGN)
    extractor = "unwalled" if WALLS in column.without else "hijacked"
    sandbox = Sandbox("reading.tests.misbehaving")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(aim["socket"]))
        server.listen()
        outcomes = {}
        for name in attempts:
            path = folder / "file"
            path.write_text(json.dumps({**aim, "attempt": name}))
            limits = LIMITS_OF.get(name, LIMITS)
            outcomes[name] = outcome_of(
                sandbox.read(path, Request(extractor=extractor, limits=limits))
            )
    sandbox.stop()
    return outcomes


def make_targets(folder: Path) -> dict[str, object]:
    """What an installation keeps, where an attacker would find it."""
    for name in ("secret_key", "encryption_key", "media"):
        (folder / name).write_text("of another tenant")
        (folder / name).chmod(0o600)
    names = {name: str(folder / name) for name in ("secret_key", "encryption_key", "media")}
    held = ctypes.create_string_buffer(b"a secret in the worker's memory")
    make_targets.held = held  # type: ignore[attr-defined]  # else its memory is given back
    return {
        **names,
        "socket": str(folder / "redis.sock"),
        "worker": os.getpid(),
        "address": ctypes.addressof(held),
        "code": str(PROJECT / "reading"),
    }


def keep_to_itself() -> None:
    """What is mounted and made where nothing confines it stays here."""
    flags = file_view.CLONE_NEWNS | CLONE_NEWIPC
    kernel.expect(kernel.libc.unshare(flags), "unshare")
    file_view.mount("none", "/", flags=file_view.MS_REC | file_view.MS_PRIVATE)


def refuse_calls(without: Sequence[str]) -> None:
    """Of this process and all that it starts, as a kernel or a container without them."""
    absent = range(CREATE_RULESET, CREATE_RULESET + 3) if LANDLOCK in without else ()
    forbidden = [UNSHARE[platform.machine()]] if NAMESPACES in without else []
    answers = {
        **dict.fromkeys(absent, errno.ENOSYS),
        **dict.fromkeys(forbidden, errno.EPERM),
    }
    if not answers:
        return
    kernel.control(kernel.PR_SET_NO_NEW_PRIVS, 1)
    step = seccomp.instruction
    program = [step(seccomp.LOAD, seccomp.OFFSET_NUMBER)]
    for number, code in answers.items():
        program += [
            step(seccomp.JUMP_EQUAL, number, if_false=1),
            step(seccomp.RETURN, seccomp.ERRNO | code),
        ]
    seccomp.install([*program, step(seccomp.RETURN, seccomp.ALLOW)])


def become_user(folder: Path) -> None:
    """Who may reach the interpreter, also below /root: in this process's own view."""
    interpreter = Path(sys.base_prefix)
    closed = [each for each in interpreter.parents if not each.stat().st_mode & 0o001]
    if closed:
        opened = os.open(interpreter, os.O_PATH)
        file_view.mount("tmpfs", str(closed[-1]), kind="tmpfs", options="mode=755")
        interpreter.mkdir(parents=True)
        file_view.mount(f"/proc/self/fd/{opened}", str(interpreter), flags=file_view.MS_BIND)
        os.close(opened)
    for path in (folder, *folder.iterdir()):
        os.chown(path, USER, USER)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)


def outcome_of(reading: Reading) -> str:
    """What the parser said, or what ended it."""
    if reading.result.blocks:
        return reading.result.blocks[0].text
    report = reading.report
    if report.timed_out:
        return "ended: time"
    if report.status < 0:
        return f"ended: {signal.Signals(-report.status).name}"
    if report.status == EXIT_BROKEN_PIPE or reading.result.failure:
        return f"ended: {reading.result.failure or 'the pipe was closed'}"
    return f"DONE: ended with {report.status}"


# --- The table ------------------------------------------------------------------------------------


def faults_of(column: Column, outcomes: Outcomes) -> list[str]:
    """What it did, and should not have."""
    permitted = PERMITTED.get(column, frozenset())
    return [
        name for name, outcome in outcomes.items() if is_done(outcome) and name not in permitted
    ]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--column")
    parser.add_argument("--but", action="append", default=[])
    options = parser.parse_args()
    if options.column:
        (column,) = (column for column in COLUMNS if column.title == options.column)
        print(json.dumps(be_column(column, but=options.but)))
        return 0
    tried = {column: run_column(column) for column in columns_here()}
    print_table(tried)
    faults = [
        f"{column.title}: {name}"
        for column, outcomes in tried.items()
        if column != UNWALLED
        for name in faults_of(column, outcomes)
    ]
    print("", f"Done, and not explained: {', '.join(faults) or 'nothing'}.", sep="\n")
    return bool(faults)


def columns_here() -> tuple[Column, ...]:
    return COLUMNS if os.geteuid() == 0 else tuple(each for each in COLUMNS if not each.is_root)


def print_table(tried: Mapping[Column, Outcomes]) -> None:
    print(f"| it tries | {' | '.join(column.title for column in tried)} |")
    print(f"|---|{'---|' * len(tried)}")
    for name in ATTEMPTS:
        cells = [cell(outcomes[name]) for outcomes in tried.values()]
        print(f"| {name} | {' | '.join(cells)} |")


def cell(outcome: str) -> str:
    return "**done**" if is_done(outcome) else outcome


if __name__ == "__main__":
    sys.exit(main())
