"""Turns a fork of this process into one of the service's programs: nothing is imported again, and
what was imported is shared with every other fork.

The process that forks runs no thread, holds no connection and has frozen its garbage collector
(config.running.supervisor).
"""

import atexit
import ctypes
import os
import runpy
import signal
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

PR_SET_PDEATHSIG = 1
# In /proc/PID/stat, counted after the name: between which addresses the command line stands
COMMAND_START, COMMAND_END = 45, 46


def become(
    module: str,
    arguments: Sequence[str],
    *,
    environ: Mapping[str, str],
    parent: int,
    end_signal: str = "KILL",
) -> NoReturn:
    """Runs `module` as `python -m` would, and ends. `end_signal`: when `parent`, the process that
    forked, has ended, however that happens."""
    status = 1
    try:
        forget_signals()
        follow(parent, signal.Signals[f"SIG{end_signal}"])
        os.environ.clear()
        os.environ.update(environ)
        show_command([module, *arguments])
        sys.argv = [module, *arguments]
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = exit_status(end)
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
    finally:
        leave(status)


def forget_signals() -> None:
    """Reset the signal handlers inherited from the process that forked."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def follow(parent: int, number: signal.Signals) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    if os.getppid() != parent:  # it had ended before we asked
        os.kill(os.getpid(), number)


def show_command(words: Sequence[str]) -> None:
    """Show `words` to `ps` instead of the command of the process that forked, cut to the room
    there."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[COMMAND_START]), int(fields[COMMAND_END])
    room = end - start  # 0 on a kernel that does not tell (gVisor)
    if room > 0:
        line = "\0".join(words).encode()[: room - 1]
        ctypes.memmove(start, line.ljust(room, b"\0"), room)


def exit_status(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return end.code or 0
    sys.stderr.write(f"{end.code}\n")
    return 1


def leave(status: int) -> NoReturn:
    """End the process as an interpreter ends, but without unwinding the stack below us: that is the
    other process's."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads that are not daemons
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)
