"""A database of the version before gets generations, and loses them again."""

import pytest
from django.db import transaction

from accounts.models import Tenant
from sources.indexing.generations import mark_removed, stage_documents
from sources.indexing.index import embed_documents
from sources.language.terms import term_number
from sources.models import (
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    Document,
    Source,
    SourceTerm,
)
from sources.tests.factories import make_source
from sources.tests.indexing import replace_documents
from sources.tests.migrating import migrate_back, upgrade
from sources.tests.test_index import read_document

pytestmark = pytest.mark.slow

BEFORE = "0008_languages_of_vectors"


def index(source: Source, *texts: str) -> None:
    documents = [read_document(text, name=text) for text in texts]
    embedded = embed_documents(source.tenant, source.pk, documents)
    replace_documents(source.tenant, source.pk, embedded)


def answering(tenant: Tenant) -> list[str]:
    chunks = Chunk.objects.for_tenant(tenant).live()
    return sorted(chunks.values_list("text", flat=True))


def searched(tenant: Tenant) -> list[int]:
    tables = (Chunk, ChunkEmbedding, ChunkReading, ChunkTerms, Document)
    return [table.objects.for_tenant(tenant).count() for table in tables]


def count_of(tenant: Tenant, word: str) -> int:
    rows = SourceTerm.objects.for_tenant(tenant).filter(term=term_number(f"={word}"))
    return sum(rows.values_list("chunks_count", flat=True))


def test_what_answered_goes_on_answering(tenant: Tenant, other_tenant: Tenant):
    source, theirs = make_source(tenant), make_source(other_tenant)
    index(source, "Boats sail.", "Ships sink.")
    index(theirs, "Trains run.")

    migrate_back(BEFORE)
    upgrade()

    assert (answering(tenant), answering(other_tenant)) == (
        ["Boats sail.", "Ships sink."],
        ["Trains run."],
    )
    assert count_of(tenant, "boats") == 1
    source.refresh_from_db()
    assert (source.generation, source.cleared_generation) == (0, 0)
    index(source, "Boats sail.", "Planes fly.")
    assert answering(tenant) == ["Boats sail.", "Planes fly."]
    assert (count_of(tenant, "boats"), count_of(tenant, "ships")) == (1, 0)


def test_backwards_only_what_answers_is_kept(tenant: Tenant):
    source = make_source(tenant)
    index(source, "Boats sail.", "Ships sink.")
    source.refresh_from_db()
    ships = Document.objects.for_tenant(tenant).get(external_id="Ships sink.")
    staged = embed_documents(tenant, source.pk, [read_document("Boats fly.", name="Boats sail.")])
    with transaction.atomic():
        stage_documents(source, [(0, staged[0])])
        mark_removed(source, [ships.pk])

    migrate_back(BEFORE)
    upgrade()

    assert answering(tenant) == ["Boats sail.", "Ships sink."]
    assert searched(tenant) == [2] * 5
    assert (count_of(tenant, "boats"), count_of(tenant, "ships"), count_of(tenant, "fly")) == (
        1,
        1,
        0,
    )
