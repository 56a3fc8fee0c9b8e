"""What a connector is given in tests in the place of a run, and what the next run would know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from reading.passages import ReadDocument
from sources.connectors.interface import Failed, Item, KnownDocument, Unchanged


class FakeRun:
    """interface.SyncContext that remembers what was reported."""

    def __init__(
        self,
        known: Iterable[KnownDocument] = (),
        *,
        failures: Iterable[Failed] = (),
        cursor: Mapping[str, Any] | None = None,
    ) -> None:
        self.known: Mapping[str, KnownDocument] = {each.external_id: each for each in known}
        self.known_failures: Mapping[str, Failed] = {each.external_id: each for each in failures}
        self.cursor: Mapping[str, Any] = cursor or {}
        self.kept_cursor: dict[str, Any] = dict(self.cursor)
        self.reports: list[tuple[int, int | None]] = []

    def keep_cursor(self, cursor: Mapping[str, Any]) -> None:
        self.kept_cursor = dict(cursor)

    def step(self, name: str) -> AbstractContextManager[None]:
        return nullcontext()

    def report(self, *, done: int, total: int | None) -> None:
        self.reports.append((done, total))

    def next(self, items: Iterable[Item]) -> FakeRun:
        """The run after this one, which came to its end with these items."""
        known: dict[str, KnownDocument] = {}
        failures = []
        for item in items:
            match item:
                case ReadDocument():
                    known[item.external_id] = known_as(item)
                case Unchanged():
                    known[item.external_id] = told_anew(self.known[item.external_id], item)
                case Failed():
                    failures.append(item)
                    if item.external_id in self.known:
                        known[item.external_id] = self.known[item.external_id]
        return FakeRun(known.values(), failures=failures, cursor=self.kept_cursor)


def known_as(document: ReadDocument) -> KnownDocument:
    return KnownDocument(
        external_id=document.external_id,
        title=document.title,
        content_hash=document.content_hash,
        etag=document.etag,
        last_modified=document.last_modified,
        place=document.place,
        link=document.link,
    )


def told_anew(known: KnownDocument, item: Unchanged) -> KnownDocument:
    told = item.description
    if told is None:
        return known
    return KnownDocument(
        external_id=known.external_id,
        title=told.title,
        content_hash=known.content_hash,
        etag=told.etag,
        last_modified=told.last_modified,
        place=told.place,
        link=told.link,
    )
