"""The common parts of DrawingML in all three formats: paragraphs of shapes, and descriptions of
pictures (ECMA-376 part 1, 20 and 21)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from reading.extractors.office.package import attribute, child, local_name
from reading.extractors.prose import clean, clean_lines, has_content

PARAGRAPHS = (
    "{http://schemas.openxmlformats.org/drawingml/2006/main}p",
    "{http://purl.oclc.org/ooxml/drawingml/main}p",
)
STRIKES = ("sngStrike", "dblStrike")
DESCRIPTION_MIN_WORDS = 3  # "Image 5" and "logo" say nothing
DESCRIPTION_MAX_CHARS = 2_000
# What Word adds below its own guess, and the name of the file that was inserted
GUESSED = re.compile(
    r"(?:Description automatically generated|Descripción generada automáticamente)"
    r"(?: (?:with|con)[^.]*)?\.?"
)
FILE_NAME = re.compile(r"^\S*[^\s.]\.\w{3,4}$|^(?:https?|file):|[\\/][^\\/]*\.\w{3,4}$")


def paragraphs_of(element: etree._Element) -> Iterator[str]:
    for paragraph in element.iter(*PARAGRAPHS):
        if has_content(text := clean_lines(paragraph_text(paragraph))):
            yield text


def paragraph_text(paragraph: etree._Element) -> str:
    parts: list[str] = []
    for node in paragraph:
        match local_name(node):
            case "br":
                parts.append("\n")
            case "r" if not is_struck(node):
                parts += [text.text or "" for text in node.iter("{*}t")]
            case "fld" if attribute(node, "type") != "slidenum":
                parts += [text.text or "" for text in node.iter("{*}t")]
            case "AlternateContent" | "Choice" | "m" | "oMathPara":  # a formula
                parts += [text.text or "" for text in node.iter("{*}t")]
    return "".join(parts)


def is_struck(run: etree._Element) -> bool:
    properties = child(run, "rPr")
    return properties is not None and attribute(properties, "strike") in STRIKES


def description_of(element: etree._Element) -> str:
    """The author's description of a picture; "" if there is none."""
    for properties in element.iter("{*}docPr", "{*}cNvPr"):
        text = clean(GUESSED.sub("", attribute(properties, "descr")[:DESCRIPTION_MAX_CHARS]))
        if len(text.split()) >= DESCRIPTION_MIN_WORDS and not FILE_NAME.search(text):
            return text
    return ""


def drop_fallbacks(root: etree._Element) -> None:
    """Drops old versions: content that is written twice, for new programs and for old ones, is read
    once."""
    for fallback in list(root.iter("{*}Fallback")):
        parent = fallback.getparent()
        if parent is not None and child(parent, "Choice") is not None:
            parent.remove(fallback)
