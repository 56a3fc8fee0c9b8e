"""Plain text: paragraphs, wrapped lines, and the headings that people write without any markup."""

import re
from collections.abc import Iterator

from sources.ingestion.extractors.encoding import decode
from sources.ingestion.extractors.interface import Extraction
from sources.ingestion.extractors.text import clean, clean_characters, has_content, section_path
from sources.ingestion.passages import Block

LIST_NAME_DEPTH = 3
HEADING_MAX_CHARS = 80
HEADING_MAX_WORDS = 12
WRAP_MIN_CHARS = 50  # nobody wraps at fewer: shorter lines end where their writer wanted
UNDERLINE = re.compile(r"^\s*([=\-~*_#])\1{2,}\s*$")
NUMBERED_HEADING = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}[.)]?|[IVXLC]{1,6}[.)]|[A-Z][.)])\s+\S"
)
LIST_ITEM = re.compile(r"^\s*(?:[-*•·–—‣▪o]|\d{1,3}[.)]|[a-zA-Z][.)])\s+\S")
KEY_VALUE = re.compile(r"^[^\s:][^:]{0,40}:\s+\S")
SENTENCE_END = (".", "!", "?", ":", ";", ",", "…")


def extract(data: bytes) -> Extraction:
    return Extraction(blocks=read_blocks(decode(data)))


def read_blocks(text: str) -> Iterator[Block]:
    """Blocks without location: the chunker numbers the paragraphs."""
    title = section = ""
    is_led = False
    for lines in paragraphs(text):
        heading, depth, body = split_heading(lines)
        if heading:
            title, section = (heading, "") if depth == 1 else (title, heading)
        elif is_led:
            section = ""  # the name of a list ends with it
        is_led = bool(heading) and depth == LIST_NAME_DEPTH
        if heading:
            yield Block(heading, section_title=section_path([title, section]), is_heading=True)
        if body and has_content(joined := join_wrapped(body)):
            yield Block(
                joined, section_title=section_path([title, section]) if title or section else ""
            )


def paragraphs(text: str) -> Iterator[list[str]]:
    """Groups of lines between empty ones; an underlined line begins a group."""
    group: list[str] = []
    for raw in text.splitlines():
        line = clean_characters(raw).rstrip()
        if not line.strip():
            if group:
                yield group
            group = []
        elif UNDERLINE.match(line) and len(group) > 1 and looks_short(group[-1]):
            yield group[:-1]
            group = [group[-1], line]
        else:
            group.append(line)
    if group:
        yield group


def split_heading(lines: list[str]) -> tuple[str, int, list[str]]:
    """(heading or "", its depth, the other lines)."""
    first = lines[0].strip()
    if len(lines) > 1 and UNDERLINE.match(lines[1]) and looks_short(first):
        return clean(first), 1 if lines[1].strip().startswith("=") else 2, lines[2:]
    if not looks_short(first):
        return "", 0, lines
    if is_all_capitals(first):
        return clean(first), 1, lines[1:]
    if len(lines) == 1:
        is_heading = bool(NUMBERED_HEADING.match(first)) and not first.endswith(SENTENCE_END)
        return (clean(first), 2, []) if is_heading else ("", 0, lines)
    return (clean(first), LIST_NAME_DEPTH, lines[1:]) if leads_a_list(lines) else ("", 0, lines)


def looks_short(line: str) -> bool:
    return (
        len(line) <= HEADING_MAX_CHARS
        and len(line.split()) <= HEADING_MAX_WORDS
        and has_content(line)
    )


def is_all_capitals(line: str) -> bool:
    """At least four letters, all of them capitals, and no sentence."""
    letters = [character for character in line if character.isalpha()]
    return len(letters) >= 4 and line == line.upper() and not line.endswith((".", ",", ";"))


def leads_a_list(lines: list[str]) -> bool:
    """A short line, no sentence and no entry itself, above lines that all begin anew: the name of
    what follows.
    """
    first, *others = lines
    if first.strip().endswith(SENTENCE_END) or is_entry(first) or not first.strip()[0].isupper():
        return False
    return not any(
        is_continued(line, following, width_of(lines)) for line, following in pairs(lines)
    ) and all(starts_anew(line) for line in others)


def starts_anew(line: str) -> bool:
    return is_entry(line) or line.strip()[0].isupper() or line.strip()[0].isdigit()


def is_entry(line: str) -> bool:
    return bool(LIST_ITEM.match(line) or KEY_VALUE.match(line.strip()))


def pairs(lines: list[str]) -> Iterator[tuple[str, str]]:
    return zip(lines, lines[1:], strict=False)


def width_of(lines: list[str]) -> int:
    return max(len(line) for line in lines)


def is_continued(line: str, following: str, width: int) -> bool:
    """True when the line was broken only because the next word had no room."""
    if width < WRAP_MIN_CHARS or is_entry(following):
        return False
    return len(line) + 1 + len(following.split(maxsplit=1)[0]) > width


def join_wrapped(lines: list[str]) -> str:
    """The paragraph with its wrapped lines joined; a line that ends early ends for a reason and
    stays a line.
    """
    lines = [line for line in lines if not UNDERLINE.match(line)]
    if not lines:
        return ""
    width = width_of(lines)
    parts = [lines[0]]
    for line, following in pairs(lines):
        parts += [" " if is_continued(line, following, width) else "\n", following]
    return "\n".join(clean(line) for line in "".join(parts).split("\n"))
