"""Passages become vectors and terms: slow, and never inside a transaction. generations.py writes
them.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

import numpy as np

from accounts.models import Tenant
from language.detection import WORDS_READ, detect_language, detect_main_language
from language.glossary import gloss
from language.terms import passage_weights
from language.words import Language
from reading.passages import ChunkLevel, Passage, ReadDocument
from reading.sentences import sentence_spans
from sources.embedding.close_reading import CloseReading, Span, Vectors
from sources.embedding.embedder import Embedder, forget_active_space, get_embedder
from sources.embedding.onnx_model import ModelText
from sources.models import Chunk, ChunkEmbedding, ChunkReading

PASSAGES_AT_ONCE = 256  # embedded between two looks at whether the run still holds its lock


@dataclass(frozen=True)
class PassageVectors:
    """`windows` (n ≥ 1, dimension) float32, and a CloseReading as it is stored."""

    windows: Vectors
    reading: bytes


@dataclass(frozen=True)
class EmbeddedPassage:
    """A passage with what is searched: what the model made of it in `space`, `weights` by term
    number. `embedded_hash` (SHA-256, 32 bytes) is of all that a model may read of it."""

    passage: Passage
    language: Language
    vectors: PassageVectors
    space: int
    weights: dict[int, float]
    embedded_hash: bytes


@dataclass(frozen=True)
class EmbeddedDocument:
    """`embedded_count`: how many of its passages the model had to read; it knew the others.
    `first`: the number of the first passage in the document, of which these may be a part."""

    document: ReadDocument
    passages: tuple[EmbeddedPassage, ...]
    embedded_count: int
    first: int = 0


@dataclass(frozen=True)
class SearchedPassage:
    """A passage, what stands for it in the lexical search, and what the model reads of it."""

    passage: Passage
    text: str
    language: Language
    embedded_hash: bytes


class OnProgress(Protocol):
    """Raises what is to stop the work."""

    def __call__(self, *, step: str, passages_done: int, passages_total: int) -> None: ...


def embed_documents(
    tenant: Tenant,
    source_id: uuid.UUID,
    documents: Sequence[ReadDocument],
    *,
    first: int = 0,
    most: int | None = None,
    on_progress: OnProgress | None = None,
) -> list[EmbeddedDocument]:
    """Embeds documents. Seconds to minutes of CPU: never call this inside a transaction. `first`
    and `most`: which part of each document's passages.

    What the source has a vector of already is not embedded again.
    """
    part = slice(first, None if most is None else first + most)
    forget_active_space()  # what a worker knew may be hours old
    embedder = get_embedder()
    searched = [searched_passages(document.passages, part) for document in documents]
    wanted = {item.embedded_hash: item for items in searched for item in items}
    vectors = stored_vectors(tenant, source_id, wanted.keys(), space=embedder.space)
    missing = [item for key, item in wanted.items() if key not in vectors]
    missing_hashes = {item.embedded_hash for item in missing}
    # The longest first: each slice is read in batches of similar length, with little padding.
    missing.sort(key=lambda item: len(item.text), reverse=True)
    for start in range(0, len(missing), PASSAGES_AT_ONCE):
        if on_progress is not None:
            on_progress(step="embed", passages_done=start, passages_total=len(missing))
        some = missing[start : start + PASSAGES_AT_ONCE]
        read = read_passages([(item.passage, item.language) for item in some], embedder)
        vectors.update(zip((item.embedded_hash for item in some), read, strict=True))
    return [
        EmbeddedDocument(
            document,
            tuple(
                embedded_passage(item, vectors[item.embedded_hash], embedder.space)
                for item in items
            ),
            embedded_count=sum(item.embedded_hash in missing_hashes for item in items),
            first=first,
        )
        for document, items in zip(documents, searched, strict=True)
    ]


def searched_passages(passages: Sequence[Passage], part: slice) -> list[SearchedPassage]:
    """The passages of a part as they are searched. All passages are needed because their beginning
    tells the document's language."""
    main_language = detect_main_language([passage.text for passage in passages[:WORDS_READ]])
    return [searched_passage(passage, main_language) for passage in passages[part]]


