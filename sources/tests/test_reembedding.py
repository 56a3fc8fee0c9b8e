"""Another embedding model: its vectors beside the old ones, the swap, what is left behind.

query/tests/test_model_swap.py does it while questions are asked, and with a process that is killed.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from accounts.models import Tenant
from reading.passages import ChunkLevel, Passage, ReadDocument
from sources.connectors.interface import Item, SyncContext, Unchanged
from sources.embedding import embedder
from sources.embedding.spaces import add_space
from sources.errors import EmbeddingModelChanged
from sources.indexing import reembedding
from sources.indexing.generations import mark_removed, stage_documents
from sources.indexing.index import embed_documents
from sources.models import (
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    Document,
    EmbeddingSpace,
    Source,
    SyncStatus,
)
from sources.services.uploads import ingest_file
from sources.syncing import batches, runs, sync
from sources.tests.factories import make_source, text_file
from sources.tests.indexing import replace_documents
from sources.tests.tiny_models import TINY_DIMENSION, make_model

pytestmark = [
    pytest.mark.slow,
    # of the libraries that save and export models
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def old_model(folder: Path) -> str:
    return make_model(folder / "old")


@pytest.fixture(scope="module")
def new_model(folder: Path) -> str:
    return make_model(folder / "new", pooling="cls", seed=1)


@pytest.fixture(autouse=True)
def indexed_with_the_old_model(
    db, folder: Path, old_model: str, settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a database where tests with threads may have left the space that they were the first to
    activate."""
    EmbeddingSpace.objects.all().delete()
    settings.MODELS_DIR = folder / "exported"
    settings.EMBEDDING_MODEL = old_model
    monkeypatch.setattr(embedder, "loaded_models", embedder.LoadedModels())
    monkeypatch.setattr("sources.indexing.index.get_embedder", embedder.get_embedder)


def read_document(*texts: str) -> ReadDocument:
    passages = tuple(
        Passage(text, location=f"paragraph {number}", section_title="", level=ChunkLevel.PARAGRAPH)
        for number, text in enumerate(texts, start=1)
    )
    return ReadDocument("notes.txt", "notes.txt", "text/plain", "0" * 64, passages)


def index(tenant: Tenant, *texts: str, source: Source | None = None) -> Source:
    source = source or make_source(tenant)
    embedded = embed_documents(tenant, source.pk, [read_document(*texts)])
    with transaction.atomic():
        replace_documents(tenant, source.pk, embedded)
    return source


def run(capsys: pytest.CaptureFixture[str], *arguments: str, **options: Any) -> dict[str, Any]:
    capsys.readouterr()
    call_command("reembed", *arguments, verbosity=0, **options)
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def spaces() -> dict[str, bool]:
    return dict(EmbeddingSpace.objects.values_list("model", "is_active"))


def vectors_by_space(*tenants: Tenant) -> Counter[int]:
    return Counter(
        space
        for tenant in tenants
        for space in ChunkEmbedding.objects.for_tenant(tenant).values_list("space", flat=True)
    )


def readings_by_space(*tenants: Tenant) -> Counter[int]:
    return Counter(
        space
        for tenant in tenants
        for space in ChunkReading.objects.for_tenant(tenant).values_list("space", flat=True)
    )


def index_without_readings(tenant: Tenant, *texts: str) -> Source:
    """As versions before 0.1 did: their vectors do not know their language either."""
    source = index(tenant, *texts)
    ChunkReading.objects.for_tenant(tenant).delete()
    ChunkEmbedding.objects.for_tenant(tenant).update(language="")
    return source


def missing(*tenants: Tenant) -> int:
    space = EmbeddingSpace.objects.get(is_active=True)
    return sum(reembedding.missing_chunks(tenant, space).count() for tenant in tenants)


def test_the_first_text_makes_the_setting_the_model_that_answers(tenant, old_model):
    index(tenant, "Boats sail.")

    space = EmbeddingSpace.objects.get()
    assert (space.pk, space.model, space.dimension, space.is_active) == (
        1,
        old_model,
        TINY_DIMENSION,
        True,
    )


