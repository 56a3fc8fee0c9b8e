"""Takes the content out of a signature (CMS SignedData, RFC 5652, 5.1): the message is signed, not
encrypted."""

from __future__ import annotations

from collections.abc import Iterator

SIGNED = bytes.fromhex("06092a864886f70d010702")  # the object identifiers, with tag and length
DATA = bytes.fromhex("06092a864886f70d010701")
SEQUENCE, SET, INTEGER = 0x30, 0x31, 0x02
OCTETS, OCTETS_IN_PIECES = 0x04, 0x24
INSIDE = 0xA0
LENGTH_MAX_BYTES = 4


class NotSigned(Exception):
    """The data is of another kind, or damaged."""


def signed_content(data: bytes) -> bytes | None:
    """The signed content; None if there is none. Programs that write as they read leave lengths
    open (BER, X.690, 8.1.3.6): lengths of the parts around the content are ignored."""
    try:
        at = enter(data, enter(data, 0, SEQUENCE), SIGNED)
        at = enter(data, enter(data, at, INSIDE), SEQUENCE)
        at = skip(data, skip(data, at, INTEGER), SET)
        at = enter(data, enter(data, at, SEQUENCE), DATA)
        at = enter(data, at, INSIDE)
        tag, start, end = header(data, at)
        if tag == OCTETS and end is not None:
            return data[start:end]
        return b"".join(pieces(data, start)) if tag == OCTETS_IN_PIECES else None
    except NotSigned:
        return None


def enter(data: bytes, at: int, expected: int | bytes) -> int:
    """The position at which an element's inside begins, or that follows an identifier."""
    if isinstance(expected, bytes):
        if not data.startswith(expected, at):
            raise NotSigned
        return at + len(expected)
    tag, start, _ = header(data, at)
    if tag != expected:
        raise NotSigned
    return start


def skip(data: bytes, at: int, expected: int) -> int:
    tag, _, end = header(data, at)
    if tag != expected or end is None:
        raise NotSigned
    return end


def header(data: bytes, at: int) -> tuple[int, int, int | None]:
    """(tag, where the content begins, where it ends: None for an open length)."""
    if at + 2 > len(data):
        raise NotSigned
    tag, length = data[at], data[at + 1]
    start = at + 2
    if length == 0x80:
        return tag, start, None
    if length > 0x80:
        size = length - 0x80
        if size > LENGTH_MAX_BYTES:
            raise NotSigned
        length = int.from_bytes(data[start : start + size], "big")
        start += size
    return tag, start, min(start + length, len(data))


def pieces(data: bytes, at: int) -> Iterator[bytes]:
    while at + 2 <= len(data):
        tag, start, end = header(data, at)
        if tag != OCTETS or end is None:
            return
        yield data[start:end]
        at = end
