"""The passages of a tenant that are nearest to a question: dense and lexical search in one round
trip to PostgreSQL.

Both searches are exact, over narrow rows of one tenant; docs/retrieval.md tells why, with figures.
The SQL is here and nowhere else, and the tenant is a bound parameter of every part of it.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import connection
from pgvector import HalfVector

from accounts.models import Tenant
from query.search.calibration import get_calibration
from query.search.candidates import Question, RetrievedChunk
from query.search.closeness import asked_words, measure_closeness
from query.search.matching import Matcher, measure_unheard
from query.search.ordering import order_chunks
from sources.embedding.close_reading import decode
from sources.embedding.embedder import forget_active_space, get_embedder
from sources.indexing.index import for_model, read_passages
from sources.language import TERM_DIMENSIONS
from sources.language.detection import detect_message_language
from sources.language.terms import question_terms
from sources.language.words import Language
from sources.reading.passages import ChunkLevel, Passage

CANDIDATES_PER_SEARCH = 30  # of the lexical one, and of the dense one in each language
# Of each language: across languages cosines are lower and fewer words are shared, so that the
# candidates of one list for both would all be in the question's language.
CANDIDATES_PER_LANGUAGE = 9


class SpaceIsNotActive(Exception):
    """The question was read by another model than the one that answers now."""


def read_question(text: str, language: Language | None = None) -> Question:
    """`language` None: told from the text."""
    embedder = get_embedder()
    language = language or detect_message_language(text)
    wording = for_model(text, language, embedder)
    read = embedder.read_question(wording)
    words = asked_words(wording, "en" if embedder.card.is_english_only else language, read)
    return Question(text, language, read.vector, embedder.space, words)


def retrieve_chunks(
    tenant: Tenant, question: Question, *, top_k: int, source_ids: Sequence[uuid.UUID] | None = None
) -> tuple[Question, list[RetrievedChunk]]:
    """The `top_k` passages, best first, of `source_ids` (None: of all the tenant's), and the
    question as it was read for them. One query.

    When the embedding model was swapped since the question was read, it is read again: two more.
    """
    question, candidates = find_candidates(tenant, question, source_ids=source_ids)
    return question, order_chunks(question, candidates, get_calibration())[:top_k]


def find_candidates(
    tenant: Tenant, question: Question, *, source_ids: Sequence[uuid.UUID] | None = None
) -> tuple[Question, list[RetrievedChunk]]:
    """The passages of each language that are nearest and share most words, with what their words
    tell; and the question as it was read."""
    try:
        rows, heard = search(tenant, question, source_ids)
    except SpaceIsNotActive:
        forget_active_space()
        question = read_question(question.text, question.language)
        rows, heard = search(tenant, question, source_ids)
    chunks = read_missing([to_chunk(row) for row in rows], question.space)
    matcher = Matcher(question)
    closeness = measure_closeness([chunk.reading for chunk in chunks], question.words)
    return replace(question, unheard=measure_unheard(question, heard)), [
        replace(chunk, match=matcher.match(chunk), closeness=close)
        for chunk, close in zip(chunks, closeness, strict=True)
    ]


def search(
    tenant: Tenant, question: Question, source_ids: Sequence[uuid.UUID] | None
) -> tuple[list[dict[str, Any]], set[int]]:
    """The candidates of both searches, and which of the question's terms the scope holds. Raises
    SpaceIsNotActive."""
    parameters = {
        "tenant": tenant.pk,
        "sources": list(source_ids) if source_ids is not None else None,
        "space": question.space,
        "vector": HalfVector(question.vector).to_text(),
        "terms": question_terms(question.text, question.language),
        "limit": CANDIDATES_PER_SEARCH,
        "kept": CANDIDATES_PER_LANGUAGE,
    }
    with connection.cursor() as cursor:
        cursor.execute(HYBRID_SEARCH, parameters)
        columns = [column.name for column in cursor.description or ()]
        rows = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    if not any(row["active_space"] == question.space for row in rows):
        raise SpaceIsNotActive
    heard = set(rows[0]["heard"] or ())
    return [row for row in rows if row["chunk_id"] is not None], heard


def to_chunk(row: dict[str, Any]) -> RetrievedChunk:
    return RetrievedChunk(
        chunk_id=row["chunk_id"],
        source_id=row["source_id"],
        source_file=row["place"] or row["external_id"],
        document_title=row["title"],
        link=row["link"],
        text=row["text"],
        location=row["location"],
        section_title=row["section_title"],
        level=row["level"],
        language=row["language"],
        synced_at=row["synced_at"],
        similarity=min(1.0, max(0.0, row["cosine"])),
        lexical=row["lexical"],
        score=row["fused"],
        mean=row["mean"],
        deviation=row["deviation"],
        neighbours=row["neighbours"],
        reading=decode(row["reading"]) if row["reading"] is not None else None,
    )


def read_missing(chunks: list[RetrievedChunk], space: int) -> list[RetrievedChunk]:
    """What earlier versions indexed without a reading is read now, 10 to 30 ms each, until
    `bin/manage reembed` has made them."""
    missing = [chunk for chunk in chunks if chunk.reading is None]
    if not missing:
        return chunks
    passages = [  # as they were before they were stored
        (
            Passage(chunk.text, chunk.location, chunk.section_title, ChunkLevel(chunk.level)),
            chunk.language,
        )
        for chunk in missing
    ]
    read = read_passages(passages, get_embedder(space))
    readings = {
        chunk.chunk_id: decode(part.reading) for chunk, part in zip(missing, read, strict=True)
    }
    return [replace(chunk, reading=readings.get(chunk.chunk_id, chunk.reading)) for chunk in chunks]


# One statement is one snapshot: of a source that is synced meanwhile the generation that answers is
# seen whole, old or new (`scope` says which it is, and rows of others are passed over before
# anything is computed of them); and the space that is searched is the active one, or `active_space`
# tells that it is not.
# `question` turns the terms that occur in the scope into a vector of their idf (terms.py: idf).
# A candidate's fused score adds, as shares of the best in its language, by how much its cosine is
# above the mean, and its BM25.
HYBRID_SEARCH = f"""
WITH scope AS MATERIALIZED (
    SELECT id, first_generation, generation, chunks_count, last_synced_at
    FROM sources_source
    WHERE tenant_id = %(tenant)s AND (%(sources)s::uuid[] IS NULL OR id = ANY(%(sources)s))
),
frequency AS (
    SELECT term, sum(t.chunks_count)::float8 AS chunks
    FROM scope JOIN sources_sourceterm t ON t.source_id = scope.id
    WHERE tenant_id = %(tenant)s AND term = ANY(%(terms)s::int[])
      AND t.generation BETWEEN scope.first_generation AND scope.generation
    GROUP BY term
    HAVING sum(t.chunks_count) > 0
),
idf AS (
    SELECT frequency.term,
           ln(1 + greatest(total.chunks - frequency.chunks + 0.5, 0.5)
                  / (frequency.chunks + 0.5)) AS weight
    FROM frequency, (SELECT sum(chunks_count)::float8 AS chunks FROM scope) total
),
question AS MATERIALIZED (
    SELECT ('{{' || string_agg(term || ':' || weight::float4, ',') || '}}/{TERM_DIMENSIONS}'
           )::sparsevec AS weights
    FROM idf
),
compared AS MATERIALIZED (
    SELECT source_id, chunk_id, language, -(embedding <#> %(vector)s::halfvec) AS cosine
    FROM scope JOIN sources_chunkembedding e ON e.source_id = scope.id
    WHERE tenant_id = %(tenant)s AND space = %(space)s
      AND e.generation BETWEEN scope.first_generation AND scope.generation
      AND e.removed_in > scope.generation
),
level AS MATERIALIZED (
    SELECT language, avg(cosine) AS mean, stddev_pop(cosine) AS deviation, count(*) AS neighbours
    FROM compared
    GROUP BY language
),
dense AS (
    SELECT nearest.source_id, nearest.chunk_id
    FROM level, LATERAL (
        SELECT source_id, chunk_id, max(cosine) AS cosine
        FROM compared
        WHERE compared.language = level.language
        GROUP BY source_id, chunk_id
        ORDER BY cosine DESC, chunk_id
        LIMIT %(limit)s
    ) nearest
),
lexical AS (
    SELECT source_id, chunk_id, -(weights <#> (SELECT weights FROM question)) AS bm25
    FROM scope JOIN sources_chunkterms t ON t.source_id = scope.id
    WHERE tenant_id = %(tenant)s
      AND t.generation BETWEEN scope.first_generation AND scope.generation
      AND t.removed_in > scope.generation
      AND (SELECT weights FROM question) IS NOT NULL
    ORDER BY bm25 DESC, chunk_id
    LIMIT %(limit)s
),
candidate AS MATERIALIZED (
    SELECT source_id, chunk_id FROM dense
    UNION
    SELECT source_id, chunk_id FROM lexical WHERE bm25 > 0
),
scored AS MATERIALIZED (
    SELECT candidate.source_id, candidate.chunk_id, vector.language, vector.cosine,
           level.mean, level.deviation, level.neighbours,
           coalesce((
               SELECT -(t.weights <#> (SELECT weights FROM question))
               FROM sources_chunkterms t
               WHERE t.tenant_id = %(tenant)s AND t.source_id = candidate.source_id
                 AND t.chunk_id = candidate.chunk_id
           ), 0) AS lexical
    FROM candidate
    JOIN LATERAL (
        SELECT e.language, max(-(e.embedding <#> %(vector)s::halfvec)) AS cosine
        FROM sources_chunkembedding e
        WHERE e.tenant_id = %(tenant)s AND e.source_id = candidate.source_id
          AND e.space = %(space)s AND e.chunk_id = candidate.chunk_id
        GROUP BY e.language
    ) vector ON true
    JOIN level ON level.language = vector.language
),
fused AS (
    SELECT *,
           0.5 * greatest(cosine - mean, 0)
               / greatest(max(cosine - mean) OVER in_language, 1e-6)
           + 0.5 * lexical / greatest(max(lexical) OVER in_language, 1e-6) AS fused
    FROM scored
    WINDOW in_language AS (PARTITION BY language)
),
kept AS MATERIALIZED (
    SELECT *
    FROM (
        SELECT *, row_number() OVER (
            PARTITION BY language ORDER BY fused DESC, chunk_id
        ) AS place
        FROM fused
    ) ranked
    WHERE place <= %(kept)s
)
SELECT active.id AS active_space, chunk.id AS chunk_id, chunk.source_id, document.external_id,
       document.place, document.link, document.title, chunk.text, chunk.location,
       chunk.section_title, chunk.level, chunk.language,
       coalesce(scope.last_synced_at, document.synced_at) AS synced_at,
       kept.cosine, kept.lexical, kept.fused, kept.mean, kept.deviation, kept.neighbours,
       reading.content AS reading, (SELECT array_agg(term) FROM frequency) AS heard
FROM (SELECT id FROM sources_embeddingspace WHERE is_active) active
LEFT JOIN (
    kept
    JOIN scope ON scope.id = kept.source_id
    JOIN sources_chunk chunk ON chunk.id = kept.chunk_id AND chunk.tenant_id = %(tenant)s
    JOIN sources_document document
      ON document.id = chunk.document_id AND document.tenant_id = %(tenant)s
    LEFT JOIN sources_chunkreading reading
      ON reading.tenant_id = %(tenant)s AND reading.source_id = kept.source_id
      AND reading.space = %(space)s AND reading.chunk_id = kept.chunk_id
) ON true
ORDER BY kept.fused DESC, chunk.id
"""  # noqa: S608 - the only part put in is a constant of ours
