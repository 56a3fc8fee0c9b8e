"""A source is synced for the first time, with nothing changed, with a tenth changed, and replaced
as a whole while four processes ask of it: in a tenant of its own, which is gone afterwards.

The documents are made up; the model, the sync and PostgreSQL are the product's, and what syncs is
a process that stands back as its workers do.
"""

# Django is set up in between, for the processes that are started here: the imports below need it.
# ruff: noqa: E402

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command

from accounts.models import Plan, Tenant
from bench.speed.measurement import Figure, Measurement
from config.database.acting import as_tenant
from language.message import read_message
from query.search import retrieval
from reading.passages import ChunkLevel, Passage, ReadDocument
from sources.connectors.interface import Item, SyncContext, Unchanged
from sources.indexing import generations
from sources.models import Source
from sources.syncing import batches, runs, sync

HELP = "a source of 2,000 passages replaced while it is asked, and synced again"
READERS = 4
NICENESS = 15  # of the workers that sync (config/running/programs.py)
WARM_SECONDS = 5  # until all readers have loaded the model and asked
ALONE_SECONDS = 20
PASSAGES = 10  # of a document
SENTENCES = 6
QUESTIONS = 40
# Between two questions: readers that never stop leave nothing to a process that stands back
PAUSE_SECONDS = 0.1
SEED = 20
TOPICS = ("delivery", "warranty", "opening hours", "prices", "repairs", "returns", "rental")
ACTS = ("is explained in", "depends on", "was changed by", "follows from", "is part of")
THINGS = ("the contract", "our shop", "the season", "the second order", "the form", "the invoice")
GOAL_SWITCH_MS, GOAL_READERS, GOAL_SAME, GOAL_TENTH = 150, 1.5, 0.02, 0.15


@dataclass(frozen=True)
class Synced:
    """`switch_ms`: of the transaction that lets the new version answer; `longest_ms`: of the
    longest that holds the source's row before it. `cpu_seconds`: of the process that syncs."""

    seconds: float
    cpu_seconds: float
    switch_ms: float
    longest_ms: float
    embedded: int


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=200, help=f"of {PASSAGES} passages each")


