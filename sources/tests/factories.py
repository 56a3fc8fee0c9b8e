"""Rows of sources for the tests of every app. Each makes up what a test does not name."""

import itertools
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts.models import Tenant
from reading.passages import ChunkLevel
from reasons import as_reason
from sources.models import Chunk, Document, Entry, Schedule, Source, SyncEvent, SyncStatus

PARAGRAPHS = (
    "Returns are accepted within thirty days of the purchase with the receipt.",
    "Los pedidos se entregan en dos días laborables en toda la península.",
)

_numbers = itertools.count(1)


def text_file(*paragraphs: str, filename: str = "faq.txt") -> SimpleUploadedFile:
    """A text file to upload: two paragraphs that make one passage, unless told."""
    content = "\n\n".join(paragraphs or PARAGRAPHS)
    return SimpleUploadedFile(filename, content.encode(), content_type="text/plain")


def long_paragraph(topic: str) -> str:
    """Long enough to be a passage of its own."""
    return " ".join(f"This is sentence {number} about {topic}." for number in range(1, 16))


def make_source(tenant: Tenant, **over: Any) -> Source:
    """A synced upload without chunks or a stored file. `error_message`: also its reason."""
    fields: Any = {
        "name": f"Source {next(_numbers)}",
        "source_type": "file",
        "sync_status": SyncStatus.SYNCED,
        **reason_of(over.get("error_message", "")),
        **over,
    }
    return Source.objects.for_tenant(tenant).create(**fields)


def reason_of(text: str) -> dict[str, Any]:
    return {"error": as_reason(text)} if text else {}


def make_document(source: Source, **over: Any) -> Document:
    number = next(_numbers)
    title = f"document-{number}.txt"
    fields: Any = {
        "source": source,
        "title": title,
        "external_id": title,
        "content_type": "text/plain",
        "content_hash": f"{number:064x}",
        "synced_at": timezone.now(),
        **over,
    }
    fields["warnings"] = [as_reason(each) for each in fields.get("warnings", [])]
    return Document.objects.for_tenant(source.tenant).create(**fields)


def make_chunk(document: Document, **over: Any) -> Chunk:
    """Text alone: no vector or terms, so it can be shown and not found."""
    fields: Any = {
        "source_id": document.source_id,
        "document": document,
        "position": next(_numbers),
        "text": PARAGRAPHS[0],
        "location": "paragraph 1",
        "level": ChunkLevel.PARAGRAPH,
        "language": "en",
        **over,
    }
    return Chunk.objects.for_tenant(document.tenant).create(**fields)


def make_event(source: Source, **over: Any) -> SyncEvent:
    fields: Any = {
        "source": source,
        "action": SyncEvent.Action.SYNC_COMPLETED,
        "details": {},
        **over,
    }
    return SyncEvent.objects.for_tenant(source.tenant).create(**fields)


def make_schedule(source: Source, **over: Any) -> Schedule:
    """Every hour, due now."""
    fields: Any = {
        "source": source,
        "frequency": "1h",
        "enabled": True,
        "next_sync_at": timezone.now(),
        **over,
    }
    return Schedule.objects.for_tenant(source.tenant).create(**fields)


def make_entry(tenant: Tenant, **over: Any) -> Entry:
    """A row alone: no source answers from it."""
    fields: Any = {
        "question": f"Do you rent boat number {next(_numbers)}?",
        "answer": "Yes, by the hour.",
        "created_by": "ana@example.com",
        **over,
    }
    return Entry.objects.for_tenant(tenant).create(**fields)
