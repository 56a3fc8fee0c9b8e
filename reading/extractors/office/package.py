"""The ZIP container of DOCX, XLSX and PPTX: opened only when it is harmless, its parts read as XML
without entities.

Read with zipfile and lxml directly (docs/decisions/0003-office-files-without-unstructured.md).
"""

from __future__ import annotations

import io
import lzma
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import unquote

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED, protected
from reasons import Reason

MEMBERS_MAX = 20_000  # a presentation of 1,000 slides with notes and pictures has some 5,000
# In all; pictures and films are never unzipped, but a bomb need not be read to be known
UNZIPPED_MAX_BYTES = 1024**3
# Of one part; the largest of a 50 MB honest file is 150 MB (a sheet of 500,000 rows)
XML_MAX_BYTES = 256 * 1024**2
OLE_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
PIECE_BYTES = 64 * 1024
# A compression that is not known here, a password, the end before its time
NOT_UNPACKED = (NotImplementedError, RuntimeError, EOFError, OSError)
# No entities, nothing fetched; a damaged part is read as far as it goes
HARDENED: Mapping[str, bool] = MappingProxyType(
    {
        "resolve_entities": False,
        "no_network": True,
        "load_dtd": False,
        "huge_tree": False,
        "recover": True,
        "remove_comments": True,
        "remove_pis": True,
    }
)
# A character that XML forbids is left out alone, and what follows the end is no text
HARMLESS_ERRORS = (
    "ERR_INVALID_CHAR",
    "ERR_INVALID_ENCODING",
    "ERR_ATTRIBUTE_REDEFINED",
    "ERR_DOCUMENT_END",
)
BOMB = Reason("unpacks_too_large")


class DamagedPart(UnreadableFile):
    """A part of the container is damaged or missing: the rest of the file can still be read."""

    def __init__(self) -> None:
        super().__init__(DAMAGED)


@dataclass(frozen=True)
class PackagePart:
    """The readable content of a part. `root` is None if there is none."""

    root: etree._Element | None
    is_whole: bool


