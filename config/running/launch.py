"""Run one command with the embedded services up: `python -m config.running.launch [--scratch
FOLDER] COMMAND…`.

The command is a child, not this process: whatever ends it, even `kill -9`, we are still there to
leave the services.
"""

import argparse
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from config import embedded
from config.running.environment import complete
from config.security.memory import hide_memory

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
SENT_BY_KERNEL = 0x80  # si_code SI_KERNEL, sigaction(2)
SCRATCH_PREFIX = "run-"
SCRATCH_LOCK = "run.lock"  # held by the run that the folder belongs to
SCRATCH_KEPT = "models"  # what is slow to make and the same for every run


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="config.running.launch")
    parser.add_argument(
        "--scratch", type=Path, help="run on new, empty services in a folder below this one"
    )
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    hide_memory()
    try:
        if options.scratch is None:
            return run_with_services(options.command, os.environ)
        with scratch_data_dir(options.scratch) as folder:
            return run_with_services(options.command, {**os.environ, "DATA_DIR": str(folder)})
    except embedded.EmbeddedServerError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def run_with_services(command: Sequence[str], environ: Mapping[str, str]) -> int:
    """The exit code of `command`, as a shell gives it."""
    complete_environ = complete(environ)
    servers = embedded.servers_for(Path(complete_environ["DATA_DIR"]), complete_environ)
    with embedded.use(servers) as urls:
        return run_child(command, {**complete_environ, **urls})


def run_child(command: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run `command` in the foreground, hand signals on to it, and return its exit code.

    A terminal's Ctrl-C reaches the whole process group, so the child has had it; only what was sent
    to us alone is handed on.
    """
    watched = {*FORWARDED, signal.SIGCHLD}
    signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    try:
        child = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "--", *command],
            env={**environ},
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, watched),
        )
        while child.poll() is None:
            received = signal.sigwaitinfo(watched)
            if received.si_signo in FORWARDED and received.si_code != SENT_BY_KERNEL:
                child.send_signal(received.si_signo)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, watched)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


@contextmanager
def scratch_data_dir(parent: Path) -> Iterator[Path]:
    """A new DATA_DIR below `parent`, removed afterwards, like those that killed runs have left."""
    parent.mkdir(parents=True, exist_ok=True)
    parent = parent.resolve()
    with embedded.locked(parent / "lock", fcntl.LOCK_EX):
        for left_over in parent.glob(f"{SCRATCH_PREFIX}*"):
            remove_if_free(left_over)
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=parent))
        in_use = os.open(folder / SCRATCH_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(in_use, fcntl.LOCK_SH)
    (parent / SCRATCH_KEPT).mkdir(exist_ok=True)
    (folder / SCRATCH_KEPT).symlink_to(parent / SCRATCH_KEPT)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(in_use)


def remove_if_free(folder: Path) -> None:
    with (
        suppress(BlockingIOError),
        embedded.locked(folder / SCRATCH_LOCK, fcntl.LOCK_EX | fcntl.LOCK_NB),
    ):
        embedded.stop_if_unused(folder)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
