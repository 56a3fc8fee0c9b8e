"""A large source is synced, and synced again with every document changed, while questions are asked
and its worker is killed: minutes, memory, the transaction that lets the new version answer, what
readers see meanwhile.

On services of its own (some GB of disk, and an hour):

    python -P -m config.running.launch --scratch var/bench python -m bench.large_sync
    [--documents 20000] [--passages 10] [--kills 5] [--report bench/results/large-sync.md]

The documents are made up, and so are the vectors: of the real model's dimension, from a table of
words, a thousand times cheaper than the model. So the figures are those of everything but the
model, whose time a passage is known (docs/retrieval.md) and comes on top. Everything else is the
product's: the sync, PostgreSQL, the search, and workers that are processes.
"""

# Django is set up in between: the imports below it need it.
# ruff: noqa: E402

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import django
import numpy as np
import psutil

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from accounts.models import Plan, Tenant
from config.database.acting import over_all_tenants
from query.search import retrieval
from sources.connectors.interface import Item, SyncContext, Unchanged
from sources.embedding.close_reading import Vectors, around, pack_signs
from sources.embedding.onnx_model import (
    WORD,
    Background,
    ModelCard,
    ModelText,
    ReadPassage,
    ReadQuestion,
)
from sources.embedding.spaces import activate_first
from sources.indexing import index
from sources.models import Document, Lane, Source
from sources.reading.passages import ChunkLevel, Passage, ReadDocument
from sources.syncing import batches, runs, sync
from sources.syncing.lanes import list_waiting

DIMENSION = 384
MODEL = "all-MiniLM-L6-v2"  # whose name and calibration are borrowed
VERSIONS = ("A", "B")
WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("la", "ren", "tos", "vik")]
WORDS_OF_A_PASSAGE = 40
QUESTIONS = 40
LEASE_SECONDS = 3  # the product's is 30: a killed worker is noticed sooner here
BASELINE_SECONDS = 90
READ_PAUSE_SECONDS = 0.05
SEED = 14


# --- What is synced -------------------------------------------------------------------------------


def passage_text(version: str, document: int, number: int) -> str:
    """Names its version; half of its words are the same in each."""
    chance = random.Random(f"{document}/{number}")  # noqa: S311 - no secret
    filler = " ".join(chance.choices(WORDS, k=WORDS_OF_A_PASSAGE))
    return f"Version{version} of sheet {document}, part {number}: {filler}."


class MadeUpConnector:
    """`count` documents of a version. As a drive does, it tells what has not changed by its hash,
    without reading it."""

    def __init__(self, version: str, count: int, passages: int) -> None:
        self.version, self.count, self.passages = version, count, passages

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        for number in range(self.count):
            context.report(done=number, total=self.count)
            name, content_hash = f"sheet-{number}", f"{self.version}{number}"
            known = context.known.get(name)
            if known is not None and known.content_hash == content_hash:
                yield Unchanged(name)
                continue
            passages = tuple(
                Passage(
                    passage_text(self.version, number, part),
                    location=f"part {part}",
                    section_title="",
                    level=ChunkLevel.PARAGRAPH,
                )
                for part in range(self.passages)
            )
            yield ReadDocument(name, name, "text/plain", content_hash, passages)


@lru_cache(maxsize=2000)  # the numbers in the texts are words too: not all are kept
def vector_of(word: str) -> Vectors:
    chance = np.random.default_rng(int.from_bytes(word.encode()[:8], "little"))
    return chance.standard_normal(DIMENSION).astype(np.float32)


