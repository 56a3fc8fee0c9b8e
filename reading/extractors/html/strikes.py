"""Text that its author has struck out: by an element, its own style, or a rule of the page's style
sheet for an element or a class."""

from __future__ import annotations

import re

from lxml import etree

STRIKING = frozenset({"del", "s", "strike"})
STYLE_SHEETS_MAX_CHARS = 1_000_000  # of a page, together
LINE_THROUGH = re.compile(r"text-decoration(?:-line)?\s{0,9}:[^;]{0,99}\bline-through\b", re.I)
# ".old", "span.old", "span"
SIMPLE_SELECTOR = re.compile(r"[a-z][a-z0-9]*(?:\.[\w-]+)?|\.[\w-]+", re.I)


class Strikes:
    """Tells which elements of a page are struck out."""

    def __init__(self, root: etree._Element) -> None:
        self._selectors = frozenset(read_selectors(style_sheets_of(root)))

    def has(self, element: etree._Element) -> bool:
        if element.tag in STRIKING:
            return True
        if not element.attrib and not self._selectors:
            return False
        if LINE_THROUGH.search(element.get("style", "")):
            return True
        return bool(self._selectors) and not self._selectors.isdisjoint(selectors_of(element))


def style_sheets_of(root: etree._Element) -> str:
    texts = [style.text or "" for style in root.iter("style")]
    return "\n".join(texts)[:STYLE_SHEETS_MAX_CHARS]


def read_selectors(style_sheets: str) -> list[str]:
    """The simple selectors of the rules that strike text out."""
    found: list[str] = []
    for rule in style_sheets.split("}"):
        before, _, declarations = rule.rpartition("{")
        if LINE_THROUGH.search(declarations):
            # Behind the comment and the condition ("@media") that may stand before them
            selectors = before.rpartition("{")[2].rpartition("*/")[2].split(",")
            found += (each.strip() for each in selectors if SIMPLE_SELECTOR.fullmatch(each.strip()))
    return found


def selectors_of(element: etree._Element) -> set[str]:
    tag, classes = str(element.tag), element.get("class", "").split()
    names = (f".{name}" for name in classes)
    return {tag, *names, *(f"{tag}.{name}" for name in classes)}
