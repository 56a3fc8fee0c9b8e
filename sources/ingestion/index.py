"""The last step of ingestion: passages become vectors and terms, and replace what a source had
before.

`embed_documents` is slow and holds no transaction; `replace_documents` is quick and runs inside the
caller's.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

import numpy as np
from django.db import connection, models
from django.db.models import Sum
from django.utils import timezone
from pgvector import HalfVector, SparseVector
from psycopg import sql

from accounts.models import Tenant
from accounts.tenancy import TenantModel
from sources.errors import EmbeddingModelChanged
from sources.ingestion.embed import Embedder, Vectors, forget_active_space, get_embedder
from sources.ingestion.passages import Passage, ReadDocument
from sources.ingestion.spaces import hold_active_space
from sources.language import TERM_DIMENSIONS
from sources.language.detection import detect_language, detect_main_language
from sources.language.glossary import gloss
from sources.language.terms import passage_weights
from sources.language.words import Language
from sources.models import Chunk, ChunkEmbedding, ChunkTerms, Document, SourceTerm

PASSAGES_AT_ONCE = 256  # embedded between two looks at whether the run still holds its lock
TITLE_MAX_CHARS = 500  # of a document, as its column holds


@dataclass(frozen=True)
class EmbeddedPassage:
    """A passage with what is searched: `vectors` (n_windows, dimension) float32 of `space`,
    `weights` by term number. `embedded_hash` (SHA-256, 32 bytes) is of all that a model may read of
    it."""

    passage: Passage
    language: Language
    vectors: Vectors
    space: int
    weights: dict[int, float]
    embedded_hash: bytes


@dataclass(frozen=True)
class EmbeddedDocument:
    """`embedded_count`: how many of its passages the model had to read; it knew the others."""

    document: ReadDocument
    passages: tuple[EmbeddedPassage, ...]
    embedded_count: int


@dataclass(frozen=True)
class SearchedPassage:
    """A passage, what stands for it in the lexical search, and what the model reads of it."""

    passage: Passage
    text: str
    language: Language
    model_text: str
    embedded_hash: bytes


class OnProgress(Protocol):
    """Raises what is to stop the work."""

    def __call__(self, *, step: str, passages_done: int, passages_total: int) -> None: ...


def embed_documents(
    tenant: Tenant,
    source_id: uuid.UUID,
    documents: Sequence[ReadDocument],
    *,
    on_progress: OnProgress | None = None,
) -> list[EmbeddedDocument]:
    """Seconds to minutes of CPU: never call this inside a transaction.

    What the source has a vector of already is not embedded again.
    """
    forget_active_space()  # what a worker knew may be hours old
    embedder = get_embedder()
    searched = [searched_passages(document.passages, embedder) for document in documents]
    model_texts = {item.embedded_hash: item.model_text for items in searched for item in items}
    vectors = stored_vectors(tenant, source_id, model_texts.keys(), space=embedder.space)
    missing = [(key, text) for key, text in model_texts.items() if key not in vectors]
    missing_hashes = {key for key, _ in missing}
    # The longest first: each slice is read in batches of similar length, with little padding.
    missing.sort(key=lambda item: len(item[1]), reverse=True)
    for start in range(0, len(missing), PASSAGES_AT_ONCE):
        if on_progress is not None:
            on_progress(step="embed", passages_done=start, passages_total=len(missing))
        part = missing[start : start + PASSAGES_AT_ONCE]
        windows = embedder.embed_passages([text for _, text in part])
        vectors.update(zip((key for key, _ in part), windows, strict=True))
    return [
        EmbeddedDocument(
            document,
            tuple(
                embedded_passage(item, vectors[item.embedded_hash], embedder.space)
                for item in items
            ),
            embedded_count=sum(item.embedded_hash in missing_hashes for item in items),
        )
        for document, items in zip(documents, searched, strict=True)
    ]


def searched_passages(passages: Sequence[Passage], embedder: Embedder) -> list[SearchedPassage]:
    main_language = detect_main_language([passage.text for passage in passages])
    return [searched_passage(passage, main_language, embedder) for passage in passages]


def searched_passage(
    passage: Passage, main_language: Language, embedder: Embedder
) -> SearchedPassage:
    text = searched_text(passage)
    language = detect_language(text, default=main_language)
    model_text = for_model(text, language, embedder)
    return SearchedPassage(passage, text, language, model_text, hash_of_readings(text, language))


def hash_of_readings(text: str, language: Language) -> bytes:
    """The same for every model, so that it stays right when another one takes over; another one
    when the glossary reads the text otherwise."""
    return sha256(f"{text}\0{gloss(text) if language == 'es' else ''}".encode()).digest()


def embedded_passage(item: SearchedPassage, vectors: Vectors, space: int) -> EmbeddedPassage:
    return EmbeddedPassage(
        item.passage,
        item.language,
        vectors,
        space,
        passage_weights(item.text, item.language),
        item.embedded_hash,
    )


def stored_vectors(
    tenant: Tenant, source_id: uuid.UUID, hashes: Collection[bytes], *, space: int
) -> dict[bytes, Vectors]:
    """The windows in `space` of each hash that the source has a chunk of, in order. Two queries.

    Halves (halfvec) that are stored again are the same halves.
    """
    documents = Document.objects.for_tenant(tenant).filter(source_id=source_id)
    rows = (
        Chunk.objects.for_tenant(tenant)
        .filter(document__in=documents)
        .values_list("pk", "embedded_hash")
    )
    hash_of = {pk: bytes(value) for pk, value in rows if bytes(value) in hashes}
    chunk_of = {value: pk for pk, value in hash_of.items()}  # one chunk a hash is enough
    windows = (
        ChunkEmbedding.objects.for_tenant(tenant)
        .filter(source_id=source_id, space=space, chunk_id__in=chunk_of.values())
        .order_by("chunk_id", "window")
    )
    found: dict[bytes, list[Vectors]] = defaultdict(list)
    for row in windows.iterator():
        found[hash_of[row.chunk_id]].append(np.asarray(row.embedding, dtype=np.float32))
    return {key: np.stack(vectors) for key, vectors in found.items()}


def searched_text(passage: Passage | Chunk) -> str:
    """A passage is found by its section's title too: "Returns" may not stand in its text."""
    return f"{passage.section_title}\n{passage.text}" if passage.section_title else passage.text


