"""Files of Office before 2007, written byte by byte: OLE containers ([MS-CFB]) and the records of
presentations ([MS-PPT]).

Those in files/ were made by LibreOffice 7.4 from documents of python-docx, openpyxl and python-pptx
that hold what the tests name; deck.ppt has its streams without the picture of its first page.
"""

import struct
from collections.abc import Mapping
from pathlib import Path

FILES = Path(__file__).parent / "files"
SECTOR = 512
STREAM_MIN_BYTES = 4096  # shorter ones would stand in a stream of their own
END_OF_CHAIN, FAT_SECTOR, FREE = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
ROOT, STREAM = 5, 2


def make_ole(streams: Mapping[str, bytes]) -> bytes:
    """Up to three streams, each filled up with zeros."""
    contents = [content.ljust(STREAM_MIN_BYTES, b"\0") for content in streams.values()]
    counts = [-(-len(content) // SECTOR) for content in contents]
    fat_count = 1
    while fat_count * SECTOR // 4 < fat_count + 1 + sum(counts):
        fat_count += 1
    fat = [FAT_SECTOR] * fat_count + [END_OF_CHAIN]
    entries = [directory_entry("Root Entry", ROOT, child=1)]
    for index, (name, content, count) in enumerate(
        zip(streams, contents, counts, strict=True), start=1
    ):
        start = len(fat)
        fat += [*range(start + 1, start + count), END_OF_CHAIN]
        right = index + 1 if index < len(contents) else FREE
        entries.append(directory_entry(name, STREAM, right=right, start=start, size=len(content)))
    fat += [FREE] * (fat_count * SECTOR // 4 - len(fat))
    sectors = [
        struct.pack(f"<{len(fat)}I", *fat),
        b"".join(entries).ljust(SECTOR, b"\0"),
        *(
            content.ljust(count * SECTOR, b"\0")
            for content, count in zip(contents, counts, strict=True)
        ),
    ]
    return ole_header(fat_count) + b"".join(sectors)


def ole_header(fat_count: int) -> bytes:
    listed = [*range(fat_count), *[FREE] * (109 - fat_count)]
    return (
        bytes.fromhex("d0cf11e0a1b11ae1")
        + bytes(16)
        + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
        + struct.pack("<9I", 0, fat_count, fat_count, 0, 4096, END_OF_CHAIN, 0, END_OF_CHAIN, 0)
        + struct.pack("<109I", *listed)
    )


def directory_entry(
    name: str, kind: int, *, right: int = FREE, child: int = FREE, start: int = 0, size: int = 0
) -> bytes:
    encoded = name.encode("utf-16-le")
    return (
        encoded.ljust(64, b"\0")
        + struct.pack("<HBB3I", len(encoded) + 2, kind, 1, FREE, right, child)
        + bytes(36)
        + struct.pack("<IQ", END_OF_CHAIN if kind == ROOT else start, size)
    )


def record(kind: int, *parts: bytes, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4, kind, sum(map(len, parts))) + b"".join(parts)


def container(kind: int, *parts: bytes, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | 0xF, kind, sum(map(len, parts))) + b"".join(parts)


def text(content: str, kind: int) -> bytes:
    """`kind`: 0 a title, 1 a body, 4 other."""
    return record(0x0F9F, struct.pack("<I", kind)) + record(0x0FA0, content.encode("utf-16-le"))


def text_box(*parts: bytes) -> bytes:
    return container(0xF004, container(0xF00D, *parts))


def make_ppt(
    slides: list[tuple[bytes, bytes]],
    *,
    token: int = 0xE391C05F,
    beside: bytes = b"",
    objects: bytes = b"",
) -> bytes:
    """Each slide: (its texts in the outline, its shapes). `token`: of the Current User stream.
    `beside`: what each slide holds beside its drawing; `objects`: those embedded in the document.
    """
    pages = [
        container(
            0x03EE, record(0x03EF, bytes(24)), container(0x040C, container(0xF002, shapes)), beside
        )
        for _, shapes in slides
    ]
    listed = b"".join(
        record(0x03F3, struct.pack("<5I", number + 2, 0, 0, 256 + number, 0)) + outline
        for number, (outline, _) in enumerate(slides)
    )
    parts = [container(0x03E8, container(0x0409, objects), container(0x0FF0, listed)), *pages]
    offsets = [sum(map(len, parts[:index])) for index in range(len(parts))]
    directory = sum(map(len, parts))
    parts.append(
        record(0x1772, struct.pack(f"<{len(offsets) + 1}I", len(offsets) << 20 | 1, *offsets))
    )
    edit = sum(map(len, parts))
    parts.append(record(0x0FF5, struct.pack("<7I", 0, 0, 0, directory, 1, 0, 0)))
    user = record(0x0FF6, struct.pack("<III", 20, token, edit))
    return make_ole({"PowerPoint Document": b"".join(parts), "Current User": user})
