"""The versions of what is indexed of a source (docs/decisions/0021-generations.md).

    stage, in batches → mark what the new version lacks, in batches → begin the generation
    → delete what nobody reads any more, in batches

Where nothing of the version before stays, nothing is marked: the new one is the source's first.

Until a generation begins, nobody reads anything of it. Every function but `clear_generations` runs
inside the caller's transaction, with `source` as it is in its locked row; each is a batch, and
consistent by itself: a run that dies between two of them leaves a stage that the next run
continues.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from django.db import transaction
from django.db.models import Q, Sum
from django.db.models.functions import Coalesce

from accounts.models import Tenant
from sources.embedding.spaces import hold_active_space
from sources.errors import EmbeddingModelChanged
from sources.indexing.index import EmbeddedDocument, EmbeddedPassage
from sources.indexing.postings import forget_posted
from sources.indexing.rows import (
    add_to_terms,
    chunks_of,
    delete_documents,
    delete_rows,
    delete_terms,
    make_document,
    mark_documents,
    sum_up_terms,
    terms_of,
    write_chunks,
)
from sources.models import (
    NEVER,
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    Document,
    Source,
    SourceTerm,
    TermPostings,
    VectorSigns,
)

CHUNKS_AT_ONCE = 2000  # marked or deleted in one transaction: tenths of a second
# Small transactions: their rows are locked only briefly, and vacuum can follow.
DOCUMENTS_AT_ONCE = 500
TERMS_AT_ONCE = 5000
INDEXED = (
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    TermPostings,
    VectorSigns,
    SourceTerm,
    Chunk,
    Document,
)

# A document's id and how many chunks it has.
Size = tuple[uuid.UUID, int]


def next_generation(source: Source) -> int:
    """The number of the generation that a sync stages: nobody reads it yet."""
    return source.generation + 1


def count_staged(source: Source) -> int:
    """The number of passages that are staged."""
    documents = Document.objects.for_tenant(source.tenant).filter(source=source)
    staged = documents.filter(generation=next_generation(source))
    count: int = staged.aggregate(count=Coalesce(Sum("chunks_count"), 0))["count"]
    return count


def batches(documents: Iterable[Size]) -> Iterator[list[uuid.UUID]]:
    """Yields batches of the documents' ids, each small enough for one transaction."""
    batch: list[uuid.UUID] = []
    chunks_count = 0
    for document_id, size in documents:
        if batch and (chunks_count + size > CHUNKS_AT_ONCE or len(batch) == DOCUMENTS_AT_ONCE):
            yield batch
            batch, chunks_count = [], 0
        batch.append(document_id)
        chunks_count += size
    if batch:
        yield batch


def stage_documents(
    source: Source,
    documents: Sequence[tuple[int, EmbeddedDocument]],
    *,
    replaced: Sequence[uuid.UUID] = (),
) -> list[Document]:
    """Writes documents, each at its position, as the next generation's; `replaced`: what is staged
    of them already.

    Raises EmbeddingModelChanged when they were embedded for a space that is not the active one any
    more.
    """
    require_active(passage for _, document in documents for passage in document.passages)
    unstage_documents(source, replaced)
    tenant, generation = source.tenant, next_generation(source)
    rows = [
        make_document(tenant, source.pk, embedded, position=position, generation=generation)
        for position, embedded in documents
    ]
    Document.objects.for_tenant(tenant).bulk_create(rows)
    embedded_documents = [embedded for _, embedded in documents]
    added = write_chunks(tenant, source.pk, zip(rows, embedded_documents, strict=True))
    add_to_terms(tenant, source.pk, added, generation=generation)
    return rows


def stage_part(
    source: Source,
    embedded: EmbeddedDocument,
    *,
    position: int,
    written: uuid.UUID | None,
    replaced: Sequence[uuid.UUID] = (),
) -> Document:
    """Stages a part of a document's passages: the first part, or the one that follows those
    `written`. The document is whole with its last part. See `stage_documents`."""
    require_active(embedded.passages)
    unstage_documents(source, replaced)
    tenant, generation = source.tenant, next_generation(source)
    row = make_document(tenant, source.pk, embedded, position=position, generation=generation)
    row.pk = written or row.pk
    row.save(force_insert=written is None, force_update=written is not None)
    added = write_chunks(tenant, source.pk, [(row, embedded)])
    add_to_terms(tenant, source.pk, added, generation=generation)
    return row