def for_model(text: str, language: str, embedder: Embedder) -> str:
    """What the model reads: Spanish goes through the glossary when the model knows English
    alone."""
    return gloss(text) if embedder.card.is_english_only and language == "es" else text


def replace_documents(
    tenant: Tenant,
    source_id: uuid.UUID,
    documents: Sequence[EmbeddedDocument],
    *,
    kept: Collection[str] = (),
) -> int:
    """Puts `documents` in the place of all that the source had but `kept` (external ids); returns
    the number of chunks that it then has.

    Must run inside a transaction that has locked the source row: readers then see all old or all
    new. Documents that are kept are not touched. Raises EmbeddingModelChanged when the documents
    were embedded for a space that is not the active one any more.
    """
    hold_space_of(documents)
    stored = Document.objects.for_tenant(tenant).filter(source_id=source_id)
    old = {row.external_id: row for row in stored if row.external_id not in kept}
    old_ids = [row.pk for row in old.values()]
    removed = terms_of(tenant, source_id, old_ids) if kept else Counter[int]()
    delete_documents(tenant, source_id, old_ids)
    next_position = 1 + max((row.position for row in stored), default=-1)
    rows = [
        make_document(
            tenant,
            source_id,
            embedded,
            position=old[name].position if name in old else next_position + number,
        )
        for number, embedded in enumerate(documents)
        for name in (embedded.document.external_id,)
    ]
    Document.objects.for_tenant(tenant).bulk_create(rows)
    passages = write_chunks(tenant, source_id, zip(rows, documents, strict=True))
    added = Counter(term for passage in passages for term in passage.weights)
    if kept:
        change_terms(tenant, source_id, added=added, removed=removed)
    else:
        replace_terms(tenant, source_id, added)
    kept_rows = stored.filter(external_id__in=kept)
    return len(passages) + (kept_rows.aggregate(total=Sum("chunks_count"))["total"] or 0)


def hold_space_of(documents: Sequence[EmbeddedDocument]) -> None:
    """No swap of models until the transaction ends, also when nothing is written: whoever swaps
    must not meet chunks that are being deleted."""
    active = hold_active_space()
    passages = (passage for document in documents for passage in document.passages)
    if any(passage.space != active for passage in passages):
        raise EmbeddingModelChanged


def delete_chunks(tenant: Tenant, source_id: uuid.UUID) -> None:
    """Everything that is indexed of a source. In a transaction that has locked its row."""
    replace_documents(tenant, source_id, [])


def delete_documents(
    tenant: Tenant, source_id: uuid.UUID, document_ids: Sequence[uuid.UUID]
) -> None:
    chunks = Chunk.objects.for_tenant(tenant).filter(document_id__in=document_ids)
    search_rows = {"source_id": source_id, "chunk_id__in": chunks.values("pk")}
    doomed: tuple[tuple[type[TenantModel], dict[str, Any]], ...] = (
        (ChunkEmbedding, search_rows),
        (ChunkTerms, search_rows),
        (Chunk, {"document_id__in": document_ids}),
        (Document, {"pk__in": document_ids}),
    )
    for model, condition in doomed:
        # _raw_delete: one DELETE a table. The ordinary one would load the rows to look for what
        # hangs on them.
        rows = model.objects.for_tenant(tenant).filter(**condition)
        rows._raw_delete(rows.db)


