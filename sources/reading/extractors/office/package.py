"""The ZIP container of DOCX, XLSX and PPTX: opened only when it is harmless, its parts read as XML
without entities.

Read with zipfile and lxml directly (docs/decisions/0003-office-files-without-unstructured.md).
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import IO

from lxml import etree

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.interface import DAMAGED, protected

MEMBERS_MAX = 20_000  # a presentation of 1,000 slides with notes and pictures has some 5,000
# In all; pictures and films are never unzipped, but a bomb need not be read to be known
UNZIPPED_MAX_BYTES = 1024**3
# Of one part; the largest of a 50 MB honest file is 150 MB (a sheet of 500,000 rows)
XML_MAX_BYTES = 256 * 1024**2
OLE_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
BOMB = (
    "This file unpacks to an unreasonable size and was not opened. Save it again in its program "
    "without embedded files and upload the new file."
)


class OfficePackage:
    """An open container. Raises UnreadableFile from every method when the file is at fault."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = set(archive.namelist())

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

    def __enter__(self) -> OfficePackage:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._archive.close()

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def require(self, name: str) -> None:
        if name not in self:
            raise UnreadableFile(DAMAGED)

    def parse(self, name: str) -> etree._Element:
        """The root of a part that is small by nature: styles, one slide."""
        elements = [element for _, element in self.iterparse(name, tags=None, events=("end",))]
        if not elements:
            raise UnreadableFile(DAMAGED)
        return elements[-1]

    def iterparse(
        self, name: str, *, tags: tuple[str, ...] | None, events: tuple[str, ...]
    ) -> Iterator[tuple[str, etree._Element]]:
        """Streams a part; the caller clears what it has read."""
        self.require(name)
        try:
            with self._archive.open(name) as part:
                yield from etree.iterparse(
                    NoDoctype(part),
                    events=events,
                    tag=tags,
                    no_network=True,
                    load_dtd=False,
                    huge_tree=False,
                    remove_comments=True,
                    remove_pis=True,
                )
        except (etree.XMLSyntaxError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise UnreadableFile(DAMAGED) from error

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """The relationships of a part: id → (kind, target's name); those that lead out of the file
        are left out.
        """
        folder, base = posixpath.split(name)
        relations = f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels"
        if relations not in self:
            return {}
        return {
            relation.get("Id", ""): (
                relation.get("Type", "").rpartition("/")[2],
                posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip(
                    "/"
                ),
            )
            for relation in self.parse(relations)
            if relation.get("TargetMode") != "External"
        }

    def main_part(self) -> str:
        """The document itself, wherever its producer has put it."""
        for kind, target in self.related("").values():
            if kind == "officeDocument":
                return target
        raise UnreadableFile(DAMAGED)


def local_name(element: etree._Element) -> str:
    """The tag without its namespace: the same in transitional and strict documents."""
    return str(element.tag).rpartition("}")[2]


def attribute(element: etree._Element, name: str, default: str = "") -> str:
    """By its local name."""
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
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


class NoDoctype(io.RawIOBase):
    """Refuses a part that declares a document type: no office program writes one, entity bombs need
    one.
    """

    def __init__(self, part: IO[bytes]) -> None:
        self._part = part
        self._tail = b""
        self._read_bytes = 0

    def read(self, size: int = -1) -> bytes:
        data = self._part.read(size)
        self._read_bytes += len(data)
        if b"<!DOCTYPE" in self._tail + data or b"<!ENTITY" in self._tail + data:
            raise UnreadableFile(DAMAGED)
        if self._read_bytes > XML_MAX_BYTES:
            raise UnreadableFile(BOMB)
        self._tail = data[-16:]
        return data


def check_sizes(members: list[zipfile.ZipInfo]) -> None:
    """By the directory of the archive, before anything is unpacked."""
    if (
        len(members) > MEMBERS_MAX
        or sum(member.file_size for member in members) > UNZIPPED_MAX_BYTES
    ):
        raise UnreadableFile(BOMB)
    if any(
        member.file_size > XML_MAX_BYTES
        for member in members
        if member.filename.endswith((".xml", ".rels"))
    ):
        raise UnreadableFile(BOMB)
    if any(member.flag_bits & 1 for member in members):
        raise protected("document")
