"""ZIP archives: their files, each to be read by itself (APPNOTE 6.3.10)."""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence, Set
from functools import partial
from itertools import pairwise

from reading.errors import UnreadableFile
from reading.extractors.containers.taking import PackedFile, Taking
from reading.extractors.interface import DAMAGED, Extraction
from reading.passages import MEMBER_MAX_BYTES
from reasons import Reason

# zlib gives no more than it is asked for; the decoders of the others unpack whatever they get.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED, UTF8_NAME = 0x1, 0x800  # general purpose bit flags, 4.4.4
LOCAL_HEADER_BYTES = 30  # 4.3.7, without name and extra field
PIECE_BYTES = 64 * 1024
# What systems and programs leave beside documents; none of it was written by anybody.
LITTER_FOLDERS = ("__MACOSX", ".git", ".svn")
LITTER_NAMES = (".ds_store", "thumbs.db", "desktop.ini")
LITTER_BEGINNINGS = ("._", "~$")

NOTION_ALL = re.compile(r"( [0-9a-f]{32})_all\.csv$")

OVERLAPS = Reason("archive_overlaps")
PROTECTED = Reason("protected")
ODD_METHOD = Reason("compression_unknown")
BROKEN = Reason("damaged_in_archive")


def extract(data: bytes) -> Extraction:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, struct.error) as error:
        raise UnreadableFile(DAMAGED) from error
    entries = archive.infolist()
    check_overlaps(entries)
    taking = Taking()
    return Extraction(
        blocks=(), warnings=taking.warnings, members=taking.members(files_of(archive, entries))
    )


def check_overlaps(entries: Sequence[zipfile.ZipInfo]) -> None:
    """Entries that share their bytes make gigabytes of kilobytes."""
    ordered = sorted(entries, key=lambda entry: entry.header_offset)
    for entry, following in pairwise(ordered):
        end = entry.header_offset + LOCAL_HEADER_BYTES + entry.compress_size
        if end > following.header_offset:
            raise UnreadableFile(OVERLAPS)


def files_of(archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo]) -> Iterator[PackedFile]:
    names = {name_of(entry) for entry in entries}
    for entry in entries:
        name = name_of(entry)
        is_passed_over = is_litter(name) or is_twin(name, names)
        if not (is_folder(entry, name) or is_link(entry) or is_passed_over):
            yield PackedFile(name, partial(unpack, archive, entry), entry.file_size)


def unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The content, at most one byte more than the limit, whatever the directory says. Raises
    UnreadableFile."""
    if entry.flag_bits & ENCRYPTED:
        raise UnreadableFile(PROTECTED)
    if entry.compress_type not in METHODS:
        raise UnreadableFile(ODD_METHOD)
    content = bytearray()
    try:
        with archive.open(entry) as member:
            while len(content) <= MEMBER_MAX_BYTES and (piece := member.read(PIECE_BYTES)):
                content += piece
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        ValueError,
        OSError,
        NotImplementedError,
        RuntimeError,  # zipfile's word for what is encrypted after all
        struct.error,
    ) as error:
        raise UnreadableFile(BROKEN) from error
    return bytes(content)


def is_folder(entry: zipfile.ZipInfo, name: str) -> bool:
    return name.endswith(("/", "\\")) and entry.file_size == 0


def is_link(entry: zipfile.ZipInfo) -> bool:
    """True for a symbolic link of Unix, whose content is the name of another file."""
    return stat.S_ISLNK(entry.external_attr >> 16)


def is_litter(name: str) -> bool:
    *folders, base = name.replace("\\", "/").split("/")
    return (
        any(folder in LITTER_FOLDERS for folder in folders)
        or base.lower() in LITTER_NAMES
        or base.startswith(LITTER_BEGINNINGS)
    )


def is_twin(name: str, names: Set[str]) -> bool:
    """True for a database of Notion's export that is there a second time, as "…_all.csv"."""
    match = NOTION_ALL.search(name)
    return match is not None and f"{name[: match.start()]}{match[1]}.csv" in names


def name_of(entry: zipfile.ZipInfo) -> str:
    """zipfile reads as code page 437 what does not say that it is UTF-8. macOS writes UTF-8 and
    does not say so; Windows writes code page 850 in Western Europe, which has the letters of 437
    that names are made of, and more of them.
    """
    if entry.flag_bits & UTF8_NAME:
        return entry.orig_filename
    raw = entry.orig_filename.encode("cp437", errors="replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp850")
