"""The last step of ingestion: passages become vectors and terms, and replace what a source had
before.

`embed_documents` is slow and holds no transaction; `replace_chunks` is quick and runs inside the
caller's.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, models
from django.utils import timezone
from pgvector import HalfVector, SparseVector
from psycopg import sql

from accounts.models import Tenant
from sources.ingestion.embed import Embedder, Vectors, get_embedder
from sources.ingestion.passages import Passage, ReadDocument
from sources.language import TERM_DIMENSIONS
from sources.language.detection import detect_language, detect_main_language
from sources.language.glossary import gloss
from sources.language.terms import passage_weights
from sources.language.words import Language
from sources.models import Chunk, ChunkEmbedding, ChunkTerms, Document, SourceTerm


@dataclass(frozen=True)
class EmbeddedPassage:
    """A passage with what is searched: `vectors` (n_windows, dimension) float32, `weights` by term
    number."""

    passage: Passage
    language: Language
    vectors: Vectors
    weights: dict[int, float]


@dataclass(frozen=True)
class EmbeddedDocument:
    document: ReadDocument
    passages: tuple[EmbeddedPassage, ...]


def embed_documents(documents: Sequence[ReadDocument]) -> list[EmbeddedDocument]:
    """Seconds to minutes of CPU: never call this inside a transaction."""
    embedder = get_embedder()
    return [
        EmbeddedDocument(document, tuple(embed_passages(document.passages, embedder)))
        for document in documents
    ]


def embed_passages(passages: Sequence[Passage], embedder: Embedder) -> list[EmbeddedPassage]:
    main_language = detect_main_language([passage.text for passage in passages])
    texts = [searched_text(passage) for passage in passages]
    languages = [detect_language(text, default=main_language) for text in texts]
    vectors = embedder.embed_passages(
        [
            for_model(text, language, embedder)
            for text, language in zip(texts, languages, strict=True)
        ]
    )
    return [
        EmbeddedPassage(passage, language, windows, passage_weights(text, language))
        for passage, text, language, windows in zip(
            passages, texts, languages, vectors, strict=True
        )
    ]


def searched_text(passage: Passage) -> str:
    """A passage is found by its section's title too: "Returns" may not stand in its text."""
    return f"{passage.section_title}\n{passage.text}" if passage.section_title else passage.text


def for_model(text: str, language: Language, embedder: Embedder) -> str:
    """What the model reads: Spanish goes through the glossary when the model knows English
    alone."""
    return gloss(text) if embedder.card.is_english_only and language == "es" else text


def replace_chunks(
    tenant: Tenant, source_id: uuid.UUID, documents: Sequence[EmbeddedDocument]
) -> int:
    """Puts `documents` in the place of all that the source had; returns the number of chunks.

    Must run inside a transaction that has locked the source row: readers then see all old or all
    new.
    """
    delete_chunks(tenant, source_id)
    rows = Document.objects.for_tenant(tenant).bulk_create(
        [make_document(tenant, source_id, embedded) for embedded in documents]
    )
    chunks = Chunk.objects.for_tenant(tenant).bulk_create(
        make_chunks(tenant, source_id, zip(rows, documents, strict=True)), batch_size=1000
    )
    passages = [passage for embedded in documents for passage in embedded.passages]
    write_search_rows(tenant, source_id, [chunk.pk for chunk in chunks], passages)
    return len(chunks)


def delete_chunks(tenant: Tenant, source_id: uuid.UUID) -> None:
    for model in (ChunkEmbedding, ChunkTerms, SourceTerm, Chunk, Document):
        # _raw_delete: one DELETE a table. The ordinary one would load the rows to look for what
        # hangs on them.
        rows = model.objects.for_tenant(tenant).filter(source_id=source_id)
        rows._raw_delete(rows.db)


def make_document(tenant: Tenant, source_id: uuid.UUID, embedded: EmbeddedDocument) -> Document:
    document = embedded.document
    return Document(
        tenant=tenant,
        source_id=source_id,
        title=document.title,
        external_id=document.external_id,
        content_type=document.content_type,
        content_hash=document.content_hash,
        outcome=document.outcome,
        chunks_count=len(embedded.passages),
        synced_at=timezone.now(),
    )


def make_chunks(
    tenant: Tenant, source_id: uuid.UUID, documents: Iterable[tuple[Document, EmbeddedDocument]]
) -> list[Chunk]:
    pairs = [(row, passage) for row, embedded in documents for passage in embedded.passages]
    return [
        Chunk(
            tenant=tenant,
            source_id=source_id,
            document=row,
            position=position,
            text=embedded.passage.text,
            location=embedded.passage.location,
            section_title=embedded.passage.section_title,
            level=embedded.passage.level,
            language=embedded.language,
        )
        for position, (row, embedded) in enumerate(pairs)
    ]


def write_search_rows(
    tenant: Tenant,
    source_id: uuid.UUID,
    chunk_ids: Sequence[int],
    passages: Sequence[EmbeddedPassage],
) -> None:
    numbered = list(zip(chunk_ids, passages, strict=True))
    copy_rows(
        ChunkEmbedding,
        ("tenant_id", "source_id", "chunk_id", "window", "embedding"),
        (
            (tenant.pk, source_id, chunk_id, window, HalfVector(vector).to_text())
            for chunk_id, passage in numbered
            for window, vector in enumerate(passage.vectors)
        ),
    )
    copy_rows(
        ChunkTerms,
        ("tenant_id", "source_id", "chunk_id", "weights"),
        (
            (tenant.pk, source_id, chunk_id, weights_text(passage.weights))
            for chunk_id, passage in numbered
        ),
    )
    counts = Counter(term for passage in passages for term in passage.weights)
    copy_rows(
        SourceTerm,
        ("tenant_id", "source_id", "term", "chunks_count"),
        ((tenant.pk, source_id, term, count) for term, count in counts.items()),
    )


def weights_text(weights: dict[int, float]) -> str:
    # SparseVector counts dimensions from 0, term numbers start at 1 as in PostgreSQL.
    return SparseVector(
        {term - 1: weight for term, weight in weights.items()}, TERM_DIMENSIONS
    ).to_text()


def copy_rows(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """COPY: ten times quicker than INSERT for rows by the thousand. Takes part in the running
    transaction."""
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(model._meta.db_table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)