class OfficePackage:
    """An open container. Raises DamagedPart when one part is at fault, UnreadableFile when the file
    is. Names are found whatever their case and their slashes.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members = {key_of(name): name for name in archive.namelist()}

    @classmethod
    def open(cls, data: bytes, *, kind: str) -> OfficePackage:
        if data.startswith(OLE_MAGIC):
            raise protected(kind)
        try:
            archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise UnreadableFile(DAMAGED) from error
        check_sizes(archive.infolist())
        return cls(archive)

    def __contains__(self, name: str) -> bool:
        return key_of(name) in self._members

    def names(self, pattern: str) -> list[str]:
        """The names of the parts that match, in lower case, by the numbers in them: slide2 before
        slide10."""
        found = filter(re.compile(pattern).fullmatch, self._members)
        return sorted(found, key=lambda name: [int(each) for each in re.findall(r"\d+", name)])

    def stream(self, name: str) -> Iterator[bytes]:
        """The bytes of a part, piece by piece."""
        if name not in self:
            raise DamagedPart
        read_bytes = 0
        try:
            with self._archive.open(self._members[key_of(name)]) as part:
                while piece := part.read(PIECE_BYTES):
                    read_bytes += len(piece)
                    if read_bytes > XML_MAX_BYTES:
                        raise UnreadableFile(BOMB)
                    yield piece
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, *NOT_UNPACKED) as error:
            raise DamagedPart from error

    def read(self, name: str) -> PackagePart:
        """A part that is small by nature: styles, one slide."""
        parser = etree.XMLPullParser(events=(), **HARDENED)
        is_whole = True
        try:
            for piece in without_doctype(self.stream(name)):
                parser.feed(piece)
        except DamagedPart:
            is_whole = False
        try:
            root = parser.close()
        except etree.XMLSyntaxError:
            root = None
        return PackagePart(root, is_whole and root is not None and not loses_text(parser))

    def parse(self, name: str) -> etree._Element:
        """The root of a part that is of use only as a whole."""
        part = self.read(name)
        if part.root is None or not part.is_whole:
            raise DamagedPart
        return part.root

    def iterparse(
        self, name: str, *, tags: tuple[str, ...], events: tuple[str, ...]
    ) -> Iterator[tuple[str, etree._Element]]:
        """Streams a part; the caller clears what it has read. What stands before the damage comes
        before DamagedPart.
        """
        parser = etree.XMLPullParser(events=events, tag=tags, **HARDENED)
        is_whole = True
        try:
            for piece in without_doctype(self.stream(name)):
                parser.feed(piece)
                yield from parser.read_events()
        except DamagedPart:
            is_whole = False
        try:
            parser.close()
        except etree.XMLSyntaxError:
            is_whole = False
        yield from parser.read_events()
        if not is_whole or loses_text(parser):
            raise DamagedPart

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """The relationships of a part: id → (kind, target's name); those that lead out of the file
        are left out.
        """
        folder, base = posixpath.split(name)
        part = self.read(posixpath.join(folder, "_rels", f"{base}.rels"))
        return {
            relation.get("Id", ""): (
                relation.get("Type", "").rpartition("/")[2],
                resolved(folder, relation.get("Target", "")),
            )
            for relation in (part.root if part.root is not None else ())
            if relation.get("TargetMode") != "External"
        }

    def related_kinds(self, name: str) -> dict[str, list[str]]:
        """Kind → the parts of that kind that are there."""
        kinds: dict[str, list[str]] = {}
        for kind, part in self.related(name).values():
            if part in self:
                kinds.setdefault(kind, []).append(part)
        return kinds

    def main_part(self, usual: str) -> str:
        """The document itself, wherever its producer has put it; `usual`: where most do."""
        targets = [part for kind, part in self.related("").values() if kind == "officeDocument"]
        for target in [*targets, usual]:
            if target in self:
                return target
        raise UnreadableFile(DAMAGED)


def key_of(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def resolved(folder: str, target: str) -> str:
    path = unquote(target.replace("\\", "/")).partition("#")[0]
    return posixpath.normpath(posixpath.join("/", folder, path)).lstrip("/")


def without_doctype(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Refuses a part that declares a document type: no office program writes one, entity bombs need
    one.
    """
    tail = b""
    for piece in pieces:
        seen = (tail + piece).replace(b"\0", b"")  # UTF-16
        if b"<!DOCTYPE" in seen or b"<!ENTITY" in seen:
            raise UnreadableFile(DAMAGED)
        tail = piece[-32:]
        yield piece


def loses_text(parser: etree.XMLPullParser) -> bool:
    return any(
        error.level == etree.ErrorLevels.FATAL and error.type_name not in HARMLESS_ERRORS
        for error in parser.feed_error_log
    )


def local_name(element: etree._Element) -> str:
    """The tag without its namespace: the same in transitional and strict documents."""
    return str(element.tag).rpartition("}")[2].rpartition(":")[2]  # of a namespace not declared


def attribute(element: etree._Element, name: str, default: str = "") -> str:
    """The value of an attribute by its local name. Only the wanted one of many attributes is looked
    up: lxml looks for each from the first on."""
    for key in element.attrib:
        if str(key).rpartition("}")[2] == name:
            return str(element.get(key))
    return default


def relation_id(element: etree._Element) -> str:
    """The id of the relationship that leads to what the element stands for."""
    keys = (key for key in element.attrib if str(key).endswith("/relationships}id"))
    return next((str(element.attrib[key]) for key in keys), "")


def child(element: etree._Element, *path: str) -> etree._Element | None:
    """The first child of each name, one below the other."""
    current: etree._Element | None = element
    for name in path:
        current = (
            next((node for node in current if local_name(node) == name), None)
            if current is not None
            else None
        )
    return current


def check_sizes(members: list[zipfile.ZipInfo]) -> None:
    """Checks the sizes in the directory of the archive, before anything is unpacked."""
    if (
        len(members) > MEMBERS_MAX
        or sum(member.file_size for member in members) > UNZIPPED_MAX_BYTES
    ):
        raise UnreadableFile(BOMB)
    if any(
        member.file_size > XML_MAX_BYTES
        for member in members
        if member.filename.lower().endswith((".xml", ".rels"))
    ):
        raise UnreadableFile(BOMB)
    if any(member.flag_bits & 1 for member in members):
        raise protected("document")
