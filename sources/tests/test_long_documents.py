"""A document of many passages is written part by part: what of it was embedded survives whatever
ends its run, and nobody reads it before it is whole."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from accounts.models import Tenant
from reading.passages import ChunkLevel, Passage, ReadDocument
from reasons import as_reason
from sources.connectors.interface import Failed, Item, SyncContext
from sources.embedding.onnx_model import ModelText
from sources.errors import OriginUnavailable
from sources.models import Chunk, Document, Lane, Source, SourceTerm
from sources.syncing import batches, runs, sync
from sources.tests.conftest import FakeEmbedder
from sources.tests.factories import make_source

pytestmark = pytest.mark.django_db

PART = 2
COLOURS = ["Amber", "Beige", "Coral", "Denim", "Ebony"]


class Killed(BaseException):
    """As `kill -9`: nothing of the product catches it."""


class Workbook:
    """A connector of one document, a passage a row."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = list(rows)
        self.is_found = True
        self.times_read = 0

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        self.times_read += 1
        if not self.is_found:
            yield Failed("prices", as_reason("It cannot be opened."))
            return
        with context.step("extract"):
            passages = tuple(
                Passage(row, f"row {number}", "Prices", ChunkLevel.ROW)
                for number, row in enumerate(self.rows, start=1)
            )
        yield ReadDocument("Prices", "prices", "text/csv", hash_of(self.rows), passages)


def hash_of(rows: Sequence[str]) -> str:
    return sha256("".join(rows).encode()).hexdigest()


