"""The passages of a tenant that are nearest to a question: dense and lexical search in one round
trip to PostgreSQL.

Both searches are exact, over narrow rows of one tenant; docs/retrieval.md tells why, with figures.
The SQL is here and nowhere else, and the tenant is a bound parameter of every part of it.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from pgvector import HalfVector

from accounts.models import Tenant
from query.calibration import get_calibration
from query.matching import Match
from query.ordering import order_chunks, share
from sources.ingestion.embed import Vectors, forget_active_space, get_embedder
from sources.ingestion.index import for_model
from sources.language import TERM_DIMENSIONS
from sources.language.detection import detect_message_language
from sources.language.terms import question_terms
from sources.language.words import Language

CANDIDATES_PER_SEARCH = 30  # of each kind; their union is fused
# Shares of the fused score. Measured on eval/wiki: 0.3 to 0.5 for dense is a plateau in both
# languages; rank fusion lost 20 points of recall@1 in Spanish (measurements.md §4).
DENSE_SHARE = 0.4
LEXICAL_SHARE = 1 - DENSE_SHARE


@dataclass(frozen=True)
class Question:
    """A question as the search sees it. `vector` (dimension,) float32, L2-normalised, of the
    EmbeddingSpace `space`: compare it with vectors of `get_embedder(question.space)` alone."""

    text: str
    language: Language
    vector: Vectors
    space: int = 1


@dataclass(frozen=True)
class RetrievedChunk:
    """A passage and how near it is.

    `similarity` is the cosine cut to 0 … 1; `lexical` is BM25, ≥ 0 and without an upper bound;
    `score` is 0 … 1 within one question: the fused score, then that of query/ordering.py. Only
    `score` orders; the scales are never mixed. `match` is of the first passages alone.
    """

    chunk_id: int
    source_id: uuid.UUID
    source_file: str
    document_title: str
    text: str
    location: str
    section_title: str
    level: str
    language: Language
    synced_at: datetime
    similarity: float
    lexical: float
    score: float
    match: Match | None = None


class SpaceIsNotActive(Exception):
    """The question was read by another model than the one that answers now."""


def read_question(text: str, language: Language | None = None) -> Question:
    """`language` None: told from the text."""
    embedder = get_embedder()
    language = language or detect_message_language(text)
    vector = embedder.embed_query(for_model(text, language, embedder))
    return Question(text, language, vector, embedder.space)


def retrieve_chunks(
    tenant: Tenant, question: Question, *, top_k: int, source_ids: Sequence[uuid.UUID] | None = None
) -> list[RetrievedChunk]:
    """The `top_k` passages, best first, of `source_ids` (None: of all the tenant's). One query.

    When the embedding model was swapped since the question was read, it is read again: two more.
    """
    question, candidates = find_candidates(tenant, question, source_ids=source_ids)
    return order_chunks(question, candidates, get_calibration().ordering)[:top_k]


def find_candidates(
    tenant: Tenant, question: Question, *, source_ids: Sequence[uuid.UUID] | None = None
) -> tuple[Question, list[RetrievedChunk]]:
    """The passages that either search found, by fused score; and the question as it was read."""
    try:
        return question, fuse(search(tenant, question, source_ids))
    except SpaceIsNotActive:
        forget_active_space()
        question = read_question(question.text, question.language)
        return question, fuse(search(tenant, question, source_ids))


def search(
    tenant: Tenant, question: Question, source_ids: Sequence[uuid.UUID] | None
) -> list[dict[str, Any]]:
    """The candidates of both searches. Raises SpaceIsNotActive."""
    parameters = {
        "tenant": tenant.pk,
        "sources": list(source_ids) if source_ids is not None else None,
        "space": question.space,
        "vector": HalfVector(question.vector).to_text(),
        "terms": question_terms(question.text, question.language),
        "limit": CANDIDATES_PER_SEARCH,
    }
    with connection.cursor() as cursor:
        cursor.execute(HYBRID_SEARCH, parameters)
        columns = [column.name for column in cursor.description or ()]
        rows = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    if not any(row["active_space"] == question.space for row in rows):
        raise SpaceIsNotActive
    return [row for row in rows if row["chunk_id"] is not None]


def fuse(candidates: Sequence[dict[str, Any]]) -> list[RetrievedChunk]:
    """Both scores as shares of the best candidate's, added by weight. Best first, ties by id."""
    best_cosine = max((row["cosine"] for row in candidates), default=0.0)
    best_lexical = max((row["lexical"] for row in candidates), default=0.0)
    chunks = [
        RetrievedChunk(
            chunk_id=row["chunk_id"],
            source_id=row["source_id"],
            source_file=row["external_id"],
            document_title=row["title"],
            text=row["text"],
            location=row["location"],
            section_title=row["section_title"],
            level=row["level"],
            language=row["language"],
            synced_at=row["synced_at"],
            similarity=min(1.0, max(0.0, row["cosine"])),
            lexical=row["lexical"],
            score=DENSE_SHARE * share(row["cosine"], best_cosine)
            + LEXICAL_SHARE * share(row["lexical"], best_lexical),
        )
        for row in candidates
    ]
    return sorted(chunks, key=lambda chunk: (-chunk.score, chunk.chunk_id))


# One statement is one snapshot: a source that is replaced meanwhile is seen whole, old or new; and
# the space that is searched is the active one, or `active_space` tells that it is not.
# `question` turns the terms that occur in the scope into a vector of their idf (terms.py: idf).
HYBRID_SEARCH = f"""
WITH scope AS MATERIALIZED (
    SELECT id, chunks_count, last_synced_at
    FROM sources_source
    WHERE tenant_id = %(tenant)s AND (%(sources)s::uuid[] IS NULL OR id = ANY(%(sources)s))
),
frequency AS (
    SELECT term, sum(chunks_count)::float8 AS chunks
    FROM sources_sourceterm
    WHERE tenant_id = %(tenant)s AND (%(sources)s::uuid[] IS NULL OR source_id = ANY(%(sources)s))
      AND term = ANY(%(terms)s::int[])
    GROUP BY term
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
dense AS (
    SELECT source_id, chunk_id, max(-(embedding <#> %(vector)s::halfvec)) AS cosine
    FROM sources_chunkembedding
    WHERE tenant_id = %(tenant)s AND (%(sources)s::uuid[] IS NULL OR source_id = ANY(%(sources)s))
      AND space = %(space)s
    GROUP BY source_id, chunk_id
    ORDER BY cosine DESC, chunk_id
    LIMIT %(limit)s
),
lexical AS (
    SELECT source_id, chunk_id, -(weights <#> (SELECT weights FROM question)) AS bm25
    FROM sources_chunkterms
    WHERE tenant_id = %(tenant)s AND (%(sources)s::uuid[] IS NULL OR source_id = ANY(%(sources)s))
      AND (SELECT weights FROM question) IS NOT NULL
    ORDER BY bm25 DESC, chunk_id
    LIMIT %(limit)s
),
candidate AS (
    SELECT source_id, chunk_id FROM dense
    UNION
    SELECT source_id, chunk_id FROM lexical WHERE bm25 > 0
)
SELECT active.id AS active_space, chunk.id AS chunk_id, chunk.source_id, document.external_id,
       document.title, chunk.text, chunk.location, chunk.section_title, chunk.level,
       chunk.language,
       coalesce(scope.last_synced_at, document.synced_at) AS synced_at,
       (
           SELECT max(-(e.embedding <#> %(vector)s::halfvec))
           FROM sources_chunkembedding e
           WHERE e.tenant_id = %(tenant)s AND e.source_id = candidate.source_id
             AND e.space = %(space)s AND e.chunk_id = candidate.chunk_id
       ) AS cosine,
       coalesce((
           SELECT -(t.weights <#> (SELECT weights FROM question))
           FROM sources_chunkterms t
           WHERE t.tenant_id = %(tenant)s AND t.source_id = candidate.source_id
             AND t.chunk_id = candidate.chunk_id
       ), 0) AS lexical
FROM (SELECT id FROM sources_embeddingspace WHERE is_active) active
LEFT JOIN (
    candidate
    JOIN scope ON scope.id = candidate.source_id
    JOIN sources_chunk chunk ON chunk.id = candidate.chunk_id AND chunk.tenant_id = %(tenant)s
    JOIN sources_document document
      ON document.id = chunk.document_id AND document.tenant_id = %(tenant)s
) ON true
"""  # noqa: S608 - the only part put in is a constant of ours
