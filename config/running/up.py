"""bin/up: from nothing to a running service, in the foreground, until Ctrl-C.

This process starts the embedded servers and migrates. Meanwhile another loads the product; it
prepares the rest, and is supervisord from then on. This one hands its output through, and leaves
the servers when it is gone. It imports no Django.
"""

import fcntl
import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

from config import embedded
from config.language_data import DEFAULT_LANGUAGES, find_language_data
from config.language_model import STATE_FILE
from config.running.environment import REPOSITORY, complete, url_host
from config.running.programs import FAILURE_FILE, PYTHON, programs, step
from config.security.memory import hide_memory

UP_LOCK = "up.lock"
OWNER_VARIABLE = "DATABASE_OWNER_URL"  # nothing that runs after the migration owns the tables
MIGRATE = ("migrate", "--no-input", "--verbosity", "0")
# The first start takes longest: it loads the embedding model from a disk that may be slow.
READY_TIMEOUT_SECONDS = 180
READY_POLL_SECONDS = 0.1
MAX_PORT = 65535
MODEL_BEGINS = b"GGUF"
STOP_TIMEOUT_SECONDS = 100  # more than the limits of all programs together
KILL_TIMEOUT_SECONDS = 5
PROTECTION_MODULE = "reading.confinement.protection"
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class CannotRun(Exception):
    """The message says why, and is all that an operator needs."""


class Stopped(Exception):
    """Somebody asked us to stop."""


@dataclass(frozen=True)
class Demo:
    """The demo tenant, as `load_demo` tells it."""

    tenant_slug: str
    email: str
    password: str
    questions: list[str]


def main() -> int:
    for number in STOP_SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # not under nohup
            signal.signal(number, raise_stopped)
    hide_memory()  # our environment holds the secrets of all programs
    try:
        run(complete(os.environ))
    except Stopped:
        print("Stopped.")
    except (CannotRun, embedded.EmbeddedServerError) as error:
        print(f"bin/up: {error}", file=sys.stderr)
        return 1
    return 0


def raise_stopped(number: int, frame: object) -> NoReturn:
    for again in STOP_SIGNALS:
        signal.signal(again, signal.SIG_IGN)  # stopping is under way, and is bounded
    print("\nStopping …", flush=True)
    raise Stopped


def run(environ: dict[str, str]) -> None:
    """Serve until stopped. Raises CannotRun or EmbeddedServerError when that is not possible."""
    environ |= own_model(environ)
    check_settings(environ)
    data_dir = Path(environ["DATA_DIR"])
    servers = embedded.servers_for(data_dir, environ)
    with ExitStack() as stack:
        lock = stack.enter_context(only_one(data_dir, environ["BASE_URL"]))
        check_port(environ["HOST"], environ["PORT"])
        environ |= stack.enter_context(embedded.keep(servers))
        serve(environ, servers, lock)


def check_settings(environ: Mapping[str, str]) -> None:
    """Raises CannotRun with all that production does not start with."""
    if environ["ENVIRONMENT"] == "development":
        return  # half a second, to ask nothing
    checked = subprocess.run(
        [*PYTHON, "-m", "config.production"], env=environ, capture_output=True, text=True
    )
    if checked.returncode != 0:
        raise CannotRun(f"production does not start like this:\n{checked.stderr.rstrip()}")


