"""Finds the passages of a tenant that are nearest to a question: dense and lexical search in one
round trip to PostgreSQL.

Both searches are over narrow rows of one tenant, and exact but for the dense one of a large tenant,
which looks through signs first; docs/retrieval.md tells why, with figures.
Their SQL is a function of the database, search_passages.sql.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from django.db import connection

from accounts.models import Tenant
from config.database.functions import DatabaseFunction
from language.message import Message
from query.search.calibration import get_calibration
from query.search.candidates import Question, RetrievedChunk
from query.search.closeness import asked_words, measure_closeness
from query.search.matching import Matcher, measure_unheard
from query.search.ordering import order_chunks
from query.search.repeats import fold_repeats
from query.search.threads import replies_first
from query.search.translations import fold_translations
from query.search.versions import fold_versions
from query.understanding.dates import local_now
from reading.passages import MESSAGE_HEADER
from sources.embedding.close_reading import Vectors, decode
from sources.embedding.embedder import forget_active_space, get_embedder
from sources.indexing.index import for_model

CANDIDATES_PER_SEARCH = 30  # of the lexical one, and of the dense one in each language
# Of each language: across languages cosines are lower and fewer words are shared, so that the
# candidates of one list for both would all be in the question's language.
CANDIDATES_PER_LANGUAGE = 9
# Passages in scope that are all compared with the question; of more, those whose signs are nearest
EXACT_UP_TO = 4_000
HIGHEST = 0.6  # of a question's largest number: few are beyond


class SpaceIsNotActive(Exception):
    """Raised when the question was read by another model than the one that answers now."""


def read_question(message: Message) -> Question:
    """The question as the search sees it."""
    embedder = get_embedder()
    language = message.language
    wording = for_model(message.text, language, embedder)
    read = embedder.read_question(wording)
    words = asked_words(wording, "en" if embedder.card.is_english_only else language, read)
    return Question(message, read.vector, embedder.space, words)


def retrieve_chunks(
    tenant: Tenant, question: Question, *, top_k: int, source_ids: Sequence[uuid.UUID] | None = None
) -> tuple[Question, list[RetrievedChunk]]:
    """The `top_k` passages, best first, of `source_ids` (None: of all the tenant's), and the
    question as it was read for them. A passage, its repetitions, its translation and its
    versions of other years are one. One query.

    When the embedding model was swapped since the question was read, it is read again: two more.
    """
    question, candidates = find_candidates(tenant, question, source_ids=source_ids)
    ordered = order_chunks(question, candidates, get_calibration())
    current = fold_versions(question, replies_first(ordered), today=local_now(tenant).year)
    different = fold_repeats(current)
    return question, fold_translations(question, different)[:top_k]


def find_candidates(
    tenant: Tenant, question: Question, *, source_ids: Sequence[uuid.UUID] | None = None
) -> tuple[Question, list[RetrievedChunk]]:
    """The passages of each language that are nearest and share most words, with the evidence of
    their words; and the question as it was read."""
    try:
        rows, heard = search(tenant, question, source_ids)
    except SpaceIsNotActive:
        forget_active_space()
        question = read_question(question.message)
        rows, heard = search(tenant, question, source_ids)
    # Who wrote to whom says nothing about what was written
    chunks = [to_chunk(row) for row in rows if row["location"] != MESSAGE_HEADER]
    matches = Matcher(question).match(chunks)
    closeness = measure_closeness([chunk.reading for chunk in chunks], question.words)
    return replace(question, unheard=measure_unheard(question, heard)), [
        replace(chunk, match=match, closeness=close)
        for chunk, match, close in zip(chunks, matches, closeness, strict=True)
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
        "vector": halves_text(question.vector),
        "terms": question.message.content.numbers,
        "limit": CANDIDATES_PER_SEARCH,
        "kept": CANDIDATES_PER_LANGUAGE,
        "exact_up_to": EXACT_UP_TO,
        "signs": sign_digits(question.vector),
    }
    with connection.cursor() as cursor:
        cursor.execute(SEARCH_PASSAGES, parameters)
        columns = [column.name for column in cursor.description or ()]
        rows = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    if not any(row["active_space"] == question.space for row in rows):
        raise SpaceIsNotActive
    # There is a row even where nothing is found: it says which space answers, and what is heard
    heard = set(rows[0]["heard"] or ())
    return [row for row in rows if row["chunk_id"] is not None], heard


def halves_text(vector: Vectors) -> str:
    """The vector as PostgreSQL reads a halfvec; five digits tell every half apart."""
    return "[" + ",".join([f"{value:.5g}" for value in vector.astype(np.float16).tolist()]) + "]"


def sign_digits(vector: Vectors) -> list[str]:
    """The binary digits of the vector's numbers, the largest first, a string of bits each: numbers
    on a scale of eight from −`HIGHEST` to +`HIGHEST` of the largest one, those beyond at its ends.
    "RaBitQ", Gao and Long 2024, reads a question likewise."""
    highest = HIGHEST * max(float(np.abs(vector).max()), 1e-9)
    levels = np.clip(np.rint((vector / highest + 1) / 2 * 7), 0, 7).astype(np.uint8)
    return ["".join(map(str, levels >> digit & 1)) for digit in (2, 1, 0)]


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
        # Halves are rounded: the cosine of a text with itself may come out above 1
        similarity=min(1.0, max(0.0, row["cosine"])),
        lexical=row["lexical"],
        score=row["fused"],
        mean=row["mean"],
        deviation=row["deviation"],
        neighbours=row["neighbours"],
        reading=decode(row["reading"]) if row["reading"] is not None else None,
    )


# One statement, whose plan PostgreSQL keeps.
FUNCTION = DatabaseFunction(Path(__file__).with_name("search_passages.sql"))
SEARCH_PASSAGES = f"""
SELECT * FROM {FUNCTION.name}(
    %(tenant)s, %(sources)s::uuid[], %(space)s::smallint, %(vector)s::halfvec, %(terms)s::integer[],
    %(limit)s, %(kept)s, %(exact_up_to)s,
    %(signs)s::bit varying[]
)
"""  # noqa: S608 - the name is that of a file of ours, with its hash
