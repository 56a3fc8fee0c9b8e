"""Starting, recognising and stopping a server process that outlives the process that started it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from config.embedded.errors import EmbeddedServerError

POLL_SECONDS = 0.05
LOG_TAIL_LINES = 8
LOG_MAX_BYTES = 10 * 1024 * 1024  # past this, a server's log starts again; one older file is kept
# Servers do not inherit ours: PGPORT, PGDATA or a locale in somebody's shell must not change them.
SERVER_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LC_ALL": "C",
}

_started: list[
    subprocess.Popen[bytes]
] = []  # keeps the handles: Python warns when one is collected before its end


def read_pid(pid_file: Path) -> int | None:
    """The number on the first line of a pid file; None without one."""
    try:
        return int(pid_file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def is_server(pid: int | None, *, name: str, folder: Path) -> bool:
    """True if `pid` is the server `name` that works in `folder`, not a stranger that got a dead
    server's number."""
    if pid is None:
        return False
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip() == name and os.path.samefile(
            f"/proc/{pid}/cwd", folder
        )
    except OSError:  # it ended (a zombie has no cwd either), or it belongs to somebody else
        return False


def wait_until(
    condition: Callable[[], bool], *, timeout_seconds: float, poll_seconds: float = POLL_SECONDS
) -> bool:
    """Wait until `condition` is true; False when it did not come true in time."""
    deadline = time.monotonic() + timeout_seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(poll_seconds)
    return True


def start_server(command: Sequence[str], *, log: Path) -> subprocess.Popen[bytes]:
    """Start a server in a session of its own (a Ctrl-C in the terminal does not reach it), its
    output appended to `log`.
    """
    rotate(log)
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=SERVER_ENVIRONMENT,
        )
    _started.append(process)
    return process


def rotate(log: Path) -> None:
    if log.exists() and log.stat().st_size > LOG_MAX_BYTES:
        log.replace(log.with_suffix(".log.1"))


def run_tool(command: Sequence[str], *, doing: str, stdin: str = "") -> None:
    """Run a program to its end. Raises EmbeddedServerError with its last words when it fails."""
    result = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        errors="replace",
        env=SERVER_ENVIRONMENT,
        check=False,
    )
    if result.returncode != 0:
        words = tail(f"{result.stdout}\n{result.stderr}")
        raise EmbeddedServerError(f"{doing} failed (exit code {result.returncode}):\n{words}")


def stop_server(
    pid: int, signals: Sequence[tuple[signal.Signals, float]], is_alive: Callable[[], bool]
) -> None:
    """Send each signal in turn and give it its seconds to work, until the server is gone."""
    for number, seconds in signals:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        if wait_until(lambda: not is_alive(), timeout_seconds=seconds):
            return


def tail(text: str) -> str:
    """The last lines, indented, for an error message."""
    lines = [line for line in text.splitlines() if line.strip()]
    return "\n".join(f"    {line}" for line in lines[-LOG_TAIL_LINES:])


def log_since(log: Path, offset_bytes: int) -> str:
    """The text that a server wrote after `offset_bytes`."""
    if not log.exists():
        return ""
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(offset_bytes if offset_bytes <= size else 0)
        return file.read().decode(errors="replace")
