"""Mailboxes in the mbox format (RFC 4155): one message after the other in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.parser import BytesHeaderParser
from functools import partial

from reading.errors import UnreadableFile
from reading.extractors.containers.headers import READABLE, header_text
from reading.extractors.containers.taking import PackedFile, Taking
from reading.extractors.interface import DAMAGED, Extraction
from reading.passages import MEMBERS_MAX

POSTMARK = re.compile(rb"^From \S.*\r?\n", re.MULTILINE)
QUOTED_POSTMARK = re.compile(rb"^>(>*From )", re.MULTILINE)
HEADERS_MAX_BYTES = 64 * 1024
SUBJECT_MAX_CHARS = 80


def extract(data: bytes) -> Extraction:
    if not POSTMARK.match(data):
        raise UnreadableFile(DAMAGED)
    taking = Taking()
    return Extraction(
        blocks=(), warnings=taking.warnings, members=taking.members(messages_of(data))
    )


def messages_of(data: bytes) -> Iterator[PackedFile]:
    """A line of text that begins with "From " is quoted, or has no empty line before it."""
    starts = [
        mark.span()
        for mark in POSTMARK.finditer(data)
        if data[max(0, mark.start() - 3) : mark.start()].endswith((b"\n\n", b"\n\r\n"))
        or mark.start() == 0
    ]
    ends = [start for start, _ in starts[1:]] + [len(data)]
    for number, ((_, begin), end) in enumerate(zip(starts, ends, strict=True), start=1):
        name = name_of(data[begin : min(end, begin + HEADERS_MAX_BYTES)], number)
        yield PackedFile(name, partial(message_at, data, begin, end))


def message_at(data: bytes, begin: int, end: int) -> bytes:
    return QUOTED_POSTMARK.sub(rb"\1", data[begin:end])


def name_of(opening: bytes, number: int) -> str:
    """A file name from the message's subject; the number keeps the order of messages."""
    if number > MEMBERS_MAX:
        return ""  # it is counted, and no more
    headers = BytesHeaderParser(policy=READABLE).parsebytes(opening)
    subject = header_text(headers, "Subject")[:SUBJECT_MAX_CHARS].strip()
    return f"{number:04} {subject or 'Message'}.eml".replace("/", "-")
