"""The parts of a message: what its writer says, earlier messages that are quoted below or between,
the signature, and the legal notice. English and Spanish.

Each line of the text is given the location of its part; "" for what the writer says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from reading.extractors.prose import has_content
from reading.passages import (
    EARLIER_MESSAGE,
    MESSAGE_HEADER,
    MESSAGE_NOTICE,
    MESSAGE_SIGNATURE,
    Block,
)

# Around a quoted part in the text of a page; private characters, which no text holds
QUOTE_BEGINS, QUOTE_ENDS = "\ue000quote\ue001", "\ue000end\ue001"
QUOTE_EDGE = re.compile(f"({QUOTE_BEGINS}|{QUOTE_ENDS})")
DEPTH_MAX = 50  # of quotes in each other; deeper ones are told as the last
HEADER_LINES_MAX = 12  # of an earlier message; a list of addresses may take several
ATTRIBUTION_LINES_MAX = 3  # programs break it at 76 signs
ATTRIBUTION_MAX_CHARS = 400
QUOTE_MARKS = re.compile(r"(?:>[ \t]?)+")
SAYS = r"\b(?:wrote|writes|escribió|escribio|ha escrito)\s?:$"
ATTRIBUTION = re.compile(rf"^(?:on|el|al)\b.{{0,{ATTRIBUTION_MAX_CHARS}}}\d.*{SAYS}", re.IGNORECASE)
SHORT_ATTRIBUTION = re.compile(rf"^\S.{{0,80}}{SAYS}", re.IGNORECASE)  # "Ana wrote:", above a quote
DIVIDER = re.compile(
    r"^(?:[-_*]{2,}\s?(?:original message|mensaje original|forwarded message|mensaje reenviado"
    r"|original appointment|cita original)\s?[-_*]{2,}|(?:begin forwarded message"
    r"|inicio del mensaje reenviado)\s?:|_{20,})$",
    re.IGNORECASE,
)
FIELD = re.compile(
    r"^\*?(?P<name>from|de|sent|date|enviado(?: el)?|fecha|to|para|cc|cco|bcc|subject|asunto"
    r"|importance|importancia|reply-to|responder a)\s?:\*?(?:\s|$)",
    re.IGNORECASE,
)
WRITER_FIELDS = frozenset({"from", "de"})
OTHER_FIELDS = frozenset({"sent", "date", "enviado", "enviado el", "fecha", "subject", "asunto"})
SIGNATURE_MARK = re.compile(r"^--\s?$")
SENT_FROM = re.compile(
    r"^(?:sent (?:from|with|via) (?:my |an? )?\S|enviado (?:desde|con) (?:mi |un )?\S"
    r"|get outlook for\b|obtener outlook para\b|descargar outlook para\b)[^.]{0,80}\.?$",
    re.IGNORECASE,
)
NOTICE = re.compile(
    r"^(?:aviso legal|(?:aviso|nota|cláusula) de confidencialidad|confidentiality notice|disclaimer"
    r"|legal notice)\b"
    r"|^(?:este|el presente|la información (?:de|contenida en) este|this|the information in this)"
    r" (?:mensaje|correo|e-?mail|message)\b.{0,200}\b(?:confiden|destinatari|intended|privileged)"
    r"|\bintended (?:solely|only|recipient)\b.{0,200}\b(?:e-?mail|message|delete|notify)\b"
    r"|^(?:please )?consider the environment before|^antes de imprimir este",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class QuotedLine:
    """`depth`: how many quotes it stands in; `block`: the number of the block that it is of."""

    text: str
    depth: int = 0
    block: int = 0


@dataclass
class Thread:
    """Follows the lines of a message. `_opened`: by depth, how many earlier messages have begun
    there, each below the one before it; `_part`: of what the writer says."""

    _opened: dict[int, int] = field(default_factory=dict)
    _part: str = ""
    _before_notice: str = ""
    _last: str = ""

    def locate(self, line: QuotedLine) -> str:
        if line.text:
            self._last = self._locate_text(line)
        elif self._part == MESSAGE_NOTICE:
            self._part = self._before_notice
        return self._last

    def _locate_text(self, line: QuotedLine) -> str:
        self._opened = {
            depth: count for depth, count in self._opened.items() if depth <= line.depth
        }
        level = line.depth + sum(self._opened.values())
        if level:
            self._part = ""
            return f"{EARLIER_MESSAGE} {min(level, DEPTH_MAX)}"
        return self._locate_own(line.text)

    def begin_earlier(self, depth: int) -> None:
        self._opened[depth] = self._opened.get(depth, 0) + 1

    def _locate_own(self, text: str) -> str:
        if SENT_FROM.match(text):
            return MESSAGE_SIGNATURE
        if SIGNATURE_MARK.match(text):
            self._part = MESSAGE_SIGNATURE
        elif self._part != MESSAGE_NOTICE and NOTICE.search(text):
            self._before_notice, self._part = self._part, MESSAGE_NOTICE
        return self._part


def locate_lines(lines: Sequence[QuotedLine]) -> list[str]:
    """The location of each line."""
    thread, found = Thread(), list[str]()
    while len(found) < len(lines):
        begin = len(found)
        size = header_size(lines, begin)
        if not size:
            found.append(thread.locate(lines[begin]))
            continue
        thread.locate(lines[begin])
        found += [MESSAGE_HEADER] * size
        following = next((each for each in lines[begin + size :] if each.text), None)
        if following is None or following.depth <= lines[begin].depth:
            thread.begin_earlier(lines[begin].depth)
    return found


def header_size(lines: Sequence[QuotedLine], begin: int) -> int:
    """How many lines from this one on tell who wrote the earlier message; 0 if none do."""
    window = [
        each.text
        for each in lines[begin : begin + HEADER_LINES_MAX]
        if each.depth == lines[begin].depth
    ]
    if not window or not window[0]:
        return 0
    if DIVIDER.match(window[0]):
        return 1 + fields_size(window[1:], is_divided=True)
    return fields_size(window, is_divided=False) or attribution_size(lines, begin, window)


def fields_size(window: Sequence[str], *, is_divided: bool) -> int:
    """The number of lines of "From: …", "Sent: …", "Subject: …", and of those that go on with one.
    Without a line that divides them from what stands above, the writer's must be the first."""
    names: list[str] = []
    size = 0
    for number, line in enumerate(window):
        match = FIELD.match(line)
        if match:
            names.append(match["name"].lower())
            size = number + 1
        elif line and (not names or not is_continued_field(line)):
            break
    is_header = WRITER_FIELDS.intersection(names) and OTHER_FIELDS.intersection(names)
    if not is_header or not (is_divided or names[0] in WRITER_FIELDS):
        return 0
    return size


