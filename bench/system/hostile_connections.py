"""What connections that hold on cost everybody else: bodies that are announced, and sent slowly.

Usage: .venv/bin/python -m bench.system.hostile_connections [requests]
Starts a copy of the service, as bin/up does. Another process keeps 100 connections of one kind open
after the other, at last of all kinds together. Each sends a kilobyte a second, whatever it is
answered, until it is cut off; then it is opened again. Meanwhile another tenant uploads files, asks
questions and signs in, each request on a connection of its own: before, during and after. Writes
bench/results/hostile-connections.md. Read the ratios: both ends share the processors.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import statistics
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.synchronize import Event

from bench.service import PASSWORD, ROOT, Answer, Service, make_client, running_service

REPORT = ROOT / "bench" / "results" / "hostile-connections.md"
CONNECTIONS = 100  # of each kind
REQUESTS = 20  # of each kind, before, during and after an attack
DRIP = b" " * 1024  # a second
UPLOAD_BYTES = 50_000_000
CALL_BYTES = 3_000_000
LOGIN_BYTES = 1_000_000
SMALL_BYTES = 60_000  # waited for in memory
FILE = b"The ferry leaves from pier seven at half past ten.\n".ljust(100_000, b"\n")
NAMES = ("uploads", "questions", "logins")
TARGET_RATIO = 2.0
UNDER_WAY_SECONDS = 5.0
QUESTION = json.dumps({"query": "How long do I have to return an article?"}).encode()


def head(path: str, length: int, *headers: str) -> bytes:
    own = (f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {length}")
    return "\r\n".join([*own, *headers, "", ""]).encode()


def list_attacks(api_token: str, agent_id: str) -> dict[str, bytes]:
    """Return what a connection of each attack sends first, by the attack's name.

    `api_token` belongs to a role that may not upload.
    """
    upload = ("Content-Type: multipart/form-data; boundary=b", f"Authorization: Bearer {api_token}")
    plain = ("Content-Type: application/json",)
    call = (*plain, f"X-Hub-Signature-256: sha256={'a' * 64}")
    visit = (*plain, "Origin: https://evil.example")
    webhook, widget = (
        f"/webhooks/messenger_b/agent/{uuid.uuid4()}",
        f"/public/agents/{agent_id}/query",
    )
    return {
        "uploads without the right": head("/ingest/sources/upload", UPLOAD_BYTES, *upload),
        "webhooks of agents that are not there": head(webhook, CALL_BYTES, *call),
        "the same of 60 KB": head(webhook, SMALL_BYTES, *call),
        "logins of 1 MB": head("/auth/login", LOGIN_BYTES, *plain),
        "logins of 60 KB": head("/auth/login", SMALL_BYTES, *plain),
        "widgets, of 1 MB": head(widget, LOGIN_BYTES, *visit),
        "widgets, of 60 KB": head(widget, SMALL_BYTES, *visit),
    }


# --- The attacker's process -----------------------------------------------------------------------


def run_attack(first: bytes, port: int, is_over: Event) -> None:
    open_now: set[socket.socket] = set()
    while not is_over.is_set():
        ends_at = time.monotonic() + 1.0
        for _ in range(CONNECTIONS - len(open_now)):
            with suppress(OSError):
                client = socket.create_connection(("127.0.0.1", port), 5)
                client.setblocking(False)
                client.sendall(first)
                open_now.add(client)
        for client in list(open_now):
            try:
                client.send(DRIP)
            except OSError:  # cut off: the next round opens another
                client.close()
                open_now.discard(client)
        is_over.wait(max(0.0, ends_at - time.monotonic()))


@contextmanager
def under_attack(first: bytes, port: int) -> Iterator[None]:
    is_over = multiprocessing.Event()
    process = multiprocessing.Process(target=run_attack, args=(first, port, is_over), daemon=True)
    process.start()
    try:
        time.sleep(UNDER_WAY_SECONDS)
        yield
    finally:
        is_over.set()
        process.join(20)
        process.kill()


# --- Everybody else -------------------------------------------------------------------------------


@dataclass
class Bystanders:
    """Milliseconds of each request, by kind, and how many were refused."""

    times: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in NAMES})
    refused: list[str] = field(default_factory=list)

    def note(self, kind: str, expected: int, ask: Callable[[], Answer]) -> Answer:
        started = time.perf_counter()
        answer = ask()
        self.times[kind].append((time.perf_counter() - started) * 1000)
        if answer.status != expected:
            self.refused.append(f"{kind}: {answer.status}")
        return answer

    def __add__(self, more: Bystanders) -> Bystanders:
        times = {name: self.times[name] + more.times[name] for name in NAMES}
        return Bystanders(times, self.refused + more.refused)


def ask_others(client: Service, login: bytes, count: int) -> Bystanders:
    others = Bystanders()
    for number in range(count):
        answer = others.note("logins", 200, lambda: client.request("POST", "/auth/login", login))
        client.token = answer.body.get("access_token", client.token)
        others.note("questions", 200, lambda: client.request("POST", "/agent/query", QUESTION))
        uploaded = others.note(
            "uploads",
            201,
            lambda name=f"note-{number}.txt": client.upload(name, FILE),  # type: ignore[misc]
        )
        if uploaded.status == 201:
            client.request("DELETE", f"/ingest/sources/{uploaded.body['source_id']}")
    return others


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[94]


def row(name: str, quiet: Bystanders, others: Bystanders) -> str:
    cells = [name]
    for kind in NAMES:
        calm, now = p95(quiet.times[kind]), p95(others.times[kind])
        cells.append(f"{calm:.0f} → {now:.0f}: {now / calm:.2f} ×")
    return f"| {' | '.join(cells)} | {', '.join(others.refused) or 'none'} |"


def main(count: int) -> None:
    rows = []
    with running_service() as service:
        hostile = make_client(service, "hostile-tenant", plan="enterprise")
        client = make_client(service, "other-tenant", plan="enterprise")
        made = hostile.request("POST", "/tenants/me/api-tokens", b'{"name": "hostile"}')
        (agent, *_) = service.request("GET", "/agents").body
        attacks = list_attacks(made.body["token"], agent["id"])
        login = {"email": "admin@other-tenant.example", "password": PASSWORD}
        credentials = json.dumps(login).encode()
        ask_others(client, credentials, 5)
        for name, together in [
            *((name, [first]) for name, first in attacks.items()),
            ("all of them together", list(attacks.values())),
        ]:
            quiet = ask_others(client, credentials, count)
            with ExitStack() as stack:
                for first in together:
                    stack.enter_context(under_attack(first, service.port))
                others = ask_others(client, credentials, count)
            quiet += ask_others(client, credentials, count)
            rows.append(row(name, quiet, others))
            print(rows[-1], flush=True)
    write_report(rows, count)


def write_report(rows: list[str], count: int) -> None:
    lines = [
        "# Hostile connections",
        "",
        f"`python -m bench.system.hostile_connections`: {CONNECTIONS} connections of a kind that",
        "announce a body and send a kilobyte of it a second, whatever they are answered, and are",
        "opened again when they are cut off; and what they cost another tenant's uploads (100 KB,",
        f"until indexed), questions and logins: p95 in milliseconds, alone → meanwhile, of {count}",
        f"requests of each kind, one after the other; alone: {2 * count}, before and after. Both",
        f"ends share {os.cpu_count()} processors.",
        f"The aim: at most {TARGET_RATIO:.0f} × alone, and none refused.",
        "",
        "| connections | uploads | questions | logins | refused |",
        "|---|---|---|---|---|",
        *rows,
        "",
    ]
    REPORT.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else REQUESTS)