class CheapEmbedder:
    """A text's vector is the sum of its words'. Normalised, of the dimension of the model that
    ships."""

    card = ModelCard(MODEL, DIMENSION, 256, "mean", "", "", is_english_only=False)
    background = Background(
        np.zeros(DIMENSION, np.float32),
        {"es": np.eye(DIMENSION, dtype=np.float32), "en": np.eye(DIMENSION, dtype=np.float32)},
    )

    def __init__(self, space: int | None = None) -> None:
        self.space = space or activate_first(MODEL, DIMENSION).pk

    def read_passages(self, texts: Sequence[ModelText]) -> list[ReadPassage]:
        return [self.read_passage(text) for text in texts]

    def read_passage(self, text: ModelText) -> ReadPassage:
        words = [WORD.findall(part) for part in text.parts]
        vectors = np.stack([vector_of(word) for part in words for word in part])
        return ReadPassage(
            normalised(vectors.sum(axis=0))[np.newaxis],
            tuple(len(part) for part in words),
            pack_signs(vectors, self.background.centre),
        )

    def read_question(self, text: str) -> ReadQuestion:
        words = list(WORD.finditer(text))
        vectors = np.stack([vector_of(word[0]) for word in words])
        return ReadQuestion(
            vector=normalised(vectors.sum(axis=0)),
            tokens=around(vectors, self.background.centre),
            spans=tuple(word.span() for word in words),
        )


def normalised(vector: Vectors) -> Vectors:
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def use_what_is_made_up(version: str, documents: int, passages: int) -> None:
    connector = MadeUpConnector(version, documents, passages)
    put_in(index, "get_embedder", CheapEmbedder)
    put_in(retrieval, "get_embedder", CheapEmbedder)
    put_in(sync, "get_connector", lambda source: connector)


def put_in(module: ModuleType, name: str, value: Any) -> None:
    """In the place of what the module imported."""
    setattr(module, name, value)


# --- The worker: a process ------------------------------------------------------------------------


def work(tenant_id: str, source_id: str, run_id: str, log: Path) -> None:
    """As the task does. Writes a line for each batch that was embedded, naming the documents that
    were staged already, and one for each transaction that began a generation."""
    tenant = Tenant.objects.get(pk=tenant_id)
    source = Source.objects.for_tenant(tenant).get(pk=source_id)
    kept = set(
        Document.objects.for_tenant(tenant)
        .filter(source=source, generation=source.generation + 1)
        .values_list("external_id", flat=True)
    )
    commit_run = sync.commit_run

    def note(**line: Any) -> None:
        with log.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def embed_and_note(*args: Any, **options: Any) -> Any:
        embedded = index.embed_documents(*args, **options)
        names = [item.document.external_id for item in embedded if item.embedded_count]
        note(embedded=len(names), twice=len(kept.intersection(names)))
        kept.update(names)
        return embedded

    def commit_and_note(*args: Any, **options: Any) -> None:
        started = time.perf_counter()
        commit_run(*args, **options)
        note(flip_ms=(time.perf_counter() - started) * 1000)

    put_in(batches, "embed_documents", embed_and_note)
    put_in(sync, "commit_run", commit_and_note)
    while True:
        try:
            sync.sync_source(tenant, uuid.UUID(source_id), run_id=uuid.UUID(run_id))
            return
        except sync.GoesOn:
            note(slice_over=True)


# --- The reader: a process ------------------------------------------------------------------------


def ask(tenant_id: str, log: Path) -> None:
    """Asks all the time: a line an answer, with its milliseconds and the versions in it."""
    tenant = Tenant.objects.get(pk=tenant_id)
    chance = random.Random(SEED)  # noqa: S311 - no secret
    asked = [" ".join(chance.choices(WORDS, k=5)) for _ in range(QUESTIONS)]
    questions = [retrieval.read_question(text, "en") for text in asked]
    with log.open("a", buffering=1) as file:
        for number in range(sys.maxsize):
            started = time.perf_counter()
            _, chunks = retrieval.retrieve_chunks(tenant, questions[number % QUESTIONS], top_k=5)
            milliseconds = (time.perf_counter() - started) * 1000
            seen = sorted({chunk.text[7] for chunk in chunks})
            file.write(json.dumps([time.time(), milliseconds, seen]) + "\n")
            time.sleep(READ_PAUSE_SECONDS)


# --- The measurement ------------------------------------------------------------------------------


