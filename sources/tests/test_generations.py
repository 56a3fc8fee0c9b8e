"""A sync in batches: nobody reads what is staged, what was staged is never done again, and one
small step lets it answer."""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from accounts.models import Tenant
from reading.passages import ChunkLevel, Passage, ReadDocument
from reasons import as_reason
from sources import tasks
from sources.connectors.interface import Cut, Failed, Item, SyncContext, Unchanged
from sources.embedding.onnx_model import ModelText
from sources.errors import OriginUnavailable, SyncSuperseded
from sources.indexing import generations, index
from sources.indexing.generations import clear_generations
from sources.models import (
    NEVER,
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    Document,
    Lane,
    Source,
    SourceTerm,
    SyncEvent,
)
from sources.services.editing import delete_source
from sources.services.reading import list_history, list_preview
from sources.syncing import batches, dispatch, runs, sync
from sources.syncing.lanes import list_waiting
from sources.tests.conftest import FakeEmbedder
from sources.tests.factories import make_source

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """As `kill -9`: nothing of the product catches it."""


class Drive:
    """A connector that reads what it does not know, in order, and what the test says may happen
    before a file of it."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.read_names: list[str] = []
        self.before: dict[str, BaseException] = {}
        self.end: list[Item] = []

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        for number, (name, text) in enumerate(self.files.items()):
            context.report(done=number, total=len(self.files))
            if name in self.before:
                raise self.before.pop(name)
            known = context.known.get(name)
            if known is not None and known.content_hash == text:
                yield Unchanged(name)
                continue
            self.read_names.append(name)
            passage = Passage(text, location=name, section_title="", level=ChunkLevel.PARAGRAPH)
            yield ReadDocument(name, name, "text/plain", text, (passage,))
        yield from self.end


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the model has read."""
    texts: list[str] = []

    class RecordingEmbedder(FakeEmbedder):
        def read_passages(self, given: Any) -> Any:
            texts.extend(text.whole.strip() for text in given if isinstance(text, ModelText))
            return super().read_passages(given)

    monkeypatch.setattr("sources.indexing.index.get_embedder", RecordingEmbedder)
    return texts


@pytest.fixture(autouse=True)
def one_document_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH_DOCUMENTS", 1)
    monkeypatch.setattr(generations, "DOCUMENTS_AT_ONCE", 1)


@pytest.fixture
def drive(monkeypatch: pytest.MonkeyPatch) -> Drive:
    drive = Drive({"a": "Apples.", "b": "Bananas.", "c": "Cherries."})
    monkeypatch.setattr(sync, "get_connector", lambda source: drive)
    return drive


@pytest.fixture
def source(tenant: Tenant, drive: Drive) -> Source:
    return make_source(tenant, source_type="api", sync_status="pending")


def begin(source: Source) -> uuid.UUID:
    run_id = runs.begin_run(source.tenant, source.pk)
    assert run_id is not None
    return run_id


def now(source: Source) -> Source:
    return Source.objects.for_tenant(source.tenant).get(pk=source.pk)


def work(source: Source, run_id: uuid.UUID | None = None) -> Source:
    """One attempt, of a new run unless told; the worker may be killed."""
    with suppress(Killed):
        sync.sync_source(source.tenant, source.pk, run_id=run_id or begin(source))
    return now(source)


def texts(source: Source) -> set[str]:
    return set(Chunk.objects.for_tenant(source.tenant).live().values_list("text", flat=True))


def last_details(source: Source) -> dict[str, Any]:
    event = SyncEvent.objects.for_tenant(source.tenant).order_by("created_at").last()
    assert event is not None
    return dict(event.details)


def let_lease_end(source: Source) -> list[Source]:
    """What a worker then finds."""
    past = timezone.now() - timedelta(seconds=1)
    Source.objects.for_tenant(source.tenant).update(sync_lease_until=past)
    return list(list_waiting(Lane.BACKGROUND, timezone.now()))


