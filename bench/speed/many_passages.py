"""Passages by the million, of a thousand tenants: rows that look like those of real texts, written
by binary COPY past the service's own code, which would read them for hours.

A made passage lies between two real ones, some noise away, and has words of both.
"""

from __future__ import annotations

import struct
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import psycopg
from numpy.typing import NDArray

from language import TERM_DIMENSIONS
from sources.embedding.close_reading import Vectors
from sources.models import NEVER

SPACE = 1
READING_BYTES = 4_000
TEXT = "The tower of the harbour opens at ten, and closes when the last boat is in. " * 10
TABLES = (
    "source",
    "document",
    "chunk",
    "chunkembedding",
    "chunkterms",
    "chunkreading",
    "sourceterm",
)


@dataclass(frozen=True)
class Seeds:
    """What made passages are made of: vectors (n, dimension) of real ones, their languages and
    their BM25 weights by term."""

    vectors: Vectors
    languages: NDArray[np.str_]
    weights: Sequence[dict[int, float]]


@dataclass(frozen=True)
class MadePassages:
    """`vectors` (n, dimension), as halves hold them."""

    vectors: Vectors
    languages: NDArray[np.str_]
    weights: list[dict[int, float]]


def make_passages(seeds: Seeds, count: int, random: np.random.Generator) -> MadePassages:
    first = random.integers(len(seeds.vectors), size=count)
    second = random.integers(len(seeds.vectors), size=count)
    share = random.uniform(0, 0.5, size=(count, 1)).astype(np.float32)
    noise = random.normal(size=(count, seeds.vectors.shape[1])).astype(np.float32)
    vectors = (1 - share) * seeds.vectors[first] + share * seeds.vectors[second] + 0.02 * noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return MadePassages(
        vectors.astype(np.float16).astype(np.float32),
        seeds.languages[first],
        [
            mix_weights(seeds.weights[a], seeds.weights[b], s, random)
            for a, b, s in zip(first, second, share[:, 0], strict=True)
        ],
    )


def mix_weights(
    first: dict[int, float], second: dict[int, float], share: float, random: np.random.Generator
) -> dict[int, float]:
    """Words of both, and a number that hardly another passage has."""
    parts = (
        (first, random.random(len(first)) > share),
        (second, random.random(len(second)) < share),
    )
    mixed = {
        term: weight
        for weights, kept in parts
        for (term, weight), is_kept in zip(weights.items(), kept, strict=True)
        if is_kept
    }
    return mixed | {int(random.integers(1, TERM_DIMENSIONS)): 1.0}


# --- Rows -----------------------------------------------------------------------------------------


def field(value: bytes) -> bytes:
    return struct.pack("!i", len(value)) + value


def int2(value: int) -> bytes:
    return struct.pack("!ih", 2, value)


def int4(value: int) -> bytes:
    return struct.pack("!ii", 4, value)


def int8(value: int) -> bytes:
    return struct.pack("!iq", 8, value)


NEW = int4(0) + int4(NEVER)  # generation, removed_in


def vector_field(vector: Vectors) -> bytes:
    return field(struct.pack("!hh", len(vector), 0) + vector.astype(">f2").tobytes())


def weights_field(weights: dict[int, float]) -> bytes:
    indices = np.array(sorted(weights), np.int64)
    values = np.array([weights[index] for index in indices.tolist()], ">f4")
    head = struct.pack("!iii", TERM_DIMENSIONS, len(indices), 0)
    return field(head + (indices - 1).astype(">i4").tobytes() + values.tobytes())


