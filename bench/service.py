"""A copy of the service of one's own: a new DATA_DIR, a free port of loopback, the demo company."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 900  # the first start of a copy prepares models, on a busy machine in minutes
STOP_SECONDS = 120
ANSWER_SECONDS = 400  # past the deadline of an upload
BOUNDARY = "hostile-boundary"
PASSWORD = "long-enough-92"  # noqa: S105 - of a copy that is gone afterwards
MODELS = ROOT / "var" / "bench" / "models"  # of `launch --scratch var/bench`: slow to make


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    seconds: float


class Service:
    """A running copy and the way to it, as the demo company's admin."""

    def __init__(
        self, data_dir: Path, temp_dir: Path, log: Path, port: int, root: Path = ROOT
    ) -> None:
        """`root`: the checkout that runs."""
        self.data_dir, self.temp_dir, self.log, self.port = data_dir, temp_dir, log, port
        self.root = root
        self.token = ""
        self.pid = 0  # of the process above all others
        self.start_seconds = 0.0  # until it was ready

    def request(
        self, method: str, path: str, body: bytes = b"", content_type: str = "application/json"
    ) -> Answer:
        headers = {"Content-Type": content_type, "Authorization": f"Bearer {self.token}"}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)
        started = time.perf_counter()
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        return Answer(response.status, json.loads(text), time.perf_counter() - started)

    def log_in(self) -> None:
        """Its token is good for 15 minutes."""
        demo = json.loads((self.data_dir / "demo_credentials.json").read_text())
        login = {"email": demo["email"], "password": demo["password"]}
        answer = self.request("POST", "/auth/login", json.dumps(login).encode())
        self.token = answer.body["access_token"]

    def upload(self, filename: str, content: bytes) -> Answer:
        """`filename` goes into the header as it is, whatever it holds."""
        disposition = f'Content-Disposition: form-data; name="file"; filename="{filename}"'
        head = f"--{BOUNDARY}\r\n{disposition}\r\n\r\n".encode()
        body = head + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        return self.request(
            "POST", "/ingest/sources/upload", body, f"multipart/form-data; boundary={BOUNDARY}"
        )

    def is_ready(self) -> bool:
        return self.request("GET", "/readyz").status == 200


def manage(service: Service, *command: str, typed: str = "") -> str:
    """What one of manage.py's commands prints, on the services of a running copy; `typed` is its
    standard input."""
    python = (python_of(service.root), "-P")
    launch = (*python, "-m", "config.running.launch")
    run = (*launch, *python, str(service.root / "manage.py"), *command)
    return subprocess.run(
        run,
        env=environment_of(service),
        cwd=service.root,
        input=typed,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def make_client(service: Service, slug: str, *, plan: str = "free") -> Service:
    """The way to the same copy, as the admin of a new tenant."""
    email = f"admin@{slug}.example"
    options = ("--slug", slug, "--name", slug, "--plan", plan)
    manage(service, "create_tenant", *options, "--admin-email", email, typed=PASSWORD)
    client = Service(service.data_dir, service.temp_dir, service.log, service.port, service.root)
    login = json.dumps({"email": email, "password": PASSWORD}).encode()
    client.token = client.request("POST", "/auth/login", login).body["access_token"]
    return client


@contextmanager
def running_service(*, root: Path = ROOT, **settings: str) -> Iterator[Service]:
    """Started from nothing and stopped at the end; `settings` are environment variables of it.
    `root`: the checkout that runs."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        MODELS.mkdir(parents=True, exist_ok=True)
        Path(folder, "data").mkdir()
        Path(folder, "data", "models").symlink_to(MODELS.resolve())
        with running_in(Path(folder), root, **settings) as service:
            service.log_in()
            yield service


@contextmanager
def running_in(
    folder: Path, root: Path = ROOT, *, command: Sequence[str] = (), **settings: str
) -> Iterator[Service]:
    """Started on what `folder` holds of an earlier run, and stopped at the end. `command`: in place
    of what bin/up ends in."""
    data_dir, temp_dir = folder / "data", folder / "tmp"
    temp_dir.mkdir(exist_ok=True)
    service = Service(data_dir, temp_dir, folder / "up.log", free_port(), root)
    started = time.monotonic()
    with service.log.open("wb") as log:
        process = subprocess.Popen(
            command or [python_of(root), "-P", "-m", "config.running.up"],
            cwd=root,
            env={**environment_of(service), **settings},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    service.pid = process.pid
    try:
        wait_until_ready(service, process)
        service.start_seconds = time.monotonic() - started
        yield service
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_SECONDS)


def environment_of(service: Service) -> dict[str, str]:
    """Of its processes: ours, but for what says where our own services are."""
    others = ("BASE_URL", "HOST", "DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL")
    return {
        **{key: value for key, value in os.environ.items() if key not in others},
        "DATA_DIR": str(service.data_dir),
        "PORT": str(service.port),
        "ENVIRONMENT": "development",
        "TMPDIR": str(service.temp_dir),
        "PYTHONPATH": str(service.root),
    }


def python_of(root: Path) -> str:
    """The interpreter of a checkout; ours of our own."""
    return sys.executable if root == ROOT else str(root / ".venv" / "bin" / "python")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_ready(service: Service, process: subprocess.Popen[bytes]) -> None:
    give_up_at = time.monotonic() + START_SECONDS
    while b"Ready: " not in service.log.read_bytes():
        if process.poll() is not None or time.monotonic() > give_up_at:
            raise SystemExit(f"The service did not start:\n{service.log.read_text()[-3000:]}")
        time.sleep(0.05)
