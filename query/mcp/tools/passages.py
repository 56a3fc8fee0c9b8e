"""A passage and its source, as every tool tells them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from django.utils import timezone
from typing_extensions import TypedDict

from accounts.models import ScheduleFrequency
from query.search.candidates import RetrievedChunk
from sources.services.freshness import Freshness, freshness_of

SIMILARITY_DECIMALS = 4
Badge = Literal["green", "yellow", "red", "never"]
# By age alone, as the interface specification has it: no schedule changes it.
BADGES: dict[Freshness, Badge] = {
    Freshness.FRESH: "green",
    Freshness.DUE: "yellow",
    Freshness.STALE: "red",
    Freshness.NEVER: "never",
}


class Citation(TypedDict):
    """The place of a passage, and how old it may be. `link` is "" when the file or the place says
    it."""

    passage_id: str
    source_id: str
    file: str
    place: str
    section: str
    link: str
    synced_at: str
    freshness: Badge
    similarity: float


def cite(chunk: RetrievedChunk) -> Citation:
    return Citation(
        passage_id=str(chunk.chunk_id),
        source_id=str(chunk.source_id),
        file=chunk.source_file,
        place=chunk.location,
        section=chunk.section_title,
        link=chunk.link,
        synced_at=tell_time(chunk.synced_at),
        freshness=badge_of(chunk.synced_at),
        similarity=round(chunk.similarity, SIMILARITY_DECIMALS),
    )


def badge_of(synced_at: datetime | None) -> Badge:
    manual = ScheduleFrequency.MANUAL
    return BADGES[freshness_of(synced_at, frequency=manual, now=timezone.now())]


def tell_time(moment: datetime) -> str:
    """The moment in ISO 8601, in UTC, to the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
