"""Headers of a message as people read them (RFC 5322, 2047, 2231), whatever a program wrote."""

from __future__ import annotations

import binascii
from collections.abc import Iterable
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import collapse_rfc2231_value

from sources.reading.extractors.prose import clean
from sources.reading.extractors.text.encoding import decode
from sources.reading.passages import Block

HEADER_MAX_CHARS = 2_000  # as it stands in the message; a list of a hundred people takes more


def header_text(message: Message, name: str) -> str:
    """All headers of that name, in one line; "" without any."""
    values = (str(value)[:HEADER_MAX_CHARS] for value in message.get_all(name, []))
    return clean(", ".join(map(decoded, values)))


def decoded(value: str) -> str:
    """Encoded words (RFC 2047) as text, and bytes that were sent as they are in what they are most
    likely in."""
    try:
        parts = decode_header(value)
    except (HeaderParseError, binascii.Error, ValueError):
        return value
    return "".join(part if isinstance(part, str) else text_of(part, label) for part, label in parts)


def text_of(data: bytes, label: str | None) -> str:
    """In the encoding of that name, or in what it seems to be where that is not known."""
    if label and label.lower() not in ("unknown-8bit", "us-ascii"):
        try:
            return data.decode(label, errors="replace")
        except (LookupError, ValueError):
            pass
    return decode(data)


def filename_of(part: Message) -> str:
    """As its sender called it, "" where he did not."""
    for parameter, header in (("filename", "content-disposition"), ("name", "content-type")):
        given = part.get_param(parameter, header=header)
        if given:
            text = collapse_rfc2231_value(given) if isinstance(given, tuple) else str(given)
            return clean(decoded(text[:HEADER_MAX_CHARS]))
    return ""


def opening_blocks(subject: str, fields: Iterable[tuple[str, str]]) -> list[Block]:
    """The subject as a heading, and who wrote to whom, when. `fields`: name and value."""
    lines = "\n".join(f"{name}: {value}" for name, value in fields if value)
    blocks = [Block(subject, section_title=subject, is_heading=True)] if subject else []
    return blocks + ([Block(lines, section_title=subject)] if lines else [])
