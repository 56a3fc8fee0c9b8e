"""Replacing what a source had: rows of every table, at once, in one tenant."""

import uuid
from dataclasses import replace

import pytest
from django.db import transaction
from django.db.utils import IntegrityError
from pgvector import SparseVector

from language import TERM_DIMENSIONS
from language.glossary import gloss
from language.terms import term_number
from reading.passages import ChunkLevel, Passage, ReadDocument
from sources.embedding.close_reading import decode
from sources.embedding.onnx_model import ModelText
from sources.errors import EmbeddingModelChanged
from sources.indexing.generations import stage_documents
from sources.indexing.index import embed_documents
from sources.indexing.rows import delete_documents
from sources.models import (
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    Document,
    Source,
    SourceTerm,
)
from sources.tests.conftest import FakeEmbedder
from sources.tests.factories import PARAGRAPHS
from sources.tests.indexing import replace_documents

TABLES = (Document, Chunk, ChunkEmbedding, ChunkReading, ChunkTerms, SourceTerm)


def read_document(*texts: str, name: str = "notes.txt") -> ReadDocument:
    passages = tuple(
        Passage(text, location=f"paragraph {number}", section_title="", level=ChunkLevel.PARAGRAPH)
        for number, text in enumerate(texts, start=1)
    )
    return ReadDocument(name, name, "text/plain", "0" * 64, passages)


@pytest.fixture
def source(tenant):
    return Source.objects.for_tenant(tenant).create(name="notes", source_type="file")


def index(tenant, source, *documents, kept=()):
    embedded = embed_documents(tenant, source.pk, documents)
    return replace_documents(tenant, source.pk, embedded, kept=kept)


def test_every_passage_has_a_chunk_a_vector_a_reading_and_terms(tenant, source):
    assert index(tenant, source, read_document("Boats sail.", "Ships sink.")) == 2
    chunks = Chunk.objects.for_tenant(tenant).order_by("position")
    assert [(chunk.position, chunk.text, chunk.location) for chunk in chunks] == [
        (0, "Boats sail.", "paragraph 1"),
        (1, "Ships sink.", "paragraph 2"),
    ]
    ids = {chunk.pk for chunk in chunks}
    assert set(ChunkEmbedding.objects.for_tenant(tenant).values_list("chunk_id", flat=True)) == ids
    assert set(ChunkReading.objects.for_tenant(tenant).values_list("chunk_id", flat=True)) == ids
    assert set(ChunkTerms.objects.for_tenant(tenant).values_list("chunk_id", flat=True)) == ids


def test_a_vector_has_the_language_of_its_passage(tenant, source):
    index(tenant, source, read_document(*PARAGRAPHS))

    rows = ChunkEmbedding.objects.for_tenant(tenant).order_by("chunk_id")
    assert list(rows.values_list("language", flat=True)) == ["en", "es"]


def reading_of(tenant):
    return decode(ChunkReading.objects.for_tenant(tenant).get().content)


def test_a_reading_tells_where_each_sentence_stands_and_its_words(tenant, source):
    text = "Two weeks.  No receipt is needed."
    passage = Passage(text, "section Returns", "Returns by post", ChunkLevel.SECTION)
    index(tenant, source, ReadDocument("d", "d", "text/plain", "0" * 64, (passage,)))

    reading = reading_of(tenant)

    read = [text[start:end] for start, end in reading.spans]
    assert read == ["Two weeks.", "No receipt is needed."]
    assert reading.counts == (3, 2, 4)  # of the heading first; a word is a token


def test_a_table_row_is_one_sentence(tenant, source):
    text = "Price: 3.50 €. Colour: red.\nSize: L"
    passage = Passage(text, "row 2", "", ChunkLevel.ROW)
    index(tenant, source, ReadDocument("d", "d", "text/csv", "0" * 64, (passage,)))

    assert reading_of(tenant).spans == ((0, len(text)),)


