"""Plain text: paragraphs, wrapped lines, and the headings that people write without any markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from reading.extractors.headings import DEPTH_MAX, HeadingTrail
from reading.extractors.interface import Extraction
from reading.extractors.prose import clean, clean_characters, has_content
from reading.extractors.text.encoding import decode
from reading.passages import Block

HEADING_MAX_CHARS = 80
HEADING_MAX_WORDS = 12
TITLE_DEPTH, CAPITALS_DEPTH, UNDERLINED_DEPTH, NUMBERED_DEPTH = 1, 2, 3, 4
UNDERLINE_DEPTHS = {"=": CAPITALS_DEPTH, "#": CAPITALS_DEPTH}
LIST_NAME_DEPTH = DEPTH_MAX
WRAP_MIN_CHARS = 50  # nobody wraps at fewer: shorter lines end where their writer wanted
UNDERLINE = re.compile(r"^\s*([=\-~*_#])\1{2,}\s*$")
HASH_HEADING = re.compile(r"(#{1,6})\s++(\S.*)")
NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3}|[IVXLC]{1,6}|[A-Z])[.)]?\s+\S")
LIST_ITEM = re.compile(r"^\s*(?:[-*•·–—‣▪o]|\d{1,3}[.)]|[a-zA-Z][.)])\s+\S")
KEY_VALUE = re.compile(r"^[^\s:][^:]{0,40}:\s+\S")
IN_PARENTHESES = re.compile(r"\([^()]*\)")
# Of a terminal: colours, and letters printed twice or over a line (man pages); they are no text
TERMINAL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[^\n]\x08")
SENTENCE_END = (".", "!", "?", ":", ";", ",", "…")
NO_TITLE_END = (".", ":", ";", ",")
Lines = list[str]


@dataclass(frozen=True)
class Heading:
    text: str
    depth: int


def extract(data: bytes) -> Extraction:
    return Extraction(blocks=read_blocks(TERMINAL.sub("", decode(data))))


def read_blocks(text: str) -> Iterator[Block]:
    """Blocks without location: the chunker numbers the paragraphs."""
    trail = HeadingTrail(nests_bare=True)
    is_first = True
    for lines, following in with_following(paragraphs(text)):
        heading, body = split_heading(lines, following, is_first=is_first)
        is_first = False
        trail.leave(LIST_NAME_DEPTH)  # the name of a list ends with it
        if heading:
            yield trail.enter(heading.text, heading.depth)
        if body and has_content(joined := join_wrapped(body)):
            yield trail.block(joined)


def paragraphs(text: str) -> Iterator[Lines]:
    """Groups of lines between empty ones; an underlined line begins a group."""
    group: Lines = []
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


def with_following(groups: Iterator[Lines]) -> Iterator[tuple[Lines, Lines]]:
    """Each group with the next one; [] after the last."""
    current = next(groups, None)
    while current is not None:
        following = next(groups, None)
        yield current, following or []
        current = following


def split_heading(
    lines: Lines, following: Lines, *, is_first: bool
) -> tuple[Heading | None, Lines]:
    """(the heading that the lines begin with, the other lines)."""
    first = clean(lines[0])
    if not looks_short(first):
        return None, lines
    if hashes := HASH_HEADING.match(first):
        title = hashes[2].rstrip("# ") or hashes[2]
        return Heading(title, len(hashes[1])), lines[1:]
    if len(lines) > 1 and (underline := UNDERLINE.match(lines[1])):
        return Heading(first, UNDERLINE_DEPTHS.get(underline.group(1), UNDERLINED_DEPTH)), lines[2:]
    if is_first and len(lines) == 1 and following and is_title(first):
        return Heading(first, TITLE_DEPTH), []
    if is_all_capitals(first):
        return Heading(first, CAPITALS_DEPTH), lines[1:]
    if len(lines) == 1 and is_numbered_heading(first, following):
        return Heading(first, NUMBERED_DEPTH), []
    if len(lines) > 1 and (leads_a_list(lines) or is_answered_question(lines)):
        return Heading(first, LIST_NAME_DEPTH), lines[1:]
    return None, lines


def looks_short(line: str) -> bool:
    return (
        len(line) <= HEADING_MAX_CHARS
        and len(line.split()) <= HEADING_MAX_WORDS
        and has_content(line)
    )


def is_title(line: str) -> bool:
    """True also for a question, or "Star Wars: The Last Jedi", but not "Telephone: 960 555 000"."""
    if line.endswith(NO_TITLE_END) or LIST_ITEM.match(line):
        return False
    return not (KEY_VALUE.match(line) and any(map(str.isdigit, line)))


def is_all_capitals(line: str) -> bool:
    """True for at least four letters, all of them capitals, that are not a sentence."""
    letters = [character for character in line if character.isalpha()]
    return len(letters) >= 4 and line == line.upper() and not line.endswith((".", ",", ";"))


def is_numbered_heading(line: str, following: Lines) -> bool:
    """ "2. Returns", with text below: where the next number follows at once, it is a list."""
    number = NUMBERED.match(line)
    if not number or not following or line.endswith(SENTENCE_END):
        return False
    next_number = NUMBERED.match(clean(following[0]))
    return next_number is None or next_number.group(1).startswith(f"{number.group(1)}.")


def leads_a_list(lines: Lines) -> bool:
    """True for a short line, neither a sentence nor an entry, above lines of which none continues
    another.

    It is the name of what follows.
    """
    first, *others = lines
    if first.endswith(SENTENCE_END) or is_entry(first) or not first.strip()[0].isupper():
        return False
    if any(map(str.isdigit, IN_PARENTHESES.sub("", first))):
        return False  # the first line of an address
    width = width_of(lines)
    is_wrapped = any(is_continued(line, following, width) for line, following in pairwise(lines))
    return not is_wrapped and all(map(starts_anew, others))


def is_answered_question(lines: Lines) -> bool:
    """True for an entry of questions and answers: a line that asks, and was not broken for its
    width, above its answer."""
    first, second = clean(lines[0]), clean(lines[1])
    asks = first.endswith("?") and (first[0] == "¿" or first[0].isupper())
    return asks and not second.endswith("?")


def starts_anew(line: str) -> bool:
    return is_entry(line) or line.strip()[0].isupper() or line.strip()[0].isdigit()


def is_entry(line: str) -> bool:
    return bool(LIST_ITEM.match(line) or KEY_VALUE.match(line.strip()))


def width_of(lines: Lines) -> int:
    return max(len(line) for line in lines)


def is_continued(line: str, following: str, width: int) -> bool:
    """True when the line was broken only because the next word had no room."""
    if width < WRAP_MIN_CHARS or is_entry(following):
        return False
    return len(line) + 1 + len(following.split(maxsplit=1)[0]) > width


def join_wrapped(lines: Lines) -> str:
    """The paragraph with its wrapped lines joined.

    A line that ends early ends for a reason and stays a line.
    """
    lines = [line for line in lines if not UNDERLINE.match(line)]
    if not lines:
        return ""
    width = width_of(lines)
    parts = [lines[0]]
    for line, following in pairwise(lines):
        parts += [" " if is_continued(line, following, width) else "\n", following]
    return "\n".join(clean(line) for line in "".join(parts).split("\n"))
