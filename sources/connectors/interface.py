"""The interface of a connector: it describes a kind of source, and reads its documents one after
the other."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from config.errors import InvalidValue
from reading.extractors.prose import clean
from reading.passages import Description, ReadDocument
from reasons import Reason
from sources.connectors.calling import Api
from sources.models import Connection, Source
from sources.oauth.providers import OAuthProvider


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

    If it is known, what is indexed of it stays.

    `title`: what people call it, where its external id says nothing to them. `etag`: of the content
    that cannot be read and never will (too large, protected, of an unknown type): the next sync
    need not fetch it again while it has this one. "": it may be read another time.
    """

    external_id: str
    reason: Reason
    title: str = ""
    etag: str = ""


@dataclass(frozen=True)
class Gone:
    """A document of which its origin says itself that it is there no more: HTTP 404 or 410, or an
    entry of a feed of changes.

    What a connector does not name at all is removed too. But a run that would so lose most of a
    source changes nothing the first time (sources/syncing/losses.py): a listing may be wrong for
    once, an origin that says "gone" is believed.
    """

    external_id: str


@dataclass(frozen=True)
class Replaced:
    """A known document whose address now leads to another one, by a redirect or because the same
    text stands there: `by` is that one's external id. It is removed, unless the same became of
    several at once, as when a website is being maintained."""

    external_id: str
    by: str


@dataclass(frozen=True)
class Cut:
    """The connector stopped early, and why, for the customer.

    `keeps_rest`: known documents that were not named stay (time ran out), or go (a limit of the
    plan).
    """

    reason: Reason
    keeps_rest: bool


@dataclass(frozen=True)
class LeftOut:
    """Something of the source as a whole that is never read, and why, for the customer. What the
    source is known to hold is complete without it."""

    reason: Reason


Item = ReadDocument | Unchanged | Failed | Gone | Replaced | Cut | LeftOut


class SyncContext(Protocol):
    """The parts of a run that a connector may use."""

    known: Mapping[str, KnownDocument]  # by external id
    known_failures: Mapping[str, Failed]  # likewise, of the last sync: see there what `etag` says
    # Where the origin's feed of changes stood when the last sync that came to its end began: what
    # `keep_cursor` was given then. {} before the first, and after what is chosen has changed.
    cursor: Mapping[str, Any]

    def keep_cursor(self, cursor: Mapping[str, Any]) -> None:
        """Stores the cursor for the next sync, if this one completes. JSON, without secrets."""
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
    """A field that POST /ingest/sources takes beside name and type. Kept in the source's column of
    that name. Kinds that name the same field mean the same one."""

    name: str
    max_chars: int


SOURCE_URL = SourceField("source_url", max_chars=2000)


@dataclass(frozen=True)
class ConnectionField:
    """A field that somebody fills in to connect an account: over REST, `connection` of POST
    /ingest/sources holds it under `name`. All are texts.

    `label` and `help_text`: English, marked for translation. `choices`: value and label, the first
    is taken where nothing is given. `is_secret`: never given back. `is_selection`: says what is
    read, and is kept at the source; the others are sealed with the connection, for what opens an
    account is sent to the address that it was given with, and to no other.
    """

    name: str
    label: str
    help_text: str = ""
    max_chars: int = 2000
    is_required: bool = True
    is_secret: bool = False
    is_selection: bool = False
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Account:
    """The identity of an account: `id` as the provider calls it for good, `label` as people know
    it."""

    id: str
    label: str


@dataclass(frozen=True)
class Choice:
    """Something of an account that can be read: a folder, a page, a set of records.

    `id` is opaque to all but its connector. `is_open`: there is more inside, `browse` tells what.
    `can_be_read`: it can be chosen, not only opened.
    """

    id: str
    name: str
    is_open: bool = False
    can_be_read: bool = True
    hint: str = ""  # in words: "12 records", "shared by Ana"


@dataclass(frozen=True)
class Extent:
    """The amount that will be read. `is_more`: counting was stopped, there is more. `size_bytes`:
    None if it is unknown."""

    documents: int
    is_more: bool = False
    size_bytes: int | None = None


@dataclass(frozen=True)
class Checked:
    """The findings at the account that somebody gave, before anything is stored.

    `selection`: what of it will be read, as `Source.selection` keeps it. `passages`: the text of
    the first three.
    """

    account: Account
    selection: Mapping[str, Any]
    amount: Extent | None = None
    passages: tuple[str, ...] = ()