def test_another_setting_alone_changes_nothing(tenant, old_model, new_model, settings):
    index(tenant, "Boats sail.")
    settings.EMBEDDING_MODEL = new_model

    index(tenant, "Trains run.")

    assert spaces() == {old_model: True}
    assert vectors_by_space(tenant) == {1: 2}


def test_a_start_with_another_setting_says_what_to_do(
    tenant, old_model, new_model, settings, capsys
):
    index(tenant, "Boats sail.")
    settings.EMBEDDING_MODEL = new_model

    call_command("prepare_embedding_model")

    assert capsys.readouterr().err == (
        f"Everything is indexed with the embedding model {old_model}, which goes on answering."
        f" To change to {new_model}: bin/manage reembed\n"
    )


def test_another_model_can_be_exported_ahead(tenant, old_model, new_model, settings, capsys):
    index(tenant, "Boats sail.")

    call_command("prepare_embedding_model", model=new_model)

    exported = Path(capsys.readouterr().out.strip())
    assert (exported.parent, (exported / "model.onnx").is_file()) == (settings.MODELS_DIR, True)


def test_every_chunk_of_every_tenant_is_embedded_and_the_old_vectors_go(
    tenant, other_tenant, new_model, settings, capsys
):
    index(tenant, "Boats sail.", "Ships sink.", "Planes fly.")
    index(other_tenant, "Trains run.")
    settings.EMBEDDING_MODEL = new_model

    answer = run(capsys, "--batch", "2")

    assert answer.pop("seconds") > 0
    assert answer == {
        "model": new_model,
        "dimension": TINY_DIMENSION,
        "chunks": 4,
        "is_swapped": True,
    }
    assert spaces() == {new_model: True}
    assert vectors_by_space(tenant, other_tenant) == {2: 4}
    assert readings_by_space(tenant, other_tenant) == {2: 4}


def test_the_vectors_are_those_that_a_new_sync_would_make(tenant, new_model, settings, capsys):
    source = index(tenant, "Boats sail. " * 30, "¿Cuánto cuesta?")
    settings.EMBEDDING_MODEL = new_model
    run(capsys)
    reembedded = stored(tenant)

    delete = embed_documents(tenant, source.pk, [])
    with transaction.atomic():
        replace_documents(tenant, source.pk, delete)
    index(tenant, "Boats sail. " * 30, "¿Cuánto cuesta?", source=source)

    assert len(reembedded) > 2  # windows
    assert stored(tenant) == reembedded


def stored(tenant: Tenant) -> list[tuple[int, list[float]]]:
    rows = ChunkEmbedding.objects.for_tenant(tenant).order_by("chunk_id", "window")
    return [(row.window, [round(float(x), 2) for x in row.embedding]) for row in rows]


def test_after_a_swap_a_sync_embeds_only_what_is_new(tenant, new_model, settings, capsys):
    source = index(tenant, "Boats sail.", "El barco zarpa a las nueve de la mañana.")
    settings.EMBEDDING_MODEL = new_model
    run(capsys)

    (embedded,) = embed_documents(
        tenant,
        source.pk,
        [read_document("Boats sail.", "El barco zarpa a las nueve de la mañana.", "New.")],
    )

    assert embedded.embedded_count == 1


def test_nothing_to_do_is_done_at_once(tenant, old_model, capsys):
    index(tenant, "Boats sail.")

    assert run(capsys)["is_swapped"] is False
    assert spaces() == {old_model: True}


def test_readings_that_are_missing_are_made_without_another_model(
    tenant, other_tenant, old_model, capsys
):
    index_without_readings(tenant, "Boats sail.", "El barco zarpa a las nueve.")
    index_without_readings(other_tenant, "Trains run.")
    index(other_tenant, "Planes fly.")
    before = stored(tenant)

    answer = run(capsys, "--batch", "2")

    assert (answer["model"], answer["chunks"], answer["is_swapped"]) == (old_model, 3, False)
    assert missing(tenant, other_tenant) == 0
    assert spaces() == {old_model: True}
    assert vectors_by_space(tenant, other_tenant) == {1: 4}
    assert readings_by_space(tenant, other_tenant) == {1: 4}
    assert stored(tenant) == before
    rows = ChunkEmbedding.objects.for_tenant(tenant).order_by("chunk_id")
    assert list(rows.values_list("language", flat=True)) == ["en", "es"]


