"""What a running service answers to hostile files, what that costs, and whether others notice.

Usage: .venv/bin/python -m bench.hostile_files [PART OF A TITLE …]
Starts a copy of its own (Ctrl-C stops it), uploads each file of bench/hostile/ and asks the demo's
questions with one client all the time. Prints a Markdown table; ends with 1 when anything is not as
it must be.

"CPU" and "MB": the confined process, as the worker's log says. "Queries": the median of those that
ran beside the upload as a multiple of the undisturbed median, and the slowest; "–" for less than
five.
"""

from __future__ import annotations

import json
import signal
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection

from bench.hostile.catalogue import FILES
from bench.hostile.file import STATUS, HostileFile
from bench.service import LOG_SECONDS, ROOT, Answer, ReadLine, Service, running_service

UNDISTURBED_SECONDS = 10
WARM_UP_SECONDS = 5
QUERIES_MIN = 5  # fewer say nothing of one file
RATIO_MAX = 2.0
CPU_MAX_SECONDS = 100
MEMORY_MAX_MB = 1800  # 1.5 GiB of its own, and what it shares with the warm parent
MESSAGE_CHARS = 60
LOGIN_EVERY_SECONDS = 600  # a token lives for 900
GONE_SECONDS = 3  # within which temporary files are deleted
HEADINGS = ("file", "MB", "answer", "message", "s", "CPU s", "peak MB", "queries", "")


@dataclass(frozen=True)
class Query:
    started: float
    ended: float

    @property
    def milliseconds(self) -> float:
        return (self.ended - self.started) * 1000


@dataclass(frozen=True)
class Outcome:
    """`queries`: those that ran beside the upload. `faults`: what is not as it must be."""

    file: HostileFile
    size_bytes: int
    answer: Answer
    readings: Sequence[ReadLine]
    queries: Sequence[Query]
    faults: tuple[str, ...]


class Asker:
    """One client that asks all the time, on a connection that it keeps open."""

    def __init__(self, service: Service) -> None:
        demo = json.loads((ROOT / "demo" / "questions.json").read_text(encoding="utf-8"))
        self.service = service
        self.questions = [row["question"] for row in demo["answerable"]]
        self.queries: list[Query] = []
        self.is_stopped = threading.Event()
        self.failure = ""

    def run(self) -> None:
        connection = HTTPConnection("127.0.0.1", self.service.port, timeout=60)
        number = 0
        while not self.is_stopped.is_set() and not self.failure:
            body = json.dumps({"query": self.questions[number % len(self.questions)]})
            headers = {
                "Content-Type": "application/json",
                "Authorization": f"Bearer {self.service.token}",
            }
            started = time.perf_counter()
            connection.request("POST", "/agent/query", body, headers)
            response = connection.getresponse()
            text = response.read()
            if response.status != 200:
                self.failure = f"a query was answered with {response.status}: {text[:200]!r}"
            self.queries.append(Query(started, time.perf_counter()))
            number += 1
        connection.close()

    def beside(self, started: float, ended: float) -> list[Query]:
        return [query for query in self.queries if query.ended > started and query.started < ended]


@contextmanager
def asking(service: Service) -> Iterator[Asker]:
    asker = Asker(service)
    thread = threading.Thread(target=asker.run)
    thread.start()
    try:
        yield asker
    finally:
        asker.is_stopped.set()
        thread.join()


def undisturbed_median(asker: Asker) -> float:
    """Milliseconds."""
    time.sleep(WARM_UP_SECONDS)
    started = time.perf_counter()
    time.sleep(UNDISTURBED_SECONDS)
    return median_of(asker.beside(started, time.perf_counter()))


def median_of(queries: Sequence[Query]) -> float:
    return statistics.median(query.milliseconds for query in queries)


def try_file(service: Service, asker: Asker, file: HostileFile) -> Outcome:
    content = file.makes()
    before, offset = service.leftovers(), service.log.stat().st_size
    started = time.perf_counter()
    answer = service.upload(file.filename, content)
    queries = asker.beside(started, time.perf_counter())
    readings = wait_for_reading(service, offset, answer)
    faults = (
        *faults_of_answer(file, answer),
        *faults_of_readings(readings),
        *faults_left_behind(service, before, answer),
        *([asker.failure] if asker.failure else []),
    )
    return Outcome(file, len(content), answer, readings, queries, faults)


def wait_for_reading(service: Service, offset: int, answer: Answer) -> list[ReadLine]:
    """The log's lines come a moment after the answer; a file that was refused unread has none."""
    give_up_at = time.monotonic() + LOG_SECONDS
    while not (lines := service.read_lines(offset)) and answer.status != 400:
        if time.monotonic() > give_up_at:
            break
        time.sleep(0.05)
    return lines