def searched_passage(passage: Passage, main_language: Language) -> SearchedPassage:
    text = searched_text(passage)
    language = detect_language(text, default=main_language)
    return SearchedPassage(passage, text, language, hash_of_readings(text, language))


def hash_of_readings(text: str, language: Language) -> bytes:
    """A hash that is the same for every model, so that it stays right when another one takes over,
    and that changes when the glossary reads the text otherwise."""
    return sha256(f"{text}\0{gloss(text) if language == 'es' else ''}".encode()).digest()


def read_passages(
    passages: Sequence[tuple[Passage | Chunk, Language]], embedder: Embedder
) -> list[PassageVectors]:
    """Returns the vectors and words that the model makes of the passages, in their order: seconds
    of CPU for a few hundred."""
    spans = [spans_of(passage) for passage, _ in passages]
    read = embedder.read_passages(
        [
            model_text(passage, language, places, embedder)
            for (passage, language), places in zip(passages, spans, strict=True)
        ]
    )
    return [
        PassageVectors(part.windows, CloseReading(places, part.counts, part.bits).encode())
        for part, places in zip(read, spans, strict=True)
    ]


def spans_of(passage: Passage | Chunk) -> tuple[Span, ...]:
    """The places of the passage's sentences. A table row counts as one sentence: its headers are in
    it."""
    if passage.level == ChunkLevel.ROW:
        return ((0, len(passage.text)),)
    return tuple(sentence_spans(passage.text))


def model_text(
    passage: Passage | Chunk, language: Language, spans: Sequence[Span], embedder: Embedder
) -> ModelText:
    """The text that the model reads: the section's title, then the sentences. "It is free" says
    what is free only with "Delivery" above."""
    parts = (passage.section_title, *(passage.text[start:end] for start, end in spans))
    return ModelText(
        tuple(for_model(part, language, embedder) for part in parts),
        "en" if embedder.card.is_english_only else language,
    )


def embedded_passage(item: SearchedPassage, vectors: PassageVectors, space: int) -> EmbeddedPassage:
    return EmbeddedPassage(
        item.passage,
        item.language,
        vectors,
        space,
        passage_weights(item.text, item.language),
        item.embedded_hash,
    )


def stored_vectors(
    tenant: Tenant, source_id: uuid.UUID, hashes: Collection[bytes], *, space: int
) -> dict[bytes, PassageVectors]:
    """Returns the vectors stored in `space` for each hash that a chunk of the source has, in any
    version: passages that a sync has staged are not embedded again when it goes on. Three queries.

    Halves (halfvec) that are stored again are the same halves.
    """
    chunks = Chunk.objects.for_tenant(tenant).filter(
        source_id=source_id, embedded_hash__in=[*hashes]
    )
    # One chunk a hash is enough.
    rows = chunks.order_by("embedded_hash", "-pk").distinct("embedded_hash")
    hash_of = {pk: bytes(value) for pk, value in rows.values_list("pk", "embedded_hash")}
    windows = (
        ChunkEmbedding.objects.for_tenant(tenant)
        .filter(source_id=source_id, space=space, chunk_id__in=[*hash_of])
        .order_by("chunk_id", "window")
    )
    found: dict[bytes, list[Vectors]] = defaultdict(list)
    for row in windows.iterator():
        found[hash_of[row.chunk_id]].append(np.asarray(row.embedding, dtype=np.float32))
    readings = ChunkReading.objects.for_tenant(tenant).filter(
        source_id=source_id, space=space, chunk_id__in=[*hash_of]
    )
    return {
        key: PassageVectors(np.stack(found[key]), bytes(row.content))
        for row in readings.iterator()
        if (key := hash_of[row.chunk_id]) in found
    }


def searched_text(passage: Passage | Chunk) -> str:
    """The text with its section's title: "Returns" may not stand in the text itself."""
    return f"{passage.section_title}\n{passage.text}" if passage.section_title else passage.text


def for_model(text: str, language: str, embedder: Embedder) -> str:
    """The text for the model: Spanish goes through the glossary when the model knows English
    alone."""
    return gloss(text) if embedder.card.is_english_only and language == "es" else text
