"""Front matter: the part between two lines of dashes (or plus signs) at the very beginning of a
Markdown file. It holds the title, a summary, and settings of a site generator, which are not text.
"""

import re
from collections.abc import Iterator
from html import escape

# Possessive (*+): a line matches in several ways, and without an end all of them would be tried.
YAML = re.compile(
    r"\A---[ \t]*\r?\n((?:[\w-]+[ \t]*:.*\r?\n|[ \t].*\r?\n|-[ \t].*\r?\n|#.*\r?\n|\r?\n)*+)"
    r"---[ \t]*(?:\r?\n|\Z)"
)
TOML = re.compile(r"\A\+\+\+[ \t]*\r?\n((?:(?!\+\+\+).*\r?\n)*+)\+\+\+[ \t]*(?:\r?\n|\Z)")
ENTRY = re.compile(r"(?<![\w-])([\w-]++)[ \t]*+[:=][ \t]*(.*)")
BLOCK_MARK = re.compile(r"[|>][+-]?\d?")
PUNCTUATION = "[]\"', \t"
SUMMARIES = ("subtitle", "description", "summary", "abstract", "excerpt")
SETTINGS = re.compile(
    r"aliases|class|comments|css|cssclass|draft|hide_\w+|id|images?|js|lang|layout|math|nav_\w+"
    r"|output|pagination_\w+|permalink|published|redirect_\w+|sidebar_\w+|slug|template|thumbnail"
    r"|toc|type|url|weight",
    re.IGNORECASE,
)


def read_front_matter(text: str) -> tuple[str, str]:
    """(what it tells a reader, as HTML; the text below it)."""
    found = YAML.match(text) or TOML.match(text)
    if found is None or not ENTRY.search(found[1]):
        return "", text
    entries = dict(read_entries(found[1]))
    title = entries.pop("title", "")
    summaries = [entries.pop(name) for name in SUMMARIES if name in entries]
    others = [
        f"{name}: {value}"
        for name, value in entries.items()
        if value and not SETTINGS.fullmatch(name)
    ]
    parts = [("h1", title), *(("p", summary) for summary in summaries), ("p", "; ".join(others))]
    shown = (f"<{tag}>{escape(part)}</{tag}>\n" for tag, part in parts if part)
    return "".join(shown), text[found.end() :]


def read_entries(lines: str) -> Iterator[tuple[str, str]]:
    """Yields names with their values; indented or listed lines belong to the name above."""
    name, values = "", list[str]()
    for line in lines.splitlines():
        entry = ENTRY.fullmatch(line)
        if entry is None:
            values.append(line.strip().removeprefix("- "))
            continue
        if name:
            yield name, join_values(values)
        name, values = entry[1], [BLOCK_MARK.sub("", entry[2], count=1)]
    if name:
        yield name, join_values(values)


def join_values(values: list[str]) -> str:
    return ", ".join(filter(None, (value.strip(PUNCTUATION) for value in values)))
