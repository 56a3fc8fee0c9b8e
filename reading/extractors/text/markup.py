"""HTML tags within a text of another kind: those that would take the text after them are text."""

import re
from collections import Counter
from collections.abc import Iterable, Set
from html import escape

from lxml.html import defs

# Comments to their end, or to the text's; processing instructions and declarations, `open` without
# their end; whole tags.
# Possessive: no tag is tried in more than one way. "<" never stands in a name: time stays linear.
TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<[?!][^>]*+(?:>|(?P<open>\Z))|<(?P<end>/?)(?P<name>[a-z][a-z0-9-]*+)"
    r"(?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'<>=`]++))?+)*+"
    r"\s*+(?P<is_empty>/?)>",
    re.IGNORECASE | re.DOTALL,
)
ELEMENTS = frozenset({*(defs.tags - {"command"}), "dialog", "main", "picture", "slot", "template"})
# Without their end, all that follows is in them
SWALLOWING = frozenset(
    {"head", "iframe", "noembed", "noframes", "plaintext", "script", "style", "template"}
    | {"textarea", "title", "xmp"}
)


def find_strays(contents: Iterable[str]) -> Set[str]:
    """Names that are opened more often than closed and either take what follows or are none of
    HTML's: "vector<string>", "cd <folder>".
    """
    still_open: Counter[str] = Counter()
    for content in contents:
        for tag in TAG.finditer(content):
            name = (tag["name"] or "").lower()
            if name and not tag["is_empty"] and (name in SWALLOWING or name not in ELEMENTS):
                still_open[name] += -1 if tag["end"] else 1
    return {name for name, count in still_open.items() if count > 0}


def defuse(content: str, strays: Set[str]) -> str:
    """The markup with its strays, and everything that is not a whole tag, as text."""
    parts: list[str] = []
    position = 0
    for tag in TAG.finditer(content):
        parts.append(content[position : tag.start()].replace("<", "&lt;"))
        is_stray = tag["open"] is not None or (tag["name"] or "").lower() in strays
        parts.append(escape(tag[0]) if is_stray else tag[0])
        position = tag.end()
    parts.append(content[position:].replace("<", "&lt;"))
    return "".join(parts)
