"""Files that hold documents, for connectors, which list files: what is known of the documents in
one is known of the file.

A document in a file has the file's id, PARTS and its name there. Its version is the file's and its
own number, the last one marked: so it is seen whether a sync came to the end of the file. What a
run left in the middle is fetched again; what failed in it is known together with what did not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from reading.passages import Description, ReadDocument
from sources.connectors.files import NOTHING_INSIDE, PLACE_SEPARATOR, place_inside
from sources.connectors.interface import (
    Failed,
    Gone,
    Item,
    KnownDocument,
    SyncContext,
    Unchanged,
)

PARTS = "//"
NUMBERED = re.compile(r"(.*)//(\d+)(/end)?", re.DOTALL)


def number_parts(items: Iterable[Item], version: str) -> Iterator[Item]:
    """All documents of one file, each with its number in its version. One item is held back: the
    last is not known as that before."""
    held: Item | None = None
    number = 0
    for item in items:
        if held is not None:
            yield with_version(held, f"{version}//{number}" if version else "")
        held, number = item, number + 1
    if held is not None:
        yield with_version(held, f"{version}//{number}/end" if version else "")


def with_version(item: Item, version: str) -> Item:
    """The item with the file's version; one that failed only for a while stays without it."""
    match item:
        case ReadDocument():
            return replace(item, etag=version)
        case Failed() if item.etag:
            return replace(item, etag=version)
        case Unchanged(description=Description() as told):
            return replace(item, description=replace(told, etag=version))
    return item


@dataclass
class KnownParts:
    """The known documents in a file: those that could be read, and those that could not."""

    known: dict[str, KnownDocument]
    failed: dict[str, Failed]

    def version(self) -> str:
        """The version of the file, if it is known to its end; else "", as for a file without a
        version."""
        etags = {name: each.etag for name, each in self.known.items()}
        etags |= {name: each.etag for name, each in self.failed.items()}
        numbered = [NUMBERED.fullmatch(etag) for etag in etags.values()]
        found = [match for match in numbered if match]
        is_whole = (
            len(found) == len(etags)
            and len({match[1] for match in found}) == 1
            and {int(match[2]) for match in found} == set(range(1, len(found) + 1))
            and any(match[3] and int(match[2]) == len(found) for match in found)
        )
        return found[0][1] if is_whole else ""


class WholeFiles:
    """A SyncContext in which each file is one document, and back from there."""

    def __init__(self, context: SyncContext) -> None:
        self.context = context
        self.cursor: Mapping[str, Any] = context.cursor
        self._known: dict[str, KnownDocument] = {}
        self._known_failures: dict[str, Failed] = {}
        self.known: Mapping[str, KnownDocument] = self._known
        self.known_failures: Mapping[str, Failed] = self._known_failures
        self._parts: dict[str, KnownParts] = {}
        self._gather()
        for id_, parts in self._parts.items():
            self._fold(id_, parts)

    def keep_cursor(self, cursor: Mapping[str, Any]) -> None:
        self.context.keep_cursor(cursor)

    def step(self, name: str) -> AbstractContextManager[None]:
        return self.context.step(name)

    def report(self, *, done: int, total: int | None) -> None:
        self.context.report(done=done, total=total)

    def parts_of(self, item: Item) -> Iterator[Item]:
        """Yields an item for each document in a file. The documents of a file that failed stay."""
        parts = None
        if isinstance(item, Unchanged | Failed | Gone):
            parts = self._parts.get(item.external_id)
        if parts is None:
            yield item
        elif isinstance(item, Failed):
            yield item
            yield from (Unchanged(id_) for id_ in parts.known if id_ != item.external_id)
        elif isinstance(item, Gone):
            yield from map(Gone, parts.known)
        elif isinstance(item, Unchanged):
            yield from (
                Unchanged(id_, told_anew(known, item))
                for id_, known in parts.known.items()
                if id_ not in parts.failed
            )
            yield from (failed_anew(failed, item) for failed in parts.failed.values())

    def _gather(self) -> None:
        for id_, known in self.context.known.items():
            if PARTS in id_ or NUMBERED.fullmatch(known.etag):
                self._parts_at(id_).known[id_] = known
            else:
                self._known[id_] = known
        for id_, failed in self.context.known_failures.items():
            if PARTS in id_ or NUMBERED.fullmatch(failed.etag):
                self._parts_at(id_).failed[id_] = failed
            else:
                self._known_failures[id_] = failed

    def _parts_at(self, id_: str) -> KnownParts:
        return self._parts.setdefault(id_.partition(PARTS)[0], KnownParts({}, {}))

    def _fold(self, id_: str, parts: KnownParts) -> None:
        """Enters a file's documents as one. A file that is not known to its end looks changed, so
        that every connector reads it again."""
        version = parts.version()
        known = next(iter(parts.known.values()), None)
        if known is not None:
            place = place_of_file(known)
            title = place.rpartition(PLACE_SEPARATOR)[2]
            self._known[id_] = replace(
                known, external_id=id_, title=title, content_hash="", etag=version, place=place
            )
        if known is None or not version:
            failed = next(iter(parts.failed.values()), Failed(id_, NOTHING_INSIDE))
            self._known_failures.setdefault(id_, replace(failed, external_id=id_, etag=version))


def place_of_file(part: KnownDocument) -> str:
    path = part.external_id.partition(PARTS)[2]
    return part.place.removesuffix(place_inside("", path)) if path else part.place


def failed_anew(failed: Failed, item: Unchanged) -> Failed:
    path = failed.external_id.partition(PARTS)[2]
    if item.description is None or not path:
        return failed
    return replace(failed, title=place_inside(item.description.place, path))


def told_anew(known: KnownDocument, item: Unchanged) -> Description | None:
    if item.description is None:
        return None
    path = known.external_id.partition(PARTS)[2]
    told = replace(item.description, etag=known.etag)
    if not path:
        return told
    return replace(told, title=known.title, place=place_inside(told.place, path))
