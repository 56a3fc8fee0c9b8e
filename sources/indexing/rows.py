"""The rows of a document and of what is searched of it, in every table: written, marked and deleted
together. Inside the caller's transaction, which has locked the source's row.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain, islice
from typing import Any

from django.db import connection, models
from django.utils import timezone
from pgvector import HalfVector, SparseVector
from psycopg import sql

from accounts.models import Tenant
from accounts.models.tenancy import TenantModel, TenantQuerySet
from language import TERM_DIMENSIONS
from reading.passages import Description
from sources.indexing.index import EmbeddedDocument, EmbeddedPassage, PassageVectors
from sources.models import (
    NEVER,
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    Document,
    EmbeddingSpace,
    SourceTerm,
)

TITLE_MAX_CHARS = 500  # of a document, as its column holds
ROWS_AT_ONCE = 100  # of one statement: vectors of 4 KB each; thousands are slower to parse
# The `content_hash` of a document of which only a part is written: it is of no bytes yet.
OF_A_PART = ""

# A term's row of a generation is the sum of what each batch changed.
ADD_TO_TERMS = """
INSERT INTO sources_sourceterm (tenant_id, source_id, generation, term, chunks_count)
SELECT %s, %s, %s, change.term, change.chunks_count
FROM unnest(%s::int[], %s::int[]) AS change (term, chunks_count)
ON CONFLICT (tenant_id, term, source_id, generation)
DO UPDATE SET chunks_count = sources_sourceterm.chunks_count + excluded.chunks_count
"""


# --- Documents and their passages -----------------------------------------------------------------


def make_document(
    tenant: Tenant,
    source_id: uuid.UUID,
    embedded: EmbeddedDocument,
    *,
    position: int,
    generation: int,
) -> Document:
    """`embedded` may be a part of a long document: the one that ends it makes it whole."""
    document = embedded.document
    chunks_count = embedded.first + len(embedded.passages)
    is_whole = chunks_count == len(document.passages)
    return Document(
        tenant=tenant,
        source_id=source_id,
        title=document.title[:TITLE_MAX_CHARS],
        external_id=document.external_id,
        content_type=document.content_type,
        content_hash=document.content_hash if is_whole else OF_A_PART,
        etag=document.etag,
        last_modified=document.last_modified,
        place=document.place,
        link=document.link,
        position=position,
        warnings=document.warnings,
        coverage=asdict(document.coverage),
        chunks_count=chunks_count,
        synced_at=timezone.now(),
        generation=generation,
    )


def write_chunks(
    tenant: Tenant, source_id: uuid.UUID, documents: Iterable[tuple[Document, EmbeddedDocument]]
) -> Counter[int]:
    """Writes the chunks of each document, in its generation, and returns in how many of them each
    term stands."""
    numbered = [
        (row, position, passage)
        for row, embedded in documents
        for position, passage in enumerate(embedded.passages, start=embedded.first)
    ]
    chunks = Chunk.objects.for_tenant(tenant).bulk_create(
        [make_chunk(tenant, source_id, *item) for item in numbered], batch_size=1000
    )
    write_search_rows(
        tenant,
        source_id,
        [
            (chunk.pk, row.generation, passage)
            for chunk, (row, _, passage) in zip(chunks, numbered, strict=True)
        ],
    )
    return Counter(term for _, _, passage in numbered for term in passage.weights)


def make_chunk(
    tenant: Tenant,
    source_id: uuid.UUID,
    document: Document,
    position: int,
    embedded: EmbeddedPassage,
) -> Chunk:
    return Chunk(
        tenant=tenant,
        source_id=source_id,
        document=document,
        position=position,
        text=embedded.passage.text,
        location=embedded.passage.location,
        section_title=embedded.passage.section_title,
        level=embedded.passage.level,
        language=embedded.language,
        embedded_hash=embedded.embedded_hash,
    )


def write_search_rows(
    tenant: Tenant, source_id: uuid.UUID, passages: Sequence[tuple[int, int, EmbeddedPassage]]
) -> None:
    """Writes the rows that are searched, given each chunk's number, its generation and its
    passage."""
    write_vectors(
        tenant,
        source_id,
        [
            StoredVectors(
                passage.space, chunk_id, passage.language, passage.vectors, generation, NEVER
            )
            for chunk_id, generation, passage in passages
        ],
    )
    insert_rows(
        ChunkTerms,
        ("tenant_id", "source_id", "chunk_id", "weights", "generation", "removed_in"),
        (
            (tenant.pk, source_id, chunk_id, weights_text(passage.weights), generation, NEVER)
            for chunk_id, generation, passage in passages
        ),
    )


def mark_documents(
    tenant: Tenant, source_id: uuid.UUID, document_ids: Sequence[uuid.UUID], *, removed_in: int
) -> None:
    documents = Document.objects.for_tenant(tenant).filter(pk__in=document_ids)
    documents.update(removed_in=removed_in)
    chunk_ids = chunks_of(tenant, document_ids)
    for rows in searched_rows(tenant, source_id, chunk_ids, ChunkEmbedding, ChunkTerms):
        rows.update(removed_in=removed_in)


def describe_documents(
    tenant: Tenant, descriptions: Iterable[tuple[uuid.UUID, Description]]
) -> None:
    """Updates the descriptions of documents whose text stays."""
    rows = [Document(tenant=tenant, pk=pk, **asdict(told)) for pk, told in descriptions]
    names = [column.name for column in fields(Description)]
    Document.objects.for_tenant(tenant).bulk_update(rows, names, batch_size=500)


def delete_documents(
    tenant: Tenant, source_id: uuid.UUID, document_ids: Sequence[uuid.UUID]
) -> None:
    """Deletes the documents from all tables but SourceTerm."""
    chunk_ids = chunks_of(tenant, document_ids)
    doomed: tuple[TenantQuerySet[Any], ...] = (
        *searched_rows(tenant, source_id, chunk_ids, ChunkEmbedding, ChunkReading, ChunkTerms),
        Chunk.objects.for_tenant(tenant).filter(document_id__in=document_ids),
        Document.objects.for_tenant(tenant).filter(pk__in=document_ids),
    )
    for rows in doomed:
        delete_rows(rows)


def chunks_of(tenant: Tenant, document_ids: Sequence[uuid.UUID]) -> list[int]:
    chunks = Chunk.objects.for_tenant(tenant).filter(document_id__in=document_ids)
    return list(chunks.values_list("pk", flat=True))


def searched_rows(
    tenant: Tenant, source_id: uuid.UUID, chunk_ids: Sequence[int], *tables: type[TenantModel]
) -> list[TenantQuerySet[Any]]:
    """The rows of the chunks in each table. The filters name every column of the tables' keys, so
    that no other row of the source is looked at."""
    spaces = list(EmbeddingSpace.objects.values_list("pk", flat=True))
    found: dict[str, Any] = {"source_id": source_id, "chunk_id__in": chunk_ids}
    in_spaces = {**found, "space__in": spaces}
    return [
        table.objects.for_tenant(tenant).filter(**(found if table is ChunkTerms else in_spaces))
        for table in tables
    ]


def delete_rows(rows: TenantQuerySet[Any]) -> None:
    """Deletes the rows with a single DELETE. The ordinary way would load them to look for rows that
    depend on them."""
    rows._raw_delete(rows.db)


# --- Vectors --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredVectors:
    """The vectors stored for a chunk in a space, in the versions of its document."""

    space: int
    chunk_id: int
    language: str
    vectors: PassageVectors
    generation: int
    removed_in: int


def write_vectors(tenant: Tenant, source_id: uuid.UUID, rows: Sequence[StoredVectors]) -> None:
    insert_rows(
        ChunkEmbedding,
        (
            *("tenant_id", "source_id", "space", "chunk_id", "window", "language", "embedding"),
            *("generation", "removed_in"),
        ),
        (
            (
                tenant.pk,
                source_id,
                row.space,
                row.chunk_id,
                window,
                row.language,
                HalfVector(vector).to_text(),
                row.generation,
                row.removed_in,
            )
            for row in rows
            for window, vector in enumerate(row.vectors.windows)
        ),
    )
    insert_rows(
        ChunkReading,
        ("tenant_id", "source_id", "space", "chunk_id", "content"),
        ((tenant.pk, source_id, row.space, row.chunk_id, row.vectors.reading) for row in rows),
    )


def delete_vectors(
    tenant: Tenant, source_id: uuid.UUID, space: int, chunk_ids: Sequence[int]
) -> None:
    for model in (ChunkEmbedding, ChunkReading):
        rows = model.objects.for_tenant(tenant).filter(
            source_id=source_id, space=space, chunk_id__in=chunk_ids
        )
        delete_rows(rows)


# --- Terms ----------------------------------------------------------------------------------------


def terms_of(
    tenant: Tenant, source_id: uuid.UUID, document_ids: Sequence[uuid.UUID]
) -> Counter[int]:
    """Counts for each term the chunks of the documents that it stands in."""
    rows = ChunkTerms.objects.for_tenant(tenant).filter(
        source_id=source_id, chunk_id__in=chunks_of(tenant, document_ids)
    )
    # SparseVector counts dimensions from 0, term numbers start at 1.
    return Counter(index + 1 for row in rows.iterator() for index in row.weights.indices())


def add_to_terms(
    tenant: Tenant, source_id: uuid.UUID, changes: Mapping[int, int], *, generation: int
) -> None:
    """Adds `changes` to the counts of a generation: in how many more, or fewer, chunks each term
    stands."""
    changed = {term: change for term, change in changes.items() if change}
    if not changed:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            ADD_TO_TERMS,
            [tenant.pk, source_id, generation, [*changed.keys()], [*changed.values()]],
        )


def sum_up_terms(
    tenant: Tenant, source_id: uuid.UUID, *, generation: int, first: int, terms_at_once: int
) -> int:
    """Merges some rows of a generation that answers into the first one, and returns how many: the
    sums stay what they are."""
    terms = SourceTerm.objects.for_tenant(tenant).filter(source_id=source_id)
    late = terms.filter(generation=generation)
    changes = dict(late.values_list("term", "chunks_count")[:terms_at_once])
    delete_rows(late.filter(term__in=[*changes]))
    add_to_terms(tenant, source_id, changes, generation=first)
    delete_rows(terms.filter(generation=first, term__in=[*changes], chunks_count=0))
    return len(changes)


def delete_terms(tenant: Tenant, source_id: uuid.UUID, *, before: int, terms_at_once: int) -> int:
    """Deletes some rows of the generations before this one; returns how many terms they were of."""
    terms = SourceTerm.objects.for_tenant(tenant).filter(source_id=source_id)
    old = terms.filter(generation__lt=before)
    some = list(old.values_list("term", flat=True)[:terms_at_once])
    delete_rows(old.filter(term__in=some))
    return len(some)


def weights_text(weights: dict[int, float]) -> str:
    # SparseVector counts dimensions from 0, term numbers start at 1 as in PostgreSQL.
    return SparseVector(
        {term - 1: weight for term, weight in weights.items()}, TERM_DIMENSIONS
    ).to_text()


def insert_rows(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """Inserts rows by the thousand, past Django's objects. Not by COPY, which row-level security
    refuses: it took .65 ms for the three rows of a passage, this .86 (docs/decisions/0033)."""
    values = sql.SQL("({})").format(sql.SQL(", ").join(sql.Placeholder() * len(columns)))
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ").format(
        sql.Identifier(model._meta.db_table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    left = iter(rows)
    with connection.cursor() as cursor:
        while some := list(islice(left, ROWS_AT_ONCE)):
            whole = statement + sql.SQL(", ").join([values] * len(some))
            cursor.execute(whole, [*chain.from_iterable(some)])
