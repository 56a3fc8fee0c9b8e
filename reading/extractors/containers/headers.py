"""Headers of a message as people read them (RFC 5322, 2047, 2231), whatever a program wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email._policybase import Compat32
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import collapse_rfc2231_value

from reading.extractors.html.source import WINDOWS_1252
from reading.extractors.prose import clean
from reading.extractors.text.encoding import decode
from reading.passages import MESSAGE_HEADER, Block

HEADER_MAX_CHARS = 2_000  # as it stands in the message; a list of a hundred people takes more
STORED_MAX_CHARS = 4_000  # `email` takes a header's parameters apart in cubic time
# Also what Python decodes that nobody sends: some of it in quadratic time.
NO_ENCODING = re.compile(
    r"unknown-8bit|x-unknown|us-ascii|idna|punycode|undefined|.*escape", re.IGNORECASE
)


class Readable(Compat32):
    """The old rules by which the package `email` reads messages: the new ones parse each header by
    its grammar, which takes minutes for one that was made for it. Headers that were sent unencoded,
    in whatever encoding, come as text."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        value = value[:STORED_MAX_CHARS]
        if value.isascii():
            return value
        return decode(value.encode("utf-8", errors="surrogateescape"))


READABLE = Readable()


def header_text(message: Message, name: str) -> str:
    """All headers of that name, in one line; "" without any."""
    values = (str(value)[:HEADER_MAX_CHARS] for value in message.get_all(name, []))
    return clean(", ".join(map(decoded, values)))


def decoded(value: str) -> str:
    """Encoded words (RFC 2047) as text."""
    try:
        parts = decode_header(value)
    except (HeaderParseError, ValueError):
        return value
    return "".join(part if isinstance(part, str) else word_of(part, label) for part, label in parts)


def word_of(data: bytes, label: str | None) -> str:
    """The word as text: `decode_header` gives unencoded ones in an encoding of Python's own."""
    return text_of(data, label) if label else data.decode("raw-unicode-escape", errors="replace")


def text_of(data: bytes, label: str | None) -> str:
    """The text in the encoding of that name, or in the one that it seems to have if the name is
    unknown. Latin-1 means more than it says, as in pages (html/source.py)."""
    if not label or NO_ENCODING.fullmatch(label):
        return decode(data)
    if WINDOWS_1252.fullmatch(label.lower()):
        return decode_western(data)
    try:
        return data.decode(label, errors="replace")
    except (LookupError, ValueError):
        return decode(data)


def decode_western(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def filename_of(part: Message) -> str:
    """The attachment's name as its sender gave it; "" if it has none."""
    for parameter, header in (("filename", "content-disposition"), ("name", "content-type")):
        try:
            given = part.get_param(parameter, header=header)
            text = collapse_rfc2231_value(given) if isinstance(given, tuple) else str(given or "")
        except ValueError:  # an encoding that decodes nothing, a number of 5,000 digits
            continue
        if text:
            return clean(decoded(text[:HEADER_MAX_CHARS]))
    return ""


def charset_of(part: Message) -> str | None:
    """The encoding that the part names."""
    try:
        return part.get_content_charset()
    except ValueError:  # as above
        return None


def opening_blocks(subject: str, fields: Iterable[tuple[str, str]]) -> list[Block]:
    """The subject as a heading, and who wrote to whom, when. `fields`: name and value."""
    lines = "\n".join(f"{name}: {value}" for name, value in fields if value)
    texts = [(subject, True), (lines, False)]
    return [
        Block(text, MESSAGE_HEADER, section_title=subject, is_heading=is_heading)
        for text, is_heading in texts
        if text
    ]
