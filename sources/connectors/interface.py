"""What a connector is: it reads the documents of one kind of source, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from sources.ingestion.passages import ReadDocument
from sources.models import Source


@dataclass(frozen=True)
class KnownDocument:
    """A document as the last sync left it; `etag` and `last_modified` as its origin gave them."""

    external_id: str
    title: str
    content_hash: str
    etag: str
    last_modified: str


@dataclass(frozen=True)
class Unchanged:
    """A known document that need not be read again: its chunks stay as they are."""

    external_id: str


@dataclass(frozen=True)
class Failed:
    """A document that could not be read this time, and why, for the customer.

    If it is known, what is indexed of it stays. A document that is gone for good is not reported at
    all: what a connector does not name is removed.
    """

    external_id: str
    reason: str


@dataclass(frozen=True)
class Cut:
    """The connector stopped early, and why, for the customer.

    `keeps_rest`: known documents that were not named stay (time ran out), or go (a limit of the
    plan).
    """

    reason: str
    keeps_rest: bool


Item = ReadDocument | Unchanged | Failed | Cut


class SyncContext(Protocol):
    """What a connector may use of the run that it works for."""

    known: Mapping[str, KnownDocument]  # by external id

    def step(self, name: str) -> AbstractContextManager[None]:
        """Measures "fetch", "extract" or "chunk"; names what was interrupted by an error."""
        ...

    def report(self, *, done: int, total: int | None) -> None:
        """Progress in documents, as far as it is known. Cheap.

        Raises SyncSuperseded when the run has lost its lock: let it pass, the work is in vain.
        """
        ...


class Connector(Protocol):
    """`provider` stands in the history of the source."""

    provider: str

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        """Reads every document once, in a stable order. No transaction is open.

        Raises:
            FileProcessingFailed: the only document is at fault.
            SyncFailed: the source cannot be synced; the message tells the customer why and what to
                do. Its subclass OriginUnavailable (retryable) when the other side may work later,
                its subclass ReauthRequired when an account has to be connected again.
        """
        ...