# What no column of text takes: NUL, and halves of surrogate pairs.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
CHOSEN_MAX = 500
CHOSEN_ID_MAX_CHARS = 1000
CHOSEN_NAME_MAX_CHARS = 300
NOTHING_CHOSEN = Reason("choose_what_to_read")


def clean_chosen(given: object) -> list[dict[str, str]]:
    """The choices of the picker, as `Source.selection` keeps them under "chosen": each its `id` and
    `name`. Raises InvalidValue for anything else."""
    if not isinstance(given, list) or len(given) > CHOSEN_MAX:
        raise InvalidValue(Reason("too_many_chosen", limit=CHOSEN_MAX))
    chosen: dict[str, dict[str, str]] = {}
    for each in given:
        pair = (each.get("id"), each.get("name")) if isinstance(each, dict) else (None, None)
        match pair:
            case (str(id_), str(name)) if 0 < len(id_) <= CHOSEN_ID_MAX_CHARS and id_.isprintable():
                chosen[id_] = {"id": id_, "name": clean(name)[:CHOSEN_NAME_MAX_CHARS]}
            case _:
                raise InvalidValue(Reason("chosen_unknown"))
    return list(chosen.values())


@dataclass(frozen=True)
class Preflight:
    """`pages_found` and `sample_title` when it is indexable, else `error`: why not."""

    is_indexable: bool
    pages_found: int = 0
    max_pages: int = 0
    sample_title: str = ""
    error: Reason | None = None


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
    provider: OAuthProvider | None = None  # of kinds that are connected by signing in
    connection_fields: tuple[ConnectionField, ...] = ()  # of those connected by what is typed
    uses_channel = False  # of kinds whose account is connected as a channel's, and read here too
    is_browsable = False  # what is read is chosen in a picker
    needs_choice = False  # where nothing is chosen there, nothing could be read
    reads: str = ""  # in a sentence, for people: English, marked for translation

    def identify(self, fields: Mapping[str, str]) -> str:
        """A text that is equal for two equal sources; "" for a kind whose sources are all
        different. May ask a name server: no connection of the database is held.

        Raises MissingFields, InvalidValue: it cannot become a source.
        """
        return ""

    def check(self, fields: Mapping[str, str], *, max_pages: int) -> Preflight:
        """Looks whether there is something to index; writes nothing. In a worker, while somebody
        waits. Only where `can_be_checked`."""
        raise NotImplementedError(f"{self.kind} cannot be checked")

    # --- Accounts: of kinds that read one ---------------------------------------------------------

    @property
    def reads_account(self) -> bool:
        return bool(self.provider or self.connection_fields or self.uses_channel)

    @property
    def is_set_up(self) -> bool:
        """True if this server can connect such accounts: for kinds with sign-in, if its operator
        has registered an application."""
        return self.provider is None or self.provider.is_registered

    def check_connection(self, fields: Mapping[str, str]) -> Checked:
        """Looks whether what somebody typed opens an account; writes nothing. In a worker, while
        they wait. `fields`: all of `connection_fields`, "" where nothing was given. Only of kinds
        that have some.

        Raises ConnectionRefused, at the field that is wrong; OriginUnavailable.
        """
        raise NotImplementedError(f"{self.kind} is not connected by fields")

    def account_of(self, api: Api, tokens: Mapping[str, Any]) -> Account:
        """The account that was just signed in to. `api`: opened with the new tokens; `tokens`: all
        that the provider answered to the code. Raises as `read`, and calling.CallRefused."""
        raise NotImplementedError(f"{self.kind} is not connected by signing in")

    def browse(self, connection: Connection, *, inside: str) -> Sequence[Choice]:
        """The choices inside the choice with this id, or at the top (""), in the order for display.
        Takes seconds at most. Only where `is_browsable`. Raises as `read`."""
        raise NotImplementedError(f"{self.kind} cannot be browsed")

    def clean_selection(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The selection as `Source.selection` keeps it: by default the choices of the picker, and
        nothing else. Raises InvalidValue."""
        chosen = clean_chosen(given.get("chosen", []))
        if self.needs_choice and not chosen:
            raise InvalidValue(NOTHING_CHOSEN)
        return {"chosen": chosen}

    def measure(self, connection: Connection, selection: Mapping[str, Any]) -> Extent | None:
        """How much a sync would read; counting stops after some seconds. None: it cannot be known.
        Raises as `read`."""
        return None

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