def is_continued_field(line: str) -> bool:
    """True for the rest of a list of addresses."""
    return "@" in line or line.endswith((";", ","))


def attribution_size(lines: Sequence[QuotedLine], begin: int, window: Sequence[str]) -> int:
    for size in range(1, ATTRIBUTION_LINES_MAX + 1):
        if size > len(window) or not window[size - 1]:
            return 0
        text = " ".join(window[:size])
        if len(text) > ATTRIBUTION_MAX_CHARS:
            return 0
        if ATTRIBUTION.match(text) or (
            size == 1 and SHORT_ATTRIBUTION.match(text) and is_above_quote(lines, begin)
        ):
            return size
    return 0


def is_above_quote(lines: Sequence[QuotedLine], begin: int) -> bool:
    following = next((each for each in lines[begin + 1 : begin + 3] if each.text), None)
    return following is not None and following.depth > lines[begin].depth


# --- Texts and blocks -----------------------------------------------------------------------------


def split_text(text: str) -> Iterator[tuple[str, str]]:
    """(location, text) of each part of a plain text, without the marks of quotes."""
    lines = [read_line(line) for line in text.splitlines()]
    located = zip(locate_lines(lines), lines, strict=True)
    for location, part in groupby(located, key=lambda each: each[0]):
        yield location, "\n".join(line.text for _, line in part if not is_mark(line))


def is_mark(line: QuotedLine) -> bool:
    return SIGNATURE_MARK.match(line.text) is not None


def read_line(line: str) -> QuotedLine:
    marks = QUOTE_MARKS.match(line)
    if marks is None:
        return QuotedLine(line.rstrip())
    return QuotedLine(line[marks.end() :].strip(), min(marks[0].count(">"), DEPTH_MAX))


def locate_blocks(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a text with a layout, each in its part; quotes stand between their edges."""
    lines = list(lines_of(blocks))
    located = zip(locate_lines(lines), lines, strict=True)
    found: list[Block] = []
    for (location, number), part in groupby(located, key=lambda each: (each[0], each[1].block)):
        text = "\n".join(line.text for _, line in part if not is_mark(line)).strip()
        if has_content(text):
            block = replace(blocks[number], text=text)
            found.append(aside(block, location) if location else block)
    return found


def lines_of(blocks: Sequence[Block]) -> Iterator[QuotedLine]:
    """The lines of the blocks, with an empty one behind each block."""
    depth = 0
    for number, block in enumerate(blocks):
        for piece in QUOTE_EDGE.split(block.text):
            if piece == QUOTE_BEGINS:
                depth += 1
            elif piece == QUOTE_ENDS:
                depth = max(0, depth - 1)
            else:
                for line in piece.splitlines():
                    yield QuotedLine(line.strip(), min(depth, DEPTH_MAX), number)
        yield QuotedLine("", min(depth, DEPTH_MAX), number)


def aside(block: Block, location: str) -> Block:
    """The block in a part that its writer did not write now: no heading of the message's own."""
    return replace(block, location=location, section_title="", is_heading=False)