def require_active(passages: Iterable[EmbeddedPassage]) -> None:
    """Holds the space that the passages were embedded for. Raises EmbeddingModelChanged."""
    active = hold_active_space()
    if any(passage.space != active for passage in passages):
        raise EmbeddingModelChanged


def unstage_documents(source: Source, document_ids: Sequence[uuid.UUID]) -> None:
    """Deletes these staged documents."""
    if not document_ids:
        return
    hold_active_space()
    removed = terms_of(source.tenant, source.pk, document_ids)
    forget_posted(source, chunks_of(source.tenant, document_ids))
    delete_documents(source.tenant, source.pk, document_ids)
    add_to_terms(source.tenant, source.pk, negative(removed), generation=next_generation(source))


def mark_removed(source: Source, document_ids: Sequence[uuid.UUID]) -> None:
    """Marks documents that answer now and will not in the next generation."""
    hold_active_space()
    generation = next_generation(source)
    removed = terms_of(source.tenant, source.pk, document_ids)
    mark_documents(source.tenant, source.pk, document_ids, removed_in=generation)
    add_to_terms(source.tenant, source.pk, negative(removed), generation=generation)


def restore_documents(source: Source, document_ids: Sequence[uuid.UUID]) -> None:
    """Takes the mark off again: a run that failed had set it."""
    hold_active_space()
    restored = terms_of(source.tenant, source.pk, document_ids)
    mark_documents(source.tenant, source.pk, document_ids, removed_in=NEVER)
    add_to_terms(source.tenant, source.pk, restored, generation=next_generation(source))


def negative(counts: Counter[int]) -> dict[int, int]:
    return {term: -count for term, count in counts.items()}


# --- What nobody reads any more -------------------------------------------------------------------


def clear_generations(tenant: Tenant, source_id: uuid.UUID, *, seconds: float) -> bool:
    """Deletes what was removed, and sums up the terms; True if that was all within this time.

    Any number of these at a time, beside a sync, do no harm. Never in a transaction.
    """
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        if clear_some(tenant, source_id):
            return True
    return False


@transaction.atomic
def clear_some(tenant: Tenant, source_id: uuid.UUID) -> bool:
    """Clears one batch; True if nothing is left. The locked row keeps other workers from the same
    batch, and a change of models from meeting chunks that are being deleted."""
    locked = Source.objects.with_deleted(tenant).select_for_update(no_key=True)
    source = locked.filter(pk=source_id).first()
    if source is None or source.cleared_generation == source.generation:
        return True
    hold_active_space()
    is_removed = Q(removed_in__lte=source.generation)
    is_replaced = Q(generation__lt=source.first_generation)
    old = Document.objects.for_tenant(tenant).filter(is_removed | is_replaced, source=source)
    batch = next(batches(old.values_list("pk", "chunks_count")[:DOCUMENTS_AT_ONCE]), None)
    if batch:
        forget_posted(source, chunks_of(tenant, batch))
        delete_documents(tenant, source_id, batch)
        return False
    first = source.first_generation
    if delete_terms(tenant, source_id, before=first, terms_at_once=TERMS_AT_ONCE):
        return False
    oldest = max(source.cleared_generation, first) + 1
    if oldest <= source.generation and sum_up_terms(
        tenant, source_id, generation=oldest, first=first, terms_at_once=TERMS_AT_ONCE
    ):
        return False
    source.cleared_generation = min(oldest, source.generation)
    source.save(update_fields=["cleared_generation"])
    return source.cleared_generation == source.generation


def delete_indexed(tenant: Tenant, source_id: uuid.UUID) -> None:
    """Deletes everything that is indexed of a source, in all versions. Call it in a transaction
    that has locked its row."""
    hold_active_space()
    for table in INDEXED:
        delete_rows(table.objects.for_tenant(tenant).filter(source_id=source_id))
