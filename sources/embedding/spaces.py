"""The embedding model that answers: that of the active space in the database, even where a process
has another EMBEDDING_MODEL. `bin/manage reembed` changes it (sources/indexing/reembedding.py).

Who commits passages holds the space that they were embedded for, and who swaps spaces shuts the
door: so no passage is left behind in a space that nobody searches.
"""

from django.db import connection
from django.db.models import Max
from django.utils import timezone

from sources.models import EmbeddingSpace

# Django has no FOR SHARE; FOR UPDATE would let only one source commit at a time.
HOLD_ACTIVE = "SELECT id FROM sources_embeddingspace WHERE is_active FOR SHARE"
HOLD = "SELECT id FROM sources_embeddingspace WHERE id = %s AND model = %s FOR SHARE"
# Waits for all who hold a space, and lets nobody begin to, until the transaction ends. Questions
# only read, and go on.
SHUT = "LOCK TABLE sources_embeddingspace IN EXCLUSIVE MODE"


def active_space() -> EmbeddingSpace | None:
    """The active space; None in a database that has embedded nothing yet."""
    return EmbeddingSpace.objects.filter(is_active=True).first()


def activate_first(model: str, dimension: int) -> EmbeddingSpace:
    """The active space: `model`'s, unless another process was quicker."""
    space = EmbeddingSpace(
        id=1, model=model, dimension=dimension, is_active=True, activated_at=timezone.now()
    )
    EmbeddingSpace.objects.bulk_create([space], ignore_conflicts=True)
    return EmbeddingSpace.objects.get(is_active=True)


def add_space(model: str, dimension: int) -> EmbeddingSpace:
    """The space of `model`, to be filled. The active one has the highest number but for those
    being built, so no active number is ever given twice."""
    highest = EmbeddingSpace.objects.aggregate(highest=Max("id"))["highest"] or 0
    space, _ = EmbeddingSpace.objects.get_or_create(
        model=model, defaults={"id": highest + 1, "dimension": dimension}
    )
    return space


def hold_active_space() -> int | None:
    """The id of the active space, which stays active to the end of the transaction. None if no
    space is active, or it was swapped while we waited."""
    with connection.cursor() as cursor:
        cursor.execute(HOLD_ACTIVE)
        row = cursor.fetchone()
    return row[0] if row else None


def hold_space(space: EmbeddingSpace) -> bool:
    """Keeps a space that is being built as it is to the end of the transaction; True if it is
    there."""
    with connection.cursor() as cursor:
        cursor.execute(HOLD, [space.pk, space.model])
        return cursor.fetchone() is not None


def shut_spaces() -> None:
    with connection.cursor() as cursor:
        cursor.execute(SHUT)


def activate(space: EmbeddingSpace) -> None:
    """Makes `space` the active one. Call it in a transaction that has shut the spaces, with every
    chunk in `space`."""
    EmbeddingSpace.objects.filter(is_active=True).update(is_active=False)
    space.is_active, space.activated_at = True, timezone.now()
    space.save(update_fields=["is_active", "activated_at"])