def test_without_readings_the_model_is_changed_too(tenant, new_model, settings, capsys):
    index_without_readings(tenant, "Boats sail.", "Ships sink.")
    settings.EMBEDDING_MODEL = new_model

    assert run(capsys)["is_swapped"] is True
    assert missing(tenant) == 0
    assert vectors_by_space(tenant) == readings_by_space(tenant) == {2: 2}


def test_a_run_that_was_killed_while_it_made_them_goes_on(tenant, capsys):
    index_without_readings(tenant, "Boats sail.", "Ships sink.", "Planes fly.")
    stop_at_the_second_batch()
    assert missing(tenant) == 2

    assert run(capsys)["chunks"] == 2
    assert missing(tenant) == 0
    assert vectors_by_space(tenant) == readings_by_space(tenant) == {1: 3}


def test_a_run_goes_on_where_an_earlier_one_was_killed(tenant, new_model, settings, capsys):
    index(tenant, "Boats sail.", "Ships sink.", "Planes fly.")
    settings.EMBEDDING_MODEL = new_model
    stop_at_the_second_batch()

    answer = run(capsys)

    assert answer["chunks"] == 2
    assert vectors_by_space(tenant) == {2: 3}


class Killed(Exception):
    pass


def stop_at_the_second_batch() -> None:
    def on_progress(*, done: int, total: int) -> None:
        if done:
            raise Killed

    with pytest.raises(Killed):
        reembedding.reembed(batch_chunks=1, on_progress=on_progress)


def test_half_built_nothing_has_changed_for_questions(tenant, old_model, new_model, settings):
    index(tenant, "Boats sail.", "Ships sink.")
    settings.EMBEDDING_MODEL = new_model
    stop_at_the_second_batch()

    assert spaces() == {old_model: True, new_model: False}
    assert vectors_by_space(tenant) == readings_by_space(tenant) == {1: 2, 2: 1}
    assert embedder.get_embedder().card.name == old_model


def test_what_is_synced_meanwhile_is_embedded_too(tenant, new_model, settings, capsys):
    source = index(tenant, "Boats sail.", "Ships sink.")
    settings.EMBEDDING_MODEL = new_model
    stop_at_the_second_batch()
    index(tenant, "Trains run.", source=source)
    index(tenant, "Planes fly.")

    assert run(capsys)["chunks"] == 2
    assert vectors_by_space(tenant) == {2: 2}


def test_a_chunk_that_is_gone_when_its_vectors_are_ready_gets_none(
    tenant, new_model, settings, monkeypatch, capsys
):
    source = index(tenant, "Boats sail.", "Ships sink.")
    settings.EMBEDDING_MODEL = new_model
    embed_chunks = reembedding.embed_chunks

    def replaced_meanwhile(*args: Any) -> Any:
        vectors = embed_chunks(*args)
        monkeypatch.setattr(reembedding, "embed_chunks", embed_chunks)
        index(tenant, "Trains run.", source=source)
        return vectors

    monkeypatch.setattr(reembedding, "embed_chunks", replaced_meanwhile)
    run(capsys)

    chunk = Chunk.objects.for_tenant(tenant).get()
    rows = ChunkEmbedding.objects.for_tenant(tenant).values_list("space", "chunk_id")
    assert list(rows) == [(2, chunk.pk)]


def test_while_too_much_is_missing_the_door_is_not_kept_shut(
    tenant, new_model, settings, monkeypatch, capsys
):
    index(tenant, "Boats sail.")
    settings.EMBEDDING_MODEL = new_model
    swap = reembedding.swap
    offered: list[int | None] = []

    def busy_swap(*args: Any, **options: Any) -> int | None:
        if not offered:
            index(tenant, "One.", "Two.", "Three.")
        offered.append(swap(*args, **options))
        return offered[-1]

    monkeypatch.setattr(reembedding, "swap", busy_swap)
    answer = run(capsys, "--batch", "2")

    assert offered == [None, 0]
    assert answer["chunks"] == 4


