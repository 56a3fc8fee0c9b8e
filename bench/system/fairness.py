"""How long a note takes to be indexed while others do all they can.

Usage: .venv/bin/python -m bench.system.fairness
Starts a copy of the service and uploads a note of fifty bytes again and again: first alone, then
beside other free tenants: one that uploads 25 scanned PDFs at once, one that has 30 websites a
minute checked, and two whose crawls hang on websites that send a byte now and then. Writes
bench/results/fairness.md. The clients are threads of this process, on the same processors.
"""

from __future__ import annotations

import io
import json
import os
import statistics
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psutil
from PIL import Image

from bench.service import ROOT, Answer, Service, make_client, running_service
from reading.tests.drawn_pages import draw_page

NOTES = 15  # alone, and as many beside the others
NOTE_EVERY_SECONDS = 8.0
SCANS = 25
SCAN_PAGES = 6
CHECKS_PER_MINUTE = 30
UNDER_WAY_SECONDS = 20.0  # until the others do what they do
TARGET_RATIO, TARGET_SECONDS = 3.0, 2.0
REPORT = ROOT / "bench" / "results" / "fairness.md"


# --- A website that keeps whoever asks waiting ----------------------------------------------------


class Tarpit(BaseHTTPRequestHandler):
    """Its start page comes at once, with links; other pages come a byte at a time."""

    def do_GET(self) -> None:
        if self.path in ("/robots.txt", "/sitemap.xml"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if self.path == "/":
            links = "".join(f'<p><a href="/page-{number}">{number}</a></p>' for number in range(25))
            text = "The ferry leaves from pier seven at half past ten every morning. " * 10
            page = f"<!doctype html><title>Ferries</title><main><p>{text}</p>{links}</main>"
            self.wfile.write(page.encode())
            return
        for _ in range(600):
            time.sleep(0.5)
            self.wfile.write(b" ")
            self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """The output is for the results."""


class TarpitServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Whoever gave up waiting."""


@contextmanager
def tarpit() -> Iterator[str]:
    """Its host:port."""
    with TarpitServer(("127.0.0.1", 0), Tarpit) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


# --- Tenants --------------------------------------------------------------------------------------


def make_scan(number: int) -> bytes:
    pages = [
        draw_page(*(f"Page {page}, line {line} of scan {number}" for line in range(20)))
        for page in range(SCAN_PAGES)
    ]
    content = io.BytesIO()
    first, *others = (
        page.convert("L").resize((1240, 1754), Image.Resampling.LANCZOS) for page in pages
    )
    first.save(content, "PDF", save_all=True, append_images=others, resolution=150)
    return content.getvalue()


# --- What the others do ---------------------------------------------------------------------------


@dataclass
class Load:
    """What others are busy with until `is_over`; `answers` by what was asked."""

    is_over: threading.Event = field(default_factory=threading.Event)
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    memory: str = ""

    def note(self, what: str, answer: Answer) -> None:
        with self.lock:
            self.answers.setdefault(what, []).append(answer)


def upload_scans(load: Load, client: Service, scans: Sequence[bytes]) -> None:
    def upload(number: int) -> None:
        load.note("uploads", client.upload(f"scan-{number}.pdf", scans[number]))

    with ThreadPoolExecutor(len(scans)) as threads:
        list(threads.map(upload, range(len(scans))))


def check_websites(load: Load, client: Service, host: str) -> None:
    def check() -> None:
        body = {"source_type": "web", "source_url": f"http://{host}/drip"}
        path = "/ingest/sources/preflight"
        load.note("checks", client.request("POST", path, json.dumps(body).encode()))

    with ThreadPoolExecutor(64) as threads:
        while not load.is_over.wait(60 / CHECKS_PER_MINUTE):
            threads.submit(check)


def crawl(load: Load, client: Service, host: str) -> None:
    body = {"name": "Ferries", "source_type": "web", "source_url": f"http://{host}/"}
    source = client.request("POST", "/ingest/sources", json.dumps(body).encode()).body
    path = f"/ingest/sources/{source['source_id']}"
    while not load.is_over.wait(5):
        if client.request("GET", f"{path}/status").body["sync_status"] != "syncing":
            load.note("crawls", client.request("POST", f"{path}/sync"))


# --- Measuring ------------------------------------------------------------------------------------


def time_notes(client: Service) -> list[float]:
    """Return the seconds of each note until it is `synced`."""
    times = []
    for number in range(NOTES):
        started = time.perf_counter()
        answer = client.upload(
            f"note-{number}.txt", f"Note {number}: we open at nine in May.".encode()
        )
        assert answer.status == 201, answer.body
        wait_until_synced(client, answer.body)
        times.append(time.perf_counter() - started)
        client.request("DELETE", f"/ingest/sources/{answer.body['source_id']}")
        time.sleep(max(0.0, NOTE_EVERY_SECONDS - times[-1]))
    return times


def wait_until_synced(client: Service, source: dict[str, Any]) -> None:
    while source["sync_status"] == "syncing":
        time.sleep(0.5)
        source = client.request("GET", f"/ingest/sources/{source['source_id']}/status").body
    assert source["sync_status"] == "synced", source


def measure(service: Service, host: str) -> tuple[list[float], list[float], Load]:
    """Of the note alone, beside the others; and what these were answered."""
    names = ("note", "scans", "checks", "crawl-one", "crawl-two")
    note, scans, checks, *crawls = (make_client(service, f"{name}-tenant") for name in names)
    files = [make_scan(number) for number in range(SCANS)]
    time_notes(note)  # loads what a worker loads once
    alone = time_notes(note)
    load = Load()
    with ThreadPoolExecutor(8) as threads:
        others: list[Future[None]] = [
            *(threads.submit(crawl, load, client, host) for client in crawls),
            threads.submit(check_websites, load, checks, host),
            threads.submit(upload_scans, load, scans, files),
        ]
        time.sleep(UNDER_WAY_SECONDS)
        beside = time_notes(note)
        load.note("still syncing", count_syncing(scans))
        load.memory = memory_of_uploads(service)
        load.is_over.set()
        for other in others:
            other.result()
    return alone, beside, load


def memory_of_uploads(service: Service) -> str:
    """Of the worker of uploads: its pool's processes and their warm parents, proportionally."""
    own = [
        each
        for each in psutil.process_iter(["cmdline"])
        if "uploads@%h" in (each.info["cmdline"] or [])
    ]
    ours = [each for each in own if each.environ().get("DATA_DIR") == str(service.data_dir)]
    family = {child for each in ours for child in (each, *each.children(recursive=True))}
    size_mb = sum(each.memory_full_info().pss for each in family) // 2**20
    return f"{len(family)} processes, {size_mb} MB"


def count_syncing(client: Service) -> Answer:
    answer = client.request("GET", "/ingest/sources")
    count = sum(source["sync_status"] == "syncing" for source in answer.body)
    return Answer(count, None, answer.seconds)


# --- The report -----------------------------------------------------------------------------------


def row(name: str, times: Sequence[float]) -> str:
    values = (statistics.median(times), p90_of(times), max(times))
    return f"| {name} | {len(times)} | " + " | ".join(f"{value:.2f}" for value in values) + " |"


def p90_of(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=10, method="inclusive")[-1]


def told(load: Load) -> list[str]:
    lines = []
    for what in ("uploads", "checks", "crawls"):
        answers = load.answers.get(what, [])
        counts = Counter(describe(answer) for answer in answers)
        lines.append(
            f"| {what} | " + ", ".join(f"{n} × {text}" for text, n in counts.items()) + " |"
        )
    return lines


def describe(answer: Answer) -> str:
    body = answer.body if isinstance(answer.body, dict) else {}
    outcome = body.get("sync_status") or (body.get("error") if answer.status == 200 else "")
    return f"{answer.status} {outcome or ''}".strip()


def write_report(
    alone: Sequence[float], beside: Sequence[float], load: Load, before: float
) -> None:
    ratio = statistics.median(beside) / statistics.median(alone)
    most = max(TARGET_RATIO * statistics.median(alone), TARGET_SECONDS)
    values = {"median": statistics.median(beside), "p90": p90_of(beside), "worst": max(beside)}
    verdicts = [f"{name} {'met' if v <= most else 'NOT met'}" for name, v in values.items()]
    still = load.answers["still syncing"][0].status
    text = "\n".join(
        [
            "# A note beside other tenants' work",
            "",
            f"`python -m bench.system.fairness` on {os.cpu_count()} processors; load average"
            f" before it {before:.1f}.",
            "",
            "A note of some forty bytes, uploaded by a free tenant: seconds until it is `synced`.",
            "",
            "| | notes | median | p90 | worst |",
            "|---|---|---|---|---|",
            row("alone", alone),
            row("beside the others", beside),
            "",
            f"Median {ratio:.1f} × its time alone."
            f" The target, at most {TARGET_RATIO:.0f} × that or {TARGET_SECONDS:.0f} s:"
            f" {', '.join(verdicts)}.",
            "",
            f"The others, each a free tenant: {SCANS} uploads at once of scanned PDFs of"
            f" {SCAN_PAGES} pages; {CHECKS_PER_MINUTE} checks a minute of a website that sends a"
            " byte each half second; two crawls of such websites. What they were answered:",
            "",
            "| | answers |",
            "|---|---|",
            *told(load),
            "",
            f"When the last note was synced, {still} of the {SCANS} scans were still `syncing`."
            f" The worker of uploads (3 slots) was then {load.memory}.",
            "",
        ]
    )
    REPORT.write_text(text)
    print(text)


def main() -> None:
    before = os.getloadavg()[0]
    with tarpit() as host, running_service(FETCH_ALLOWED_HOSTS=host) as service:
        write_report(*measure(service, host), before)


if __name__ == "__main__":
    main()
