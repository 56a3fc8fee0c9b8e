"""Clients that cost little, in a process of their own: the same for everybody who is measured.

    python -P -m bench.speed.load   (a job as JSON on standard input, what was served on standard
    output)

Each client keeps one connection and takes the next request of the job when it has its answer.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.service import ROOT

BOUNDARY = "speed-boundary"
TIMEOUT_SECONDS = 600
RECEIVED_BYTES = 65536
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Request:
    """`file`: a path, sent as a form's field of that name in place of `body`."""

    method: str
    path: str
    body: str = ""
    file: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Served:
    """`milliseconds` and `bodies` in the order of the requests; `seconds` from the first to the
    last. `cpu_seconds`: of the clients."""

    milliseconds: Sequence[float]
    bodies: Sequence[Any]
    seconds: float
    cpu_seconds: float

    @property
    def per_second(self) -> float:
        return len(self.milliseconds) / self.seconds


def send(port: int, requests: Sequence[Request], *, clients: int) -> Served:
    """What `port` of this machine answers. Raises SystemExit when one answer is no success."""
    job = {"port": port, "clients": clients, "requests": [asdict(item) for item in requests]}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bench.speed.load"],
        input=json.dumps(job),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"port {port}: {done.stdout[-2000:]}")
    return Served(**json.loads(done.stdout))


# --- In the clients' process ----------------------------------------------------------------------


class Clients:
    """`clients` threads that share the requests of a job."""

    def __init__(self, port: int, requests: Sequence[bytes]) -> None:
        self.port, self.requests = port, requests
        self.milliseconds = [0.0] * len(requests)
        self.answers = [b""] * len(requests)
        self._numbers = iter(range(len(requests)))
        self._lock = threading.Lock()

    def numbers(self) -> Iterator[int]:
        while True:
            with self._lock:
                number = next(self._numbers, None)
            if number is None:
                return
            yield number

    def run(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port), TIMEOUT_SECONDS) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for number in self.numbers():
                started = time.perf_counter()
                connection.sendall(self.requests[number])
                self.answers[number] = receive(connection)
                self.milliseconds[number] = (time.perf_counter() - started) * 1000


def receive(connection: socket.socket) -> bytes:
    """The whole answer, its head too; as much as came when the connection ends before."""
    received = b""
    while (end := received.find(b"\r\n\r\n")) < 0:
        if not (piece := connection.recv(RECEIVED_BYTES)):
            return received
        received += piece
    length = LENGTH.search(received, 0, end)
    missing = int(length[1]) - (len(received) - end - 4) if length else 0
    while missing > 0 and (piece := connection.recv(RECEIVED_BYTES)):
        received += piece
        missing -= len(piece)
    return received


def as_bytes(request: Request) -> bytes:
    body, content_type = request.body.encode(), "application/json"
    if request.file:
        path = Path(request.file)
        disposition = f'Content-Disposition: form-data; name="file"; filename="{path.name}"'
        head = f"--{BOUNDARY}\r\n{disposition}\r\n\r\n".encode()
        body = head + path.read_bytes() + f"\r\n--{BOUNDARY}--\r\n".encode()
        content_type = f"multipart/form-data; boundary={BOUNDARY}"
    headers = {"Host": "127.0.0.1", "Content-Length": str(len(body)), **request.headers}
    if body:
        headers["Content-Type"] = content_type
    lines = [f"{request.method} {request.path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def read_body(answer: bytes) -> Any:
    """Raises SystemExit, which tells what came, when it is no success."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 2"):
        raise SystemExit(answer.decode(errors="replace"))
    return json.loads(body)


def main() -> None:
    job = json.load(sys.stdin)
    clients = Clients(job["port"], [as_bytes(Request(**item)) for item in job["requests"]])
    threads = [threading.Thread(target=clients.run) for _ in range(job["clients"])]
    started, cpu = time.perf_counter(), time.process_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    try:
        bodies = [read_body(answer) for answer in clients.answers]
    except SystemExit as error:
        print(error)
        raise SystemExit(1) from None
    print(json.dumps(asdict(Served(clients.milliseconds, bodies, seconds, cpu))))


if __name__ == "__main__":
    main()
