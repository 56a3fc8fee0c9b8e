"""Chapters of a book as trees of elements without namespaces.

As XML where they are that: to a parser of web pages, `<script/>` and `<title/>` open what never
ends, and it would take the chapter for a script.
"""

from __future__ import annotations

import html
import re

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.html.source import (
    HTML_MAX_BYTES,
    TAGS_MAX,
    decode_html,
    end_empty_elements,
    parse_html,
)
from reading.extractors.interface import TOO_LARGE

UTF8_MARK = b"\xef\xbb\xbf"  # stronger than what the page declares
DECLARATION = re.compile(r"^\s*<\?xml[^>]*>")
# With what it declares inside: whoever uses an entity of his own is read as a web page
# Possessive (*+), as below: what never ends would else be tried in each of its ways.
DOCTYPE = re.compile(r"<!DOCTYPE(?P<rest>[^>\[]*+(?:\[[^\]]*+\])?+[^>]*+>)?+", re.IGNORECASE)
ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]{1,31};")


def parse_chapter(data: bytes) -> etree._Element | None:
    """The tree of a chapter; None if it is empty. Raises UnreadableFile."""
    root = parse_xml(data)
    if root is not None:
        return root
    text = DECLARATION.sub("", decode_html(data), count=1)
    return parse_html(UTF8_MARK + end_empty_elements(text).encode())


def parse_xml(data: bytes) -> etree._Element | None:
    """The tree; None if the XML is not well-formed. Raises UnreadableFile if it is too large."""
    if len(data) > HTML_MAX_BYTES or data.count(b"<") > TAGS_MAX:
        raise UnreadableFile(TOO_LARGE)
    text = without_doctype(DECLARATION.sub("", decode_html(data), count=1))
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(ENTITY.sub(numbered, text).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None
    if any(isinstance(each, etree._Entity) for each in root.iter(etree.Entity)):
        return None
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]
    return root


def without_doctype(text: str) -> str:
    """The text without its first DOCTYPE. One without an end stays: such a text is not XML."""
    found = DOCTYPE.search(text)
    return text[: found.start()] + text[found.end() :] if found and found["rest"] else text


def numbered(entity: re.Match[str]) -> str:
    """ "&nbsp;" as "&#160;": XML knows but five names."""
    characters = html.unescape(entity[0])
    return entity[0] if characters == entity[0] else "".join(f"&#{ord(c)};" for c in characters)
