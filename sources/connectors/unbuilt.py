"""Kinds of sources whose connector is not there yet: a sync says so, and what to do instead."""

from __future__ import annotations

from collections.abc import Iterator

from sources.connectors.interface import SOURCE_URL, Connector, Item, SyncContext
from sources.errors import ReauthRequired, SyncFailed
from sources.models import Source


class NotBuilt(Connector):
    """`signs_in`: it will be connected by signing in on the other side (OAuth)."""

    fields = (SOURCE_URL,)

    def __init__(self, kind: str, label: str, *, signs_in: bool = False) -> None:
        self.kind = kind
        self.label = label
        self.signs_in = signs_in

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        if self.signs_in:
            raise ReauthRequired(
                "No account is connected to this source. Connect one in the dashboard, then sync."
            )
        raise SyncFailed(
            "Sources of this type cannot be synced by this server yet."
            " Export the content and upload it as files."
        )
        yield  # a generator, as every connector
