"""Queries of what people can look at: sources, documents, passages, history."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from accounts.models import Tenant
from reasons import Reason
from sources.errors import PassageNotFound, SourceNotFound
from sources.models import Chunk, Document, DocumentQuerySet, Source, SourceQuerySet, SyncEvent
from sources.services.copies import name_earlier_copies

PREVIEW_CHUNKS = 3  # docs/specification.md, Limits
WARNINGS_TOLD = 100
PASSAGE_ID = re.compile(r"[0-9]{1,18}")  # within a bigint


@dataclass(frozen=True)
class HistoryEntry:
    """An action. Among `details` reasons stand as JSON (`Reason.from_json`)."""

    id: uuid.UUID
    action: str
    details: dict[str, Any]
    created_at: datetime


def list_sources(tenant: Tenant, *, search: str = "", is_failing: bool = False) -> SourceQuerySet:
    """The tenant's sources in their order. `search`: a text that their names contain. `is_failing`:
    only those that need somebody to act."""
    sources = Source.objects.for_tenant(tenant).without_sync_state()
    sources = sources.order_by("position", "created_at", "id")
    if search:
        sources = sources.filter(name__icontains=search)
    return sources.failing() if is_failing else sources


def has_indexed(tenant: Tenant) -> bool:
    """True if a source was ever indexed, even if it was deleted since."""
    return Source.objects.with_deleted(tenant).exclude(last_synced_at=None).exists()


def get_source(tenant: Tenant, source_id: uuid.UUID | None) -> Source:
    """Raises SourceNotFound, for another tenant's source and a deleted one too."""
    source = Source.objects.for_tenant(tenant).filter(id=source_id).first() if source_id else None
    if source is None:
        raise SourceNotFound
    return source


def lock_source(tenant: Tenant, source_id: uuid.UUID | None) -> Source:
    """`get_source`, locked to the end of the transaction.

    The commit of a sync takes this lock first too: neither deadlocks with the other.
    """
    locked = Source.objects.for_tenant(tenant).select_for_update(no_key=True)
    source = locked.filter(id=source_id).first() if source_id else None
    if source is None:
        raise SourceNotFound
    return source


def list_documents(tenant: Tenant, source_id: uuid.UUID | None) -> DocumentQuerySet:
    """The documents that answer, in their order. Raises SourceNotFound."""
    source = get_source(tenant, source_id)
    documents = Document.objects.for_tenant(tenant).live().filter(source=source)
    return documents.order_by("position", "id")


def list_preview(tenant: Tenant, source_id: uuid.UUID | None) -> list[Chunk]:
    """The first PREVIEW_CHUNKS passages, in the order of the documents."""
    source = get_source(tenant, source_id)
    documents = Document.objects.for_tenant(tenant).live().filter(source=source, chunks_count__gt=0)
    chunks: list[Chunk] = []
    # One document after the other: each look ends at the index, also in a sheet of 100,000 rows.
    for document in documents.order_by("position", "id")[:PREVIEW_CHUNKS]:
        of_document = Chunk.objects.for_tenant(tenant).filter(document=document)
        chunks += of_document.order_by("position")[: PREVIEW_CHUNKS - len(chunks)]
    return chunks


def list_warnings(source: Source) -> list[Reason]:
    """The parts of a source that were not read and why: what the last complete sync left out
    altogether, as more pages than the plan takes; then, the document first, from the documents that
    answer now, and those that it could not read at all. Of an upload, first the upload before it
    that is the same file. At most three queries."""
    live = Document.objects.for_tenant(source.tenant).live().filter(source=source)
    partial = live.exclude(warnings=[]).order_by("position")[:WARNINGS_TOLD]
    told = [
        Reason("of_document", name=document.place or document.external_id, reason=warning)
        for document in partial
        for warning in document.warnings
    ]
    failed = [
        Reason(
            "of_document",
            name=failure["title"] or name,
            reason=Reason.from_json(failure["reason"]),
        )
        for name, failure in source.known_failures.items()
    ]
    copies = name_earlier_copies(source.tenant, [source])
    same = [Reason("same_file_as", name=earlier) for earlier in copies.values()]
    return [*same, *source.warnings, *told, *failed][:WARNINGS_TOLD]


def list_read_in_part(tenant: Tenant, source_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """The sources that were not read completely: `list_warnings` tells what is missing. One
    query."""
    live = Document.objects.for_tenant(tenant).live().filter(source=OuterRef("pk"))
    sources = Source.objects.for_tenant(tenant).filter(pk__in=source_ids).order_by()
    lossy = sources.filter(
        ~Q(known_failures={}) | ~Q(warnings=[]) | Exists(live.exclude(warnings=[]))
    )
    return set(lossy.values_list("pk", flat=True))


def count_documents(tenant: Tenant, source_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, int]:
    """The number of documents that answer, by source, for sources that have any. One query."""
    live = Document.objects.for_tenant(tenant).live().filter(source__in=source_ids)
    counted = live.order_by().values_list("source").annotate(count=Count("pk"))
    return dict(counted)


def list_first_passages(
    tenant: Tenant, documents: Collection[Document], *, of_each: int
) -> list[Chunk]:
    """The first passages of each document, in their order. One query."""
    chunks = Chunk.objects.for_tenant(tenant).filter(document__in=documents, position__lt=of_each)
    return list(chunks.order_by("document", "position"))


def get_passage(tenant: Tenant, passage_id: str) -> Chunk:
    """The passage with its document and source, in the version that answers now. Raises
    PassageNotFound, for another tenant's passage and for one that was replaced too."""
    if not PASSAGE_ID.fullmatch(passage_id):
        raise PassageNotFound
    live = Chunk.objects.for_tenant(tenant).live().filter(source__deleted_at=None)
    passage = live.select_related("document", "source").filter(pk=int(passage_id)).first()
    if passage is None:
        raise PassageNotFound
    return passage


def list_neighbours(tenant: Tenant, passage: Chunk, *, before: int, after: int) -> list[Chunk]:
    """`passage` with so many before and behind it, in the order of its document."""
    around = (passage.position - before, passage.position + after)
    chunks = Chunk.objects.for_tenant(tenant).filter(
        document=passage.document_id, position__range=around
    )
    return list(chunks.order_by("position"))


def list_history(tenant: Tenant, source_id: uuid.UUID | None, *, limit: int) -> list[HistoryEntry]:
    """The history of a source, newest first. The start of a sync that is running carries its
    progress."""
    source = get_source(tenant, source_id)
    events = SyncEvent.objects.for_tenant(tenant).filter(source=source)
    return [make_entry(event, source) for event in events.order_by("-created_at", "-id")[:limit]]


def make_entry(event: SyncEvent, source: Source) -> HistoryEntry:
    details = {"provider": source.provider, "chunks_written": 0, **event.details}
    is_start = event.action == SyncEvent.Action.SYNC_STARTED
    if is_start and source.sync_run_id and details.get("run_id") == str(source.sync_run_id):
        details = {**details, "progress": source.sync_progress}
    return HistoryEntry(event.pk, event.action, details, event.created_at)