class Model:
    """What it has read, and what ends the run before it reads a row."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.ends_at: dict[str, BaseException] = {}

    def note(self, row: str) -> None:
        if row in self.ends_at:
            raise self.ends_at.pop(row)
        self.read.append(row)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    model = Model()

    class WatchedEmbedder(FakeEmbedder):
        def read_passages(self, texts: Sequence[ModelText]) -> Any:
            for text in texts:
                model.note(text.parts[-1])
            return super().read_passages(texts)

    monkeypatch.setattr("sources.indexing.index.get_embedder", WatchedEmbedder)
    monkeypatch.setattr(batches, "BATCH_PASSAGES", PART)
    return model


@pytest.fixture
def workbook(monkeypatch: pytest.MonkeyPatch) -> Workbook:
    workbook = Workbook(COLOURS)
    monkeypatch.setattr(sync, "get_connector", lambda source: workbook)
    return workbook


@pytest.fixture
def source(tenant: Tenant, workbook: Workbook, model: Model) -> Source:
    return make_source(tenant, source_type="api", sync_status="pending")


def begin(source: Source, lane: Lane = Lane.BACKGROUND) -> uuid.UUID:
    run_id = runs.begin_run(source.tenant, source.pk)
    assert run_id is not None
    Source.objects.for_tenant(source.tenant).update(sync_lane=lane)
    return run_id


def work(source: Source, run_id: uuid.UUID) -> Source:
    """One attempt, whose worker may be killed; nobody waits for its lease to end."""
    with suppress(Killed, sync.GoesOn, sync.RetryLater):
        sync.sync_source(source.tenant, source.pk, run_id=run_id)
    rows = Source.objects.for_tenant(source.tenant).filter(pk=source.pk)
    rows.update(sync_lease_until=timezone.now())
    return rows.get()


def answering(source: Source) -> list[tuple[int, str]]:
    chunks = Chunk.objects.for_tenant(source.tenant).live().order_by("position")
    return list(chunks.values_list("position", "text"))


def check_whole(source: Source, rows: Sequence[str]) -> None:
    """Each row answers once, in its order, and the words are counted once."""
    assert answering(source) == list(enumerate(rows))
    document = Document.objects.for_tenant(source.tenant).get()
    assert (document.chunks_count, document.content_hash) == (len(rows), hash_of(rows))
    counted = SourceTerm.objects.for_tenant(source.tenant).live()
    assert max(counted.values_list("chunks_count", flat=True)) == len(rows)  # "Prices"


def test_what_was_embedded_before_a_kill_is_not_embedded_again(
    source: Source, workbook: Workbook, model: Model
):
    model.ends_at = {"Coral": Killed(), "Ebony": Killed()}
    run_id = begin(source)

    for _ in range(3):
        assert now(source).sync_status == "syncing"
        work(source, run_id)

    assert now(source).sync_status == "synced"
    assert model.read == COLOURS
    check_whole(source, COLOURS)


def now(source: Source) -> Source:
    return Source.objects.for_tenant(source.tenant).get(pk=source.pk)


@pytest.mark.parametrize("lane", Lane)
def test_a_document_that_takes_longer_than_every_time_limit_comes_to_its_end(
    source: Source, model: Model, lane: Lane
):
    model.ends_at = {row: SoftTimeLimitExceeded() for row in ("Coral", "Ebony")}
    run_id = begin(source, lane)

    lanes = [work(source, run_id).sync_lane for _ in range(3)]

    assert now(source).sync_status == "synced"
    assert lanes == [Lane.BACKGROUND] * 3
    check_whole(source, COLOURS)


def test_attempts_are_counted_from_the_last_part_on(
    source: Source, workbook: Workbook, model: Model
):
    """More than MAX_ATTEMPTS ends, each a part further."""
    rows = [f"Colour {letter}" for letter in "abcdefghijklm"]
    workbook.rows = rows
    model.ends_at = {row: Killed() for row in rows[PART::PART]}
    run_id = begin(source)

    attempts = 1
    while work(source, run_id).sync_status == "syncing":
        attempts += 1

    assert (now(source).sync_status, attempts) == ("synced", 7)
    check_whole(source, rows)


def test_others_have_their_turn_in_the_middle_of_a_long_document(
    source: Source, workbook: Workbook, model: Model, settings: Any
):
    settings.SYNC_SLICE = -1
    run_id = begin(source)

    slices = 1
    while work(source, run_id).sync_status == "syncing":
        slices += 1

    assert workbook.times_read == slices == 4
    assert model.read == COLOURS
    check_whole(source, COLOURS)


def test_no_slice_ends_before_as_much_was_written_as_was_read(
    source: Source, workbook: Workbook, settings: Any, monkeypatch: pytest.MonkeyPatch
):
    """A scan of an hour is not read again for each of its parts."""
    settings.SYNC_SLICE = -1
    monkeypatch.setattr(batches.StepClock, "reading_seconds", 3600.0)

    work(source, begin(source))

    assert workbook.times_read == 1


def test_a_part_is_seen_by_nobody_and_goes_when_its_document_cannot_be_read_any_more(
    source: Source, workbook: Workbook, model: Model
):
    work(source, begin(source))
    workbook.rows = [f"Light {row}" for row in COLOURS]
    model.ends_at = {"Light Ebony": Killed()}
    run_id = begin(source)
    work(source, run_id)
    assert answering(source) == list(enumerate(COLOURS))

    workbook.is_found = False
    work(source, run_id)

    assert now(source).sync_status == "synced"
    check_whole(source, COLOURS)


def test_a_document_that_changes_meanwhile_is_written_from_its_beginning(
    source: Source, workbook: Workbook, model: Model
):
    model.ends_at = {"Ebony": Killed()}
    run_id = begin(source)
    work(source, run_id)
    workbook.rows = ["Azure", *COLOURS[1:]]

    work(source, run_id)

    assert model.read == [*COLOURS[:4], "Azure", *COLOURS[2:]]
    check_whole(source, workbook.rows)


def test_a_document_that_became_shorter_is_written_from_its_beginning(
    source: Source, workbook: Workbook, model: Model
):
    model.ends_at = {"Ebony": Killed()}
    run_id = begin(source)
    work(source, run_id)
    workbook.rows = COLOURS[:3]

    work(source, run_id)

    check_whole(source, COLOURS[:3])


def test_a_document_that_always_changes_is_not_tried_for_ever(
    source: Source, workbook: Workbook, model: Model
):
    run_id = begin(source)
    for number in range(runs.MAX_ATTEMPTS + 1):
        workbook.rows = [f"Visit {number}", *COLOURS]
        model.ends_at = {"Ebony": OriginUnavailable("Silence.")}
        work(source, run_id)

    assert now(source).sync_status == "error"


def test_people_see_how_far_it_is(source: Source, model: Model, monkeypatch: pytest.MonkeyPatch):
    told: list[tuple[int, int]] = []

    def note(self: runs.Heartbeat, **progress: Any) -> None:
        if "passages_total" in progress:
            told.append((progress["passages_done"], progress["passages_total"]))

    monkeypatch.setattr(runs.Heartbeat, "report", note)
    work(source, begin(source))

    assert list(dict.fromkeys(told)) == [(0, 5), (2, 5), (4, 5)]