def frequencies(source: Source) -> dict[int, int]:
    """As the search sums them."""
    counts: dict[int, int] = {}
    for term, count in (
        SourceTerm.objects.for_tenant(source.tenant).live().values_list("term", "chunks_count")
    ):
        counts[term] = counts.get(term, 0) + count
    return {term: count for term, count in counts.items() if count}


def check_whole(source: Source, *expected: str) -> None:
    """What answers is `expected` and nothing else, in every table, and nothing old is left."""
    tenant = source.tenant
    assert texts(source) == set(expected)
    chunk_ids = set(Chunk.objects.for_tenant(tenant).values_list("pk", flat=True))
    for table in (ChunkEmbedding, ChunkReading, ChunkTerms):
        assert set(table.objects.for_tenant(tenant).values_list("chunk_id", flat=True)) == chunk_ids
    assert Document.objects.for_tenant(tenant).count() == len(chunk_ids) == len(expected)
    for versioned in (Document, ChunkEmbedding, ChunkTerms):
        rows = versioned.objects.for_tenant(tenant)
        assert set(rows.values_list("removed_in", flat=True)) == {NEVER}
    counted: dict[int, int] = {}
    for row in ChunkTerms.objects.for_tenant(tenant):
        for dimension in row.weights.indices():
            counted[dimension + 1] = counted.get(dimension + 1, 0) + 1
    assert frequencies(source) == counted
    generations_left = SourceTerm.objects.for_tenant(tenant).values_list("generation", flat=True)
    assert set(generations_left) == {now(source).first_generation}
    assert now(source).chunks_count == len(expected)
    assert now(source).cleared_generation == now(source).generation


def change_everything(drive: Drive) -> None:
    drive.files = {name: f"New {text}" for name, text in drive.files.items()}


# --- Old or new -----------------------------------------------------------------------------------


def test_a_version_answers_as_a_whole(source: Source, drive: Drive):
    work(source)
    check_whole(source, "Apples.", "Bananas.", "Cherries.")
    change_everything(drive)
    work(source)
    check_whole(source, "New Apples.", "New Bananas.", "New Cherries.")
    assert now(source).generation == 2


def test_what_is_staged_is_seen_by_nobody(source: Source, drive: Drive):
    work(source)
    before = frequencies(source)
    change_everything(drive)
    drive.before["c"] = Killed()

    work(source)

    assert texts(source) == {"Apples.", "Bananas.", "Cherries."}
    assert frequencies(source) == before
    assert now(source).chunks_count == 3
    assert Document.objects.for_tenant(source.tenant).count() == 5
    assert [chunk.text for chunk in list_preview(source.tenant, source.pk)] == [
        "Apples.",
        "Bananas.",
        "Cherries.",
    ]


