"""Which chunks of a source hold a term (TermPostings): what the lexical search reads of a large
source instead of all its chunks' weights (docs/decisions/0065-search-at-scale.md).

    ChunkTerms, as a sync writes it → afterwards, some thousand chunks at a time → TermPostings

A posting is a number: the chunk's, times 2²², and the term's weight in it in millionths, which are
fewer (BM25's weight without idf is below 2.2). Chunks are numbered in the order in which they are
written, so that one number says which of a source are posted: up to `Source.posted_through`. The
search scans the others, so it finds the same whatever is posted yet; and it asks ChunkTerms whether
what it found answers, so a posting may be of a chunk that is gone: a ghost.
"""

from __future__ import annotations

import time
import uuid
from typing import Any

from django.db import connection, transaction

from accounts.models import Tenant
from sources.indexing.rows import delete_rows
from sources.models import POSTED_AT_LEAST, Source, TermPostings

CHUNKS_AT_ONCE = 4096  # posted in one transaction: a second
GHOSTS_SHARE = 0.1  # of what is posted; with more, the source is posted anew

POST_CHUNKS = """
WITH unposted AS MATERIALIZED (
    SELECT chunk_id, weights
    FROM sources_chunkterms
    WHERE tenant_id = %(tenant)s AND source_id = %(source)s AND chunk_id > %(posted_through)s
    ORDER BY chunk_id
    LIMIT %(most)s
),
bounds AS MATERIALIZED (
    SELECT min(chunk_id) AS first_chunk, max(chunk_id) AS last_chunk, count(*) AS chunks_count
    FROM unposted
    HAVING count(*) >= %(least)s
),
written AS (
    INSERT INTO sources_termpostings (tenant_id, source_id, term, first_chunk, postings)
    SELECT %(tenant)s, %(source)s, split_part(pair, ':', 1)::integer, first_chunk,
           array_agg(
               chunk_id << 22 | round(split_part(pair, ':', 2)::float8 * 1e6)::bigint
               ORDER BY chunk_id
           )
    FROM bounds, unposted,
         string_to_table(btrim(split_part(weights::text, '/', 1), '{}'), ',') AS pair
    WHERE pair <> ''
    GROUP BY split_part(pair, ':', 1)::integer, first_chunk
)
SELECT last_chunk, chunks_count FROM bounds
"""


def post_chunks(tenant: Tenant, source_id: uuid.UUID, *, seconds: float) -> bool:
    """Posts what is not yet; whether that was all within this time. As `clear_generations`, it may
    run several times at once, and never in a transaction."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        if post_some(tenant, source_id):
            return True
    return False


@transaction.atomic
def post_some(tenant: Tenant, source_id: uuid.UUID) -> bool:
    """One batch; whether nothing is left. No sync writes chunks while the row is locked, so that
    none with a smaller number comes later."""
    source = (
        Source.objects.for_tenant(tenant)
        .select_for_update(no_key=True)
        .filter(pk=source_id)
        .first()
    )
    if source is None:
        return True
    if source.ghosts_count > GHOSTS_SHARE * source.posted_count + POSTED_AT_LEAST:
        unpost_source(source)
    parameters: dict[str, Any] = {
        "tenant": tenant.pk,
        "source": source_id,
        "posted_through": source.posted_through,
        "least": POSTED_AT_LEAST,
        "most": CHUNKS_AT_ONCE,
    }
    with connection.cursor() as cursor:
        cursor.execute(POST_CHUNKS, parameters)
        posted = cursor.fetchone()
    if posted is None:
        return True
    source.posted_through = posted[0]
    source.posted_count += posted[1]
    save_posted(source)
    return False


def forget_posted(source: Source, chunk_ids: list[int]) -> None:
    """These chunks are being deleted: their postings, if they have any, are ghosts now."""
    gone = sum(chunk_id <= source.posted_through for chunk_id in chunk_ids)
    if gone:
        source.posted_count -= gone
        source.ghosts_count += gone
        save_posted(source)


def unpost_source(source: Source) -> None:
    delete_rows(TermPostings.objects.for_tenant(source.tenant).filter(source=source))
    source.posted_through = source.posted_count = source.ghosts_count = 0
    save_posted(source)


def save_posted(source: Source) -> None:
    source.save(update_fields=["posted_through", "posted_count", "ghosts_count"])
