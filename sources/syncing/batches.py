"""The long part of a run: reads, embeds and stages a source batch by batch.

Each batch is one transaction that looks first whether the run still holds the lock. What was
written is never done again: a run that was killed, gave its place to others, or failed, and a later
one too, goes on with what is staged. A long document is several batches: it is read again then, but
what of it was embedded stays.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors.interface import (
    Connector,
    Cut,
    Failed,
    Gone,
    KnownDocument,
    LeftOut,
    Replaced,
    Unchanged,
)
from sources.errors import PassagesUsedUp, SyncSuperseded
from sources.indexing.generations import (
    batches,
    mark_removed,
    restore_documents,
    stage_documents,
    stage_part,
    unstage_documents,
)
from sources.indexing.index import embed_documents
from sources.models import UPLOADED_TYPES, Chunk, Lane, Source
from sources.syncing.changes import Changes, Inventory, Version, version_of
from sources.syncing.lanes import HEAVY_PASSAGES
from sources.syncing.plan_passages import reserve_passages
from sources.syncing.runs import Heartbeat, lock_run
from sources.syncing.storable import as_storable, is_storable_json

# A batch is written when it has one of these: what is held in memory, and lost with its worker.
BATCH_PASSAGES = 512
BATCH_DOCUMENTS = 100
BATCH_SECONDS = 60.0  # since its first document was read
READING_STEPS = ("fetch", "extract", "chunk")


class SliceOver(Exception):
    """The run has written something, and others wait: it goes on in a new task, in `lane` or where
    it was."""

    def __init__(self, lane: Lane | None = None) -> None:
        self.lane = lane
        super().__init__()


class StepClock:
    """Seconds spent in each step of a run. `current`: the step that runs or was interrupted."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.current = ""

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        self.current = name
        started = time.monotonic()
        yield
        self.current = ""
        self.seconds[name] = round(self.seconds.get(name, 0) + time.monotonic() - started, 3)

    @property
    def reading_seconds(self) -> float:
        return sum(self.seconds.get(name, 0.0) for name in READING_STEPS)


class RunContext:
    """The interface.SyncContext that a connector is given for its run."""

    def __init__(
        self,
        source: Source,
        known: Mapping[str, KnownDocument],
        clock: StepClock,
        report: Callable[..., None],
    ) -> None:
        self.known = known
        self.known_failures: Mapping[str, Failed] = {
            name: Failed(
                name,
                Reason.from_json(failure["reason"]),
                title=failure["title"],
                etag=failure["etag"],
            )
            for name, failure in source.known_failures.items()
        }
        self.cursor: Mapping[str, Any] = source.sync_cursor
        self.kept_cursor = dict(source.sync_cursor)
        self._clock = clock
        self._report = report

    def keep_cursor(self, cursor: Mapping[str, Any]) -> None:
        self.kept_cursor = dict(cursor) if is_storable_json(cursor) else {}

    def step(self, name: str) -> AbstractContextManager[None]:
        return self._clock.step(name)

    def report(self, *, done: int, total: int | None) -> None:
        self._report(step="read", documents_done=done, documents_total=total)


