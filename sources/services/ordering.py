"""A source goes to another place in the list: only those between its two places move."""

from __future__ import annotations

import uuid
from enum import StrEnum

from django.db import transaction
from django.db.models import F

from accounts.activity import record
from accounts.models import Action, Tenant
from sources.errors import SourceNotFound
from sources.models import Source
from sources.services.reading import list_sources
from sources.syncing.plan_places import lock_tenant

# One statement of bulk_update names every row twice, and its text grows with them.
RENUMBERED_AT_ONCE = 1000


class Step(StrEnum):
    UP = "up"
    DOWN = "down"
    TOP = "top"


@transaction.atomic
def move_source(tenant: Tenant, source_id: uuid.UUID, *, step: Step) -> int:
    """Moves a source and returns its place in the list, from 0. The first cannot go up, nor the
    last down.

    Raises SourceNotFound.
    """
    order = lock_order(tenant)
    old = place_in(order, source_id)
    new = {Step.UP: old - 1, Step.DOWN: old + 1, Step.TOP: 0}[step]
    return shift(tenant, order, old=old, new=max(0, min(new, len(order) - 1)))


@transaction.atomic
def place_source(
    tenant: Tenant, source_id: uuid.UUID, *, beside_id: uuid.UUID, is_after: bool
) -> int:
    """Moves a source directly before another one, or after it; returns its place in the list, from
    0.

    Raises SourceNotFound, of either.
    """
    order = lock_order(tenant)
    old, beside = place_in(order, source_id), place_in(order, beside_id)
    new = beside + is_after - (old < beside + is_after)
    return shift(tenant, order, old=old, new=new)


def lock_order(tenant: Tenant) -> list[uuid.UUID]:
    """All ids in their order, to the end of the transaction; each has a position of its own.

    What reorders and what adds waits for the tenant's row.
    """
    lock_tenant(tenant)
    rows = list(list_sources(tenant).values_list("pk", "position"))
    if len({position for _, position in rows}) < len(rows):
        renumber(tenant, [key for key, _ in rows])
    return [key for key, _ in rows]


def renumber(tenant: Tenant, order: list[uuid.UUID]) -> None:
    """Gives each source a position of its own. Rarely needed: PATCH /ingest/sources/reorder may
    give two sources one position."""
    sources = [
        Source(pk=key, tenant=tenant, position=position) for position, key in enumerate(order)
    ]
    Source.objects.for_tenant(tenant).bulk_update(
        sources, ["position"], batch_size=RENUMBERED_AT_ONCE
    )


def place_in(order: list[uuid.UUID], source_id: uuid.UUID) -> int:
    try:
        return order.index(source_id)
    except ValueError as error:
        raise SourceNotFound from error


def shift(tenant: Tenant, order: list[uuid.UUID], *, old: int, new: int) -> int:
    """Moves a source: each source between gives its place to its neighbour. Two UPDATEs, however
    many they are."""
    if new == old:
        return new
    sources = Source.objects.for_tenant(tenant)
    between = order[new:old] if new < old else order[old + 1 : new + 1]
    ends = dict(
        sources.filter(pk__in=(order[old], *between[:1], *between[-1:])).values_list(
            "pk", "position"
        )
    )
    low, high = ends[between[0]], ends[between[-1]]
    others = sources.filter(position__range=(low, high))
    # In one order with PATCH …/reorder: neither deadlocks with the other.
    list(others.select_for_update(no_key=True).order_by("id").values_list("pk"))
    others.update(position=F("position") + (1 if new < old else -1))
    sources.filter(pk=order[old]).update(position=low if new < old else high)
    record(tenant, Action.SOURCES_REORDERED, count=1)
    return new