def copy_rows(
    owner: psycopg.Connection, table: str, columns: Sequence[str], rows: Iterable[bytes]
) -> None:
    """`rows`: their fields in the binary format."""
    names = ", ".join(f'"{name}"' for name in columns)
    count = struct.pack("!h", len(columns))
    with (
        owner.cursor() as cursor,
        cursor.copy(f"COPY sources_{table} ({names}) FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        copy.write(b"".join(count + row for row in rows))
        copy.write(struct.pack("!h", -1))


def insert_source(
    owner: psycopg.Connection, tenant_id: uuid.UUID, count: int
) -> tuple[uuid.UUID, uuid.UUID, list[int]]:
    """A synced source of one document: its id, the document's, and those of its chunks to be."""
    source_id, document_id = uuid.uuid4(), uuid.uuid4()
    now = datetime.now(UTC)
    owner.execute(
        "INSERT INTO sources_source (id, tenant_id, name, source_type, source_url, selection,"
        " position, created_at, normalized_url, sync_status, sync_lane, sync_attempts,"
        " sync_progress, last_synced_at, error_message, error_code, chunks_count, original_file,"
        " original_name, content_type, size_bytes)"
        " VALUES (%s, %s, 'made', 'file', '', '{}', 0, %s, '', 'synced', 'background', 0, '{}',"
        " %s, '', '', %s, '', '', '', 0)",
        [source_id, tenant_id, now, now, count],
    )
    owner.execute(
        "INSERT INTO sources_document (id, tenant_id, source_id, title, external_id, content_type,"
        " content_hash, etag, last_modified, position, warnings, coverage, chunks_count, synced_at)"
        " VALUES (%s, %s, %s, 'Made', 'made.txt', 'text/plain', '', '', '', 0, '[]', '{}', %s, %s)",
        [document_id, tenant_id, source_id, count, now],
    )
    found = owner.execute(
        "SELECT array_agg(nextval('sources_chunk_id_seq')) FROM generate_series(1, %s)", [count]
    ).fetchone()
    assert found is not None
    return source_id, document_id, found[0]


def write_source(
    owner: psycopg.Connection,
    tenant_id: uuid.UUID,
    made: MadePassages,
    random: np.random.Generator,
) -> uuid.UUID:
    """A synced source of one document. As the owner of the tables, their row security switched
    off: COPY does not go through it."""
    source_id, document_id, chunk_ids = insert_source(owner, tenant_id, len(made.vectors))
    mine = field(tenant_id.bytes) + field(source_id.bytes)
    language_fields = [field(str(language).encode()) for language in made.languages]
    copy_chunks(owner, mine, document_id, list(zip(chunk_ids, language_fields, strict=True)))
    copy_rows(
        owner,
        "chunkembedding",
        ("tenant_id", "source_id", "space", "chunk_id", "window", "language", "embedding")
        + ("generation", "removed_in"),
        (
            mine + int2(SPACE) + int8(pk) + int2(0) + language + vector_field(vector) + NEW
            for pk, language, vector in zip(chunk_ids, language_fields, made.vectors, strict=True)
        ),
    )
    copy_rows(
        owner,
        "chunkterms",
        ("tenant_id", "source_id", "chunk_id", "weights", "generation", "removed_in"),
        (
            mine + int8(pk) + weights_field(weights) + NEW
            for pk, weights in zip(chunk_ids, made.weights, strict=True)
        ),
    )
    copy_rows(
        owner,
        "chunkreading",
        ("tenant_id", "source_id", "space", "chunk_id", "content"),
        (mine + int2(SPACE) + int8(pk) + field(random.bytes(READING_BYTES)) for pk in chunk_ids),
    )
    counts = Counter(term for weights in made.weights for term in weights)
    copy_rows(
        owner,
        "sourceterm",
        ("tenant_id", "source_id", "term", "generation", "chunks_count"),
        (mine + int4(term) + int4(0) + int4(n) for term, n in sorted(counts.items())),
    )
    return source_id


def copy_chunks(
    owner: psycopg.Connection, mine: bytes, document_id: uuid.UUID, chunks: list[tuple[int, bytes]]
) -> None:
    """`mine`: the fields of tenant and source; `chunks`: number and field of the language."""
    text = field(TEXT.encode())
    copy_rows(
        owner,
        "chunk",
        ("tenant_id", "source_id", "id", "document_id", "position", "text", "location")
        + ("section_title", "level", "language", "embedded_hash"),
        (
            mine
            + int8(pk)
            + field(document_id.bytes)
            + int4(position)
            + text
            + field(b"page 1")
            + field(b"")
            + field(b"paragraph")
            + language
            + field(pk.to_bytes(8, "big"))
            for position, (pk, language) in enumerate(chunks)
        ),
    )
