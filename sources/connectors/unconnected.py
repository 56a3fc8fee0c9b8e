"""Kinds of sources whose connector is not there yet: a sync says so, and what to do instead."""

from collections.abc import Iterator

from sources.connectors.interface import Item, SyncContext
from sources.errors import ReauthRequired, SyncFailed
from sources.models import Source, SourceType

# Connected by signing in on the other side (OAuth), in the dashboard.
SIGNED_IN_TYPES = (SourceType.CLOUD_DRIVE_A, SourceType.CLOUD_DRIVE_B)


class UnconnectedConnector:
    def __init__(self, source_type: str) -> None:
        self.provider = source_type

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        if source.source_type in SIGNED_IN_TYPES:
            raise ReauthRequired(
                "No account is connected to this source. Connect one in the dashboard, then sync."
            )
        raise SyncFailed(
            "Sources of this type cannot be synced by this server yet."
            " Export the content and upload it as files."
        )
        yield  # a generator, as every connector
