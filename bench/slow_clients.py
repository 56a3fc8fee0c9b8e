"""What slow clients cost everybody else.

Usage: .venv/bin/python -m bench.slow_clients [requests]
Starts a copy of the service, as bin/up does. Another process attacks its port with one kind of slow
client after the other, and opens anew whatever is closed; meanwhile questions and a small GET are
asked on connections of their own, before, during and after each attack. Writes
bench/results/slow-clients.md. Read the ratios: both ends share the processors.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import selectors
import socket
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.synchronize import Event

from bench.service import ROOT, Service, running_service

REPORT = ROOT / "bench" / "results" / "slow-clients.md"
REQUESTS = 100  # of each kind, before, during and after an attack
TARGET_RATIO = 2.0
UNDER_WAY_SECONDS = 5.0
QUESTION = json.dumps({"query": "How long do I have to return an article?"}).encode()


@dataclass(frozen=True)
class Attack:
    """`first` is sent at once; then `drip` every second; `reads` says that answers are not left to
    lie."""

    name: str
    connections: int
    first: bytes
    drip: bytes = b""
    reads: bool = True


def post(length: int) -> bytes:
    head = f"POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n"
    return f"{head}Content-Type: application/json\r\n\r\n".encode() + b'{"email": "'


HALF_BODY = post(500)
ATTACKS = (
    Attack("40 half-sent bodies", 40, HALF_BODY),
    Attack("200 half-sent bodies", 200, HALF_BODY),
    Attack("500 half-sent bodies", 500, HALF_BODY),
    Attack("1,000 half-sent bodies", 1000, HALF_BODY),
    Attack("200 half-sent bodies of 900 KB", 200, post(900_000)),
    Attack("1,000 heads, a byte a second", 1000, b"GET / HTTP/1.1\r\nX: ", b"x"),
    Attack("1,000 bodies, a byte a second", 1000, HALF_BODY, b"x"),
    Attack("1,000 idle connections", 1000, b""),
    Attack(
        "200 readers that do not read", 200, b"GET /schema HTTP/1.1\r\nHost: localhost\r\n\r\n" * 4,
        reads=False,
    ),
)  # fmt: skip


# --- The attacker's process -----------------------------------------------------------------------


def run_attack(attack: Attack, port: int, is_over: Event) -> None:
    poller = selectors.DefaultSelector()
    open_now: set[socket.socket] = set()
    while not is_over.is_set():
        ends_at = time.monotonic() + 1.0
        for _ in range(attack.connections - len(open_now)):
            with suppress(OSError):
                client = socket.create_connection(("127.0.0.1", port), 5)
                client.setblocking(False)
                client.sendall(attack.first)
                open_now.add(client)
                if attack.reads:
                    poller.register(client, selectors.EVENT_READ)
        for client in list(open_now):
            try:
                if attack.drip:
                    client.send(attack.drip)
            except OSError:
                forget(client, poller, open_now)
        while attack.reads and (left := ends_at - time.monotonic()) > 0:
            for key, _ in poller.select(left):
                forget(key.fileobj, poller, open_now)  # type: ignore[arg-type]  # sockets alone
        is_over.wait(max(0.0, ends_at - time.monotonic()))


def forget(
    client: socket.socket, poller: selectors.BaseSelector, open_now: set[socket.socket]
) -> None:
    """Of a client that was answered or cut off; the next round opens another."""
    with suppress(KeyError):  # one that does not read
        poller.unregister(client)
    client.close()
    open_now.discard(client)


@contextmanager
def under_attack(attack: Attack, port: int) -> Iterator[None]:
    is_over = multiprocessing.Event()
    process = multiprocessing.Process(target=run_attack, args=(attack, port, is_over), daemon=True)
    process.start()
    try:
        time.sleep(UNDER_WAY_SECONDS)
        yield
    finally:
        is_over.set()
        process.join(20)
        process.kill()


# --- Everybody else -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Others:
    """Milliseconds of each request."""

    questions: list[float]
    gets: list[float]

    def __add__(self, more: Others) -> Others:
        return Others(self.questions + more.questions, self.gets + more.gets)


def ask_others(service: Service, count: int) -> Others:
    def timed(ask: Callable[[], object]) -> float:
        started = time.perf_counter()
        ask()
        return (time.perf_counter() - started) * 1000

    service.log_in()
    questions = [timed(lambda: expect(service, "POST", "/agent/query")) for _ in range(count)]
    gets = [timed(lambda: expect(service, "GET", "/agents")) for _ in range(count)]
    return Others(questions, gets)


def expect(service: Service, method: str, path: str) -> None:
    answer = service.request(method, path, QUESTION if method == "POST" else b"")
    if answer.status != 200:
        raise SystemExit(f"{method} {path}: {answer.status} {answer.body}")


def percentile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def row(name: str, quiet: Others, others: Others) -> str:
    cells = [name]
    for before, during in ((quiet.questions, others.questions), (quiet.gets, others.gets)):
        for percent in (50, 95):
            calm, now = percentile(before, percent), percentile(during, percent)
            cells.append(f"{calm:.0f} → {now:.0f}: {now / calm:.2f} ×")
    return f"| {' | '.join(cells)} |"


def main(count: int) -> None:
    rows = []
    with running_service() as service:
        ask_others(service, 10)
        for attack in ATTACKS:
            quiet = ask_others(service, count)
            with under_attack(attack, service.port):
                others = ask_others(service, count)
                health = [service.request("GET", path).status for path in ("/healthz", "/readyz")]
            quiet += ask_others(service, count)
            rows.append(row(attack.name, quiet, others) + f" {health[0]}, {health[1]} |")
            print(rows[-1], flush=True)
    write_report(rows, count)


def write_report(rows: list[str], count: int) -> None:
    lines = [
        "# Slow clients",
        "",
        "`python -m bench.slow_clients`: what slow clients cost everybody else. In milliseconds,",
        f"quiet → under attack: {count} requests of each kind, one after the other, each on its",
        f"own connection; quiet: {2 * count}, before and after the attack. Both ends share",
        f"{os.cpu_count()} processors. The aim: a p95 of at most {TARGET_RATIO:.0f} × the quiet.",
        "",
        "| attack | question, p50 | question, p95 | GET, p50 | GET, p95 | `/healthz`, `/readyz` |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
    ]
    REPORT.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else REQUESTS)
