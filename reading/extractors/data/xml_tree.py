"""Parses the bytes of an XML file to its tree, without anything that a declaration could make it
fetch or unfold; and reads the text of an element."""

from __future__ import annotations

import re
from html.entities import html5

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED, TOO_LARGE
from reading.extractors.office.package import HARDENED
from reading.extractors.prose import clean, clean_lines
from reading.extractors.text.encoding import decode

TAGS_MAX = 3_000_000  # opening and closing ones: an element takes some 300 bytes
ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
XML_ENTITIES = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
DECLARED_ENTITY = re.compile(rb"<!ENTITY\s{1,9}([\w.-]{1,100})\s")
DECLARATION = re.compile(rb"^\s*<\?xml[^>]*>")
SEVERAL_ROOTS = "ERR_DOCUMENT_END"  # parts of a document that others include
EXPANDED_MAX_CHARS = 1_000_000  # that the file's own entities may add in all
# A character that XML forbids is left out alone.
HARMLESS = ("ERR_INVALID_CHAR", "ERR_ATTRIBUTE_REDEFINED")
# The line ends in these are their author's.
VERBATIM = frozenset({"programlisting", "screen", "codeblock", "literallayout", "pre", "verse"})


class XmlTree:
    """`root`, and the entities that the file declares. Raises UnreadableFile when nothing can be
    read; of a damaged file, `damaged_line` is the first line that is not XML, else 0.
    """

    def __init__(self, data: bytes) -> None:
        if data.count(b"<") > TAGS_MAX:
            raise UnreadableFile(TOO_LARGE)
        self.root, self.damaged_line = parse(data)
        self._entities = declared_entities(self.root)
        self._expanded_chars = 0

    def text(
        self, element: etree._Element, *, separator: str = "", skipped: frozenset[str] = frozenset()
    ) -> str:
        """All that stands in it but in `skipped` elements; `separator` between elements of an
        element that has no text of its own.
        """
        parts: list[str] = []
        self._collect(element, parts, separator, skipped)
        text = "".join(parts)
        return clean_lines(text) if name_of_tag(element) in VERBATIM else clean(text)

    def has_text(self, element: etree._Element) -> bool:
        """Directly in it, beside its elements."""
        return bool((element.text or "").strip()) or any(
            (node.tail or "").strip() or isinstance(node, etree._Entity) for node in element
        )

    def _collect(
        self, element: etree._Element, parts: list[str], separator: str, skipped: frozenset[str]
    ) -> None:
        """Recursion is bounded: the parser reads no more than 256 levels."""
        between = "" if self.has_text(element) else separator
        parts.append(element.text or "")
        for node in element:
            if isinstance(node, etree._Entity):
                parts.append(self._entity(node.name))
            elif name_of_tag(node) not in skipped:
                self._collect(node, parts, separator, skipped)
                parts.append(between)
            parts.append(node.tail or "")

    def _entity(self, name: str) -> str:
        text = self._entities.get(name, "")
        self._expanded_chars += len(text)
        if self._expanded_chars > EXPANDED_MAX_CHARS:
            raise UnreadableFile(TOO_LARGE)
        return text


def parse(data: bytes) -> tuple[etree._Element, int]:
    """(root, the first damaged line or 0)."""
    declared = XML_ENTITIES.union(DECLARED_ENTITY.findall(data))

    def spelled_out(entity: re.Match[bytes]) -> bytes:
        """ "&nbsp;" as "&#160;", and "&company;" as its name: what they stand for is declared in
        another file, which is not fetched.
        """
        if entity[1] in declared:
            return entity[0]
        characters = html5.get(f"{entity[1].decode()};", "")
        return "".join(f"&#{ord(each)};" for each in characters).encode() or entity[1]

    data = ENTITY.sub(spelled_out, data).lstrip()
    root, errors = parse_bytes(data, encoding=None)
    if root is None:  # an encoding that libxml2 does not know, or a wrong one
        text = decode(data).encode("utf-8", "replace")
        root, errors = parse_bytes(DECLARATION.sub(b"", text, count=1), encoding="utf-8")
    if root is not None and any(error.type_name == SEVERAL_ROOTS for error in errors):
        encoding = root.getroottree().docinfo.encoding
        whole = b"<parts>" + DECLARATION.sub(b"", data, count=1) + b"</parts>"
        root, errors = parse_bytes(whole, encoding=encoding)
    if root is None:
        raise UnreadableFile(DAMAGED)
    return root, next((error.line for error in errors if error.type_name not in HARMLESS), 0)


def parse_bytes(
    data: bytes, *, encoding: str | None
) -> tuple[etree._Element | None, list[etree._LogEntry]]:
    """(root, the fatal errors)."""
    parser = etree.XMLParser(encoding=encoding, **HARDENED)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        root = None
    return root, [entry for entry in parser.error_log if entry.level == etree.ErrorLevels.FATAL]


def declared_entities(root: etree._Element) -> dict[str, str]:
    """Simple ones, as "product": those that name others stand for nothing."""
    declaration = root.getroottree().docinfo.internalDTD
    entities = declaration.iterentities() if declaration is not None else ()
    return {
        each.name: each.content
        for each in entities
        if each.content and "&" not in each.content and "<" not in each.content
    }


def name_of_tag(element: etree._Element) -> str:
    """The tag without its namespace, in lower case."""
    return str(element.tag).rpartition("}")[2].lower()
