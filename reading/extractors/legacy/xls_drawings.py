"""The texts on a sheet of Excel 97 to 2003 outside its cells: text boxes and shapes, and the titles
of charts ([MS-XLS] 2.4.329 TxO, 2.4.254 SeriesText). The charts' values stand in the cells."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from reading.extractors.prose import clean, has_content

RECORD = struct.Struct("<HH")  # type and length
BEGIN, END, CONTINUE, OBJECT, OBJECT_TEXT, CHART_TEXT = (
    0x0809, 0x000A, 0x003C, 0x005D, 0x01B6, 0x100D,
)  # fmt: skip
NOTE = 0x0019  # the kind of object that holds a comment, which is read with its cell
WIDE = 1  # characters of two bytes


def drawn_texts(stream: bytes, start: int) -> Iterator[str]:
    """Yields the texts of the sheet that begins at `start`, in their order."""
    kind = left = nesting = 0
    parts: list[str] = []
    for record, body in read_records(stream, start):
        if record == CONTINUE and left:
            part = characters(body[:1], body[1:])[:left]
            parts.append(part)
            left -= len(part)
            if not left and has_content(text := clean("".join(parts))):
                yield text
            continue
        left = 0
        if record == BEGIN:
            nesting += 1
        elif record == END:
            nesting -= 1
            if nesting <= 0:
                return
        elif record == OBJECT and len(body) >= 6:
            (kind,) = struct.unpack_from("<H", body, 4)
        elif record == OBJECT_TEXT and len(body) >= 12 and kind != NOTE:
            (left,) = struct.unpack_from("<H", body, 10)
            parts = []
        elif record == CHART_TEXT and len(body) >= 4:
            text = clean(characters(body[3:4], body[4:])[: body[2]])
            if has_content(text):
                yield text


def read_records(stream: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    while start + RECORD.size <= len(stream):
        kind, length = RECORD.unpack_from(stream, start)
        start += RECORD.size
        yield kind, stream[start : start + length]
        start += length


def characters(flags: bytes, data: bytes) -> str:
    is_wide = bool(flags and flags[0] & WIDE)
    return data.decode("utf-16-le" if is_wide else "latin-1", errors="replace")
