"""Readers never see a source half replaced or gone, however often it is synced and its worker
killed.

Real processes, a real `kill -9` at random points, the real model. For a longer run:
ZERO_GAP_SYNCS=200 bin/test query/tests/test_zero_gap.py -s
"""

import os
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextvars import copy_context
from datetime import timedelta
from multiprocessing import Pipe

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from accounts.models import Tenant
from query.pipeline import find_for_text
from query.tests.forked import start
from query.tests.sync_process import work
from sources.models import Source
from sources.originals.files import original_key
from sources.services.uploads import ingest_file
from sources.syncing import runs

SYNCS = int(os.environ.get("ZERO_GAP_SYNCS", "6"))
KILLED_SHARE = 0.5
READERS = 3
PARAGRAPHS = 12
START_SECONDS = 120  # on a busy machine
QUESTION = "What does a ticket for the lighthouse museum cost?"
VERSION = re.compile(r"edition (\d+)")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300 + 10 * SYNCS)]


class SyncProcess:
    """One worker. Its model takes a while to load, so the next one is started ahead. `over`:
    settings of it alone."""

    def __init__(self, **over: object) -> None:
        self._connection, theirs = Pipe()
        self.process = start(work, theirs, over)
        theirs.close()

    def wait_for(self, word: str) -> None:
        assert self._connection.poll(START_SECONDS)
        assert self._connection.recv() == word

    def begin(self, source: Source, run_id: object) -> None:
        self._connection.send((source.tenant_id, source.pk, run_id))

    def kill(self) -> None:
        """`kill -9`."""
        self.process.kill()
        self.process.join()
        self._connection.close()


class Readers:
    """Ask all the time, and count what they see: each answer's set of editions."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        self.seen: Counter[frozenset[str]] = Counter()
        self.errors: list[BaseException] = []
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=copy_context().run, args=[self._read]) for _ in range(READERS)
        ]

    def __enter__(self) -> "Readers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _read(self) -> None:
        try:
            while not self._stopped.is_set():
                editions = [
                    VERSION.findall(chunk.text)
                    for chunk in find_for_text(self.tenant, QUESTION).chunks
                ]
                self.seen[frozenset(edition for found in editions for edition in found)] += 1
        except BaseException as error:  # noqa: BLE001 - a thread's error must fail the test
            self.errors.append(error)
        finally:
            connection.close()


def editions_found(tenant: Tenant) -> frozenset[str]:
    """Of one answer: one edition, if readers see all old or all new."""
    texts = [chunk.text for chunk in find_for_text(tenant, QUESTION).chunks]
    return frozenset(number for text in texts for number in VERSION.findall(text))


def edition(number: int) -> str:
    """A text whose every paragraph is a passage that names its edition."""
    words = (
        "The lighthouse museum sells tickets at the harbour office on every day of the week. " * 5
    )
    return "\n\n".join(
        f"In edition {number} the ticket of class {index} costs {number + index} euros. {words}"
        for index in range(PARAGRAPHS)
    )


def write_original(source: Source, number: int) -> None:
    """In one step, as a storage does."""
    path = default_storage.path(original_key(source.tenant, source.pk))
    draft = f"{path}.draft"
    with open(draft, "w") as file:
        file.write(edition(number))
    os.replace(draft, path)


@pytest.fixture
def source(committed_tenant: Tenant) -> Iterator[Source]:
    settings.MEDIA_ROOT.mkdir(parents=True, exist_ok=True)
    source = ingest_file(
        committed_tenant, file=ContentFile(edition(0).encode()), filename="museum.txt"
    )
    yield source
    default_storage.delete(original_key(source.tenant, source.pk))


@pytest.fixture
def spare() -> Iterator[list[SyncProcess]]:
    processes = [SyncProcess()]
    yield processes
    for process in processes:
        process.kill()


def let_lease_end(source: Source) -> None:
    """Of the killed worker: another may have its run then."""
    rows = Source.objects.for_tenant(source.tenant).filter(pk=source.pk)
    rows.update(sync_lease_until=timezone.now() - timedelta(seconds=1))


@pytest.mark.django_db
def test_a_mixed_or_empty_answer_would_be_noticed(tenant: Tenant) -> None:
    assert editions_found(tenant) == frozenset()
    for number in (1, 2):
        ingest_file(tenant, file=ContentFile(edition(number).encode()), filename=f"{number}.txt")

    assert editions_found(tenant) == {"1", "2"}


def test_no_answer_is_mixed_or_empty_while_workers_sync_and_die(
    source: Source, spare: list[SyncProcess]
) -> None:
    chance = random.Random(1)  # noqa: S311 - no secret
    worker = spare[0]
    worker.wait_for("ready")
    sync_seconds, kills = 2.0, 0
    with Readers(source.tenant) as readers:
        for number in range(1, SYNCS + 1):
            write_original(source, number)
            run_id = runs.begin_run(source.tenant, source.pk)
            started = time.monotonic()
            worker.begin(source, run_id)
            if chance.random() < KILLED_SHARE:
                spare.append(SyncProcess())
                time.sleep(chance.uniform(0, 1.2 * sync_seconds))  # the point of the kill
                worker.kill()
                kills += 1
                let_lease_end(source)
                worker = spare[-1]
                worker.wait_for("ready")
                worker.begin(source, run_id)  # does nothing when the other had committed
                worker.wait_for("done")
            else:
                worker.wait_for("done")
                sync_seconds = time.monotonic() - started
            status = Source.objects.for_tenant(source.tenant).get(pk=source.pk).sync_status
            assert status == "synced"

    print(  # noqa: T201 - the figures of a longer run
        f"{READERS} readers, {SYNCS} syncs, {kills} kills: {readers.seen.total()} answers,"
        f" {sum(n for seen, n in readers.seen.items() if len(seen) > 1)} mixed,"
        f" {readers.seen[frozenset()]} empty, {len(readers.seen)} editions seen"
    )
    assert readers.errors == []
    assert {len(seen) for seen in readers.seen} == {1}
    assert kills > 0
