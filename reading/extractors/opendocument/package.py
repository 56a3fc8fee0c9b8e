"""The two forms of an OpenDocument file, read alike: a ZIP package, and one flat XML file."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED, protected
from reading.extractors.office.package import (
    HARDENED,
    OLE_MAGIC,
    PIECE_BYTES,
    DamagedPart,
    OfficePackage,
    attribute,
    local_name,
    loses_text,
    without_doctype,
)
from reasons import Reason

ZIP_MAGIC = b"PK"
STYLES, CONTENT, MANIFEST = "styles.xml", "content.xml", "META-INF/manifest.xml"
EVENTS = ("start", "end")
Events = Iterator[tuple[str, etree._Element]]

END_DAMAGED = Reason("end_of_file_lost")
OBJECT_DAMAGED = Reason("chart_or_formula_lost")
STYLES_DAMAGED = Reason("frames_lost")


class OpenDocument:
    """`kind` as `protected` takes it. `warnings` grows while the file is read."""

    def __init__(self, data: bytes, *, kind: str) -> None:
        self.warnings: list[Reason] = []
        self._package: OfficePackage | None = None
        self._flat = data
        self._embedded: set[str] = set()  # objects that were read
        self._unread_count = 0
        if data.startswith((ZIP_MAGIC, OLE_MAGIC)):
            self._package = OfficePackage.open(data, kind=kind)
            if is_encrypted(self._package):
                raise protected(kind)
            if CONTENT not in self._package:
                raise UnreadableFile(DAMAGED)

    def stream(self, tags: tuple[str, ...]) -> Events:
        """Start and end of these elements: first those of the styles, then those of the content.
        Who reads forgets what he has read. Raises UnreadableFile where nothing could be.
        """
        if self._package is not None and STYLES in self._package:
            try:
                yield from self._package.iterparse(STYLES, tags=tags, events=EVENTS)
            except DamagedPart:
                self.warnings.append(STYLES_DAMAGED)
        is_begun = False
        try:
            for event, element in self._content(tags):
                is_begun = is_begun or event == "end"
                yield event, element
        except DamagedPart:
            if not is_begun:
                raise
            self.warnings.append(END_DAMAGED)

    def embedded(self, element: etree._Element) -> etree._Element | None:
        """The root of the object that a `draw:object` shows; None when it is not there, or was
        read where it was shown before.
        """
        if len(element):
            return element[0]
        name = f"{attribute(element, 'href').removeprefix('./').rstrip('/')}/{CONTENT}"
        if self._package is None or name not in self._package or name in self._embedded:
            return None
        self._embedded.add(name)
        part = self._package.read(name)
        if not part.is_whole and OBJECT_DAMAGED not in self.warnings:
            self.warnings.append(OBJECT_DAMAGED)
        return part.root

    def add_unread_object(self) -> None:
        """Each takes the place of the one before in the warning that counts them."""
        told = Reason("embedded_objects_left_out", count=self._unread_count)
        if told in self.warnings:
            self.warnings.remove(told)
        self._unread_count += 1
        self.warnings.append(Reason("embedded_objects_left_out", count=self._unread_count))

    def _content(self, tags: tuple[str, ...]) -> Events:
        if self._package is not None:
            yield from self._package.iterparse(CONTENT, tags=tags, events=EVENTS)
            return
        parser = etree.XMLPullParser(events=EVENTS, tag=tags, **HARDENED)
        starts = range(0, len(self._flat), PIECE_BYTES)
        for piece in without_doctype(self._flat[start : start + PIECE_BYTES] for start in starts):
            parser.feed(piece)
            yield from parser.read_events()
        try:
            parser.close()
        except etree.XMLSyntaxError as error:
            raise DamagedPart from error
        yield from parser.read_events()
        if loses_text(parser):
            raise DamagedPart


def is_encrypted(package: OfficePackage) -> bool:
    manifest = package.read(MANIFEST).root if MANIFEST in package else None
    return manifest is not None and any(
        local_name(element) == "encryption-data" for element in manifest.iter()
    )


def forget(element: etree._Element) -> None:
    """Frees the element, but for what follows it, and what stood before it."""
    element.clear(keep_tail=True)
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0
