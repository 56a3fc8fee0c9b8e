"""Sources as resources: what a person may hand to a program's model, by an address.

https://modelcontextprotocol.io/specification/2026-07-28/server/resources, read 2026-11-23.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from typing import Any

from config.paging import read_page
from query.mcp.callers import McpCaller
from query.mcp.quoting import quote
from query.mcp.tools.list_sources import SOURCES_ORDER, SOURCES_PLACE, tell_source
from query.mcp.tools.passages import tell_time
from query.mcp.tools.read_source_passage import AROUND_MAX, tell_passage
from sources.models import Chunk, Source
from sources.services.reading import (
    get_passage,
    get_source,
    list_documents,
    list_first_passages,
    list_neighbours,
    list_sources,
)

SOURCE_PREFIX = "knowledge://sources/"
PASSAGE_PREFIX = "knowledge://passages/"
MIME_TYPE = "application/json"

DOCUMENTS_SHOWN = 20
PASSAGES_OF_EACH = 3
TEXT_SHOWN_CHARS = 40_000  # of all passages

TEMPLATES = [
    {
        "uriTemplate": f"{SOURCE_PREFIX}{{source_id}}",
        "name": "source",
        "title": "A source",
        "description": "A source, its documents, and the first passages of each.",
        "mimeType": MIME_TYPE,
    },
    {
        "uriTemplate": f"{PASSAGE_PREFIX}{{passage_id}}",
        "name": "passage",
        "title": "A passage",
        "description": "A passage with those around it in its document.",
        "mimeType": MIME_TYPE,
    },
]


def list_resources(caller: McpCaller, cursor: str) -> dict[str, Any]:
    """Raises InvalidCursor."""
    tenant = caller.tenant
    rows = list_sources(tenant).order_by(*SOURCES_ORDER)
    page = read_page(rows, place=SOURCES_PLACE, owner=tenant, cursor=cursor or None)
    result: dict[str, Any] = {"resources": [describe_source(source) for source in page.rows]}
    if page.next_cursor:
        result["nextCursor"] = page.next_cursor
    return result


def describe_source(source: Source) -> dict[str, Any]:
    """A source as the protocol lists it. `size`: of the file that was uploaded, where there
    is one."""
    described: dict[str, Any] = {
        "uri": f"{SOURCE_PREFIX}{source.pk}",
        "name": source.name,
        "title": source.name,
        "description": (
            f"{source.source_type}, {source.sync_status}; passages: {source.chunks_count}"
        ),
        "mimeType": MIME_TYPE,
    }
    if source.size_bytes:
        described["size"] = source.size_bytes
    if source.last_synced_at:
        described["annotations"] = {"lastModified": tell_time(source.last_synced_at)}
    return described


def read_resource(caller: McpCaller, uri: str) -> str:
    """The resource as JSON. Raises ServiceError of status 404, also for another tenant's."""
    if uri.startswith(PASSAGE_PREFIX):
        passage = get_passage(caller.tenant, uri.removeprefix(PASSAGE_PREFIX))
        around = list_neighbours(caller.tenant, passage, before=AROUND_MAX, after=AROUND_MAX)
        return quote(tell_passage(passage, around))
    source = get_source(caller.tenant, read_source_id(uri))
    return quote(tell_contents(caller, source))


def read_source_id(uri: str) -> uuid.UUID | None:
    """The id of the source; None when the URI does not name one. Only one spelling names
    a source."""
    written = uri.removeprefix(SOURCE_PREFIX)
    try:
        source_id = uuid.UUID(written)
    except ValueError:
        return None
    return source_id if uri == f"{SOURCE_PREFIX}{source_id}" else None


def tell_contents(caller: McpCaller, source: Source) -> dict[str, Any]:
    """The source, its first documents and their first passages; and how much was left out."""
    all_documents = list_documents(caller.tenant, source.pk)
    documents_count = all_documents.count()
    documents = list(all_documents[:DOCUMENTS_SHOWN])
    passages = list_first_passages(caller.tenant, documents, of_each=PASSAGES_OF_EACH)
    of_document: dict[uuid.UUID, list[dict[str, str]]] = defaultdict(list)
    for passage in keep_short(passages):
        told = {"passage_id": str(passage.pk), "place": passage.location, "text": passage.text}
        of_document[passage.document_id].append(told)
    shown = sum(len(told) for told in of_document.values())
    return {
        **tell_source(source, documents_count),
        "contents": [
            {
                "document": document.title,
                "file": document.place or document.external_id,
                "link": document.link,
                "passages_count": document.chunks_count,
                "passages": of_document[document.pk],
            }
            for document in documents
        ],
        "left_out": {
            "documents": documents_count - len(documents),
            "passages": max(0, source.chunks_count - shown),
        },
    }


def keep_short(passages: list[Chunk]) -> list[Chunk]:
    """The first passages, as many as fit into TEXT_SHOWN_CHARS."""
    kept, chars = [], 0
    for passage in passages:
        chars += len(passage.text)
        if chars > TEXT_SHOWN_CHARS:
            break
        kept.append(passage)
    return kept
