"""Bursts of messages: what a person writes in a row is one question, once they have stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from channels.surfaces.base import MessageKind
from query.models import TEXT_MAX_CHARS

QUIET_SECONDS = 1.5  # after a message, before it is taken for the last one
BURST_MAX_SECONDS = 8.0  # somebody who does not stop writing is answered after this
QUIET, BURST_MAX = timedelta(seconds=QUIET_SECONDS), timedelta(seconds=BURST_MAX_SECONDS)


class Sort(StrEnum):
    """The sorts of messages. Messages of different sorts are never answered together."""

    QUESTION = "question"  # texts and media
    START = "start"
    TOO_LONG = "too long"
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Waiting:
    """A message without an answer. `text` None: no key of ours opens it."""

    id: int
    kind: MessageKind
    text: str | None
    received_at: datetime

    @property
    def sort(self) -> Sort:
        if self.text is None:
            return Sort.UNREADABLE
        if self.kind is MessageKind.START:
            return Sort.START
        return Sort.TOO_LONG if len(self.text) > TEXT_MAX_CHARS else Sort.QUESTION


@dataclass(frozen=True)
class Burst:
    """Messages that get one answer; not before `ready_at`, more may belong to them until then."""

    messages: tuple[Waiting, ...]
    ready_at: datetime

    @property
    def sort(self) -> Sort:
        return self.messages[0].sort

    @property
    def text(self) -> str:
        """The texts in their order, a line each; "" for media alone."""
        return "\n".join(message.text for message in self.messages if message.text)

    @property
    def has_media(self) -> bool:
        return any(message.kind is MessageKind.MEDIA for message in self.messages)

    @property
    def is_order(self) -> bool:
        return any(message.kind is MessageKind.ORDER for message in self.messages)

    @property
    def ids(self) -> list[int]:
        return [message.id for message in self.messages]


def next_burst(waiting: Sequence[Waiting]) -> Burst:
    """Returns the first of `waiting`, in their order in the chat, that are answered together. At
    least one.

    What comes within QUIET_SECONDS of the last one belongs to it, for BURST_MAX_SECONDS, and while
    their text fits into a question. Complete once anything follows that does not.
    """
    burst = Burst((waiting[0],), waiting[0].received_at + QUIET)
    for message in waiting[1:]:
        longer = extend(burst, message)
        if not belongs(message, burst, longer):
            return Burst(burst.messages, burst.messages[0].received_at)
        burst = longer
    return burst


def extend(burst: Burst, message: Waiting) -> Burst:
    messages = (*burst.messages, message)
    arrivals = [one.received_at for one in messages]
    return Burst(messages, min(max(arrivals) + QUIET, min(arrivals) + BURST_MAX))


def belongs(message: Waiting, burst: Burst, longer: Burst) -> bool:
    """True if the message belongs to the burst. `longer`: the burst with the message."""
    if message.sort is not burst.sort or message.received_at > burst.ready_at:
        return False
    return burst.sort is not Sort.QUESTION or len(longer.text) <= TEXT_MAX_CHARS