class Worker:
    """A worker's process, and its memory, sampled."""

    def __init__(self, options: argparse.Namespace, source: Source, version: str) -> None:
        self.options, self.source, self.version = options, source, version
        self.samples: list[tuple[float, int]] = []  # seconds, MB
        self.kills = 0
        self.log = Path(tempfile.mkstemp(prefix=f"large-sync-{version}-")[1])

    def run_to_end(self, kill_at: Sequence[float]) -> float:
        """Minutes. `kill_at`: the shares of documents that are staged when it is killed."""
        started = time.monotonic()
        left = list(kill_at)
        run_id = runs.begin_run(self.source.tenant, self.source.pk)
        while run_id is not None:
            process = start("--worker", self.options, self.source, self.version, run_id, self.log)
            self._watch(process, started, left)
            run_id = self._next_run()
        return (time.monotonic() - started) / 60

    def _watch(self, process: subprocess.Popen[bytes], started: float, left: list[float]) -> None:
        memory = psutil.Process(process.pid)
        while process.poll() is None:
            time.sleep(0.5)
            if memory.is_running() and memory.status() != psutil.STATUS_ZOMBIE:
                seconds = time.monotonic() - started
                self.samples.append((seconds, int(memory.memory_info().rss / 1024**2)))
            if left and self._share_staged() >= left[0]:
                left.pop(0)
                time.sleep(random.uniform(0, 1.5))  # noqa: S311 - in the middle of something
                process.kill()
                process.wait()
                self.kills += 1
                say(f"killed at {self._share_staged():.0%}")

    def _share_staged(self) -> float:
        source = self._now()
        staged = Document.objects.for_tenant(source.tenant).filter(
            source=source, generation=source.generation + 1
        )
        return staged.count() / int(self.options.documents)

    def _next_run(self) -> uuid.UUID | None:
        """What beat and, when the run has ended with an error, a person do."""
        while True:
            source = self._now()
            if source.sync_run_id is None:
                if source.sync_status == "synced":
                    return None
                say(f"sync again: {source.error_message}")
                return runs.begin_run(source.tenant, source.pk)
            if list_waiting(Lane.BACKGROUND, timezone.now()).filter(pk=source.pk).exists():
                return source.sync_run_id
            time.sleep(0.5)

    def _now(self) -> Source:
        return Source.objects.for_tenant(self.source.tenant).get(pk=self.source.pk)

    def notes(self, key: str) -> list[float]:
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line[key] for line in lines if key in line]


def start(
    kind: str,
    options: argparse.Namespace,
    source: Source,
    version: str,
    run_id: uuid.UUID | None,
    log: Path,
) -> subprocess.Popen[bytes]:
    arguments = [
        *(sys.executable, "-P", "-m", "bench.large_sync", kind),
        *("--documents", str(options.documents), "--passages", str(options.passages)),
        *("--tenant", str(source.tenant_id), "--source", str(source.pk), "--version", version),
        *("--run", str(run_id), "--log", str(log)),
    ]
    return subprocess.Popen(arguments, env={**os.environ, "SYNC_LEASE": str(LEASE_SECONDS)})


class Reader:
    def __init__(self, options: argparse.Namespace, source: Source) -> None:
        self.log = Path(tempfile.mkstemp(prefix="large-sync-reader-")[1])
        self.process = start("--reader", options, source, "A", None, self.log)
        while not self.log.read_text():
            time.sleep(0.5)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()

    def answers(self, since: float, until: float) -> list[tuple[float, list[str]]]:
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [(ms, seen) for at, ms, seen in lines if since <= at <= until]


def measure(options: argparse.Namespace) -> str:
    call_command("migrate", verbosity=0)
    plan = Plan.objects.get(slug="enterprise")
    tenant = Tenant.objects.create(slug=f"large-{uuid.uuid4().hex[:8]}", name="Large", plan=plan)
    source = Source.objects.for_tenant(tenant).create(name="Drive", source_type="api")
    chance = random.Random(SEED)  # noqa: S311 - no secret
    load_before = os.getloadavg()[0]

    first = Worker(options, source, "A")
    first_minutes = first.run_to_end([])
    say(f"version A: {first_minutes:.1f} min")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    reader = Reader(options, source)
    alone_since = time.time()
    time.sleep(BASELINE_SECONDS)
    synced_since = time.time()
    second = Worker(options, source, "B")
    second_minutes = second.run_to_end(
        sorted(chance.uniform(0.02, 0.98) for _ in range(options.kills))
    )
    synced_until = time.time()
    time.sleep(10)
    reader.stop()
    say(f"version B: {second_minutes:.1f} min")
    return report(
        options,
        first,
        second,
        minutes=(first_minutes, second_minutes),
        alone=reader.answers(alone_since, synced_since),
        meanwhile=reader.answers(synced_since, synced_until),
        loads=(load_before, os.getloadavg()[0]),
    )