def test_what_is_marked_for_removal_answers_to_the_end(
    source: Source, drive: Drive, monkeypatch: pytest.MonkeyPatch
):
    """Killed between the last mark and the step that begins the generation."""
    work(source)
    before = frequencies(source)
    drive.files = {"a": "Apples."}

    def killed(*args: Any, **options: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(sync, "commit_run", killed)
        work(source)

    assert texts(source) == {"Apples.", "Bananas.", "Cherries."}
    assert frequencies(source) == before


def test_a_mark_is_taken_off_again_when_the_document_is_back(
    source: Source, drive: Drive, monkeypatch: pytest.MonkeyPatch
):
    work(source)
    whole, drive.files = drive.files, {"a": "Apples."}

    def killed(*args: Any, **options: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(sync, "commit_run", killed)
        work(source)
    (waiting,) = let_lease_end(source)
    drive.files = whole
    work(source, waiting.sync_run_id)

    check_whole(source, "Apples.", "Bananas.", "Cherries.")


def test_where_everything_is_new_nothing_is_marked(
    source: Source, drive: Drive, monkeypatch: pytest.MonkeyPatch
):
    work(source)
    change_everything(drive)
    monkeypatch.setattr(batches, "mark_removed", None)

    work(source)

    assert now(source).first_generation == now(source).generation == 2
    check_whole(source, "New Apples.", "New Bananas.", "New Cherries.")


def test_marks_of_a_run_before_are_taken_off_when_everything_is_new(
    source: Source, drive: Drive, monkeypatch: pytest.MonkeyPatch
):
    work(source)
    drive.files = {"a": "Apples."}

    def killed(*args: Any, **options: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(sync, "commit_run", killed)
        work(source)
    (waiting,) = let_lease_end(source)
    drive.files = {"a": "Apricots.", "b": "Blackberries."}
    work(source, waiting.sync_run_id)

    check_whole(source, "Apricots.", "Blackberries.")


def test_a_sync_that_changes_nothing_begins_no_generation(source: Source, drive: Drive):
    work(source)
    drive.read_names.clear()

    work(source)

    assert (now(source).generation, drive.read_names) == (1, [])
    assert last_details(source)["documents"]["unchanged"] == 3
    check_whole(source, "Apples.", "Bananas.", "Cherries.")


# --- A run that does not come to its end ----------------------------------------------------------


def test_a_killed_run_goes_on_where_it_was(source: Source, drive: Drive, embedded: list[str]):
    drive.before["c"] = Killed()
    run_id = begin(source)
    work(source, run_id)
    assert texts(source) == set()

    (waiting,) = let_lease_end(source)
    work(source, waiting.sync_run_id)

    assert waiting.sync_run_id == run_id
    assert embedded == ["Apples.", "Bananas.", "Cherries."]
    assert drive.read_names == ["a", "b", "c"]
    check_whole(source, "Apples.", "Bananas.", "Cherries.")
    assert last_details(source)["documents"]["added"] == 3


def test_a_run_killed_at_every_step_embeds_everything_once(
    source: Source, drive: Drive, embedded: list[str], monkeypatch: pytest.MonkeyPatch
):
    drive.files["d"] = "Dates."
    work(source)
    change_everything(drive)
    drive.files["d"] = "Dates."
    embedded.clear()
    drive.before = {"a": Killed(), "b": Killed(), "c": Killed(), "d": Killed()}
    marked: list[Any] = []

    def mark_and_die(*args: Any) -> None:
        marked.append(args)
        if len(marked) == 2:
            raise Killed
        generations.mark_removed(*args)

    monkeypatch.setattr(batches, "mark_removed", mark_and_die)
    for _ in range(10):
        run_id = now(source).sync_run_id
        work(source, run_id)
        if now(source).sync_status == "synced":
            break
        let_lease_end(source)

    assert len(marked) == 4  # the second died, and was done again
    assert embedded == ["New Apples.", "New Bananas.", "New Cherries."]
    check_whole(source, "New Apples.", "New Bananas.", "New Cherries.", "Dates.")


def test_a_failed_run_says_how_far_it_came_and_the_next_one_goes_on(
    source: Source, drive: Drive, embedded: list[str]
):
    work(source)
    embedded.clear()
    change_everything(drive)
    drive.before["c"] = RuntimeError()

    failed = work(source)

    assert failed.sync_status == "error"
    assert failed.error_message.endswith(
        "1 of about 3 documents was read. The next sync continues from there."
        " The previous version keeps answering."
    )
    assert texts(source) == {"Apples.", "Bananas.", "Cherries."}
    work(source)
    assert embedded == ["New Apples.", "New Bananas.", "New Cherries."]
    check_whole(source, "New Apples.", "New Bananas.", "New Cherries.")


def test_what_changed_since_it_was_staged_is_staged_anew(source: Source, drive: Drive):
    drive.before["c"] = RuntimeError()
    work(source)
    drive.files["a"] = "Apricots."

    work(source)

    check_whole(source, "Apricots.", "Bananas.", "Cherries.")


def test_what_is_gone_since_it_was_staged_goes(source: Source, drive: Drive):
    drive.before["c"] = RuntimeError()
    work(source)
    del drive.files["a"]

    work(source)

    check_whole(source, "Bananas.", "Cherries.")


def test_a_cut_that_keeps_the_rest_keeps_what_was_staged(source: Source, drive: Drive):
    drive.before["c"] = RuntimeError()
    work(source)
    drive.files = {"c": "Cherries."}
    drive.end = [Cut(as_reason("It took too long."), keeps_rest=True)]

    work(source)

    check_whole(source, "Apples.", "Bananas.", "Cherries.")


def test_a_document_that_fails_now_keeps_what_was_staged_of_it(source: Source, drive: Drive):
    drive.before["c"] = RuntimeError()
    work(source)
    del drive.files["a"]
    drive.end = [Failed("a", as_reason("It did not answer."))]

    work(source)

    check_whole(source, "Apples.", "Bananas.", "Cherries.")
    assert last_details(source)["documents"]["failed"] == 1


def test_a_run_that_is_overtaken_between_two_batches_stops_there(source: Source, drive: Drive):
    work(source)
    change_everything(drive)
    run_id = begin(source)
    overtaken: list[uuid.UUID] = []

    def overtake(*args: Any, **options: Any) -> Any:
        if not overtaken:
            overtaken.append(uuid.uuid4())
            Source.objects.for_tenant(source.tenant).update(sync_run_id=overtaken[0])
        return index.embed_documents(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "embed_documents", overtake)
        work(source, run_id)

    assert now(source).sync_run_id == overtaken[0]
    assert drive.read_names[3:] == ["a"]
    assert Document.objects.for_tenant(source.tenant).count() == 3
    assert texts(source) == {"Apples.", "Bananas.", "Cherries."}


# --- Slices and attempts --------------------------------------------------------------------------


@pytest.fixture
def short_slices(settings: Any) -> None:
    settings.SYNC_SLICE = -1


def test_after_a_slice_the_run_goes_on_behind_others(
    source: Source, drive: Drive, short_slices: None, embedded: list[str]
):
    run_id = begin(source)
    slices = 0
    while now(source).sync_run_id:
        slices += 1
        with suppress(sync.GoesOn):
            sync.sync_source(source.tenant, source.pk, run_id=run_id)
        assert now(source).sync_worker_id is None

    assert slices == 4
    assert embedded == ["Apples.", "Bananas.", "Cherries."]
    check_whole(source, "Apples.", "Bananas.", "Cherries.")


def test_a_slice_ends_with_a_new_task(
    source: Source, short_slices: None, monkeypatch: pytest.MonkeyPatch
):
    told: list[Lane] = []
    monkeypatch.setattr(tasks, "tell_lane", lambda lane, **_: told.append(lane))
    begin(source)

    tasks.sync_in_background()

    assert Lane.BACKGROUND in told
    assert now(source).sync_status == "syncing"


def test_a_task_that_reaches_its_time_limit_goes_on_if_it_has_written_something(
    source: Source, drive: Drive
):
    drive.before["b"] = SoftTimeLimitExceeded()
    with pytest.raises(sync.GoesOn):
        sync.sync_source(source.tenant, source.pk, run_id=begin(source))

    drive.before["b"] = SoftTimeLimitExceeded()
    work(source, now(source).sync_run_id)

    assert now(source).sync_status == "error"


def test_attempts_count_only_while_nothing_comes_of_them(source: Source, drive: Drive):
    drive.files = {f"{number}": f"Text {number}." for number in range(runs.MAX_ATTEMPTS + 2)}
    drive.before = {name: OriginUnavailable("Silence.") for name in drive.files if name != "0"}
    run_id = begin(source)
    for _ in drive.before.copy():
        with pytest.raises(sync.RetryLater):
            sync.sync_source(source.tenant, source.pk, run_id=run_id)

    work(source, run_id)

    check_whole(source, *drive.files.values())


def test_a_document_that_always_changes_is_no_progress(source: Source, drive: Drive):
    """Else an origin that always fails behind it would be tried for ever."""
    run_id = begin(source)
    for number in range(runs.MAX_ATTEMPTS):
        drive.files["a"] = f"Visit number {number}."
        drive.before["b"] = OriginUnavailable("Silence.")
        with pytest.raises(sync.RetryLater):
            sync.sync_source(source.tenant, source.pk, run_id=run_id)
    drive.files["a"] = "Visit after the last attempt."
    drive.before["b"] = OriginUnavailable("Silence.")

    assert work(source, run_id).sync_status == "error"


def test_the_lock_is_as_old_as_the_last_progress(source: Source, drive: Drive):
    drive.before["b"] = Killed()
    run_id = begin(source)
    long_ago = timezone.now() - 2 * runs.LOCK_LIFETIME
    Source.objects.for_tenant(source.tenant).update(sync_started_at=long_ago)

    work(source, run_id)

    assert runs.begin_run(source.tenant, source.pk) is None


# --- What is old ----------------------------------------------------------------------------------


def test_what_a_run_left_that_died_over_it_is_deleted_by_beat(
    source: Source, drive: Drive, monkeypatch: pytest.MonkeyPatch
):
    work(source)
    change_everything(drive)
    with monkeypatch.context() as patch:
        patch.setattr(sync, "clear_generations", lambda *args, **options: False)
        work(source)
    assert texts(source) == {"New Apples.", "New Bananas.", "New Cherries."}
    assert Document.objects.for_tenant(source.tenant).count() == 6
    dispatch.clear_leftovers()  # too early: the run may still be at it
    assert Document.objects.for_tenant(source.tenant).count() == 6
    ended = timezone.now() - 2 * dispatch.CLEARED_BY_ITS_RUN
    Source.objects.for_tenant(source.tenant).update(last_synced_at=ended)

    dispatch.clear_leftovers()

    check_whole(source, "New Apples.", "New Bananas.", "New Cherries.")


def test_clearing_stops_in_time_and_comes_again(
    source: Source, drive: Drive, monkeypatch: pytest.MonkeyPatch
):
    work(source)
    change_everything(drive)
    with monkeypatch.context() as patch:
        patch.setattr(sync, "clear_generations", lambda *args, **options: False)
        work(source)

    assert not clear_generations(source.tenant, source.pk, seconds=0)
    assert clear_generations(source.tenant, source.pk, seconds=60)

    check_whole(source, "New Apples.", "New Bananas.", "New Cherries.")


def test_a_sync_that_begins_before_all_is_cleared_does_no_harm(
    source: Source, drive: Drive, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patch:
        patch.setattr(sync, "clear_generations", lambda *args, **options: False)
        for _ in range(3):
            work(source)
            change_everything(drive)
    work(source)

    check_whole(source, *drive.files.values())


def test_deleting_a_source_deletes_what_is_staged_too(source: Source, drive: Drive):
    work(source)
    change_everything(drive)
    drive.before["c"] = Killed()
    work(source)

    delete_source(source.tenant, source.pk)

    for table in (Document, Chunk, ChunkEmbedding, ChunkReading, ChunkTerms, SourceTerm):
        assert not table.objects.for_tenant(source.tenant).exists()


def test_every_entry_of_the_history_has_its_provider_and_what_was_written(source: Source):
    work(source)

    entries = list_history(source.tenant, source.pk, limit=10)

    assert [entry.details["chunks_written"] for entry in entries] == [3, 0]
    assert {entry.details["provider"] for entry in entries} == {"api"}


def test_a_superseded_run_is_told_in_the_middle_of_its_marks(
    source: Source, drive: Drive, monkeypatch: pytest.MonkeyPatch
):
    work(source)
    drive.files = {"a": "Apples."}
    monkeypatch.setattr(
        batches, "mark_removed", lambda *args: (_ for _ in ()).throw(SyncSuperseded())
    )

    work(source)

    assert texts(source) == {"Apples.", "Bananas.", "Cherries."}