def measure(options: dict[str, Any]) -> Measurement:
    found: dict[str, list[Synced]] = defaultdict(list)
    alone: list[float] = []
    meanwhile: list[float] = []
    documents = options["documents"]
    call_command("migrate", verbosity=0)  # the scratch services begin with nothing
    for _ in range(options["rounds"]):
        with fresh_source() as source:
            for kind, changed in (("first", 0), ("same", 0), ("tenth", documents // 10)):
                found[kind].append(sync_in_process(source, documents, changed))
            with readers(source) as logs:
                time.sleep(WARM_SECONDS)
                since = time.time()
                time.sleep(ALONE_SECONDS)
                replaced_since = time.time()
                found["all"].append(sync_in_process(source, documents, documents, version="C"))
                until = time.time()
                alone.append(p95(logs, since, replaced_since))
                meanwhile.append(p95(logs, replaced_since, until))
    first, same, tenth, replaced = (found[kind] for kind in ("first", "same", "tenth", "all"))
    switches = [run.switch_ms for run in replaced]
    return Measurement(
        f"A source of {documents * PASSAGES:,} passages, synced again and replaced",
        [
            Figure("replaced: its switching transaction", "ms", switches, goal=GOAL_SWITCH_MS),
            Figure("its longest transaction before", "ms", [run.longest_ms for run in replaced]),
            Figure(
                f"p95 of {READERS} readers meanwhile",
                *("ms", meanwhile, "before", alone),
                goal=GOAL_READERS,
            ),
            *compared("nothing changed", same, first, GOAL_SAME),
            *compared("a tenth changed", tenth, first, GOAL_TENTH),
        ],
        [
            f"Embedded: {first[0].embedded}, {same[0].embedded}, {tenth[0].embedded} and"
            f" {replaced[0].embedded} passages. Readers read their question with the model and"
            f" search, {PAUSE_SECONDS} s after the last; CPU is that of the process that syncs."
        ],
    )


def compared(
    what: str, runs_: Sequence[Synced], first: Sequence[Synced], goal: float
) -> Iterator[Figure]:
    for unit, field in (("s", "seconds"), ("CPU s", "cpu_seconds")):
        values, limits = ([getattr(run, field) for run in some] for some in (runs_, first))
        yield Figure(f"synced again, {what}", unit, values, "the first sync", limits, goal=goal)


def p95(logs: Sequence[Path], since: float, until: float) -> float:
    lines = [json.loads(line) for log in logs for line in log.read_text().splitlines()]
    return float(np.percentile([ms for at, ms in lines if since <= at <= until], 95))


@contextmanager
def fresh_source() -> Iterator[Source]:
    slug = f"bench-replace-{uuid.uuid4().hex[:8]}"
    tenant = Tenant.objects.create(slug=slug, name=slug, plan=Plan.objects.get(slug="enterprise"))
    try:
        with as_tenant(tenant.pk):
            yield Source.objects.for_tenant(tenant).create(name="Drive", source_type="api")
    finally:
        tenant.delete()


def sync_in_process(source: Source, documents: int, changed: int, *, version: str = "B") -> Synced:
    run_id = runs.begin_run(source.tenant, source.pk)
    process = start("sync", source, documents, changed, version, run_id, stdout=subprocess.PIPE)
    output, _ = process.communicate()
    return Synced(**json.loads(output.splitlines()[-1]))


@contextmanager
def readers(source: Source) -> Iterator[list[Path]]:
    """What each writes: a line an answer, its time and its milliseconds."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        logs = [Path(folder, f"{number}.jsonl") for number in range(READERS)]
        asking = [running.enter_context(start("ask", source, log)) for log in logs]
        for process in asking:
            running.callback(process.kill)
        while not all(log.exists() and log.read_text() for log in logs):
            if any(process.poll() is not None for process in asking):
                raise RuntimeError("A process that asks has ended.")
            time.sleep(0.1)
        yield logs


def start(kind: str, source: Source, *words: Any, **options: Any) -> subprocess.Popen[bytes]:
    arguments = [kind, source.tenant_id, source.pk, *words]
    command = [sys.executable, "-P", "-m", "bench.speed.replace", *map(str, arguments)]
    return subprocess.Popen(command, **options)


# --- What is synced -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChangingConnector:
    """The first `changed` documents are of `version`, the others of version A. As a drive does, it
    tells what has not changed without reading it."""

    documents: int
    changed: int
    version: str

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        for number in range(self.documents):
            version = self.version if number < self.changed else "A"
            name, content_hash = f"sheet-{number}", f"{version}{number}"
            known = context.known.get(name)
            if known is not None and known.content_hash == content_hash:
                yield Unchanged(name)
                continue
            passages = tuple(
                Passage(text_of(version, number, part), f"part {part}", "", ChunkLevel.PARAGRAPH)
                for part in range(PASSAGES)
            )
            yield ReadDocument(name, name, "text/plain", content_hash, passages)


def text_of(version: str, document: int, part: int) -> str:
    chance = random.Random(f"{version}/{document}/{part}")  # noqa: S311 - no secret
    return " ".join(
        f"{chance.choice(TOPICS).capitalize()} of model {chance.randrange(9000)}"
        f" {chance.choice(ACTS)} {chance.choice(THINGS)}, as sheet {document} of version {version}"
        f" says for {chance.choice(TOPICS)} and {chance.choice(THINGS)}."
        for _ in range(SENTENCES)
    )


# --- The processes --------------------------------------------------------------------------------


def sync_once(source: Source, documents: str, changed: str, version: str, run_id: str) -> None:
    """As the task does; prints what it took."""
    os.nice(NICENESS)
    times: dict[str, list[float]] = defaultdict(list)

    def timed(name: str, function: Any) -> Any:
        def call(*args: Any, **options: Any) -> Any:
            started = time.perf_counter()
            try:
                return function(*args, **options)
            finally:
                times[name].append((time.perf_counter() - started) * 1000)

        return call

    embedded: list[int] = []

    def commit(*args: Any, **options: Any) -> None:
        embedded.append(options["details"]["chunks_embedded"])
        commit_run(*args, **options)

    connector = ChangingConnector(int(documents), int(changed), version)
    commit_run = timed("switch", sync.commit_run)
    setattr(sync, "get_connector", lambda source: connector)  # noqa: B010 - in its place
    setattr(sync, "commit_run", commit)  # noqa: B010
    # Its body is one transaction; marking is one for each of its batches
    setattr(batches.Staging, "_stage", timed("longest", batches.Staging._stage))  # noqa: B010
    setattr(batches, "mark_removed", timed("longest", generations.mark_removed))  # noqa: B010
    started, before = time.perf_counter(), cpu_seconds()
    sync.sync_to_end(source.tenant, source.pk, run_id=uuid.UUID(run_id))
    synced = Synced(
        seconds=time.perf_counter() - started,
        cpu_seconds=cpu_seconds() - before,
        switch_ms=max(times["switch"]),
        longest_ms=max(times["longest"], default=0.0),
        embedded=sum(embedded),
    )
    sys.stdout.write(f"\n{json.dumps(asdict(synced))}\n")


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def ask(source: Source, log: str) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    asked = [
        f"What does the {chance.choice(TOPICS)} of model {chance.randrange(9000)} depend on?"
        for _ in range(QUESTIONS)
    ]
    with Path(log).open("a", buffering=1) as file:
        for number in range(sys.maxsize):
            started = time.perf_counter()
            question = retrieval.read_question(read_message(asked[number % QUESTIONS]))
            retrieval.retrieve_chunks(source.tenant, question, top_k=5)
            ms = (time.perf_counter() - started) * 1000
            file.write(json.dumps([time.time(), ms]) + "\n")
            time.sleep(PAUSE_SECONDS)


def main(kind: str, tenant_id: str, source_id: str, *words: str) -> None:
    with as_tenant(uuid.UUID(tenant_id)):
        tenant = Tenant.objects.get(pk=tenant_id)
        source = Source.objects.for_tenant(tenant).get(pk=source_id)
        programs: dict[str, Callable[..., None]] = {"sync": sync_once, "ask": ask}
        programs[kind](source, *words)


if __name__ == "__main__":
    main(*sys.argv[1:])
