"""A question without slips of the finger, by the words that the tenant's own sources hold."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from django.db import connection

from accounts.models import Tenant
from language.message import Message
from language.spelling import correct_message

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
    """The question without slips of the finger. `source_ids`: the sources that are searched; None:
    all of the tenant's. A query only when the question holds a word that no language knows, and
    another when no searched source holds it."""

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

    return correct_message(message, count_terms)