def own_model(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that tell the others of a model that we serve ourselves: {} without
    LLM_MODEL_FILE. Raises CannotRun."""
    typed = environ.get("LLM_MODEL_FILE", "").strip()
    if not typed:
        return {}
    if environ.get("LLM_BASE_URL", "").strip():
        raise CannotRun("LLM_MODEL_FILE and LLM_BASE_URL are both set: set only one of them.")
    path = Path(typed).expanduser().resolve()
    try:
        with path.open("rb") as file:
            is_model = file.read(len(MODEL_BEGINS)) == MODEL_BEGINS
    except OSError as error:
        raise CannotRun(f"LLM_MODEL_FILE {path} cannot be read ({error.strerror}).") from None
    if not is_model:
        raise CannotRun(f"LLM_MODEL_FILE {path} is not a GGUF file.")
    for name in ("LLM_THREADS", "LLM_CONTEXT_TOKENS"):
        value = environ.get(name, "").strip()
        if value and not (value.isdecimal() and int(value) > 0):
            raise CannotRun(f"{name} must be a whole number above 0.")
    Path(environ["DATA_DIR"], STATE_FILE).unlink(missing_ok=True)
    return {
        "LLM_MODEL_FILE": str(path),
        "LLM_BASE_URL": f"http://127.0.0.1:{free_port()}/v1",
        "LLM_MODEL": environ.get("LLM_MODEL", "").strip() or path.stem,
        # It writes one answer at a time: who comes meanwhile is answered by extraction.
        "LLM_PARALLEL": environ.get("LLM_PARALLEL", "").strip() or "1",
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def only_one(data_dir: Path, base_url: str) -> Iterator[int]:
    """Hold the lock of `data_dir` against a second bin/up; yields its file descriptor."""
    embedded.make_data_dir(data_dir)
    path = data_dir / UP_LOCK
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(embedded.locked(path, fcntl.LOCK_EX | fcntl.LOCK_NB))
        except BlockingIOError:
            raise CannotRun(
                f"DATA_DIR {data_dir} is already served by another bin/up ({path.read_text()})."
                " Stop that one, or choose another DATA_DIR and PORT."
            ) from None
        path.write_text(f"process {os.getpid()}, {base_url}")
        yield lock


def check_port(host: str, port_text: str) -> None:
    port = int(port_text) if port_text.isdecimal() else 0
    if not 1 <= port <= MAX_PORT:
        raise CannotRun(f"PORT must be a number from 1 to {MAX_PORT}.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CannotRun(
                f"Cannot listen on {host}:{port} ({error.strerror}). Set PORT (and HOST) to an"
                f" address that is free, for example: PORT={port + 1} bin/up"
            ) from None


def name_missing_packages(environ: Mapping[str, str]) -> None:
    """Tell what would make more documents readable; the service starts without it."""
    found = find_language_data(
        environ.get("OCR_LANGUAGES", "").strip() or DEFAULT_LANGUAGES, environ
    )
    if found.folder is None:
        print(f"Scanned pages and images cannot be read: OCR is not configured. {found.advice}")


def name_missing_protection(environ: Mapping[str, str]) -> None:
    """Tell what keeps files from being read, or parsers from being confined well; the service
    starts without it. In a process of its own: nothing of config knows the apps."""
    is_permitted = environ.get("ALLOW_FILES_WITHOUT_LANDLOCK", "").strip() == "yes"
    is_required = environ["ENVIRONMENT"] != "development" and not is_permitted
    command = [*PYTHON, "-m", PROTECTION_MODULE, "yes" if is_required else "no"]
    words = subprocess.run(
        command, env=environ, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    if words:
        print(words)
    if os.geteuid() == 0 and environ["ENVIRONMENT"] != "development":
        print("The web server and the workers run as root. An ordinary user is safer.")


def migrate(environ: dict[str, str]) -> None:
    """Runs `migrate` in a process of its own, which alone may be the owner of the tables. Raises
    CannotRun.

    It runs in a session of its own, so that a Ctrl-C reaches only us.
    """
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "--", *PYTHON, str(REPOSITORY / "manage.py"), *MIGRATE],
        env={"LOG_LEVEL": "WARNING", **environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _, errors = process.communicate()
    except Stopped:
        process.kill()
        process.communicate()
        raise
    if process.returncode != 0:
        raise CannotRun(f"manage.py migrate failed (exit code {process.returncode}).\n{errors}")


def serve(environ: dict[str, str], servers: Sequence[embedded.EmbeddedServer], lock: int) -> None:
    """Run all programs until we are stopped. Raises CannotRun when they end without that, and
    EmbeddedServerError when one of `servers` cannot run."""
    data_dir = Path(environ["DATA_DIR"])
    (data_dir / FAILURE_FILE).unlink(missing_ok=True)
    (data_dir / "static").mkdir(exist_ok=True)  # WhiteNoise warns without it
    names = [server.name for server in servers]
    without_owner = {name: value for name, value in environ.items() if name != OWNER_VARIABLE}
    with supervising(without_owner, names, lock) as (supervisor, connection):
        # While the other process loads the product
        name_missing_packages(environ)
        name_missing_protection(environ)
        if servers:
            with step(f"Starting the embedded {' and '.join(names)}"):
                embedded.ensure_running(servers)
        with step("Migrating the database"):
            migrate(environ)
        demo = have_prepared(connection)
        started = ", ".join(program.name for program in programs(environ, names))
        with step(f"Starting {started}"):
            wait_until_ready(supervisor, environ)
        print(welcome(environ["BASE_URL"], demo), flush=True)
        supervisor.wait()
    raise CannotRun(why_it_ended(supervisor, data_dir))


@contextmanager
def supervising(
    environ: dict[str, str], embedded_names: Sequence[str], lock: int
) -> Iterator[tuple[subprocess.Popen[bytes], socket.socket]]:
    """The process that prepares the data and becomes supervisord, and the connection to its
    standard input. Its output is handed through; in the end nothing of it is left.

    It holds `lock` too: while it stops, after we have been killed, nobody else may start.
    """
    command = [*PYTHON, "-m", "config.running.supervisor", *embedded_names]
    ours, theirs = socket.socketpair()
    supervisor = subprocess.Popen(
        ["setpriv", "--pdeathsig", "TERM", "--", *command],
        env=environ,
        stdin=theirs.fileno(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        pass_fds=[lock],
    )
    theirs.close()
    assert supervisor.stdout is not None  # noqa: S101 - we asked for a pipe
    pump = threading.Thread(target=hand_through, args=[supervisor.stdout], daemon=True)
    pump.start()
    try:
        with ours:
            yield supervisor, ours
    finally:
        supervisor.terminate()
        try:
            supervisor.wait(STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            supervisor.kill()
        kill_session(supervisor.pid)
        pump.join(timeout=5)


def have_prepared(connection: socket.socket) -> Demo | None:
    """Has the data prepared and returns the demo tenant; None without one, or when that has
    failed."""
    with suppress(ConnectionError):  # why it ended is asked next
        connection.sendall(b"\n")
        with connection.makefile() as answers:
            answer = json.loads(answers.read() or "{}")
            if answer.get("password"):  # else its admin has another one now, or it was deleted
                return Demo(
                    answer["tenant_slug"], answer["email"], answer["password"], answer["questions"]
                )
    return None


def hand_through(lines: IO[bytes]) -> None:
    """Copy to our standard output; when nobody reads that any more, go on emptying the pipe."""
    for line in lines:
        try:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            continue


def kill_session(session: int) -> None:
    """Kill every process that is left of supervisord's session, and wait until they are gone."""
    deadline = time.monotonic() + KILL_TIMEOUT_SECONDS
    while (left := processes_of(session)) and time.monotonic() < deadline:
        for process in left:
            # It may have ended between being listed and being killed.
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.05)


