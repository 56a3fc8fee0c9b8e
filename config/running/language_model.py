"""Watches a language model of our own: `python -m config.running.language_model`.

It starts the model's server, starts it again when it dies, and writes how it is into DATA_DIR
(config/language_model.py). A model that cannot be loaded ends nothing: questions are then answered
by extraction, and it is tried again, each time later.
"""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from config.language_model import LOADING, READY, write_state
from config.running.environment import REPOSITORY
from config.security.memory import hide_memory

CHECK_SECONDS = 1.0
# While all its threads compute an answer, it is slow to say that it is well.
HEALTH_TIMEOUT_SECONDS = 5.0
LOADING_MAX_SECONDS = 600.0  # a server that is not ready by then is started again
AGAIN_SECONDS, AGAIN_MAX_SECONDS = 5.0, 300.0  # before another try; doubled each time
# It keeps nothing that would have to be written, so it may be killed soon.
STOP_SECONDS = 5.0
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
MEMORY_KEPT_MB = 1536  # beside the weights: the context, what is computed, threads' stacks
MEGABYTE = 1024 * 1024
# Its environment holds none of our secrets.
PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "TMPDIR")


def server_command(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The command that serves the model on the port of LLM_BASE_URL, bound in memory and
    threads."""
    model = Path(environ["LLM_MODEL_FILE"])
    memory = model.stat().st_size // MEGABYTE + MEMORY_KEPT_MB
    return (
        sys.executable,
        "-P",
        "-m",
        "config.running.llama_server",
        str(model),
        environ.get("LLM_MODEL", "default"),
        str(urlsplit(environ["LLM_BASE_URL"]).port),
        environ.get("LLM_THREADS", "").strip() or str(default_threads()),
        environ.get("LLM_CONTEXT_TOKENS", "").strip() or "2048",
        str(memory),
    )


def default_threads() -> int:
    """Half of the processors that we may use: the other half finds the passages."""
    return max(1, len(os.sched_getaffinity(0)) // 2)


class Watcher:
    """The server of a language model, and what is known of it."""

    def __init__(self, command: Sequence[str], *, port: int, data_dir: Path) -> None:
        self.command, self.port, self.data_dir = command, port, data_dir
        self.process: subprocess.Popen[bytes] | None = None
        self.state = ""
        self.began_at = 0.0
        self.again_at = 0.0
        self.again_seconds = AGAIN_SECONDS

    def look(self, now: float) -> None:
        """Start the server if it does not run, and tell its state. Called once a CHECK_SECONDS."""
        if self.process is None:
            if now >= self.again_at:
                self.start(now)
        elif (code := self.process.poll()) is not None:
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            self.end(now, f"its server has ended ({how}); it is started again")
        elif is_healthy(self.port):
            self.again_seconds = AGAIN_SECONDS
            self.tell(READY)
        elif self.state != READY and now - self.began_at > LOADING_MAX_SECONDS:
            self.end(now, f"not loaded within {LOADING_MAX_SECONDS:.0f} s; it is tried again")

    def start(self, now: float) -> None:
        environ = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", *self.command], env=environ, cwd=REPOSITORY
        )
        self.began_at = now
        if not self.state:
            self.tell(LOADING)

    def end(self, now: float, reason: str) -> None:
        self.stop()
        self.again_at = now + self.again_seconds
        self.again_seconds = min(2 * self.again_seconds, AGAIN_MAX_SECONDS)
        self.tell(reason)

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def tell(self, state: str) -> None:
        if state != self.state:
            self.state = state
            write_state(self.data_dir, state)
            print(f"The language model: {state}", flush=True)


def is_healthy(port: int) -> bool:
    """llama.cpp's server answers 503 while it loads."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HEALTH_TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def watch(watcher: Watcher) -> None:
    """Look after the server until a stop signal comes, then stop it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        while True:
            watcher.look(time.monotonic())
            if signal.sigtimedwait(STOP_SIGNALS, CHECK_SECONDS) is not None:
                return
    finally:
        watcher.stop()


def main(command: Sequence[str]) -> int:
    """`command`: another server than llama.cpp's; tests have one."""
    hide_memory()
    data_dir = Path(os.environ["DATA_DIR"])
    port = urlsplit(os.environ["LLM_BASE_URL"]).port or 0
    try:
        watcher = Watcher(command or server_command(os.environ), port=port, data_dir=data_dir)
    except OSError:  # the file is gone: said, and nothing else ends
        write_state(data_dir, "its file cannot be read")
        # Ending would make the supervisor start it again, to find the file gone again.
        with suppress(KeyboardInterrupt):
            signal.sigwait(STOP_SIGNALS)
        return 0
    watch(watcher)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
