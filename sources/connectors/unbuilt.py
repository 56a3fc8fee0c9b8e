"""Kinds of sources that this server does not know: a sync says so, and what to do instead."""

from __future__ import annotations

from collections.abc import Iterator

from reasons import Reason
from sources.connectors.interface import SOURCE_URL, Connector, Item, SyncContext
from sources.errors import SyncFailed
from sources.models import Source


class NotBuilt(Connector):
    fields = (SOURCE_URL,)

    def __init__(self, kind: str) -> None:
        self.kind = self.label = kind

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        raise SyncFailed(Reason("kind_not_synced"))
        yield  # a generator, as every connector