def processes_of(session: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(ProcessLookupError):
                if os.getsid(int(entry.name)) == session:
                    found.append(int(entry.name))
    return found


def wait_until_ready(supervisor: subprocess.Popen[bytes], environ: dict[str, str]) -> None:
    deadline = time.monotonic() + READY_TIMEOUT_SECONDS
    while supervisor.poll() is None:
        status, answer = get("/readyz", environ)
        if status == http.client.OK:
            return
        if time.monotonic() > deadline:
            raise CannotRun(f"The service is not ready after {READY_TIMEOUT_SECONDS} s: {answer}")
        time.sleep(READY_POLL_SECONDS)
    raise CannotRun(why_it_ended(supervisor, Path(environ["DATA_DIR"])))


def get(path: str, environ: dict[str, str]) -> tuple[int, str]:
    """Status and body of one of our own pages; status 0 while nobody answers."""
    connection = http.client.HTTPConnection(
        url_host(environ["HOST"]).strip("[]"), int(environ["PORT"]), timeout=10
    )
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)
    finally:
        connection.close()


def why_it_ended(supervisor: subprocess.Popen[bytes], data_dir: Path) -> str:
    failure = data_dir / FAILURE_FILE
    if failure.exists():
        return failure.read_text().rstrip()
    return (
        f"supervisord ended unexpectedly (exit code {supervisor.returncode}), so everything is"
        f" stopped. Its log is {data_dir / 'log' / 'supervisord.log'}"
    )


def welcome(base_url: str, demo: Demo | None) -> str:
    """The text that tells what to do with a service that is ready."""
    lines = ["", f"Ready: {base_url}"]
    if demo is not None:
        lines += [
            f"Demo company {demo.tenant_slug}: {demo.email}, password {demo.password}",
            "",
            "Ask it something (copy and paste):",
            "",
            *curl(base_url, demo),
            "",
            "Other questions that it can answer:",
            *(f"  {question}" for question in demo.questions[1:]),
            "",
            f"Talk to it in the browser: {base_url}/demo",
        ]
    lines += ["", f"Every endpoint, to read and to try: {base_url}/docs"]
    return "\n".join([*lines, "", "Ctrl-C stops everything.", ""])


def curl(base_url: str, demo: Demo) -> list[str]:
    """Two lines for a shell: log in, ask. They need nothing but curl and sed; the password is not
    passed as an argument of a program, which others could read."""
    json_header = "-H 'Content-Type: application/json'"
    credentials = shlex.quote(json.dumps({"email": demo.email, "password": demo.password}))
    question = shlex.quote(json.dumps({"query": demo.questions[0]}, ensure_ascii=False))
    find_token = """sed 's/.*"access_token": *"\\([^"]*\\)".*/\\1/'"""  # noqa: S105 - finds one
    return [
        f"TOKEN=$(printf '%s' {credentials}"
        f" | curl -s {base_url}/auth/login {json_header} -d @- | {find_token})",
        f"curl -s {base_url}/agent/query {json_header}"
        f' -H "Authorization: Bearer $TOKEN" -d {question}',
    ]


if __name__ == "__main__":
    sys.exit(main())
