"""A question without slips of the finger, and with codes as they are written, by the words that the
tenant's own sources hold."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from django.db import connection

from accounts.models import Tenant
from language.codes import respell_codes
from language.message import Message
from language.spelling import correct_message
from sources.models import Chunk, Source

# The text of longer sources is not read for a code.
MAX_PASSAGES_READ = 500
COUNT_TERMS = """
SELECT term, sum(t.chunks_count)
FROM sources_source s JOIN sources_sourceterm t ON t.source_id = s.id
WHERE s.tenant_id = %(tenant)s AND t.tenant_id = %(tenant)s AND term = ANY(%(terms)s::int[])
  AND (%(sources)s::uuid[] IS NULL OR s.id = ANY(%(sources)s))
  AND t.generation BETWEEN s.first_generation AND s.generation
GROUP BY term
HAVING sum(t.chunks_count) > 0
"""


def correct_question(
    tenant: Tenant, message: Message, source_ids: Sequence[uuid.UUID] | None
) -> Message:
    """The question without slips of the finger, its codes as the sources write them. `source_ids`:
    the sources that are searched; None: all of the tenant's. A query only when the question holds a
    word that no language knows, and another when no searched source holds it; the same for a
    code."""

    def count_terms(terms: Sequence[int]) -> Mapping[int, int]:
        parameters = {
            "tenant": tenant.pk,
            "sources": list(source_ids) if source_ids is not None else None,
            # As text: there may be thousands, and an adapter looks at each by itself.
            "terms": "{" + ",".join(map(str, terms)) + "}",
        }
        with connection.cursor() as cursor:
            cursor.execute(COUNT_TERMS, parameters)
            return dict(cursor.fetchall())

    def holds_text(pattern: str) -> bool:
        sources = Source.objects.for_tenant(tenant).filter(chunks_count__lte=MAX_PASSAGES_READ)
        if source_ids is not None:
            sources = sources.filter(pk__in=source_ids)
        chunks = Chunk.objects.for_tenant(tenant).live().filter(source__in=sources)
        return chunks.filter(text__iregex=pattern).exists()

    respelt = message
    if not message.small_talk:
        respelt = message.reworded(respell_codes(message.text, count_terms, holds_text))
    return correct_message(respelt, count_terms)