class Staging:
    """An attempt of a claimed run. `source`: as it was claimed, and kept up to date."""

    def __init__(
        self, source: Source, *, run_id: uuid.UUID, clock: StepClock, heartbeat: Heartbeat
    ) -> None:
        self.embedded_count = 0  # passages that the model had to read
        self._source = source
        self._run_id = run_id
        self._clock = clock
        self._heartbeat = heartbeat
        self._progress: dict[str, Any] = {}
        self._inventory = Inventory.of(source)
        self._next_position = self._inventory.next_position()
        self._batch: list[ReadDocument] = []
        self._batch_passages = 0
        self._batch_began_at = 0.0
        self._passages_done = 0
        self._slice_ends_at: float | None = None

    def read(self, connector: Connector) -> Changes:
        """Raises SliceOver, SyncSuperseded, EmbeddingModelChanged, whatever the connector raises,
        and SyncFailed when it found nothing, or more than the plan holds."""
        context = RunContext(self._source, self._inventory.known(), self._clock, self._report)
        for item in map(as_storable, connector.read(self._source, context)):
            match item:
                case ReadDocument():
                    self._take(item)
                case Unchanged():
                    self._inventory.unchanged[item.external_id] = item.description
                case Failed():
                    self._inventory.failed[item.external_id] = item
                case Gone():
                    self._inventory.gone.add(item.external_id)
                case Replaced():
                    self._inventory.replaced[item.external_id] = item.by
                case Cut():
                    self._inventory.cut = item
                case LeftOut():
                    self._inventory.left_out.append(item.reason)
        self._write()
        may_lose = self._source.may_lose or self._source.source_type in UPLOADED_TYPES
        changes = self._inventory.settle(context.kept_cursor, may_lose=may_lose)
        self._reserve(changes.chunks_count)
        return changes

    def mark(self, changes: Changes) -> None:
        """Makes what is stored ready for its generation to begin: minutes at most, in batches."""
        with self._clock.step("index"):
            self._in_batches(changes.dropped, unstage_documents)
            self._in_batches(changes.restored, restore_documents)
            self._in_batches(changes.removed, mark_removed)

    def _take(self, document: ReadDocument) -> None:
        name = document.external_id
        if name in self._inventory.read:
            return
        self._inventory.read.add(name)
        if self._inventory.is_staged(document):
            return
        now = time.monotonic()
        if self._slice_ends_at is None:
            self._slice_ends_at = now + settings.SYNC_SLICE
        if not self._batch:
            self._batch_began_at = now
        if len(document.passages) > BATCH_PASSAGES:
            self._write()
            self._write_in_parts(document)
            return
        self._batch.append(document)
        self._batch_passages += len(document.passages)
        if (
            self._batch_passages >= BATCH_PASSAGES
            or len(self._batch) >= BATCH_DOCUMENTS
            or now - self._batch_began_at > BATCH_SECONDS
        ):
            self._write()
            self._end_slice_in_time()

    def _reserve(self, needed: int) -> None:
        """Reserves passages of the plan, if more are needed than the source has already. Staged
        documents that do not fit are not kept for the next run: they would take the room of those
        that do."""
        if needed <= max(self._source.chunks_count, self._source.reserved_count):
            return
        try:
            reserve_passages(self._source, run_id=self._run_id, needed=needed)
        except PassagesUsedUp:
            self._in_batches([*self._inventory.staged.values()], unstage_documents)
            raise
        self._source.reserved_count = needed

    def _end_slice_in_time(self, *, not_before: float = 0.0) -> None:
        is_heavy = self._source.reserved_count > HEAVY_PASSAGES
        if is_heavy and self._source.sync_lane == Lane.UPLOADS:
            raise SliceOver(Lane.BACKGROUND)
        if self._slice_ends_at and time.monotonic() > max(self._slice_ends_at, not_before):
            raise SliceOver

    def _write_in_parts(self, document: ReadDocument) -> None:
        """Writes a long document in parts. A run that goes on in the middle of a document has to
        read it again, so a slice does not end there before writing has taken as much time as
        reading."""
        name, size = document.external_id, len(document.passages)
        not_before = time.monotonic() + self._clock.reading_seconds
        before = self._inventory.staged.get(name)
        first = self._count_written(document, before)
        is_further = before is None or first > 0
        replaced = [before.pk] if before and not first else []
        self._reserve(self._inventory.passages_with([document]))
        while first < size:
            with self._clock.step("embed"):
                (embedded,) = embed_documents(
                    self._source.tenant,
                    self._source.pk,
                    [document],
                    first=first,
                    most=BATCH_PASSAGES,
                    on_progress=partial(self._report_embedded, before=first, size=size),
                )
            self._report(step="index")
            with self._clock.step("index"), transaction.atomic():
                source = self._lock()
                row = stage_part(
                    source,
                    embedded,
                    position=self._position_of(name, 0),
                    written=self._inventory.staged[name].pk if first else None,
                    replaced=replaced,
                )
                self._note_progress(source, is_further=is_further)
            self._inventory.staged[name] = version_of(row)
            self.embedded_count += embedded.embedded_count
            first, replaced = row.chunks_count, []
            if first < size:
                self._end_slice_in_time(not_before=not_before)
        self._next_position += 1
        self._passages_done += size
        self._end_slice_in_time()

    def _count_written(self, document: ReadDocument, before: Version | None) -> int:
        """The number of the document's passages that are staged as they were read just now; 0 when
        others are."""
        if before is None or before.is_whole or before.chunks_count >= len(document.passages):
            return 0
        chunks = Chunk.objects.for_tenant(self._source.tenant).filter(document_id=before.pk)
        rows = chunks.order_by("position").values_list("text", "location", "section_title")
        written = zip(rows.iterator(), document.passages, strict=False)
        is_same = all(
            row == (each.text, each.location, each.section_title) for row, each in written
        )
        return before.chunks_count if is_same else 0

    def _write(self) -> None:
        if not self._batch:
            return
        self._reserve(self._inventory.passages_with(self._batch))
        with self._clock.step("embed"):
            documents = embed_documents(
                self._source.tenant,
                self._source.pk,
                self._batch,
                on_progress=partial(self._report_embedded, before=0, size=self._batch_passages),
            )
        self._report(step="index")
        with self._clock.step("index"):
            self._stage(documents)
        self.embedded_count += sum(document.embedded_count for document in documents)
        self._passages_done += self._batch_passages
        self._batch, self._batch_passages = [], 0

    def _stage(self, documents: Sequence[Any]) -> None:
        staged = self._inventory.staged
        names = [embedded.document.external_id for embedded in documents]
        with transaction.atomic():
            source = self._lock()
            rows = stage_documents(
                source,
                [
                    (self._position_of(name, number), embedded)
                    for number, (name, embedded) in enumerate(zip(names, documents, strict=True))
                ],
                replaced=[staged[name].pk for name in names if name in staged],
            )
            self._note_progress(source, is_further=not staged.keys() >= set(names))
        self._next_position += len(rows)
        staged.update((row.external_id, version_of(row)) for row in rows)

    def _position_of(self, name: str, number: int) -> int:
        known = self._inventory.staged.get(name) or self._inventory.live.get(name)
        return known.position if known else self._next_position + number

    def _note_progress(self, source: Source, *, is_further: bool) -> None:
        """Saves the progress. Staging a document again because it has changed does not count as
        progress: an origin where one document always changes, and that always fails after it, must
        not be tried for ever."""
        source.sync_progress = self._progress
        source.sync_batches += 1
        if is_further:
            source.sync_attempts, source.sync_started_at = 0, timezone.now()
        source.save(
            update_fields=["sync_progress", "sync_batches", "sync_attempts", "sync_started_at"]
        )
        self._source.sync_batches = source.sync_batches
        self._source.sync_attempts = source.sync_attempts

    def _in_batches(
        self,
        versions: Sequence[Version],
        change: Callable[[Source, Sequence[uuid.UUID]], None],
    ) -> None:
        for batch in batches(version.size for version in versions):
            self._report(step="index")
            with transaction.atomic():
                change(self._lock(), batch)

    def _lock(self) -> Source:
        source = lock_run(self._source.tenant, self._source.pk, run_id=self._run_id)
        if source is None:
            raise SyncSuperseded
        return source

    def _report_embedded(
        self, *, before: int, size: int, step: str, passages_done: int, passages_total: int
    ) -> None:
        """Reports progress within a document of `size` passages, of which `before` are written
        already."""
        self._report(
            step=step,
            passages_done=self._passages_done + before + passages_done,
            passages_total=self._passages_done + size,
        )

    def _report(self, **progress: Any) -> None:
        self._progress = {**self._progress, **progress}
        self._heartbeat.report(**self._progress)
