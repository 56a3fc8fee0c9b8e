"""How a connector reads the documents of an account: it lists them, and fetches those that are not
known as they are. What both have in common whatever the provider is here.

    list ──> known as it is? ── yes ──> Unchanged
              │ no
              └──> fetch (a few at a time) ──> read ──> same text? ── yes ──> Unchanged
                                                         └ no ──> ReadDocument
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, mkdtemp

from django.conf import settings
from django.db import connection

from config.http import AddressRefused, FetchedPage, TooLarge, parse_fetchable
from reading.coverage import measure_coverage
from reading.file_types import (
    BY_EXTENSION,
    CONTAINER_TYPES,
    PLAIN_TEXT,
    extension_of,
)
from reading.passages import Description, ExtractedDocument
from reasons import Reason, ReasonedError, join_reasons
from sources.connectors.calling import Api, CallRefused, sha256_of
from sources.connectors.files import (
    PLACE_SEPARATOR,
    GivenFile,
    GivenText,
    content_type_of,
    cut,
    read_file,
)
from sources.connectors.interface import Failed, Gone, Item, SyncContext, Unchanged
from sources.connectors.whole_files import PARTS, WholeFiles, number_parts
from sources.errors import (
    FileProcessingFailed,
    ReaderNotConfigured,
    ReauthRequired,
    SyncFailed,
    UnsupportedFileType,
)
from sources.models import Connection, Source
from sources.oauth.providers import OAuthProvider
from sources.oauth.tokens import SignedIn

# The network is waited for while a document is read. More would meet the providers' own limits.
FETCHED_AT_ONCE = 4
LOOK_AHEAD = 8  # documents that were fetched, or are being, before they are read
MEGABYTE = 1024 * 1024

NOT_CONNECTED = Reason("no_account_connected")
NOTHING_CHOSEN = Reason("nothing_chosen")
UNSUPPORTED = Reason("type_not_read")
NO_TEXT = Reason("no_text")


@dataclass(frozen=True, slots=True)
class RemoteDocument:
    """A document as the provider lists it.

    `description.etag` is its version there: it changes whenever the content does. What has the
    version that is known is not fetched; "": it is always fetched, and compared by its content.
    `filename` and `size_bytes`: of a file, as far as they are known before it is fetched: what
    cannot be read is then not fetched at all. `handle`: whatever the connector needs to fetch it.
    """

    external_id: str
    description: Description
    filename: str = ""
    size_bytes: int | None = None
    handle: object = None

    @property
    def shown_name(self) -> str:
        return self.description.place or self.description.title

    def fails(self, reason: Reason, *, is_final: bool = False) -> Failed:
        """`is_final`: as long as it has this version, it need not be fetched again."""
        etag = self.description.etag if is_final else ""
        return Failed(self.external_id, reason, title=self.shown_name, etag=etag)


@dataclass(frozen=True)
class RemoteFile:
    """`filename`: with the extension that it should have; its bytes tell which kind it is."""

    path: Path
    filename: str


# What a connector lists: a document that may have to be fetched, or what is known of one already.
Listed = RemoteDocument | Unchanged | Failed | Gone

# What `fetch` makes of a document, below a folder of its own: a file that is still to be read, or a
# text that the provider gave as such.
Fetched = RemoteFile | ExtractedDocument
Fetch = Callable[[RemoteDocument, Path], Fetched]


class DocumentRefused(ReasonedError):
    """Raised by `fetch`: this document cannot be read, but others can. `reason`: why, for the
    customer. `is_final`: not as long as the document does not change."""

    def __init__(self, reason: Reason, *, is_final: bool = False) -> None:
        self.is_final = is_final
        super().__init__(reason)


def read_documents(
    listed: Iterable[Listed],
    context: SyncContext,
    fetch: Fetch,
    *,
    total: int | None = None,
    at_once: int = FETCHED_AT_ONCE,
) -> Iterator[Item]:
    """An item for each that is listed, in that order, and for each document in it where it holds
    several; what is listed twice counts once.

    Args:
        listed: asked for one after the other; what it raises ends the reading.
        fetch: called in threads, `at_once` at a time. Raises DocumentRefused, CallRefused and
            TooLarge for one document, SyncFailed and its kind for all.
        total: how many there are, as far as it is known.
    """
    seen: set[str] = set()
    done = 0
    whole = WholeFiles(context)
    with TemporaryDirectory(prefix="sync-") as folder, Fetches(fetch, Path(folder), at_once) as own:
        for item in listed:
            if item.external_id in seen:
                continue
            seen.add(item.external_id)
            own.add(item if not isinstance(item, RemoteDocument) else decide(item, whole))
            while own.is_full:
                yield from finish(own, whole)
                done += 1
                context.report(done=done, total=total)
        while own:
            yield from finish(own, whole)
            done += 1
            context.report(done=done, total=total)


def decide(document: RemoteDocument, context: SyncContext) -> Item | RemoteDocument:
    """The item, if it can be decided before the document is fetched; else the document itself."""
    version = document.description.etag
    known = context.known.get(document.external_id)
    if known is not None and version and known.etag == version:
        return Unchanged(document.external_id, document.description)
    failure = context.known_failures.get(document.external_id)
    if failure is not None and version and failure.etag == version:
        return replace(failure, title=document.shown_name)
    extension = extension_of(document.filename)
    if extension and extension not in BY_EXTENSION:
        return document.fails(UNSUPPORTED, is_final=True)
    if document.size_bytes is not None and document.size_bytes > settings.UPLOAD_MAX_BYTES:
        return document.fails(too_large(document.size_bytes), is_final=True)
    return document


def too_large(size_bytes: int) -> Reason:
    limit = settings.UPLOAD_MAX_BYTES / MEGABYTE
    return Reason("too_large_by_size", size=f"{size_bytes / MEGABYTE:.3g}", limit=f"{limit:.3g}")


# --- Fetching, a few at a time --------------------------------------------------------------------


@dataclass(frozen=True)
class Fetching:
    document: RemoteDocument
    folder: Path
    result: Future[Fetched]


class Fetches:
    """A queue of items that are finished and documents that are being fetched, in their order."""

    def __init__(self, fetch: Fetch, folder: Path, at_once: int) -> None:
        self._fetch = fetch
        self._folder = folder
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="fetch")
        self._waiting: deque[Item | Fetching] = deque()
        self._on_their_way = 0

    def __enter__(self) -> Fetches:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def is_full(self) -> bool:
        """True if the first should be finished before another is added."""
        if not self._waiting:
            return False
        return self._on_their_way >= LOOK_AHEAD or not isinstance(self._waiting[0], Fetching)

    def add(self, item: Item | RemoteDocument) -> None:
        if not isinstance(item, RemoteDocument):
            self._waiting.append(item)
            return
        folder = Path(mkdtemp(dir=self._folder))
        result = self._pool.submit(copy_context().run, self._fetch_one, item, folder)
        self._waiting.append(Fetching(item, folder, result))
        self._on_their_way += 1

    def take(self) -> Item | Fetching:
        first = self._waiting.popleft()
        self._on_their_way -= isinstance(first, Fetching)
        return first

    def _fetch_one(self, document: RemoteDocument, folder: Path) -> Fetched:
        try:
            return self._fetch(document, folder)
        finally:
            connection.close()  # this thread's own: renewing a token may have opened it


def finish(fetches: Fetches, whole: WholeFiles) -> Iterator[Item]:
    first = fetches.take()
    if not isinstance(first, Fetching):
        yield from whole.parts_of(first)
        return
    try:
        yield from read_fetched(first, whole)
    finally:
        rmtree(first.folder)


def read_fetched(fetching: Fetching, whole: WholeFiles) -> Iterator[Item]:
    document = fetching.document
    try:
        with whole.step("fetch"):
            fetched = fetching.result.result()
        if isinstance(fetched, RemoteFile):
            yield from to_items(document, fetched, whole.context)
        else:
            yield to_item(document, fetched, whole.context)
    except DocumentRefused as refused:
        yield from whole.parts_of(document.fails(refused.reason, is_final=refused.is_final))
    except TooLarge as error:
        reason = join_reasons(Reason("too_large"), error.reason)
        yield from whole.parts_of(document.fails(reason, is_final=True))
    except CallRefused as error:
        yield from whole.parts_of(document.fails(error.reason))
    except (FileProcessingFailed, UnsupportedFileType) as error:
        yield from whole.parts_of(document.fails(error.reason, is_final=True))
    except ReaderNotConfigured as error:
        yield from whole.parts_of(document.fails(error.reason))


def to_item(document: RemoteDocument, text: ExtractedDocument, context: SyncContext) -> Item:
    """The item for a text that the provider gave as such. Raises FileProcessingFailed."""
    content_hash = hash_of(text)
    if is_known(document, content_hash, context):
        return Unchanged(document.external_id, document.description)
    given = GivenText(document.external_id, document.description, PLAIN_TEXT, content_hash)
    coverage = measure_coverage(text.blocks, pages=0)
    return cut(given, replace(text, coverage=coverage), context)


def to_items(document: RemoteDocument, file: RemoteFile, context: SyncContext) -> Iterator[Item]:
    """Raises FileProcessingFailed, UnsupportedFileType, ReaderNotConfigured."""
    given = GivenFile(
        external_id=document.external_id,
        told=document.description,
        content_type=content_type_of(file.path, file.filename),
        content_hash=sha256_of(file.path),
        path=file.path,
        parts=f"{document.external_id}{PARTS}",
    )
    if given.content_type in CONTAINER_TYPES:
        items = read_file(given, context, may_keep=lambda known: True)
        yield from number_parts(items, given.told.etag)
    elif is_known(document, given.content_hash, context):
        yield Unchanged(document.external_id, given.told)
    else:
        yield from read_file(given, context, may_keep=lambda known: True)


def is_known(document: RemoteDocument, content_hash: str, context: SyncContext) -> bool:
    known = context.known.get(document.external_id)
    return known is not None and known.content_hash == content_hash


def hash_of(text: ExtractedDocument) -> str:
    """SHA-256 of what would be indexed, hexadecimal."""
    content = repr((text.level.value, text.warnings, text.blocks))
    return hashlib.sha256(content.encode()).hexdigest()


def refuse_to_list(error: CallRefused | TooLarge) -> SyncFailed:
    """The failure of a sync for which this refusal makes listing impossible."""
    if isinstance(error, TooLarge):
        return SyncFailed(error.reason)
    return SyncFailed(Reason("listing_refused", reason=error.reason))


def connection_of(source: Source) -> Connection:
    """Raises ReauthRequired where none is left."""
    if source.connection is None:
        raise ReauthRequired(NOT_CONNECTED)
    return source.connection


def chosen_of(source: Source) -> list[dict[str, str]]:
    """The choices, as interface.clean_chosen gives them. Raises SyncFailed if there are none."""
    chosen: list[dict[str, str]] = source.selection.get("chosen", [])
    if not chosen:
        raise SyncFailed(NOTHING_CHOSEN)
    return chosen


@contextmanager
def failing_in_words(label: str) -> Iterator[None]:
    """Raises SyncFailed where a list is refused, or longer than we read. `label`: whose it is."""
    try:
        yield
    except CallRefused as error:
        raise refuse_to_list(error) from error
    except TooLarge as error:
        raise SyncFailed(Reason("origin_unreadable", label=label, reason=error.reason)) from error


@contextmanager
def open_signed_in(
    label: str,
    connection: Connection,
    provider: OAuthProvider,
    *,
    is_busy: Callable[[FetchedPage], bool] = lambda answer: False,
) -> Iterator[Api]:
    """An account that somebody signed in to. Raises SyncFailed and its kind for all that goes
    wrong. Arguments are those of Api."""
    signed_in = SignedIn(connection, provider)
    with (
        failing_in_words(label),
        Api(label, signed_in, connection=connection, is_busy=is_busy) as api,
    ):
        yield api


def place_of(names: Sequence[str]) -> str:
    """The place as people read it: "Handbook / Rates.pdf"."""
    return PLACE_SEPARATOR.join(name.strip() for name in names if name.strip())


def web_link(value: object) -> str:
    """An address for people to open, and nothing that a browser would run; "" for anything but a
    web address."""
    try:
        parse_fetchable(value if isinstance(value, str) else "")
    except AddressRefused:
        return ""
    return str(value)
