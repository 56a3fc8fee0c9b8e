"""Files that were uploaded twice."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable

from accounts.models import Tenant
from sources.models import UPLOADED_TYPES, Document, Source


def name_earlier_copies(tenant: Tenant, sources: Iterable[Source]) -> dict[uuid.UUID, str]:
    """Return, for each upload whose files all stand in an earlier upload too, byte for byte, the
    name of the earliest such upload. Two queries, and none where no upload is among `sources`."""
    asked = [source.pk for source in sources if source.source_type in UPLOADED_TYPES]
    if not asked:
        return {}
    uploads = Source.objects.for_tenant(tenant).uploads().without_sync_state()
    live = Document.objects.for_tenant(tenant).live().select_related(None)
    own: dict[uuid.UUID, set[str]] = defaultdict(set)
    rows = live.filter(source__in=uploads.filter(pk__in=asked)).order_by()
    for source_id, content in rows.values_list("source_id", "content_hash"):
        own[source_id].add(content)
    if not own:
        return {}
    contents = set().union(*own.values())
    holders: dict[str, set[tuple[object, uuid.UUID, str]]] = defaultdict(set)
    held = live.filter(source__in=uploads, content_hash__in=contents).order_by()
    columns = ("content_hash", "source__created_at", "source_id", "source__name")
    for content, created_at, source_id, name in held.values_list(*columns):
        holders[content].add((created_at, source_id, name))
    earliest = {
        source_id: min(set.intersection(*(holders[content] for content in contents)))
        for source_id, contents in own.items()
    }
    return {
        source_id: name for source_id, (_, first, name) in earliest.items() if first != source_id
    }