def test_the_last_ones_are_made_by_the_swap(tenant, new_model, settings, monkeypatch, capsys):
    index(tenant, "Boats sail.")
    settings.EMBEDDING_MODEL = new_model
    swap = reembedding.swap

    def late_source(*args: Any, **options: Any) -> int | None:
        index(tenant, "One.", "Two.")
        return swap(*args, **options)

    monkeypatch.setattr(reembedding, "swap", late_source)

    assert run(capsys)["chunks"] == 3
    assert vectors_by_space(tenant) == {2: 3}


def test_a_sync_that_embedded_for_the_old_model_has_to_embed_again(
    tenant, new_model, settings, capsys
):
    source = index(tenant, "Boats sail.")
    embedded = embed_documents(tenant, source.pk, [read_document("Trains run.")])
    settings.EMBEDDING_MODEL = new_model
    run(capsys)

    with pytest.raises(EmbeddingModelChanged), transaction.atomic():
        replace_documents(tenant, source.pk, embedded)

    assert Chunk.objects.for_tenant(tenant).get().text == "Boats sail."
    assert EmbeddingModelChanged.retryable


def test_a_sync_in_the_moment_of_the_swap_is_tried_again_by_itself(
    tenant, new_model, settings, monkeypatch, capsys
):
    index(tenant, "Boats sail.")
    settings.EMBEDDING_MODEL = new_model
    embed_once = embed_documents

    def swapped_meanwhile(*args: Any, **options: Any) -> Any:
        documents = embed_once(*args, **options)
        monkeypatch.setattr(batches, "embed_documents", embed_once)
        run(capsys)
        return documents

    monkeypatch.setattr(batches, "embed_documents", swapped_meanwhile)
    monkeypatch.setattr(sync, "RETRY_AFTER_SECONDS", (0.0, 0.0))
    source = ingest_file(tenant, file=text_file(), filename="faq.txt")

    assert source.sync_status == SyncStatus.SYNCED
    assert set(vectors_by_space(tenant)) == {2}


def test_abandoning_deletes_what_was_built(tenant, old_model, new_model, settings, capsys):
    index(tenant, "Boats sail.", "Ships sink.")
    settings.EMBEDDING_MODEL = new_model
    stop_at_the_second_batch()

    assert run(capsys, "--abandon") == {"abandoned": [new_model]}
    assert spaces() == {old_model: True}
    assert vectors_by_space(tenant) == readings_by_space(tenant) == {1: 2}


def test_a_run_whose_space_is_dropped_stops(tenant, new_model, settings, monkeypatch, capsys):
    index(tenant, "Boats sail.")
    settings.EMBEDDING_MODEL = new_model
    embed_chunks = reembedding.embed_chunks

    def dropped_meanwhile(*args: Any) -> Any:
        reembedding.abandon()
        return embed_chunks(*args)

    monkeypatch.setattr(reembedding, "embed_chunks", dropped_meanwhile)
    with pytest.raises(CommandError) as error:
        run(capsys)

    assert str(error.value) == (
        "The vectors were dropped by another run of this command. Run it again."
    )
    assert vectors_by_space(tenant) == {1: 1}


def test_what_a_run_left_that_was_killed_while_deleting_goes(tenant, old_model, capsys):
    """Vectors of a space that is not there any more, and a space of a third model."""
    source = index(tenant, "Boats sail.")
    chunk = Chunk.objects.for_tenant(tenant).get()
    for space in (7, add_space("third", 3).pk):
        ChunkEmbedding.objects.for_tenant(tenant).create(
            source=source, space=space, chunk_id=chunk.pk, window=0, embedding=[1.0]
        )
        ChunkReading.objects.for_tenant(tenant).create(
            source=source, space=space, chunk_id=chunk.pk, content=b""
        )

    run(capsys)

    assert spaces() == {old_model: True}
    assert vectors_by_space(tenant) == readings_by_space(tenant) == {1: 1}


