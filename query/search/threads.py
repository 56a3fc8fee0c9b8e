"""Messages that answer each other: what is said now stands before what it answers, and replaces
it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from query.search.candidates import Question, RetrievedChunk
from query.understanding.asked_for import has_kind
from reading.passages import EARLIER_MESSAGE, MESSAGE_NOTICE, MESSAGE_SIGNATURE

EARLIER_PLACE = re.compile(rf"{EARLIER_MESSAGE} ([1-9][0-9]?)")
BESIDE = (MESSAGE_SIGNATURE, MESSAGE_NOTICE)  # they answer no message
MessageKey = tuple[object, str, str]


def replies_first(chunks: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """Return `chunks` in their order, but those of one message by their age, the latest first: they
    share the places and scores that they had."""
    places: dict[MessageKey, list[int]] = defaultdict(list)
    for place, chunk in enumerate(chunks):
        places[message_of(chunk)].append(place)
    ordered = list(chunks)
    for taken in places.values():
        by_age = sorted((chunks[place] for place in taken), key=age)
        for place, chunk in zip(taken, by_age, strict=True):
            ordered[place] = replace(chunk, score=chunks[place].score)
    return ordered


def without_superseded(
    question: Question, sources: Sequence[RetrievedChunk], chunks: Sequence[RetrievedChunk]
) -> tuple[RetrievedChunk, ...]:
    """`sources` with the reply in the place of earlier messages that it replaces: one among the
    sources, or, where a kind of thing is asked for, any among `chunks` that says one. A reply
    without the kind asked for («Gracias») replaces nothing."""
    replies = list(sources if question.asked.kind is None else chunks)
    telling = [one for one in replies if has_kind(one.text, question.asked)]
    chosen = (reply_to(chunk, telling) or chunk for chunk in sources)
    return tuple({chunk.chunk_id: chunk for chunk in chosen}.values())


def reply_to(chunk: RetrievedChunk, chunks: Sequence[RetrievedChunk]) -> RetrievedChunk | None:
    """The latest passage among `chunks` of the message that quotes this one; None if none is."""
    later = [
        one
        for one in chunks
        if message_of(one) == message_of(chunk)
        and one.location not in BESIDE
        and age(one) < age(chunk)
    ]
    return min(later, key=age, default=None)


def message_of(chunk: RetrievedChunk) -> MessageKey:
    return chunk.source_id, chunk.source_file, chunk.document_title


def age(chunk: RetrievedChunk) -> int:
    """Return 0 for what is said now, 1 for the message that was answered, 2 for the one before it.
    A place that only begins like one is somebody else's words: the title of a chapter, say."""
    earlier = EARLIER_PLACE.fullmatch(chunk.location)
    return int(earlier[1]) if earlier else 0