def test_an_english_model_reads_spanish_through_the_glossary_with_spans_of_the_original(
    tenant, source, monkeypatch
):
    read_by_the_model: list[ModelText] = []

    class EnglishEmbedder(FakeEmbedder):
        card = replace(FakeEmbedder.card, is_english_only=True)

        def read_passages(self, texts):
            read_by_the_model.extend(texts)
            return super().read_passages(texts)

    monkeypatch.setattr("sources.indexing.index.get_embedder", EnglishEmbedder)
    text = "Los pedidos se entregan en dos días. La tienda abre los lunes."
    index(tenant, source, read_document(text))

    first, second = "Los pedidos se entregan en dos días.", "La tienda abre los lunes."
    assert read_by_the_model == [ModelText(("", gloss(first), gloss(second)), "en")]
    assert [text[start:end] for start, end in reading_of(tenant).spans] == [first, second]


def test_document_frequencies_count_chunks_not_occurrences(tenant, source):
    index(tenant, source, read_document("boats boats", "boats"))
    row = SourceTerm.objects.for_tenant(tenant).get(term=term_number("=boats"))
    assert row.chunks_count == 2


def texts_in_order(tenant):
    chunks = Chunk.objects.for_tenant(tenant).order_by("document__position", "position")
    return list(chunks.values_list("text", flat=True))


def test_documents_and_their_chunks_have_an_order(tenant, source):
    index(tenant, source, read_document("a1", "a2", name="a"), read_document("b1", name="b"))
    assert texts_in_order(tenant) == ["a1", "a2", "b1"]


# --- Only what has changed ------------------------------------------------------------------------


def search_rows(tenant):
    """All that is searched, without the ids that a rewrite changes."""
    texts = dict(Chunk.objects.for_tenant(tenant).values_list("pk", "text"))
    vectors = ChunkEmbedding.objects.for_tenant(tenant).values_list("chunk_id", "embedding")
    readings = ChunkReading.objects.for_tenant(tenant).values_list("chunk_id", "content")
    weights = ChunkTerms.objects.for_tenant(tenant).values_list("chunk_id", "weights")
    frequencies = SourceTerm.objects.for_tenant(tenant).values_list("term", "chunks_count")
    return (
        sorted((texts[pk], vector) for pk, vector in vectors),
        sorted((texts[pk], bytes(content)) for pk, content in readings),
        sorted((texts[pk], vector.to_text()) for pk, vector in weights),
        sorted(frequencies),
    )


def test_a_document_that_is_kept_is_not_written_again(tenant, source):
    index(tenant, source, read_document("a1", name="a"), read_document("b1", name="b"))
    kept = Chunk.objects.for_tenant(tenant).get(text="a1")

    count = index(tenant, source, read_document("b2", "b3", name="b"), kept={"a"})

    assert count == 3
    assert texts_in_order(tenant) == ["a1", "b2", "b3"]
    assert Chunk.objects.for_tenant(tenant).get(text="a1").pk == kept.pk


def test_a_partial_replacement_leaves_what_a_whole_one_would(tenant, source):
    """Vectors, weights and document frequencies alike."""
    a, b = read_document("boats sail", "boats", name="a"), read_document("trains", name="b")
    new_b, c = read_document("boats and trains", name="b"), read_document("planes", name="c")
    index(tenant, source, a, b, read_document("gone", name="d"))
    index(tenant, source, new_b, c, kept={"a"})
    partial = search_rows(tenant)

    index(tenant, source, a, new_b, c)

    assert search_rows(tenant) == partial