def test_a_number_is_not_given_to_another_model_while_its_vectors_are_there(
    tenant, new_model, settings, capsys
):
    source = index(tenant, "Boats sail.")
    chunk = Chunk.objects.for_tenant(tenant).get()
    ChunkEmbedding.objects.for_tenant(tenant).create(
        source=source, space=2, chunk_id=chunk.pk, window=0, embedding=[1.0]
    )
    settings.EMBEDDING_MODEL = new_model

    assert run(capsys)["chunks"] == 1
    assert len(ChunkEmbedding.objects.for_tenant(tenant).get().embedding) == TINY_DIMENSION


def test_a_model_that_cannot_be_used_changes_nothing(tenant, old_model, settings, tmp_path, capsys):
    index(tenant, "Boats sail.")
    settings.EMBEDDING_MODEL = str(tmp_path / "absent")

    with pytest.raises(CommandError, match="cannot be loaded"):
        run(capsys)

    assert spaces() == {old_model: True}


def test_a_folder_that_holds_another_model_than_when_it_was_begun_is_refused(
    tenant, new_model, settings, capsys
):
    index(tenant, "Boats sail.")
    add_space(new_model, 8)
    settings.EMBEDDING_MODEL = new_model

    with pytest.raises(CommandError, match="bin/manage reembed --abandon"):
        run(capsys)


def test_the_batch_is_at_least_one(capsys):
    with pytest.raises(CommandError, match="--batch must be 1 or more"):
        run(capsys, "--batch", "0")


# --- A sync that has staged something -------------------------------------------------------------


def versions_of_vectors(tenant: Tenant) -> set[tuple[int, int, int]]:
    rows = ChunkEmbedding.objects.for_tenant(tenant)
    return set(rows.values_list("chunk_id", "generation", "removed_in"))


def test_what_is_staged_and_marked_is_embedded_too_and_stays_so(
    tenant, new_model, settings, capsys
):
    source = index(tenant, "Boats sail.")
    source.refresh_from_db()
    embedded = embed_documents(tenant, source.pk, [read_document("Trains run.")])
    with transaction.atomic():
        mark_removed(source, [Document.objects.for_tenant(tenant).get().pk])
        stage_documents(source, list(enumerate(embedded)))
    before = versions_of_vectors(tenant)
    assert len(before) == 2
    settings.EMBEDDING_MODEL = new_model

    assert run(capsys)["chunks"] == 2

    assert vectors_by_space(tenant) == readings_by_space(tenant) == {2: 2}
    assert versions_of_vectors(tenant) == before


class ThreeFiles:
    """A connector."""

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        for name in ("a", "b", "c"):
            if name in context.known:
                yield Unchanged(name)
            else:
                document = read_document(f"Text of file {name}.")
                yield replace(document, external_id=name, content_hash=name)


def test_a_sync_goes_on_after_a_swap_in_its_middle(
    tenant, new_model, settings, monkeypatch, capsys
):
    source = index(tenant, "Boats sail.")
    settings.EMBEDDING_MODEL = new_model
    embedded: list[str] = []

    def swapped_at_the_second(*args: Any, **options: Any) -> Any:
        (document,) = embed_documents(*args, **options)
        embedded.append(document.document.external_id)
        if embedded == ["a", "b"]:
            run(capsys)
        return [document]

    monkeypatch.setattr(batches, "BATCH_DOCUMENTS", 1)
    monkeypatch.setattr(batches, "embed_documents", swapped_at_the_second)
    monkeypatch.setattr(sync, "get_connector", lambda source: ThreeFiles())
    monkeypatch.setattr(sync, "RETRY_AFTER_SECONDS", (0.0, 0.0))
    run_id = runs.begin_run(tenant, source.pk)
    assert run_id is not None
    sync.sync_to_end(tenant, source.pk, run_id=run_id)

    assert embedded == ["a", "b", "b", "c"]
    assert vectors_by_space(tenant) == readings_by_space(tenant) == {2: 3}
    source.refresh_from_db()
    assert (source.sync_status, source.chunks_count) == (SyncStatus.SYNCED, 3)