def answer_of(answer: Answer) -> str:
    if "error" in answer.body:
        return str(answer.body["error"]["code"])
    return str(answer.body["sync_status"])


def message_of(answer: Answer) -> str:
    if "error" in answer.body:
        return str(answer.body["error"]["message"])
    return str(answer.body.get("error_message", f"{answer.body['chunks_count']} chunks"))


def faults_of_answer(file: HostileFile, answer: Answer) -> Iterator[str]:
    given = answer_of(answer)
    if given not in file.expected or STATUS[given] != answer.status:
        yield f"expected {' or '.join(file.expected)}"
    if "root:" in json.dumps(answer.body):
        yield "tells what is in /etc/passwd"


def faults_of_readings(readings: Sequence[ReadLine]) -> Iterator[str]:
    if any(reading.cpu_seconds > CPU_MAX_SECONDS for reading in readings):
        yield "too much CPU"
    if any(reading.peak_mb > MEMORY_MAX_MB for reading in readings):
        yield "too much memory"


def faults_left_behind(service: Service, before: set[str], answer: Answer) -> Iterator[str]:
    """Deletes what was synced, so that every file finds the same service."""
    if not service.is_ready():
        yield "not ready any more"
    if answer.status == 201:
        service.request("DELETE", f"/ingest/sources/{answer.body['source_id']}")
        return
    give_up_at = time.monotonic() + GONE_SECONDS
    while left := service.leftovers() - before:
        if time.monotonic() > give_up_at:
            yield f"left behind: {', '.join(sorted(left))}"
            return
        time.sleep(0.05)


def row_of(outcome: Outcome, undisturbed_ms: float) -> str:
    message = message_of(outcome.answer)
    cells = (
        outcome.file.title,
        f"{outcome.size_bytes / 1e6:.1f}",
        f"{outcome.answer.status} {answer_of(outcome.answer)}",
        message if len(message) <= MESSAGE_CHARS else f"{message[:MESSAGE_CHARS]}…",
        f"{outcome.answer.seconds:.1f}",
        " + ".join(f"{reading.cpu_seconds:.1f}" for reading in outcome.readings) or "–",
        str(max((reading.peak_mb for reading in outcome.readings), default="–")),
        queries_cell(outcome.queries, undisturbed_ms),
        "; ".join(outcome.faults) or "✓",
    )
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def queries_cell(queries: Sequence[Query], undisturbed_ms: float) -> str:
    if len(queries) < QUERIES_MIN:
        return "–"
    slowest = max(query.milliseconds for query in queries)
    return f"× {median_of(queries) / undisturbed_ms:.2f}, {slowest:.0f} ms"


def summary(outcomes: Sequence[Outcome], undisturbed_ms: float) -> list[str]:
    short = [each for each in outcomes if len(each.queries) < QUERIES_MIN]
    beside_short = [query for each in short for query in each.queries]
    beside_all = [query for each in outcomes for query in each.queries]
    slow = [
        each.file.title
        for each in outcomes
        if len(each.queries) >= QUERIES_MIN and median_of(each.queries) > RATIO_MAX * undisturbed_ms
    ]
    return [
        f"A query undisturbed: median {undisturbed_ms:.1f} ms.",
        f"Beside the {len(short)} files that were answered at once ({len(beside_short)} queries):"
        f" {queries_cell(beside_short, undisturbed_ms)}.",
        f"Beside all {len(outcomes)} files ({len(beside_all)} queries):"
        f" {queries_cell(beside_all, undisturbed_ms)}.",
        f"Median of more than {RATIO_MAX:.0f} times the undisturbed: {', '.join(slow) or 'none'}.",
        f"Not as it must be: {sum(bool(each.faults) for each in outcomes)}.",
    ]


def main(parts: Sequence[str]) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the copy is stopped then, too
    files = [
        file
        for file in FILES
        if not parts or any(part.lower() in file.title.lower() for part in parts)
    ]
    outcomes: list[Outcome] = []
    with running_service() as service, asking(service) as asker:
        undisturbed_ms = undisturbed_median(asker)
        print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}")
        logged_in_at = time.monotonic()
        for file in files:
            if time.monotonic() > logged_in_at + LOGIN_EVERY_SECONDS:
                service.log_in()
                logged_in_at = time.monotonic()
            outcomes.append(try_file(service, asker, file))
            print(row_of(outcomes[-1], undisturbed_ms), flush=True)
    print("", *summary(outcomes, undisturbed_ms), sep="\n")
    return int(any(outcome.faults for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
