"""Replacing what a source had: rows of every table, at once, in one tenant."""

import uuid

import pytest
from django.db import transaction
from django.db.utils import IntegrityError
from pgvector import SparseVector

from sources.ingestion.index import embed_documents, replace_chunks
from sources.ingestion.passages import Passage, ReadDocument
from sources.language import TERM_DIMENSIONS
from sources.language.terms import term_number
from sources.models import (
    Chunk,
    ChunkEmbedding,
    ChunkLevel,
    ChunkTerms,
    Document,
    Source,
    SourceTerm,
)

TABLES = (Document, Chunk, ChunkEmbedding, ChunkTerms, SourceTerm)


def read_document(*texts: str, name: str = "notes.txt") -> ReadDocument:
    passages = tuple(
        Passage(text, location=f"paragraph {number}", section_title="", level=ChunkLevel.PARAGRAPH)
        for number, text in enumerate(texts, start=1)
    )
    return ReadDocument(name, name, "text/plain", "0" * 64, "", passages)


@pytest.fixture
def source(tenant):
    return Source.objects.for_tenant(tenant).create(name="notes", source_type="file")


def index(tenant, source, *documents):
    embedded = embed_documents(documents)
    with transaction.atomic():
        return replace_chunks(tenant, source.pk, embedded)


def test_every_passage_has_a_chunk_a_vector_and_terms(tenant, source):
    assert index(tenant, source, read_document("Boats sail.", "Ships sink.")) == 2
    chunks = Chunk.objects.for_tenant(tenant).order_by("position")
    assert [(chunk.position, chunk.text, chunk.location) for chunk in chunks] == [
        (0, "Boats sail.", "paragraph 1"),
        (1, "Ships sink.", "paragraph 2"),
    ]
    ids = {chunk.pk for chunk in chunks}
    assert set(ChunkEmbedding.objects.for_tenant(tenant).values_list("chunk_id", flat=True)) == ids
    assert set(ChunkTerms.objects.for_tenant(tenant).values_list("chunk_id", flat=True)) == ids


def test_document_frequencies_count_chunks_not_occurrences(tenant, source):
    index(tenant, source, read_document("boats boats", "boats"))
    row = SourceTerm.objects.for_tenant(tenant).get(term=term_number("=boats"))
    assert row.chunks_count == 2


def test_positions_run_through_all_documents_of_a_source(tenant, source):
    index(tenant, source, read_document("a1", "a2", name="a"), read_document("b1", name="b"))
    chunks = Chunk.objects.for_tenant(tenant).order_by("position").values_list("text", flat=True)
    assert list(chunks) == ["a1", "a2", "b1"]


def test_replacing_leaves_nothing_of_what_was_there(tenant, source):
    index(tenant, source, read_document("Boats sail.", "Ships sink.", name="old.txt"))
    index(tenant, source, read_document("Trains run.", name="new.txt"))
    assert [model.objects.for_tenant(tenant).count() for model in TABLES[:4]] == [1, 1, 1, 1]
    assert Document.objects.for_tenant(tenant).get().external_id == "new.txt"


def test_replacing_leaves_other_sources_alone(tenant, other_tenant, source):
    other = Source.objects.for_tenant(other_tenant).create(name="theirs", source_type="file")
    second = Source.objects.for_tenant(tenant).create(name="second", source_type="file")
    for owner, row in ((other_tenant, other), (tenant, second)):
        index(owner, row, read_document("Kept."))
    index(tenant, source, read_document("Old."))
    index(tenant, source, read_document("New."))
    texts = Chunk.objects.for_tenant(tenant).values_list("text", flat=True)
    assert sorted(texts) == ["Kept.", "New."]
    assert Chunk.objects.for_tenant(other_tenant).get().text == "Kept."


def test_a_failure_half_way_changes_nothing(tenant, source, monkeypatch):
    index(tenant, source, read_document("Old."))
    monkeypatch.setattr("sources.ingestion.index.write_search_rows", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        index(tenant, source, read_document("New."))
    assert Chunk.objects.for_tenant(tenant).get().text == "Old."
    assert ChunkEmbedding.objects.for_tenant(tenant).count() == 1


def test_search_rows_cannot_point_to_another_tenants_source(tenant, other_tenant, source):
    with pytest.raises(IntegrityError), transaction.atomic():
        ChunkTerms.all_tenants.create(
            tenant=other_tenant,
            source_id=source.pk,
            chunk_id=1,
            weights=SparseVector({1: 1.0}, TERM_DIMENSIONS),
        )


def test_deleting_a_source_deletes_its_rows_in_every_table(tenant, source):
    index(tenant, source, read_document("Boats sail."))
    source.delete()
    assert [model.objects.for_tenant(tenant).count() for model in TABLES] == [0] * 5


def test_section_titles_are_searched_with_their_passage(tenant, source):
    passage = Passage("Two weeks.", "section Returns", "Returns", ChunkLevel.SECTION)
    index(tenant, source, ReadDocument("d", "d", "text/plain", "0" * 64, "", (passage,)))
    assert SourceTerm.objects.for_tenant(tenant).filter(term=term_number("=returns")).exists()
    assert Chunk.objects.for_tenant(tenant).get().text == "Two weeks."


def test_a_source_that_is_no_more_cannot_be_indexed(tenant):
    with pytest.raises(IntegrityError), transaction.atomic():
        replace_chunks(tenant, uuid.uuid4(), embed_documents([read_document("Lost.")]))
