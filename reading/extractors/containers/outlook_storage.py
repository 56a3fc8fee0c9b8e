"""The properties of an Outlook message, its recipients and its attachments, each by its number
([MS-OXMSG] 2.1 to 2.4, [MS-OXPROPS]), in a compound file."""

from __future__ import annotations

import codecs
import io
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import olefile

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED
from reading.extractors.text.encoding import decode

Path = tuple[str, ...]

PROPERTIES = "__properties_version1.0"
UNICODE, STRING8, BINARY, OBJECT = "001F", "001E", "0102", "000D"
# Bytes before the properties of a fixed length, 2.4.1: of the message itself; of one that is
# attached; of all else.
TOP_HEADER_BYTES, EMBEDDED_HEADER_BYTES, OTHER_HEADER_BYTES = 32, 24, 8
ENTRY = struct.Struct("<HHI8s")  # type, number, flags, value
TEXT_MAX_BYTES = 32 * 1024**2
MESSAGE_CODE_PAGE, INTERNET_CODE_PAGE = 0x3FFD, 0x3FDE
UTF8_CODE_PAGE = 65001
FILETIME_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
# What olefile raises for a file that is no compound file, or one that was made to break it.
BROKEN = (OSError, ValueError, LookupError, TypeError, AttributeError, struct.error, RecursionError)
SECTOR_MIN_BYTES = 512
FAT_SECTORS_AT, DIFAT_SECTORS_AT = 44, 72  # [MS-CFB] 2.2: how many the header says there are


class Storage:
    """A folder of the compound file, with what it holds. Raises UnreadableFile from every method
    when the file is damaged there.
    """

    def __init__(
        self, file: CompoundFile, path: Path, *, header_bytes: int, code_page: int
    ) -> None:
        self._file = file
        self._path = path
        self._header_bytes = header_bytes
        self._fixed = dict(self._iter_fixed())
        self.code_page = (
            self.number(MESSAGE_CODE_PAGE) or self.number(INTERNET_CODE_PAGE) or code_page
        )

    def text(self, number: int) -> str:
        """ "" where it has none."""
        if self._has(number, UNICODE):
            return self._read(number, UNICODE).decode("utf-16-le", errors="replace").rstrip("\0")
        if self._has(number, STRING8):
            return decode_page(self._read(number, STRING8), self.code_page).rstrip("\0")
        return ""

    def binary(self, number: int) -> bytes:
        return self._read(number, BINARY) if self._has(number, BINARY) else b""

    def binary_size(self, number: int) -> int:
        return self._file.size_of(self._stream(number, BINARY)) if self._has(number, BINARY) else 0

    def attached_bytes(self, number: int) -> bytes:
        """The bytes of an attachment: as `binary`, but as long as a file may be."""
        return self._file.read(self._stream(number, BINARY)) if self._has(number, BINARY) else b""

    def number(self, number: int) -> int:
        """The value of a property of fixed length; 0 if there is none."""
        return int.from_bytes(self._fixed.get(number, b"")[:4], "little")

    def time(self, number: int) -> datetime | None:
        ticks = int.from_bytes(self._fixed.get(number, b""), "little")
        try:
            return FILETIME_EPOCH + timedelta(microseconds=ticks // 10) if ticks else None
        except OverflowError:
            return None

    def children(self, beginning: str) -> Iterator[Storage]:
        """Recipients, attachments: in their order."""
        for name in sorted(self._file.folders_in(self._path)):
            if name.lower().startswith(beginning):
                yield self._below(name, OTHER_HEADER_BYTES)

    def embedded(self, number: int) -> Storage | None:
        """The message in an attachment."""
        name = f"__substg1.0_{number:04X}{OBJECT}"
        if not self._file.has((*self._path, name, PROPERTIES)):
            return None
        return self._below(name, EMBEDDED_HEADER_BYTES)

    def _below(self, name: str, header_bytes: int) -> Storage:
        return Storage(
            self._file, (*self._path, name), header_bytes=header_bytes, code_page=self.code_page
        )

    def _stream(self, number: int, kind: str) -> Path:
        return (*self._path, f"__substg1.0_{number:04X}{kind}")

    def _has(self, number: int, kind: str) -> bool:
        return self._file.has(self._stream(number, kind))

    def _read(self, number: int, kind: str) -> bytes:
        stream = self._stream(number, kind)
        if self._file.size_of(stream) > TEXT_MAX_BYTES:
            raise UnreadableFile(DAMAGED)
        return self._file.read(stream)

    def _iter_fixed(self) -> Iterator[tuple[int, bytes]]:
        stream = (*self._path, PROPERTIES)
        if not self._file.has(stream):
            return
        data = self._file.read(stream)[self._header_bytes :]
        for _, number, _, value in ENTRY.iter_unpack(data[: len(data) // ENTRY.size * ENTRY.size]):
            yield number, value


class CompoundFile:
    """[MS-CFB], through olefile: no stream is larger than the file, whatever it says."""

    def __init__(self, data: bytes) -> None:
        self._bytes = len(data)
        check_tables(data)
        try:
            self._ole = olefile.OleFileIO(io.BytesIO(data))
            paths = self._ole.listdir(streams=True, storages=True)
        except BROKEN as error:
            raise UnreadableFile(DAMAGED) from error
        self._streams: dict[Path, list[str]] = {}
        self._folders: dict[Path, list[str]] = {}
        for path in paths:
            if self._ole.get_type(path) == olefile.STGTY_STORAGE:
                self._folders.setdefault(tuple(path[:-1]), []).append(path[-1])
            else:
                self._streams[tuple(path)] = path

    @property
    def is_damaged(self) -> bool:
        """True if folders or files in it may be missing from the list."""
        issues = getattr(self._ole, "parsing_issues", ())  # its types do not name them
        return any("reference" in text for _, text in issues)

    def message(self) -> Storage:
        if not self.has((PROPERTIES,)):
            raise UnreadableFile(DAMAGED)
        return Storage(self, (), header_bytes=TOP_HEADER_BYTES, code_page=0)

    def has(self, path: Path) -> bool:
        return path in self._streams

    def folders_in(self, path: Path) -> list[str]:
        return self._folders.get(path, [])

    def size_of(self, path: Path) -> int:
        return int(self._ole.get_size(self._streams[path]))

    def read(self, path: Path) -> bytes:
        if self.size_of(path) > self._bytes:
            raise UnreadableFile(DAMAGED)
        try:
            with self._ole.openstream(self._streams[path]) as stream:
                return bytes(stream.read())
        except BROKEN as error:
            raise UnreadableFile(DAMAGED) from error


def check_tables(data: bytes) -> None:
    """Checks the header's statements about the tables of sectors, before these are read."""
    if len(data) < SECTOR_MIN_BYTES:
        raise UnreadableFile(DAMAGED)
    for offset in (FAT_SECTORS_AT, DIFAT_SECTORS_AT):
        (count,) = struct.unpack_from("<I", data, offset)
        if count > len(data) // SECTOR_MIN_BYTES:
            raise UnreadableFile(DAMAGED)


def decode_page(data: bytes, code_page: int) -> str:
    name = "utf-8" if code_page == UTF8_CODE_PAGE else f"cp{code_page}"
    try:
        codecs.lookup(name)
    except LookupError:
        return decode(data)
    return data.decode(name, errors="replace")
