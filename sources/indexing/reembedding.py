"""Changes the embedding model while the service answers: every chunk gets its vectors of the new
model in a space of its own, then the spaces are swapped (docs/decisions/0011-embedding-spaces.md).

    drop what earlier runs left → build, in batches → shut the door, make the last ones, swap
    → drop the old space

What is to do is found, not remembered: a chunk without a vector in the new space. So a run that was
killed, at any point, goes on where it was, and what a sync wrote meanwhile is made too: also what
it has only staged, so that a sync goes on after a swap with what it has.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.models import Exists, OuterRef

from accounts.models import Tenant
from accounts.models.tenancy import TenantQuerySet
from language.words import Language
from sources.embedding.embedder import Embedder, embedder_in, forget_active_space, get_embedder
from sources.embedding.embedding_model import read_card
from sources.embedding.spaces import activate, add_space, hold_space, shut_spaces
from sources.indexing.index import PassageVectors, read_passages
from sources.indexing.rows import StoredVectors, delete_rows, delete_vectors, write_vectors
from sources.models import (
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    EmbeddingSpace,
    Source,
    VectorSigns,
)

DEFAULT_BATCH_CHUNKS = 256

# A chunk's source and its number: what is to be embedded is listed before it is read.
Place = tuple[uuid.UUID, int]


class Abandoned(Exception):
    """Somebody dropped the space while it was being built."""


@dataclass(frozen=True)
class Reembedding:
    """The result of a run. `chunks`: how many it embedded; `is_swapped`: False if the model was the
    active one already."""

    model: str
    dimension: int
    chunks: int
    is_swapped: bool


class OnProgress(Protocol):
    def __call__(self, *, done: int, total: int) -> None: ...


def reembed(*, batch_chunks: int, on_progress: OnProgress) -> Reembedding:
    """Makes EMBEDDING_MODEL the model that answers; where it does already, makes what earlier
    versions did not keep of its chunks. Minutes to hours; never in a transaction.

    Raises Abandoned, and ImproperlyConfigured for a model that cannot be used.
    """
    forget_active_space()
    active, model = get_embedder().card, settings.EMBEDDING_MODEL
    drop_spaces(kept_models={active.name, model})
    space = space_of(model)
    embedder = embedder_in(space)
    chunks = build(embedder, space, batch_chunks, on_progress, done=0)
    if active.name == model:
        return Reembedding(model, active.dimension, chunks, is_swapped=False)
    while (late := swap(embedder, space, most=batch_chunks)) is None:
        chunks = build(embedder, space, batch_chunks, on_progress, done=chunks)
    forget_active_space()
    drop_spaces(kept_models={model})
    return Reembedding(model, embedder.card.dimension, chunks + late, is_swapped=True)


def abandon() -> list[str]:
    """Drops every space but the active one, and returns the names of their models."""
    forget_active_space()
    return drop_spaces(kept_models={get_embedder().card.name})


def space_of(model: str) -> EmbeddingSpace:
    card = read_card(model)
    space = add_space(model, card.dimension)
    if space.dimension != card.dimension:
        raise ImproperlyConfigured(
            f"{model} was another model when its vectors were begun: `bin/manage reembed --abandon`"
            " drops them."
        )
    return space


def every_tenant() -> Iterator[Tenant]:
    return Tenant.objects.order_by("pk").iterator()


# --- Building -------------------------------------------------------------------------------------


def build(
    embedder: Embedder,
    space: EmbeddingSpace,
    batch_chunks: int,
    on_progress: OnProgress,
    *,
    done: int,
) -> int:
    """Embeds the chunks that are missing now; returns `done` and how many they were, together."""
    total = done + sum(missing_chunks(tenant, space).count() for tenant in every_tenant())
    for tenant in every_tenant():
        places = missing_places(tenant, space)
        for start in range(0, len(places), batch_chunks):
            on_progress(done=done, total=total)
            batch = places[start : start + batch_chunks]
            write_batch(tenant, space, batch, embed_chunks(tenant, embedder, batch))
            done += len(batch)
    on_progress(done=done, total=total)
    return done


def missing_chunks(tenant: Tenant, space: EmbeddingSpace) -> TenantQuerySet[Chunk]:
    """Chunks without a reading, which is written with the vectors. Versions before 0.1 wrote
    vectors alone at first."""
    readings = ChunkReading.objects.for_tenant(tenant).filter(
        source_id=OuterRef("source_id"), space=space.pk, chunk_id=OuterRef("pk")
    )
    return Chunk.objects.for_tenant(tenant).filter(~Exists(readings))


def missing_places(tenant: Tenant, space: EmbeddingSpace) -> list[Place]:
    """The chunks to embed, in the order in which they are written: what is searched together lies
    together."""
    return list(
        missing_chunks(tenant, space).order_by("source_id", "pk").values_list("source_id", "pk")
    )


def embed_chunks(
    tenant: Tenant, embedder: Embedder, places: Sequence[Place]
) -> dict[int, PassageVectors]:
    """Returns the vectors by chunk. It takes seconds, so call it outside any transaction. Chunks
    that were deleted meanwhile are left out."""
    chunks = list(Chunk.objects.for_tenant(tenant).filter(pk__in=[pk for _, pk in places]))
    read = read_passages([(chunk, language_of(chunk)) for chunk in chunks], embedder)
    return {chunk.pk: vectors for chunk, vectors in zip(chunks, read, strict=True)}


def language_of(chunk: Chunk) -> Language:
    return "es" if chunk.language == "es" else "en"


@transaction.atomic
def write_batch(
    tenant: Tenant,
    space: EmbeddingSpace,
    places: Sequence[Place],
    vectors: dict[int, PassageVectors],
) -> None:
    """Writes vectors of the chunks that still exist and still have none: their sources are locked,
    so no sync replaces them meanwhile. Raises Abandoned."""
    sources = Source.objects.with_deleted(tenant).filter(pk__in={source for source, _ in places})
    list(sources.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    if not hold_space(space):
        raise Abandoned
    still = missing_chunks(tenant, space).filter(pk__in=vectors.keys())
    wanted = set(still.values_list("pk", flat=True))
    write_places(tenant, space, [place for place in places if place[1] in wanted], vectors)


def write_places(
    tenant: Tenant,
    space: EmbeddingSpace,
    places: Sequence[Place],
    vectors: dict[int, PassageVectors],
) -> None:
    """Writes the vectors with the versions that their documents have now. The caller's transaction
    must keep those as they are."""
    for source_id, group in groupby(places, key=lambda place: place[0]):
        chunks = (
            Chunk.objects.for_tenant(tenant)
            .filter(pk__in=[pk for _, pk in group if pk in vectors])
            .order_by("pk")
            .values_list("pk", "language", "document__generation", "document__removed_in")
        )
        rows = [
            StoredVectors(space.pk, pk, language, vectors[pk], generation, removed_in)
            for pk, language, generation, removed_in in chunks
        ]
        delete_vectors(tenant, source_id, space.pk, [row.chunk_id for row in rows])
        write_vectors(tenant, source_id, rows)


# --- Swapping -------------------------------------------------------------------------------------


@transaction.atomic
def swap(embedder: Embedder, space: EmbeddingSpace, *, most: int) -> int | None:
    """Makes the last vectors and the space the active one, while no source can commit; returns how
    many they were. Does nothing and returns None when there are more than `most`: others wait for
    us."""
    shut_spaces()
    if not hold_space(space):
        raise Abandoned
    count = sum(missing_chunks(tenant, space).count() for tenant in every_tenant())
    if count > most:
        return None
    for tenant in every_tenant() if count else ():
        places = missing_places(tenant, space)
        write_places(tenant, space, places, embed_chunks(tenant, embedder, places))
    activate(space)
    return count


# --- Dropping -------------------------------------------------------------------------------------


def drop_spaces(*, kept_models: Collection[str]) -> list[str]:
    """Deletes all other spaces, and returns the names of their models.

    First the spaces, so that nobody goes on building them, then their vectors source by source:
    also those that a run left which was killed in between.
    """
    with transaction.atomic():
        shut_spaces()
        dropped = EmbeddingSpace.objects.exclude(model__in=kept_models).exclude(is_active=True)
        names = list(dropped.values_list("model", flat=True))
        dropped.delete()
        kept = list(EmbeddingSpace.objects.values_list("pk", flat=True))
    for tenant in every_tenant():
        drop_vectors(tenant, kept_spaces=kept)
    return names


def drop_vectors(tenant: Tenant, *, kept_spaces: Sequence[int]) -> None:
    for model in (ChunkEmbedding, ChunkReading, VectorSigns):
        dropped = model.objects.for_tenant(tenant).exclude(space__in=kept_spaces)
        for source_id in dropped.values_list("source_id", flat=True).distinct():
            delete_rows(dropped.filter(source_id=source_id))
