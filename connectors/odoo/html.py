"""Text of the HTML that fields of Odoo hold. Linear in its length whatever stands in it, so that no
process of its own is needed: records are many and their HTML is short."""

from __future__ import annotations

import html
import re

from reading.extractors.prose import clean, clean_lines

TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)?[^<>]*+>")
UNSHOWN = frozenset({"script", "style", "template", "title"})
INLINE = frozenset(
    {"a", "abbr", "b", "code", "em", "font", "i", "mark", "s", "small", "span", "strong"}
    | {"sub", "sup", "u"}
)
CELLS = frozenset({"td", "th"})


def text_of_html(written: str) -> str:
    """A line for each paragraph, list item and row. "" when nothing is shown."""
    parts: list[str] = []
    unshown = ""  # the element that we are in
    position = 0
    for tag in TAG.finditer(written):
        if not unshown:
            parts.append(text_of(written[position : tag.start()]))
        position = tag.end()
        name, closes = (tag[2] or "").lower(), bool(tag[1])
        if unshown:
            unshown = "" if closes and name == unshown else unshown
        elif name in UNSHOWN and not closes:
            unshown = name
        elif name in CELLS:
            parts.append(" ")
        elif name and name not in INLINE:
            parts.append("\n")
    if not unshown:
        parts.append(text_of(written[position:]))
    return clean_lines("".join(parts))


def text_of(between: str) -> str:
    """The text between two tags: a line break in the source is a space to its reader."""
    text = html.unescape(between)
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() else ""
    return f"{before}{clean(text)}{after}"
