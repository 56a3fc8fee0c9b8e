"""Reads a file and the documents in it: itself, the files of an archive, or a message and its
attachments. Each is read in a process of its own, and a failure costs only that one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from reading.file_types import CONTAINER_TYPES, IMAGE_TYPES, PROBE_BYTES
from reading.member_names import distinct_name
from reading.passages import (
    MEMBERS_MAX,
    PASSAGES_MAX,
    Description,
    ExtractedDocument,
    Member,
    ReadDocument,
)
from reasons import Reason, join_reasons
from sources.connectors.calling import sha256_of
from sources.connectors.interface import Failed, Item, KnownDocument, SyncContext, Unchanged
from sources.documents import (
    chunk_document,
    detect_content_type,
    extract_document,
    keep_once,
    read_document,
    read_request,
)
from sources.errors import FileProcessingFailed, ReaderNotConfigured, UnsupportedFileType

MEGABYTE = 1024 * 1024
PLACE_SEPARATOR = " / "
# "Rates 0123456789abcdef0123456789abcdef", and behind it the ending of a file
NOTION_ID = re.compile(r"(?<=\S)[ _-][0-9a-f]{32}(?=(?:_all)?(?:\.\w{1,10})?$)")
NOTION_PART = re.compile(r"(?:ExportBlock|Export)-[0-9a-f-]{8,40}(?:-Part-\d+)?\.zip")
DEPTH_MAX = 3  # what is attached to a message in an archive in an archive
UNPACKED_MAX_BYTES = 200 * MEGABYTE  # of one file, with what lies in its archives

NOTHING_INSIDE = Reason("nothing_inside")
TOO_DEEP = Reason("file_nested_too_deep")


@dataclass(frozen=True)
class GivenText:
    """The facts about a document that are known before it is read."""

    external_id: str
    told: Description
    content_type: str
    content_hash: str


@dataclass(frozen=True)
class GivenFile(GivenText):
    """A file to be read. `parts`: the beginning of the external ids of the documents in it."""

    path: Path
    parts: str


@dataclass(frozen=True)
class FilePart:
    """A file within the given one. `path`: of its copy on disk; None if it was not taken out, and
    `refusal` says why. `names`: from the given file's folders down to its own."""

    names: tuple[str, ...]
    path: Path | None
    size_bytes: int
    refusal: Reason | None


def read_file(
    file: GivenFile,
    context: SyncContext,
    *,
    may_keep: Callable[[KnownDocument], bool],
    report: Callable[..., None] | None = None,
) -> Iterator[Item]:
    """An item for each document: Unchanged where it is known, has the same content, and `may_keep`.

    Args:
        report: SyncContext.report, where the documents of this file are all there is.

    Raises:
        FileProcessingFailed: nothing of it can be read.
        ReaderNotConfigured: it is one document, for which something is missing here.
    """
    if file.content_type not in CONTAINER_TYPES:
        yield read_single(file, context)
        return
    with TemporaryDirectory(prefix="sync-") as folder:
        unpacking = Unpacking(file, context, Path(folder), may_keep, report)
        failed: list[Failed] = []  # until something was read
        has_read = False
        for item in unpacking.items():
            if isinstance(item, Failed) and not has_read:
                failed.append(item)
                continue
            if not has_read:
                yield from failed
            has_read = True
            yield item
    if not has_read:
        first = failed[0] if failed else None
        raise FileProcessingFailed(
            Reason("nothing_read_in_file", name=first.title, reason=first.reason)
            if first
            else NOTHING_INSIDE
        )


def read_single(file: GivenFile, context: SyncContext) -> ReadDocument:
    """Raises FileProcessingFailed, ReaderNotConfigured."""
    with context.step("extract"):
        extracted = extract_document(
            file.path, read_request(content_type=file.content_type, title=file.told.title)
        )
    return cut(file, extracted, context)


def cut(given: GivenText, extracted: ExtractedDocument, context: SyncContext) -> ReadDocument:
    """The document cut into passages. Raises FileProcessingFailed if it has no text."""
    with context.step("chunk"):
        passages, repeats = keep_once(chunk_document(extracted))
    told = given.told
    return ReadDocument(
        title=told.title,
        external_id=given.external_id,
        content_type=given.content_type,
        content_hash=given.content_hash,
        passages=passages,
        warnings=(*extracted.warnings, *repeats),
        coverage=extracted.coverage,
        etag=told.etag,
        last_modified=told.last_modified,
        place=told.place,
        link=told.link,
    )


def fails(file: GivenFile, reason: Reason) -> Failed:
    return Failed(file.external_id, reason, title=file.told.place, etag=file.told.etag)


def place_inside(place: str, path: str) -> str:
    """The place of a file within another as people read it: without the numbers that Notion's
    export writes into each name, and the archives that it is cut into."""
    parts = [NOTION_ID.sub("", part) for part in path.split("/") if not NOTION_PART.fullmatch(part)]
    return PLACE_SEPARATOR.join([place, *parts])


