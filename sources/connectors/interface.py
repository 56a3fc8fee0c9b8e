"""What a connector is: it says what a kind of source is made of, and reads its documents, one after
the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from sources.models import Connection, Source
from sources.reading.passages import Description, ReadDocument


@dataclass(frozen=True, slots=True)
class KnownDocument:
    """A document as it was last read; `etag` and `last_modified` as its origin gave them.

    By the last sync, or by a run that did not come to its end: what is known and has not changed is
    never read twice.
    """

    external_id: str
    title: str
    content_hash: str
    etag: str
    last_modified: str
    place: str = ""
    link: str = ""


@dataclass(frozen=True)
class Unchanged:
    """A known document whose text need not be read again: what is stored of it stays as it is, but
    for its description where a new one is given."""

    external_id: str
    description: Description | None = None


@dataclass(frozen=True)
class Failed:
    """A document that could not be read this time, and why, for the customer.

    If it is known, what is indexed of it stays. A document that is gone for good is not reported at
    all: what a connector does not name is removed.

    `title`: what people call it, where its external id says nothing to them. `etag`: of the content
    that cannot be read and never will (too large, protected, of an unknown type): the next sync
    need not fetch it again while it has this one. "": it may be read another time.
    """

    external_id: str
    reason: str
    title: str = ""
    etag: str = ""


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
    known_failures: Mapping[str, Failed]  # likewise, of the last sync: see there what `etag` says
    # Where the origin's feed of changes stood when the last sync that came to its end began: what
    # `keep_cursor` was given then. {} before the first, and after what is chosen has changed.
    cursor: Mapping[str, Any]

    def keep_cursor(self, cursor: Mapping[str, Any]) -> None:
        """For the next sync, if this one comes to its end. JSON, without secrets."""
        ...

    def step(self, name: str) -> AbstractContextManager[None]:
        """Measures "fetch", "extract" or "chunk"; names what was interrupted by an error. Never
        around a `yield`: what was read is embedded and written there."""
        ...

    def report(self, *, done: int, total: int | None) -> None:
        """Progress in documents, as far as it is known. Cheap.

        Raises SyncSuperseded when the run has lost its lock: let it pass, the work is in vain.
        """
        ...


@dataclass(frozen=True)
class SourceField:
    """What POST /ingest/sources takes beside name and type. Kept in the source's column of that
    name. Kinds that name the same field mean the same one."""

    name: str
    max_chars: int


SOURCE_URL = SourceField("source_url", max_chars=2000)


@dataclass(frozen=True)
class Preflight:
    """`pages_found` and `sample_title` when it is indexable, else `error`: why not, in words."""

    is_indexable: bool
    pages_found: int = 0
    max_pages: int = 0
    sample_title: str = ""
    error: str = ""


class Connector(ABC):
    """A kind of source. `kind` is what the API and the database name it, `label` what people read.

    `is_uploaded`: made by an upload, not by POST /ingest/sources. `can_be_checked`: `check` looks
    at it before there is a source.
    """

    kind: str
    label: str
    is_uploaded = False
    can_be_checked = False
    fields: tuple[SourceField, ...] = ()

    def identify(self, fields: Mapping[str, str]) -> str:
        """What is the same in two sources that are the same; "" where nothing is. May ask a name
        server: no connection of the database is held.

        Raises MissingFields, InvalidValue: it cannot become a source.
        """
        return ""

    def check(self, fields: Mapping[str, str], *, max_pages: int) -> Preflight:
        """Looks whether there is something to index; writes nothing. In a worker, while somebody
        waits. Only where `can_be_checked`."""
        raise NotImplementedError(f"{self.kind} cannot be checked")

    def connect(self, connection: Connection, *, return_url: str) -> str:
        """Where the owner of an account is to go to give us the right to read it. Only of kinds
        that are connected by signing in."""
        raise NotImplementedError(f"{self.kind} is not connected by signing in")

    def callback(self, connection: Connection, given: Mapping[str, str]) -> None:
        """Keeps the credentials that the other side sends its owner back with."""
        raise NotImplementedError(f"{self.kind} is not connected by signing in")

    @abstractmethod
    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        """Reads every document once, in a stable order. No transaction is open.

        It is asked for one item after the other, and each is let go of once it is indexed: what a
        connector does not hold itself, nobody holds. A large source is read in several slices, each
        by a new call that begins at the first document: what an earlier one has read is known to
        it, and told as Unchanged.

        Raises:
            FileProcessingFailed: the only document is at fault.
            SyncFailed: the source cannot be synced; the message tells the customer why and what to
                do. Its subclass OriginUnavailable (retryable) when the other side may work later,
                its subclass ReauthRequired when an account has to be connected again.
        """
