"""A source's next generation in one go, for tests that need something indexed and no sync."""

import uuid
from collections.abc import Collection, Sequence

from django.db import transaction

from accounts.models import Tenant
from sources.indexing.generations import clear_generations, mark_removed, stage_documents
from sources.indexing.index import EmbeddedDocument
from sources.models import Document, Source


@transaction.atomic
def replace_documents(
    tenant: Tenant,
    source_id: uuid.UUID,
    documents: Sequence[EmbeddedDocument],
    *,
    kept: Collection[str] = (),
) -> int:
    """Puts `documents` in the place of all that answers but `kept` (external ids); how many chunks
    then answer."""
    source = Source.objects.for_tenant(tenant).select_for_update().get(pk=source_id)
    live = Document.objects.for_tenant(tenant).live().filter(source=source)
    old = {row.external_id: row for row in live if row.external_id not in kept}
    next_position = 1 + max((row.position for row in live), default=-1)
    names = [embedded.document.external_id for embedded in documents]
    stage_documents(
        source,
        [
            (old[name].position if name in old else next_position + number, embedded)
            for number, (name, embedded) in enumerate(zip(names, documents, strict=True))
        ],
    )
    mark_removed(source, [row.pk for row in old.values()])
    source.generation += 1
    source.save(update_fields=["generation"])
    assert clear_generations(tenant, source_id, seconds=60)
    return sum(row.chunks_count for row in live.all())
