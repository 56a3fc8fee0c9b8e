"""The chunks of a source that hold a term (TermPostings), and the signs of their vectors
(VectorSigns): the search of a large source reads them instead of all its chunks' weights and
vectors (docs/decisions/0065-search-at-scale.md, 0068-signs-of-vectors.md).

    ChunkTerms, ChunkEmbedding, as a sync writes them → afterwards, some thousand chunks at a time
    → TermPostings, VectorSigns of the same chunks

A posting is a number: the chunk's, times 2²², and the term's weight in it in millionths, which are
fewer (BM25's weight without idf is below 2.2). Chunks are numbered in the order in which they are
written, so that one number says which of a source are posted: up to `Source.posted_through`. The
search scans the others, so it finds the same whatever is posted yet; and it asks ChunkTerms and
ChunkEmbedding whether what it found answers, so a posting may be of a chunk that is gone: a ghost.

Signs are of the active space. When it is swapped, the search scans the new one's vectors until the
signs of what is posted are made again.
"""

from __future__ import annotations

import time
import uuid
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from accounts.models import Tenant
from sources.embedding.spaces import hold_active_space
from sources.indexing.rows import delete_rows
from sources.models import POSTED_AT_LEAST, Source, TermPostings, VectorSigns

CHUNKS_AT_ONCE = 4096  # posted in one transaction: a second
GHOSTS_SHARE = 0.1  # of what is posted; with more, the source is posted again

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
# Of each language every sixteenth vector is a sample, where there are few more of them, up to all:
# 32 at least.
SIGN_CHUNKS = """
WITH last AS MATERIALIZED (
    SELECT max(chunk_id) AS chunk_id
    FROM (
        SELECT chunk_id
        FROM sources_chunkterms
        WHERE tenant_id = %(tenant)s AND source_id = %(source)s
          AND chunk_id > %(signed_through)s AND chunk_id <= %(posted_through)s
        ORDER BY chunk_id
        LIMIT %(most)s
    ) unsigned
),
numbered AS (
    SELECT e.language, e.chunk_id, e."window", e.embedding,
           row_number() OVER (PARTITION BY e.language ORDER BY e.chunk_id, e."window") AS number,
           greatest(1, least(16, count(*) OVER (PARTITION BY e.language) / 32)) AS every
    FROM last CROSS JOIN sources_chunkembedding e
    WHERE e.tenant_id = %(tenant)s AND e.source_id = %(source)s AND e.space = %(space)s
      AND e.chunk_id > %(signed_through)s AND e.chunk_id <= last.chunk_id
)
INSERT INTO sources_vectorsigns (
    tenant_id, source_id, space, language, first_chunk, last_chunk, vectors_count, chunk_ids, signs,
    mean, sample
)
SELECT %(tenant)s, %(source)s, %(space)s, language, min(chunk_id), (SELECT chunk_id FROM last),
       count(*), array_agg(chunk_id ORDER BY number),
       array_agg(binary_quantize(embedding)::bit varying ORDER BY number),
       avg(embedding::vector),
       array_agg(embedding ORDER BY number) FILTER (WHERE number %% every = 0)
FROM numbered
GROUP BY language
"""


def post_chunks(tenant: Tenant, source_id: uuid.UUID, *, seconds: float) -> bool:
    """Posts the chunks that are not posted yet; True if that was all within this time. As
    `clear_generations`, it may run several times at once, and never in a transaction."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        if post_some(tenant, source_id):
            return True
    return False


@transaction.atomic
def post_some(tenant: Tenant, source_id: uuid.UUID) -> bool:
    """Posts one batch; True if nothing is left. No sync writes chunks while the row is locked, so
    that no chunk with a smaller number comes later."""
    source = (
        Source.objects.for_tenant(tenant)
        .select_for_update(no_key=True)
        .filter(pk=source_id)
        .first()
    )
    if source is None:
        return True
    space = hold_active_space()
    if space is None:
        return False  # swapped meanwhile: the next look sees which one answers
    if source.ghosts_count > GHOSTS_SHARE * source.posted_count + POSTED_AT_LEAST:
        unpost_source(source)
    if source.signs_space != space and sign_some(source, space):
        return False
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
    sign_some(source, space)
    save_posted(source)
    return False


def sign_some(source: Source, space: int) -> bool:
    """Signs a batch of the posted chunks that have no signs in the space. False when there was
    none, and the signs of another space are deleted."""
    signs = VectorSigns.objects.for_tenant(source.tenant).filter(source=source)
    through = signs.filter(space=space).aggregate(last=Max("last_chunk"))["last"] or 0
    if through < source.posted_through:
        parameters = {
            "tenant": source.tenant_id,
            "source": source.pk,
            "space": space,
            "signed_through": through,
            "posted_through": source.posted_through,
            "most": CHUNKS_AT_ONCE,
        }
        with connection.cursor() as cursor:
            cursor.execute(SIGN_CHUNKS, parameters)
            if cursor.rowcount:
                return True
    delete_rows(signs.exclude(space=space))
    source.signs_space = space
    save_posted(source)
    return False


def forget_posted(source: Source, chunk_ids: list[int]) -> None:
    """Counts the postings of these chunks, which are being deleted, as ghosts."""
    gone = sum(chunk_id <= source.posted_through for chunk_id in chunk_ids)
    if gone:
        source.posted_count -= gone
        source.ghosts_count += gone
        save_posted(source)


def unpost_source(source: Source) -> None:
    for table in (TermPostings, VectorSigns):
        delete_rows(table.objects.for_tenant(source.tenant).filter(source=source))
    source.posted_through = source.posted_count = source.ghosts_count = 0
    save_posted(source)


def save_posted(source: Source) -> None:
    source.save(update_fields=["posted_through", "posted_count", "ghosts_count", "signs_space"])
