"""Electronic books (EPUB 2 and 3): the chapters in their reading order, as web pages are read.

Left out: the table of contents; its titles name the chapters that have no heading.
https://www.w3.org/TR/epub-33/, IDPF OPF 2.0.1.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.books.xhtml import parse_chapter, parse_xml
from reading.extractors.html.blocks import BlockWriter
from reading.extractors.html.boxes import Box, build_boxes
from reading.extractors.interface import DAMAGED, TOO_LARGE, Extraction, list_places
from reading.extractors.office.package import DamagedPart, OfficePackage, attribute, child
from reading.extractors.prose import clean, has_content
from reading.passages import Block
from reasons import Reason

CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
CHAPTERS_MAX = 20_000
TOC_DEPTH_MAX = 6  # as HTML's headings
PICTURES = "image/"
NCX = "application/x-dtbncx+xml"
# Fonts are often stored so. Whatever else is encrypted is protected.
FONT_OBFUSCATIONS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
PROTECTED = Reason("book_protected")


@dataclass(frozen=True)
class BookItem:
    """A file of the book. `name` is its place in the archive."""

    name: str
    media_type: str
    is_contents: bool


@dataclass(frozen=True)
class ChapterTitle:
    """`depth` in the table of contents, from 1."""

    text: str
    depth: int


def extract(data: bytes) -> Extraction:
    package = OfficePackage.open(data, kind="book")
    book = Book(package)
    check_protection(package, {item.name for item in book.chapters})
    warnings: list[Reason] = []
    return Extraction(blocks=read_book(book, warnings), warnings=warnings)


def read_book(book: Book, warnings: list[Reason]) -> Iterator[Block]:
    """Yields the blocks of a book. One trail of headings spans all chapters: a program may have cut
    a chapter into several files."""
    writer = BlockWriter(lambda box: box.tag == "nav")
    front = [Box("h1", items=[book.title]), Box("p", items=[book.authors])]
    yield from writer.write([box for box in front if has_content(str(box.items[0]))])
    titles = book.chapter_titles()
    lost: list[int] = []
    for number, item in enumerate(book.chapters, start=1):
        try:
            root = parse_chapter(book.bytes_of(item.name))
        except UnreadableFile:
            lost.append(number)
            continue
        if root is None:
            continue
        boxes = [build_boxes(root)[0]]
        title = titles.get(item.name)
        if title and not has_heading(boxes[0]):
            boxes.insert(0, Box(f"h{title.depth}", items=[title.text]))
        yield from writer.write(boxes)
    if lost:
        warnings.append(Reason("book_parts_lost", places=list_places("part", lost)))


def has_heading(box: Box) -> bool:
    pending = [box]
    while pending:
        box = pending.pop()
        if box.heading_depth and box.chars:
            return True
        pending += box.boxes
    return False


class Book:
    """The content of the package document. Raises UnreadableFile."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        name = package_document(package)
        root = parse_xml(self.bytes_of(name))
        if root is None:
            raise UnreadableFile(DAMAGED)
        self._items = {
            attribute(item, "id"): BookItem(
                name=resolve(name, attribute(item, "href")),
                media_type=attribute(item, "media-type").lower(),
                is_contents="nav" in attribute(item, "properties").split(),
            )
            for item in root.iter("item")
        }
        named = (self._items.get(attribute(item, "idref")) for item in root.iter("itemref"))
        read_once = dict.fromkeys(item for item in named if item is not None)
        self.chapters = [
            item
            for item in read_once
            if not item.is_contents and not item.media_type.startswith(PICTURES)
        ]
        if len(self.chapters) > CHAPTERS_MAX:
            raise UnreadableFile(TOO_LARGE)
        self.title = ", ".join(texts_of(root, "title")[:1])
        self.authors = ", ".join(texts_of(root, "creator"))

    def bytes_of(self, name: str) -> bytes:
        """Raises DamagedPart."""
        return b"".join(self._package.stream(name))

    def chapter_titles(self) -> Mapping[str, ChapterTitle]:
        """The first title that leads into each chapter, by the name of the chapter's file."""
        titles: dict[str, ChapterTitle] = {}
        for item in self._items.values():
            if item.is_contents or item.media_type == NCX:
                try:
                    root = parse_xml(self.bytes_of(item.name))
                except DamagedPart:
                    continue  # no text of its own is in it
                for target, title in contents_of(root) if root is not None else ():
                    if has_content(title.text):
                        titles.setdefault(resolve(item.name, target), title)
        return titles


def package_document(package: OfficePackage) -> str:
    """The name of the package document: the container states it, else it is searched for."""
    if CONTAINER in package:
        root = package.read(CONTAINER).root
        for rootfile in root.iter("{*}rootfile") if root is not None else ():
            if (name := attribute(rootfile, "full-path")) in package:
                return name
    for name in package.names(r".*\.opf"):
        return name
    raise UnreadableFile(DAMAGED)


def check_protection(package: OfficePackage, chapters: set[str]) -> None:
    """Raises UnreadableFile when a chapter is encrypted."""
    root = package.read(ENCRYPTION).root if ENCRYPTION in package else None
    for entry in root.iter("{*}EncryptedData") if root is not None else ():
        method = child(entry, "EncryptionMethod")
        target = next(entry.iter("{*}CipherReference"), None)
        is_font = method is not None and attribute(method, "Algorithm") in FONT_OBFUSCATIONS
        if target is not None and not is_font and unquote(attribute(target, "URI")) in chapters:
            raise UnreadableFile(PROTECTED)


def resolve(name: str, reference: str) -> str:
    """The name of the file to which `reference` leads from the file `name`."""
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(name), path)).lstrip("/")


def texts_of(root: etree._Element, tag: str) -> list[str]:
    """The texts of these elements of the metadata, each once."""
    texts = (clean("".join(element.itertext())) for element in root.iter(tag))
    return list(dict.fromkeys(text for text in texts if text))


def contents_of(root: etree._Element) -> Iterator[tuple[str, ChapterTitle]]:
    """(target, title) of EPUB 2's navPoints or EPUB 3's lists of links."""
    for point in root.iter("navPoint", "li"):
        is_ncx = point.tag == "navPoint"
        label, target = (
            child(point, name) for name in (("navLabel", "content") if is_ncx else ("a", "a"))
        )
        if label is not None and target is not None:
            depth = 1 + sum(1 for _ in point.iterancestors("navPoint", "li"))
            text = clean(" ".join(label.itertext()))
            address = attribute(target, "src" if is_ncx else "href")
            yield address, ChapterTitle(text, min(depth, TOC_DEPTH_MAX))
