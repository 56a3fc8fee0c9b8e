"""A plan holds a number of passages, whatever they come in: counted before they are embedded, and
right after whatever ends a run.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import make_tenant
from config.errors import PlanLimitReached
from config.tests.parallel import in_parallel
from reading.passages import ChunkLevel, Passage, ReadDocument
from reading.tests.container_files import make_zip
from reasons import as_reason
from sources.connectors.interface import Cut, Failed, Item, SyncContext, Unchanged
from sources.embedding.onnx_model import ModelText
from sources.errors import SyncSuperseded
from sources.models import Chunk, Document, Lane, Source
from sources.services import uploads
from sources.services.editing import delete_source
from sources.services.uploads import ingest_file
from sources.services.usage import get_usage
from sources.syncing import batches, dispatch, lanes, runs, sync
from sources.syncing.plan_passages import reserve_passages
from sources.tests.conftest import FakeEmbedder
from sources.tests.factories import long_paragraph, make_source, text_file

LIMIT = 10
PART = 2


class Killed(BaseException):
    """As `kill -9`: nothing of the product catches it."""


class Folder:
    """A connector: texts of so many passages by their names. `keeps_rest`: it names those alone
    that are new, as origins with a feed of changes do."""

    def __init__(self, **sizes: int) -> None:
        self.sizes = sizes
        self.version = 1
        self.known: set[str] = set()
        self.ends_before = ""
        self.keeps_rest = False

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        for name, size in self.sizes.items():
            if name == self.ends_before:
                raise Killed
            if name in self.known:
                yield Unchanged(name)
            elif size:
                yield self.document(name, size)
            else:
                yield Failed(name, as_reason("It cannot be opened."))
        if self.keeps_rest:
            yield Cut(as_reason(""), keeps_rest=True)

    def document(self, name: str, size: int) -> ReadDocument:
        passages = tuple(
            Passage(f"{name} {self.version} {number}", f"row {number}", "", ChunkLevel.ROW)
            for number in range(size)
        )
        content_hash = sha256(f"{name} {self.version} {size}".encode()).hexdigest()
        return ReadDocument(name, name, "text/csv", content_hash, passages)


class Model:
    """How many passages it has read; what ends the run before it reads the next."""

    def __init__(self) -> None:
        self.read = 0
        self.ends_after = 10**9

    def note(self) -> None:
        if self.read >= self.ends_after:
            self.ends_after = 10**9
            raise Killed
        self.read += 1


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    model = Model()

    class WatchedEmbedder(FakeEmbedder):
        def read_passages(self, texts: Sequence[ModelText]) -> Any:
            for _ in texts:
                model.note()
            return super().read_passages(texts)

    monkeypatch.setattr("sources.indexing.index.get_embedder", WatchedEmbedder)
    monkeypatch.setattr(batches, "BATCH_PASSAGES", PART)
    return model


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder = Folder()
    monkeypatch.setattr(sync, "get_connector", lambda source: folder)
    return folder


@pytest.fixture
def source(tenant: Tenant, folder: Folder, model: Model) -> Source:
    limit_passages(tenant, LIMIT)
    return make_source(tenant, source_type="api", sync_status="pending")


def limit_passages(tenant: Tenant, limit: int | None, *, blocks: bool = True) -> None:
    tenant.plan.max_passages, tenant.plan.blocks_overage = limit, blocks
    tenant.plan.save()


def sync_now(source: Source) -> Source:
    """Begins a run and works on it until it ends or its worker is killed; nobody waits for the end
    of its lease."""
    run_id = now(source).sync_run_id or runs.begin_run(source.tenant, source.pk)
    assert run_id is not None
    with suppress(Killed):
        sync.sync_to_end(source.tenant, source.pk, run_id=run_id)
    rows = Source.objects.for_tenant(source.tenant).filter(pk=source.pk)
    rows.update(sync_lease_until=timezone.now())
    return rows.get()


def now(source: Source) -> Source:
    return Source.objects.for_tenant(source.tenant).get(pk=source.pk)


def used(tenant: Tenant) -> int:
    return get_usage(tenant).passages.used


def stored(tenant: Tenant) -> int:
    return Chunk.objects.for_tenant(tenant).count()


def upload(client: APIClient, content: bytes, filename: str) -> Any:
    file = SimpleUploadedFile(filename, content)
    return client.post("/ingest/sources/upload", {"file": file}, format="multipart")


USED_UP = (
    "Your Enterprise plan holds 10 passages, and this content would exceed that. Delete other"
    " sources, shorten this one or change the plan, then sync this source."
)

# --- A small file of many passages ----------------------------------------------------------------


def bomb(*paragraphs: str, passages: int = 12_000) -> bytes:
    """A ZIP of a text that says the same again and again."""
    repeats = passages // len(paragraphs)
    return make_zip({"a.txt": "\n\n".join([*paragraphs] * repeats)})


@pytest.mark.usefixtures("inline_worker")
def test_a_zip_of_a_few_kilobytes_does_not_fill_the_database(
    tenant: Tenant, admin_api: APIClient, model: Model
):
    limit_passages(tenant, 10_000)
    archive = bomb(long_paragraph("returns"), long_paragraph("boats"))
    assert len(archive) < 100_000

    answer = upload(admin_api, archive, "offers.zip").json()

    assert (answer["sync_status"], answer["chunks_count"]) == ("error", 0)
    assert answer["error_message"].startswith("Your Enterprise plan holds 10,000 passages, and")
    assert (stored(tenant), used(tenant), model.read) == (0, 0, 0)


@pytest.mark.usefixtures("inline_worker")
def test_what_a_text_says_again_and_again_is_kept_once_and_told(
    tenant: Tenant, admin_api: APIClient
):
    archive = bomb(long_paragraph("returns"), passages=2_000)

    answer = upload(admin_api, archive, "offers.zip").json()

    assert (answer["sync_status"], answer["chunks_count"], stored(tenant)) == ("synced", 1, 1)
    status = admin_api.get(f"/ingest/sources/{answer['source_id']}/status").json()
    assert status["details"]["warnings"] == [
        "offers.zip / a.txt: 1,999 passages repeat the one before them and were kept only once."
    ]


# --- What is counted ------------------------------------------------------------------------------


def test_all_sources_of_a_tenant_count_together(
    tenant: Tenant, other_tenant: Tenant, source: Source, folder: Folder
):
    make_source(tenant, chunks_count=4)
    make_source(other_tenant, chunks_count=100)
    folder.sizes = {"a": 6}

    assert sync_now(source).sync_status == "synced"
    assert used(tenant) == 10

    folder.sizes, folder.known = {"a": 6, "b": 1}, {"a"}
    assert sync_now(source).sync_status == "error"
    assert used(tenant) == 10


@pytest.mark.parametrize("sizes", [{"a": 11}, {"a": 6, "b": 5}, dict.fromkeys("abcdefghijk", 1)])
def test_what_would_be_more_than_the_plan_holds_ends_with_the_reason_and_leaves_nothing(
    tenant: Tenant, source: Source, folder: Folder, sizes: dict[str, int]
):
    folder.sizes = sizes

    failed = sync_now(source)

    assert (failed.sync_status, failed.error_code) == ("error", "PLAN_LIMIT_REACHED")
    assert failed.error_message == USED_UP
    assert (failed.reserved_count, stored(tenant), used(tenant)) == (0, 0, 0)
    assert not Document.objects.for_tenant(tenant).exists()


def test_of_a_document_that_does_not_fit_nothing_is_embedded(
    source: Source, folder: Folder, model: Model
):
    folder.sizes = {"a": 11}
    sync_now(source)

    assert model.read == 0


def test_the_old_version_goes_on_answering(tenant: Tenant, source: Source, folder: Folder):
    folder.sizes = {"a": 6}
    sync_now(source)
    folder.version, folder.sizes = 2, {"a": 6, "b": 5}

    failed = sync_now(source)

    assert failed.error_message == f"{USED_UP} The previous version keeps answering."
    live = Chunk.objects.for_tenant(tenant).live().order_by("position")
    assert [chunk.text for chunk in live] == [f"a 1 {number}" for number in range(6)]
    assert (failed.chunks_count, stored(tenant), used(tenant)) == (6, 6, 6)

    folder.sizes = {"a": 6, "b": 4}
    assert sync_now(source).sync_status == "synced"
    assert used(tenant) == 10


def test_a_version_takes_the_place_of_the_one_before(source: Source, folder: Folder):
    """Both are stored for a moment, and one of them counts."""
    folder.sizes = {"a": 6, "b": 2}
    sync_now(source)
    folder.version, folder.sizes = 2, {"c": 6, "b": 3}

    assert sync_now(source).sync_status == "synced"
    assert used(source.tenant) == 9


@pytest.mark.parametrize("keeps_rest", [False, True])
def test_what_stays_counts_beside_what_is_new(source: Source, folder: Folder, keeps_rest: bool):
    folder.sizes = {"a": 6}
    sync_now(source)
    folder.sizes = {"b": 5} if keeps_rest else {"a": 6, "b": 5}
    folder.known, folder.keeps_rest = {"a"}, keeps_rest

    assert sync_now(source).error_code == "PLAN_LIMIT_REACHED"
    assert used(source.tenant) == 6


def test_in_a_smaller_plan_what_is_there_is_read_anew_and_does_not_grow(
    tenant: Tenant, source: Source, folder: Folder
):
    folder.sizes = {"a": 9}
    sync_now(source)
    limit_passages(tenant, 4)

    folder.version = 2
    assert sync_now(source).sync_status == "synced"
    folder.version, folder.sizes = 3, {"a": 10}
    assert sync_now(source).error_code == "PLAN_LIMIT_REACHED"


@pytest.mark.parametrize(("limit", "blocks"), [(LIMIT, False), (None, True)])
def test_a_plan_that_bills_what_is_over_its_limit_or_has_none_refuses_nothing(
    source: Source, folder: Folder, limit: int | None, blocks: bool
):
    limit_passages(source.tenant, limit, blocks=blocks)
    folder.sizes = {"a": 6, "b": 20}

    assert sync_now(source).sync_status == "synced"
    assert used(source.tenant) == 26


def test_what_is_deleted_counts_no_more(tenant: Tenant, source: Source, folder: Folder):
    folder.sizes = {"a": 10}
    sync_now(source)
    second = make_source(tenant, source_type="api")
    assert sync_now(second).error_code == "PLAN_LIMIT_REACHED"

    delete_source(tenant, source.pk)

    assert used(tenant) == 0
    assert sync_now(second).sync_status == "synced"


@pytest.mark.usefixtures("inline_worker")
def test_a_full_plan_refuses_an_upload_before_it_is_stored(tenant: Tenant, admin_api: APIClient):
    limit_passages(tenant, LIMIT)
    make_source(tenant, source_type="web", chunks_count=10)

    answer = upload(admin_api, b"Boats are rented by the hour.", "a.txt")

    assert answer.status_code == 402
    assert answer.json()["error"] == {
        "code": "PLAN_LIMIT_REACHED",
        "message": (
            "Your Enterprise plan holds 10 passages, and they are used up. Delete sources, or"
            " change the plan."
        ),
    }
    assert Source.objects.for_tenant(tenant).count() == 1


# --- Whatever ends a run --------------------------------------------------------------------------


def test_a_kill_leaves_what_is_staged_counted_and_the_next_worker_ends_it(
    source: Source, folder: Folder, model: Model
):
    folder.sizes = {"a": 3, "b": 3}
    model.ends_after = 4

    killed = sync_now(source)

    assert killed.sync_status == "syncing"
    assert used(source.tenant) == 6  # "b" is reserved, and in part embedded
    assert sync_now(source).sync_status == "synced"
    assert (used(source.tenant), stored(source.tenant)) == (6, 6)


def test_what_a_dead_run_had_reserved_and_not_written_comes_free_at_its_end(
    source: Source, folder: Folder, model: Model
):
    folder.sizes = {"a": 2, "b": 8}
    model.ends_after = 3
    sync_now(source)
    assert used(source.tenant) == 10
    past = timezone.now() - dispatch.WAITING_MAX - timedelta(minutes=1)
    Source.objects.for_tenant(source.tenant).update(sync_lease_until=past)

    dispatch.end_forgotten_runs(timezone.now())

    assert now(source).sync_status == "error"
    assert used(source.tenant) == stored(source.tenant) == 2


def test_a_kill_while_a_refused_run_gives_back_what_it_staged_loses_no_count(
    source: Source, folder: Folder, monkeypatch: pytest.MonkeyPatch
):
    def kill(*_: Any) -> None:
        raise Killed

    folder.sizes = {"a": 6, "b": 5}
    with monkeypatch.context() as patch:
        patch.setattr(batches, "unstage_documents", kill)
        sync_now(source)
    assert used(source.tenant) == stored(source.tenant) == 6

    assert sync_now(source).error_code == "PLAN_LIMIT_REACHED"
    assert used(source.tenant) == stored(source.tenant) == 0


def test_a_run_that_lost_its_lock_reserves_nothing(source: Source, folder: Folder):
    folder.sizes = {"a": 6}
    run_id = runs.begin_run(source.tenant, source.pk)
    assert run_id is not None
    claimed = runs.claim_run(source.tenant, source.pk, run_id=run_id)
    assert claimed is not None
    Source.objects.for_tenant(source.tenant).update(sync_run_id=uuid.uuid4())

    with pytest.raises(SyncSuperseded):
        reserve_passages(claimed, run_id=run_id, needed=6)

    assert used(source.tenant) == 0


# --- Many at once ---------------------------------------------------------------------------------


def test_of_uploads_at_the_same_time_as_many_are_indexed_as_the_plan_holds(
    committed_tenant: Tenant,
):
    limit_passages(committed_tenant, 7)

    def upload_three_passages() -> str:
        topics = (f"{topic} {uuid.uuid4().hex[:4]}" for topic in ("boats", "sails", "oars"))
        file = text_file(*map(long_paragraph, topics))
        try:
            source = ingest_file(committed_tenant, file=file, filename="a.txt")
        except PlanLimitReached:
            return "refused"
        return source.error_code

    outcomes = in_parallel(upload_three_passages, times=25)

    assert outcomes.count("") == 2
    assert set(outcomes) == {"", "PLAN_LIMIT_REACHED"}
    assert used(committed_tenant) == stored(committed_tenant) == 6


# --- Heavy tenants --------------------------------------------------------------------------------


@pytest.fixture
def few_passages_are_heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (lanes, batches):
        monkeypatch.setattr(module, "HEAVY_PASSAGES", 4)


def begin_upload_of(tenant: Tenant) -> Source:
    run_id = uuid.uuid4()
    return make_source(tenant, **runs.fields_of_new_run(run_id, lane=Lane.UPLOADS))


@pytest.mark.usefixtures("few_passages_are_heavy")
@pytest.mark.parametrize("sizes", [{"a": 9}, {"a": 2, "b": 2, "c": 2, "d": 2}])
def test_an_upload_that_turns_out_heavy_goes_on_in_the_background(
    tenant: Tenant, folder: Folder, model: Model, sizes: dict[str, int]
):
    folder.sizes = sizes
    source = begin_upload_of(tenant)
    assert source.sync_run_id is not None

    with pytest.raises(sync.GoesOn) as goes_on:
        sync.sync_source(tenant, source.pk, run_id=source.sync_run_id)

    assert goes_on.value.lane == now(source).sync_lane == Lane.BACKGROUND
    assert model.read < 9
    assert sync_now(source).sync_status == "synced"
    assert model.read == sum(sizes.values())


@pytest.mark.usefixtures("few_passages_are_heavy")
def test_a_light_upload_stays_where_somebody_waits_for_it(
    tenant: Tenant, folder: Folder, model: Model
):
    folder.sizes = {"a": 4}
    source = begin_upload_of(tenant)
    assert source.sync_run_id is not None

    sync.sync_source(tenant, source.pk, run_id=source.sync_run_id)

    assert (now(source).sync_status, now(source).sync_lane) == ("synced", Lane.UPLOADS)


@pytest.mark.usefixtures("few_passages_are_heavy")
def test_further_uploads_of_a_heavy_tenant_wait_in_the_background(
    tenant: Tenant, other_tenant: Tenant
):
    make_source(tenant, chunks_count=3, last_synced_at=timezone.now())
    make_source(tenant, source_type="web", chunks_count=9, last_synced_at=timezone.now())
    assert uploads.choose_lane(tenant) == Lane.UPLOADS
    under_way = begin_upload_of(tenant)
    Source.objects.for_tenant(tenant).filter(pk=under_way.pk).update(reserved_count=2)

    assert uploads.choose_lane(tenant) == Lane.BACKGROUND
    assert uploads.choose_lane(other_tenant) == Lane.UPLOADS
    an_hour_ago = timezone.now() - lanes.HEAVY_FOR
    Source.objects.for_tenant(tenant).update(last_synced_at=an_hour_ago)
    assert uploads.choose_lane(tenant) == Lane.UPLOADS


# --- The first values -----------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("plan", "limit"),
    [("free", 10_000), ("starter", 200_000), ("pro", 2_000_000), ("enterprise", None)],
)
def test_each_plan_holds_four_hundred_passages_a_document(plan: str, limit: int | None):
    assert make_tenant(plan=plan).plan.max_passages == limit
