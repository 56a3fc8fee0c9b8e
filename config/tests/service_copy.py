"""A copy of the whole service for a test: bin/up in processes of its own, with a DATA_DIR and a
PORT of its own.
"""

import fcntl
import json
import os
import re
import shutil
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from config import embedded
from config.embedded.processes import wait_until
from config.running.environment import REPOSITORY

START_SECONDS = 240
STOP_SECONDS = 120
PASSWORD = "long-enough-92"
INHERITED = ("PATH", "HOME", "EMBEDDING_MODEL")
MARKER = "TEST_COPY"  # in the environment of every process of a copy


class Copy:
    """One running copy of the service, with a DATA_DIR and a PORT of its own."""

    def __init__(self, data_dir: Path, port: int | None = None, **environ: str) -> None:
        self.data_dir = data_dir
        self.port = port or free_port()
        self.log = data_dir.with_name(f"{data_dir.name}.log")
        self.environ = {
            **{name: os.environ[name] for name in INHERITED if name in os.environ},
            "DATA_DIR": str(data_dir),
            "PORT": str(self.port),
            "LOAD_DEMO": "no",
            MARKER: str(data_dir),
            **environ,
        }
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self.tenant = ""  # the last one made, whose admin logs in
        self.seen: set[psutil.Process] = set()

    def start(self) -> None:
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [REPOSITORY / "bin" / "up"],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environ,
                start_new_session=True,
            )

    def wait_for(self, pattern: str, seconds: int = START_SECONDS) -> None:
        process = self.process
        assert process is not None
        wait_until(
            lambda: bool(re.search(pattern, self.output())) or process.poll() is not None,
            timeout_seconds=seconds,
        )
        assert re.search(pattern, self.output()), self.output()

    def start_and_wait(self) -> None:
        self.start()
        self.wait_for(r"\nReady: ")

    def end(self, seconds: int = STOP_SECONDS) -> int:
        """The exit code of bin/up."""
        assert self.process is not None
        return self.process.wait(seconds)

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    @property
    def email(self) -> str:
        """Of the admin of `tenant`."""
        return f"ana@{self.tenant}.example"

    def create_tenant(self, slug: str, plan: str = "enterprise") -> None:
        self.tenant = slug
        tenant = ["--slug", slug, "--name", slug, "--plan", plan]
        self.manage("create_tenant", *tenant, "--admin-email", self.email, typed=PASSWORD)

    def manage(self, *arguments: str, typed: str = "") -> None:
        """`typed`: its standard input."""
        command = [str(REPOSITORY / "bin" / "manage"), *arguments]
        subprocess.run(
            command, env=self.environ, input=typed, text=True, capture_output=True, check=True
        )

    def call(self, path: str, body: bytes, token: str = "", **headers: str) -> dict[str, Any]:
        """What our API answers to a POST."""
        headers = {"Content-Type": "application/json", **headers}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(f"{self.url}{path}", data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
            return dict(json.load(answer))

    def get(self, path: str, token: str) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.url}{path}", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
            return dict(json.load(answer))

    def log_in(self) -> str:
        body = json.dumps({"email": self.email, "password": PASSWORD}).encode()
        return str(self.call("/auth/login", body)["access_token"])

    def upload(self, name: str, text: str) -> None:
        part = (
            f'--X\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n{text}'
        )
        content_type = {"Content-Type": "multipart/form-data; boundary=X"}
        self.call(
            "/ingest/sources/upload", f"{part}\r\n--X--\r\n".encode(), self.log_in(), **content_type
        )

    def files_that_answer(self, question: str) -> list[str]:
        answer = self.call("/agent/query", json.dumps({"query": question}).encode(), self.log_in())
        return [source["source_file"] for source in answer["sources"]]

    def status(self, path: str) -> int:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}{path}", timeout=10
            ) as answer:
                return int(answer.status)
        except OSError:
            return 0

    def processes(self) -> list[psutil.Process]:
        """Those that run: marked ones, and whatever has once been seen below them."""
        for process in filter(self.is_ours, psutil.process_iter()):
            with suppress(psutil.Error):
                self.seen |= {process, *process.children(recursive=True)}
        return [process for process in self.seen if is_running(process)]

    def is_ours(self, process: psutil.Process) -> bool:
        """By our mark; the embedded servers, which get an environment of their own, by folder."""
        try:
            return process.environ().get(MARKER) == str(self.data_dir) or Path(
                process.cwd()
            ).is_relative_to(self.data_dir)
        except (psutil.Error, OSError):
            return False  # it ended meanwhile, or is none of ours

    def find(self, *words: str) -> psutil.Process:
        """The oldest of our processes whose command line has all of `words`."""
        found = [
            process
            for process in filter(self.is_ours, self.processes())
            if all(word in " ".join(process.cmdline()) for word in words)
        ]
        return min(found, key=lambda process: process.create_time())


def is_running(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def folder_for_copies() -> Path:
    """For DATA_DIRs, with a space in it. Not tmp_path, which PostgreSQL's user cannot enter."""
    path = Path(f"/tmp/up test {os.getpid()}-{os.urandom(4).hex()}")
    path.mkdir(mode=0o755)
    return path


@contextmanager
def folder_of_copies() -> Iterator[Path]:
    """Gone at the end."""
    path = folder_for_copies()
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def copy_in(data_dir: Path, *, is_new: bool = False) -> Iterator[Copy]:
    """To be started; killed at the end. `is_new`: nobody has made its tables."""
    copy = Copy(data_dir)
    share_models(data_dir)
    if not is_new:
        give_tables(data_dir)
    try:
        yield copy
    finally:
        kill(copy)


def share_models(data_dir: Path) -> None:
    """Exported models are the same for all test runs, and slow to make."""
    data_dir.mkdir()
    models = Path(os.environ["DATA_DIR"], "models")
    (data_dir / "models").symlink_to(models.resolve())


def give_tables(data_dir: Path) -> None:
    """Begin with the tables of the run's first copy: servers are made and migrated once."""
    made = Path(os.environ["DATA_DIR"], "copied")
    with embedded.locked(made.with_name("copied.lock"), fcntl.LOCK_EX):
        if not made.exists():
            with folder_of_copies() as folder, copy_in(folder / "one", is_new=True) as copy:
                copy.manage("migrate", "--check")
                copy_folder(copy.data_dir / "postgres", made)
    copy_folder(made, data_dir / "postgres")


def copy_folder(path: Path, to: Path) -> None:
    """With its owner, who is not us: PostgreSQL's user. There at once or not at all."""
    draft = to.with_name(f"{to.name}.draft")
    subprocess.run(["cp", "--archive", path, draft], check=True)
    draft.rename(to)


def kill(copy: Copy) -> None:
    """`kill -9` of all its processes at once; then of those that were just being started."""
    kill_running(copy)
    if copy.process is not None:
        copy.process.wait(STOP_SECONDS)
    assert wait_until(lambda: kill_running(copy) == 0, timeout_seconds=STOP_SECONDS)


def kill_running(copy: Copy) -> int:
    """How many there were."""
    running = copy.processes()
    for process in running:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    return len(running)