def report(
    options: argparse.Namespace,
    first: Worker,
    second: Worker,
    *,
    minutes: tuple[float, float],
    alone: list[tuple[float, list[str]]],
    meanwhile: list[tuple[float, list[str]]],
    loads: tuple[float, float],
) -> str:
    seen = Counter("".join(versions) or "nothing" for _, versions in meanwhile)
    passages = options.documents * options.passages
    lost = sum(second.notes("embedded")) - options.documents
    before, during = percentiles(alone), percentiles(meanwhile)
    p50, p95 = during[0] / before[0], during[1] / before[1]
    both = (first, second)
    lines = [
        "# A large sync",
        "",
        f"`python -m bench.large_sync`: {options.documents:,} documents, {passages:,} passages of"
        f" {WORDS_OF_A_PASSAGE} words; version A is",
        "new, in version B every document has changed. The vectors are made up, of"
        f" {DIMENSION} numbers each: the model's own time",
        f"comes on top. {os.cpu_count()} processors for worker, reader and PostgreSQL together;"
        f" load {loads[0]:.1f} before it began,",
        f"{loads[1]:.1f} at its end. {timezone.now():%d %B %Y}.",
        "",
        "| | version A | version B |",
        "|---|---|---|",
        row("minutes", *(f"{value:.1f}" for value in minutes)),
        row("killed with `kill -9`", *(worker.kills for worker in both)),
        row("memory of the worker at 10, 50, 90 % of the time; peak (MB)", *map(memory, both)),
        row(
            "the transaction that lets it answer (ms)",
            *(f"{worker.notes('flip_ms')[-1]:.0f}" for worker in both),
        ),
        row("embedded again although kept", *(sum(worker.notes("twice")) for worker in both)),
        row("embedded again because lost with a killed worker", 0, lost),
        "",
        "| questions to the search, one reader | answers | p50 (ms) | p95 (ms) |",
        "|---|---|---|---|",
        row("nothing else going on", f"{len(alone):,}", *(f"{value:.0f}" for value in before)),
        row("while B was synced", f"{len(meanwhile):,}", *(f"{value:.0f}" for value in during)),
        row("ratio", "", f"{p50:.2f}", f"{p95:.2f}"),
        "",
        f"Of the {len(meanwhile):,} answers meanwhile {seen['A']:,} were of version A alone,"
        f" {seen['B']:,} of version B alone, {seen['AB']} mixed, {seen['nothing']} empty.",
    ]
    return "\n".join(lines) + "\n"


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def percentiles(answers: list[tuple[float, list[str]]]) -> tuple[float, float]:
    times = [milliseconds for milliseconds, _ in answers]
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


def memory(worker: Worker) -> str:
    samples = worker.samples
    parts = [samples[int(len(samples) * share)][1] for share in (0.1, 0.5, 0.9)]
    return f"{parts[0]}, {parts[1]}, {parts[2]}; {max(mb for _, mb in samples)}"


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--passages", type=int, default=10, help="of each document")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--report", type=Path)
    for name in ("--worker", "--reader"):
        parser.add_argument(name, action="store_true", help=argparse.SUPPRESS)
    for name in ("--tenant", "--source", "--version", "--run", "--log"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    return parser.parse_args()


@over_all_tenants()
def main() -> None:
    options = read_arguments()
    use_what_is_made_up(options.version or "A", options.documents, options.passages)
    if options.worker:
        work(options.tenant, options.source, options.run, Path(options.log))
    elif options.reader:
        ask(options.tenant, Path(options.log))
    else:
        text = measure(options)
        print(text)
        if options.report:
            options.report.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
