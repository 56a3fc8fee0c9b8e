"""The records of a presentation ([MS-PPT], [MS-ODRAW]) and where its document and slides are."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import olefile

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED, TOO_LARGE, protected
from reasons import Reason

HEADER = struct.Struct("<HHI")  # version and instance, type, length
STREAMS = ("PP97_DUALSTORAGE/PowerPoint Document", "PowerPoint Document")
OLD_STREAMS = ("PP40", "PersistentStorage Directory")  # of PowerPoint 4 and 95
ENCRYPTED_STREAMS = ("EncryptedPackage", "EncryptedSummary")
ENCRYPTED_TOKEN = 0xF3D1C4DF
CONTAINER = 0xF  # the version of a record that holds others
NESTING_MAX = 50
SLIDES_MAX = 10_000  # the list may name one slide a million times
DOCUMENT, SLIDE, NOTES = 0x03E8, 0x03EE, 0x03F0
USER_EDIT, PERSIST_DIRECTORY = 0x0FF5, 0x1772
TOP_LEVEL = (DOCUMENT, PERSIST_DIRECTORY)
SLIDE_LIST, SLIDE_PERSIST = 0x0FF0, 0x03F3
OBJECT_LIST, EMBEDDED_OBJECT = 0x0409, 0x0FCC
STRING = 0x0FBA
TEXT_HEADER, TEXT_CHARS, TEXT_BYTES, OUTLINE_REF = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E
SLIDES_INSTANCE, NOTES_INSTANCE = 0, 2  # of a SLIDE_LIST
TOO_OLD = Reason("presentation_too_old")


@dataclass(frozen=True)
class Record:
    kind: int
    version: int
    instance: int
    body: memoryview

    def children(self) -> Iterator[Record]:
        return read_records(self.body) if self.version == CONTAINER else iter(())

    def below(self, *kinds: int, nesting: int = 0) -> Iterator[Record]:
        """The records of these kinds, at whatever depth, in their order."""
        for child in self.children():
            if child.kind in kinds:
                yield child
            elif nesting < NESTING_MAX:
                yield from child.below(*kinds, nesting=nesting + 1)

    def numbers(self, form: str) -> tuple[int, ...]:
        """The numbers with which it begins, zeros where it is too short for them."""
        size = struct.calcsize(form)
        return struct.unpack(form, bytes(self.body[:size]).ljust(size, b"\0"))

    def text(self) -> str:
        is_wide = self.kind in (TEXT_CHARS, STRING)
        return bytes(self.body).decode("utf-16-le" if is_wide else "latin-1", "replace")


def read_records(data: memoryview) -> Iterator[Record]:
    """The records that follow each other; the last may be cut off."""
    position = 0
    while position + HEADER.size <= len(data):
        version, kind, length = HEADER.unpack_from(data, position)
        position += HEADER.size
        yield Record(kind, version & 0xF, version >> 4, data[position : position + length])
        position += length


@dataclass(frozen=True)
class Text:
    """`kind`: of TextHeaderAtom, 2.9.17."""

    kind: int
    text: str


@dataclass
class ListedSlide:
    """An entry of the list of slides, or of notes. `outline`: the texts of its placeholders that
    stand in the list itself.
    """

    reference: int
    identifier: int
    outline: list[Text] = field(default_factory=list)


class Presentation:
    """Raises UnreadableFile when the file has no document that can be found."""

    def __init__(self, data: bytes) -> None:
        stream, user = read_streams(data)
        self._stream = memoryview(stream)
        self._offsets: dict[int, int] = {}  # of the persist directory: the latest of each
        document = self._current_document(user) or self._last_document()
        if document is None:
            raise UnreadableFile(DAMAGED)
        self.slides: list[ListedSlide] = []
        self.notes: list[ListedSlide] = []
        self.objects_count = 0  # that are embedded in it
        for record in document.children():
            if record.kind == SLIDE_LIST and record.instance == SLIDES_INSTANCE:
                self.slides += read_slide_list(record)
            elif record.kind == SLIDE_LIST and record.instance == NOTES_INSTANCE:
                self.notes += read_slide_list(record)
            elif record.kind == OBJECT_LIST:
                objects = (child for child in record.children() if child.kind == EMBEDDED_OBJECT)
                self.objects_count += sum(1 for _ in objects)
        if len(self.slides) > SLIDES_MAX:
            raise UnreadableFile(TOO_LARGE)

    def find(self, listed: ListedSlide, kind: int) -> Record | None:
        return self._record_at(self._offsets.get(listed.reference), kind)

    def _current_document(self, user: bytes) -> Record | None:
        """The document, found by the last edit and those before it, which name where each part was
        stored last."""
        edit = (
            self._record_at(struct.unpack_from("<I", user, 16)[0], USER_EDIT)
            if len(user) >= 20
            else None
        )
        reference = edit.numbers("<5I")[4] if edit else 0
        seen: set[int] = set()
        while edit is not None:
            _, _, before, directory, _ = edit.numbers("<5I")
            if (listed := self._record_at(directory, PERSIST_DIRECTORY)) is not None:
                self._read_directory(listed.body)
            if not before or before in seen:
                break
            seen.add(before)
            edit = self._record_at(before, USER_EDIT)
        return self._record_at(self._offsets.get(reference), DOCUMENT)

    def _last_document(self) -> Record | None:
        """The last document in the stream, for a file in which the way to it is damaged."""
        records = [each for each in read_records(self._stream) if each.kind in TOP_LEVEL]
        for record in reversed(records):
            if record.kind == PERSIST_DIRECTORY:
                self._read_directory(record.body)
        return next((each for each in reversed(records) if each.kind == DOCUMENT), None)

    def _read_directory(self, body: memoryview) -> None:
        numbers = memoryview(bytes(body[: len(body) // 4 * 4])).cast("I")
        position = 0
        while position < len(numbers):
            first, count = numbers[position] & 0xFFFFF, numbers[position] >> 20
            for index, offset in enumerate(numbers[position + 1 : position + 1 + count]):
                self._offsets.setdefault(first + index, offset)
            position += 1 + count

    def _record_at(self, offset: int | None, kind: int) -> Record | None:
        if offset is None:
            return None
        record = next(read_records(self._stream[offset:]), None)
        return record if record is not None and record.kind == kind else None


def read_streams(data: bytes) -> tuple[bytes, bytes]:
    """(the document, who edited it last). Raises UnreadableFile."""
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            if any(file.exists(name) for name in ENCRYPTED_STREAMS):
                raise protected("presentation")
            if not file.exists(STREAMS[0]) and any(map(file.exists, OLD_STREAMS)):
                raise UnreadableFile(TOO_OLD)
            stream = next(file.openstream(name).read() for name in STREAMS if file.exists(name))
            user = file.openstream("Current User").read() if file.exists("Current User") else b""
    except (OSError, ValueError, IndexError, StopIteration, struct.error, OverflowError) as error:
        raise UnreadableFile(DAMAGED) from error
    if len(user) >= 16 and struct.unpack_from("<I", user, 12)[0] == ENCRYPTED_TOKEN:
        raise protected("presentation")
    return stream, user


def read_slide_list(record: Record) -> list[ListedSlide]:
    slides: list[ListedSlide] = []
    kind = 0
    for child in record.children():
        if child.kind == SLIDE_PERSIST:
            reference, _, _, identifier = child.numbers("<4I")
            slides.append(ListedSlide(reference, identifier))
        elif child.kind == TEXT_HEADER:
            (kind,) = child.numbers("<I")
        elif slides and child.kind in (TEXT_CHARS, TEXT_BYTES):
            slides[-1].outline.append(Text(kind, child.text()))
    return slides