def terms_of(
    tenant: Tenant, source_id: uuid.UUID, document_ids: Sequence[uuid.UUID]
) -> Counter[int]:
    """In how many chunks of the documents each term stands."""
    chunks = Chunk.objects.for_tenant(tenant).filter(document_id__in=document_ids)
    rows = ChunkTerms.objects.for_tenant(tenant).filter(
        source_id=source_id, chunk_id__in=chunks.values("pk")
    )
    # SparseVector counts dimensions from 0, term numbers start at 1.
    return Counter(index + 1 for row in rows.iterator() for index in row.weights.indices())


def change_terms(
    tenant: Tenant, source_id: uuid.UUID, *, added: Counter[int], removed: Counter[int]
) -> None:
    """Writes the terms anew whose number of chunks has changed."""
    changed = [term for term in added | removed if added[term] != removed[term]]
    rows = SourceTerm.objects.for_tenant(tenant).filter(source_id=source_id, term__in=changed)
    counts = Counter(dict(rows.values_list("term", "chunks_count")))
    rows._raw_delete(rows.db)
    new = {term: counts[term] + added[term] - removed[term] for term in changed}
    write_terms(tenant, source_id, {term: count for term, count in new.items() if count > 0})


def replace_terms(tenant: Tenant, source_id: uuid.UUID, counts: Mapping[int, int]) -> None:
    rows = SourceTerm.objects.for_tenant(tenant).filter(source_id=source_id)
    rows._raw_delete(rows.db)
    write_terms(tenant, source_id, counts)


def write_terms(tenant: Tenant, source_id: uuid.UUID, counts: Mapping[int, int]) -> None:
    copy_rows(
        SourceTerm,
        ("tenant_id", "source_id", "term", "chunks_count"),
        ((tenant.pk, source_id, term, count) for term, count in counts.items()),
    )


def make_document(
    tenant: Tenant, source_id: uuid.UUID, embedded: EmbeddedDocument, *, position: int
) -> Document:
    document = embedded.document
    return Document(
        tenant=tenant,
        source_id=source_id,
        title=document.title[:TITLE_MAX_CHARS],
        external_id=document.external_id,
        content_type=document.content_type,
        content_hash=document.content_hash,
        etag=document.etag,
        last_modified=document.last_modified,
        position=position,
        outcome=document.outcome,
        chunks_count=len(embedded.passages),
        synced_at=timezone.now(),
    )


def write_chunks(
    tenant: Tenant, source_id: uuid.UUID, documents: Iterable[tuple[Document, EmbeddedDocument]]
) -> list[EmbeddedPassage]:
    """The passages that were written, in order."""
    numbered = [
        (row, position, passage)
        for row, embedded in documents
        for position, passage in enumerate(embedded.passages)
    ]
    chunks = Chunk.objects.for_tenant(tenant).bulk_create(
        [make_chunk(tenant, source_id, *item) for item in numbered], batch_size=1000
    )
    passages = [passage for _, _, passage in numbered]
    write_search_rows(tenant, source_id, [chunk.pk for chunk in chunks], passages)
    return passages


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
    tenant: Tenant,
    source_id: uuid.UUID,
    chunk_ids: Sequence[int],
    passages: Sequence[EmbeddedPassage],
) -> None:
    numbered = list(zip(chunk_ids, passages, strict=True))
    write_vectors(
        tenant,
        source_id,
        ((passage.space, chunk_id, passage.vectors) for chunk_id, passage in numbered),
    )
    copy_rows(
        ChunkTerms,
        ("tenant_id", "source_id", "chunk_id", "weights"),
        (
            (tenant.pk, source_id, chunk_id, weights_text(passage.weights))
            for chunk_id, passage in numbered
        ),
    )


def write_vectors(
    tenant: Tenant, source_id: uuid.UUID, rows: Iterable[tuple[int, int, Vectors]]
) -> None:
    """`rows`: space, chunk and its windows (n, dimension)."""
    copy_rows(
        ChunkEmbedding,
        ("tenant_id", "source_id", "space", "chunk_id", "window", "embedding"),
        (
            (tenant.pk, source_id, space, chunk_id, window, HalfVector(vector).to_text())
            for space, chunk_id, vectors in rows
            for window, vector in enumerate(vectors)
        ),
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