def content_type_of(path: Path, filename: str) -> str:
    """The content type, told by the bytes, as for an upload. Raises UnsupportedFileType, and
    FileProcessingFailed for an image that is larger than we read."""
    size = path.stat().st_size
    with path.open("rb") as content:
        head = content.read(PROBE_BYTES)
        content.seek(max(0, size - PROBE_BYTES))
        content_type = detect_content_type(head, content.read(PROBE_BYTES), filename)
    if content_type in IMAGE_TYPES and size > settings.IMAGE_MAX_BYTES:
        raise FileProcessingFailed(
            Reason("image_over_limit", limit=settings.IMAGE_MAX_BYTES // MEGABYTE)
        )
    return content_type


class Unpacking:
    """The documents of one file that holds files. Limits count over all of them."""

    def __init__(
        self,
        file: GivenFile,
        context: SyncContext,
        folder: Path,
        may_keep: Callable[[KnownDocument], bool],
        report: Callable[..., None] | None,
    ) -> None:
        self._file = file
        self._context = context
        self._folder = folder
        self._may_keep = may_keep
        self._report = report
        self._numbers = count()
        self._done = self._found = 0
        self._bytes = self._passages = 0
        self._taken: set[str] = set()  # paths: a folder and an archive may have the same name

    def items(self) -> Iterator[Item]:
        """Raises FileProcessingFailed when the file itself cannot be read."""
        yield from self._open(self._file, ())

    def _open(self, file: GivenFile, names: tuple[str, ...]) -> Iterator[Item]:
        """Yields the file's own document, then the documents of the files in it."""
        with self._context.step("extract"):
            extracted = read_document(
                file.path, read_request(content_type=file.content_type, title=file.told.title)
            )
            parts = self._put_aside(extracted.members, names)
        if extracted.blocks:
            yield self._own_document(file, extracted)
        untold = () if extracted.blocks else extracted.warnings
        del extracted
        for part in parts:
            yield from self._read_part(part)
            self._done += 1
            if self._report:
                self._report(done=self._done, total=self._found)
        if untold:
            yield fails(file, join_reasons(*untold))

    def _own_document(self, file: GivenFile, extracted: ExtractedDocument) -> Item:
        """The document of a message's own text; attachments are read even if it fails."""
        try:
            return self._unless_known(file) or self._count(cut(file, extracted, self._context))
        except FileProcessingFailed as error:
            return fails(file, error.reason)

    def _put_aside(self, members: Sequence[Member], names: tuple[str, ...]) -> list[FilePart]:
        """Under names of our own. Nothing of it stays in memory."""
        parts = []
        above = "".join(f"{name}/" for name in names)
        for member in members:
            path = None
            if not member.refusal:
                path = self._folder / str(next(self._numbers))
                path.write_bytes(member.content)
            path_inside = distinct_name(f"{above}{member.name or 'File'}", self._taken)
            self._taken.add(path_inside)
            own = (*names, path_inside.removeprefix(above))
            parts.append(FilePart(own, path, len(member.content), member.refusal))
        self._found += len(parts)
        return parts

    def _read_part(self, part: FilePart) -> Iterator[Item]:
        file = self._given(part)
        try:
            self._check(part)
            content_type = content_type_of(file.path, part.names[-1])
            file = replace(file, content_type=content_type, content_hash=sha256_of(file.path))
            if content_type in CONTAINER_TYPES:
                yield from self._open(file, part.names)
            else:
                yield self._unless_known(file) or self._count(read_single(file, self._context))
        except (FileProcessingFailed, UnsupportedFileType) as error:
            yield fails(file, error.reason)
        except ReaderNotConfigured as error:
            yield replace(fails(file, error.reason), etag="")
        finally:
            file.path.unlink(missing_ok=True)

    def _given(self, part: FilePart) -> GivenFile:
        path, told = "/".join(part.names), self._file.told
        place = place_inside(told.place, path)
        return GivenFile(
            path=part.path or self._folder / "nothing",
            content_type="",
            content_hash="",
            external_id=f"{self._file.parts}{path}",
            told=replace(told, title=place.rpartition(PLACE_SEPARATOR)[2], place=place),
            parts=self._file.parts,
        )

    def _check(self, part: FilePart) -> None:
        """Raises FileProcessingFailed before it is read."""
        if part.refusal:
            raise FileProcessingFailed(part.refusal)
        self._bytes += part.size_bytes  # also of what is not opened: it was unpacked
        if len(part.names) > DEPTH_MAX:
            raise FileProcessingFailed(TOO_DEEP)
        if self._done >= MEMBERS_MAX:
            raise FileProcessingFailed(Reason("too_many_files_inside", limit=MEMBERS_MAX))
        if self._bytes > UNPACKED_MAX_BYTES:
            raise FileProcessingFailed(
                Reason("too_much_unpacked", limit=UNPACKED_MAX_BYTES // MEGABYTE)
            )

    def _unless_known(self, file: GivenFile) -> Unchanged | None:
        known = self._context.known.get(file.external_id)
        if known and known.content_hash == file.content_hash and self._may_keep(known):
            return Unchanged(file.external_id, file.told)
        return None

    def _count(self, document: ReadDocument) -> ReadDocument:
        """Raises FileProcessingFailed when there are too many passages with it."""
        self._passages += len(document.passages)
        if self._passages > PASSAGES_MAX:
            raise FileProcessingFailed(Reason("too_many_passages_inside", limit=PASSAGES_MAX))
        return document