def test_a_passage_that_the_source_has_is_not_embedded_again(tenant, source, monkeypatch):
    index(tenant, source, read_document("Boats sail.", "Ships sink."))
    before = search_rows(tenant)
    read_by_the_model: list[str] = []

    class RecordingEmbedder(FakeEmbedder):
        def read_passages(self, texts):
            read_by_the_model.extend(text.whole.strip() for text in texts)
            return super().read_passages(texts)

    monkeypatch.setattr("sources.indexing.index.get_embedder", RecordingEmbedder)

    same, new = read_document("Ships sink.", name="b"), read_document("Boats sail.", "Planes fly.")
    embedded = embed_documents(tenant, source.pk, [same, new])

    assert read_by_the_model == ["Planes fly."]
    assert [document.embedded_count for document in embedded] == [0, 1]
    index(tenant, source, read_document("Boats sail.", "Ships sink."))
    assert search_rows(tenant) == before


def test_a_vector_without_a_reading_is_made_again(tenant, source):
    """Versions before kept none."""
    index(tenant, source, read_document("Boats sail."))
    ChunkReading.objects.for_tenant(tenant).delete()

    index(tenant, source, read_document("Boats sail."))

    assert ChunkReading.objects.for_tenant(tenant).count() == 1
    assert ChunkEmbedding.objects.for_tenant(tenant).count() == 1


def test_deleting_a_document_leaves_nothing_of_it_and_all_of_the_others(tenant, source):
    index(tenant, source, read_document("a1", "a2", name="a"), read_document("b1", name="b"))
    doomed = Document.objects.for_tenant(tenant).get(external_id="a")

    with transaction.atomic():
        delete_documents(tenant, source.pk, [doomed.pk])

    assert [model.objects.for_tenant(tenant).count() for model in TABLES[:5]] == [1] * 5


def test_a_vector_of_another_model_is_not_used_again(tenant, source, monkeypatch):
    index(tenant, source, read_document("Boats sail."))
    monkeypatch.setattr("sources.indexing.index.get_embedder", lambda: FakeEmbedder(space=999))

    (embedded,) = embed_documents(tenant, source.pk, [read_document("Boats sail.")])

    assert embedded.embedded_count == 1


def test_what_was_embedded_for_a_model_that_answers_no_more_is_not_written(
    tenant, source, monkeypatch
):
    index(tenant, source, read_document("Old."))
    monkeypatch.setattr("sources.indexing.index.get_embedder", lambda: FakeEmbedder(space=999))

    with pytest.raises(EmbeddingModelChanged):
        index(tenant, source, read_document("New."))

    assert Chunk.objects.for_tenant(tenant).get().text == "Old."


def test_a_vector_of_another_tenant_is_not_used(tenant, other_tenant, source):
    theirs = Source.objects.for_tenant(other_tenant).create(name="theirs", source_type="file")
    index(other_tenant, theirs, read_document("Boats sail."))

    (embedded,) = embed_documents(tenant, source.pk, [read_document("Boats sail.")])

    assert embedded.embedded_count == 1


def test_replacing_leaves_nothing_of_what_was_there(tenant, source):
    index(tenant, source, read_document("Boats sail.", "Ships sink.", name="old.txt"))
    index(tenant, source, read_document("Trains run.", name="new.txt"))
    assert [model.objects.for_tenant(tenant).count() for model in TABLES[:5]] == [1] * 5
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
    monkeypatch.setattr("sources.indexing.rows.write_search_rows", lambda *_: 1 / 0)
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
    assert [model.objects.for_tenant(tenant).count() for model in TABLES] == [0] * 6


def test_section_titles_are_searched_with_their_passage(tenant, source):
    passage = Passage("Two weeks.", "section Returns", "Returns", ChunkLevel.SECTION)
    index(tenant, source, ReadDocument("d", "d", "text/plain", "0" * 64, (passage,)))
    assert SourceTerm.objects.for_tenant(tenant).filter(term=term_number("=returns")).exists()
    assert Chunk.objects.for_tenant(tenant).get().text == "Two weeks."


def test_a_source_that_is_no_more_cannot_be_indexed(tenant):
    lost = uuid.uuid4()
    (embedded,) = embed_documents(tenant, lost, [read_document("Lost.")])
    with pytest.raises(IntegrityError), transaction.atomic():
        stage_documents(Source(tenant=tenant, pk=lost), [(0, embedded)])
