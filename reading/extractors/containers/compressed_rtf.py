"""RTF as Outlook compresses it (LZFu, [MS-OXRTFCP])."""

from __future__ import annotations

import struct

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED, TOO_LARGE

HEADER = struct.Struct("<IIII")  # 2.1.3.1: size, size of what comes out, kind, checksum
COMPRESSED, PLAIN = 0x75465A4C, 0x414C454D
RAW_MAX_BYTES = 32 * 1024**2
WINDOW_BYTES = 4096
# 2.1.2.1: what the window holds before the first byte
FIRST_WINDOW = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n" + rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)


def decompress(data: bytes) -> bytes:
    """The decompressed data; of damaged data, the readable part. Raises UnreadableFile if it is too
    large."""
    if len(data) < HEADER.size:
        raise UnreadableFile(DAMAGED)
    _, raw_bytes, kind, _ = HEADER.unpack_from(data)
    if raw_bytes > RAW_MAX_BYTES:
        raise UnreadableFile(TOO_LARGE)
    if kind == PLAIN:
        return data[HEADER.size : HEADER.size + raw_bytes]
    if kind != COMPRESSED:
        raise UnreadableFile(DAMAGED)
    return unpack(data[HEADER.size :], raw_bytes)


def unpack(data: bytes, raw_bytes: int) -> bytes:
    """2.2: a byte of flags says of each of the next eight tokens whether it is a byte, or a place
    in the window and a length."""
    whole = bytearray(FIRST_WINDOW)
    end = len(FIRST_WINDOW) + raw_bytes
    position = 0
    while position < len(data) and len(whole) < end:
        flags = data[position]
        position += 1
        for bit in range(8):
            if not flags >> bit & 1:
                whole += data[position : position + 1]
                position += 1
                continue
            token = int.from_bytes(data[position : position + 2], "big")
            position += 2
            back = (len(whole) - (token >> 4)) % WINDOW_BYTES
            if back == 0 or back > len(whole) or position > len(data):
                return bytes(whole[len(FIRST_WINDOW) : end])
            copy(whole, back, (token & 0xF) + 2)
    return bytes(whole[len(FIRST_WINDOW) : end])


def copy(whole: bytearray, back: int, length: int) -> None:
    """Copies from further back, byte by byte, for the copied part may overlap with the copy."""
    for _ in range(length):
        whole.append(whole[-back])
