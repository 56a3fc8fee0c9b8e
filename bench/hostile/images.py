"""Pictures: small files of immense pixels, endless frames, broken ones. Written by hand, as no
library would.
"""

import io
import struct
import zlib
from collections.abc import Iterable
from itertools import repeat

from PIL import Image, ImageDraw

from bench.hostile.file import (
    FAILED,
    IMAGE_MAX_BYTES,
    MEGABYTE,
    SYNCED,
    TOO_LARGE,
    UNSUPPORTED,
    HostileFile,
)

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
HUGE_PIXELS = 60_000


def picture(kind: str, width: int = 800, height: int = 200) -> bytes:
    """An honest one, with a line of text."""
    image = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(image).text((20, 80), "Opening hours: nine to five", fill="black", font_size=40)
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return buffer.getvalue()


def blank(kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (800, 600), "white").save(buffer, kind)
    return buffer.getvalue()


# --- PNG ------------------------------------------------------------------------------------------


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, rows: Iterable[bytes], *extra: bytes) -> bytes:
    """One bit a pixel; `extra`: chunks before the picture."""
    packer = zlib.compressobj(1)
    data = b"".join(map(packer.compress, rows)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    chunks = [chunk(b"IHDR", header), *extra, chunk(b"IDAT", data), chunk(b"IEND", b"")]
    return PNG_SIGNATURE + b"".join(chunks)


def huge_png() -> bytes:
    row = b"\0" + b"\xff" * (HUGE_PIXELS // 8)
    return png(HUGE_PIXELS, HUGE_PIXELS, repeat(row, HUGE_PIXELS))


def png_with_text_of_a_gigabyte() -> bytes:
    packer = zlib.compressobj(1)
    text = b"".join(packer.compress(bytes(MEGABYTE)) for _ in range(1024)) + packer.flush()
    rows = repeat(b"\0" + b"\xff" * 10, 80)
    return png(80, 80, rows, chunk(b"zTXt", b"Comment\0\0" + text))


# --- JPEG -----------------------------------------------------------------------------------------


def segment(marker: int, data: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def huffman_table(kind: int) -> bytes:
    """One code of one bit, 0, for the symbol 0: no difference, or the end of a block."""
    return segment(0xC4, bytes([kind, 1, *[0] * 15, 0]))


def jpeg_head(marker: int, width: int, height: int) -> bytes:
    """A grey picture of which every block is two bits, 00. `marker`: 0xC0 baseline, 0xC2
    progressive.
    """
    frame = struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0)
    return b"\xff\xd8" + segment(0xDB, b"\0" + b"\1" * 64) + segment(marker, frame)


def huge_jpeg() -> bytes:
    blocks = (HUGE_PIXELS // 8) ** 2
    scan = segment(0xDA, bytes([1, 1, 0, 0, 63, 0]))
    tables = huffman_table(0x00) + huffman_table(0x10)
    head = jpeg_head(0xC0, HUGE_PIXELS, HUGE_PIXELS)
    return head + tables + scan + bytes(blocks // 4) + b"\xff\xd9"


def jpeg_of_many_scans() -> bytes:
    """4,000 × 4,000 pixels, gone over fifty thousand times."""
    blocks = (4000 // 8) ** 2
    first = huffman_table(0x00) + segment(0xDA, bytes([1, 1, 0, 0, 0, 0])) + bytes(blocks // 8 + 1)
    # One code, 0, for "the next 16,384 blocks and those that 14 bits tell are empty"
    runs = segment(0xC4, bytes([0x10, 1, *[0] * 15, 0xE0]))
    bits = "".join("0" + "1" * 14 for _ in range(blocks // 32767)) + "0" + "0" * 14
    padded = bits + "1" * (-len(bits) % 8)
    data = int(padded, 2).to_bytes(len(padded) // 8, "big").replace(b"\xff", b"\xff\0")
    again = segment(0xDA, bytes([1, 1, 0, 1, 63, 0])) + data
    return jpeg_head(0xC2, 4000, 4000) + first + runs + again * 50_000 + b"\xff\xd9"


# --- TIFF, WebP, BMP ------------------------------------------------------------------------------


def directory(width: int, height: int, following: int) -> bytes:
    """One frame of one bit a pixel, uncompressed, whose strip is at 8; `following`: the next one's
    offset.
    """
    strip_bytes = (width + 7) // 8 * height
    entries = (
        (256, 4, width),
        (257, 4, height),
        (258, 3, 1),
        (259, 3, 1),
        (262, 3, 1),
        (273, 4, 8),
        (277, 3, 1),
        (278, 4, height),
        (279, 4, min(strip_bytes, 2**32 - 1)),
    )
    packed = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in entries)
    return struct.pack("<H", len(entries)) + packed + struct.pack("<I", following)


def tiff(
    frames: int,
    *,
    width: int = 8,
    height: int = 8,
    strip: bytes = b"\xff" * 64,
    is_circle: bool = False,
) -> bytes:
    """All frames show the same strip."""
    size, first = 2 + 9 * 12 + 4, 8 + len(strip)
    offsets = [first + number * size for number in range(frames)]
    last = first if is_circle else 0
    directories = [directory(width, height, following) for following in [*offsets[1:], last]]
    return b"II*\0" + struct.pack("<I", first) + strip + b"".join(directories)


def animated(kind: str, frames: int) -> bytes:
    """Each frame has another colour, else they would be joined."""
    pictures = [
        Image.new("RGB", (64, 64), (number % 256, number // 256, number * 7 % 256))
        for number in range(frames)
    ]
    buffer = io.BytesIO()
    pictures[0].save(buffer, kind, save_all=True, append_images=pictures[1:], duration=10)
    return buffer.getvalue()


def bmp(width: int, height: int) -> bytes:
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 2835, 2835, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + 4096, 0, 0, 54) + header + bytes(4096)


def truncated(kind: str) -> bytes:
    content = picture(kind)
    return content[: len(content) // 3]


FILES = (
    HostileFile("PNG, 60,000 × 60,000", "uno.png", huge_png),
    HostileFile("PNG, text of 1 GB", "texto.png", png_with_text_of_a_gigabyte),
    HostileFile(
        "PNG that says 2^31 × 2^31", "dice.png", lambda: png(2**31 - 1, 2**31 - 1, [b"\0"])
    ),
    HostileFile("PNG, truncated", "cortado.png", lambda: truncated("PNG"), (FAILED, SYNCED)),
    HostileFile("PNG without text", "blanco.png", lambda: blank("PNG")),
    HostileFile("PNG, 0 bytes", "nada.png", bytes),
    HostileFile("PNG named PDF", "foto.pdf", lambda: picture("PNG"), (UNSUPPORTED,)),
    HostileFile(
        "PNG, 20 MB and a byte",
        "pesa.png",
        lambda: PNG_SIGNATURE + bytes(IMAGE_MAX_BYTES + 1 - len(PNG_SIGNATURE)),
        (TOO_LARGE,),
    ),
    HostileFile("JPEG, 60,000 × 60,000", "uno.jpg", huge_jpeg),
    HostileFile("JPEG, 50,000 scans", "pasadas.jpg", jpeg_of_many_scans),
    HostileFile("JPEG, truncated", "cortado.jpg", lambda: truncated("JPEG"), (FAILED, SYNCED)),
    HostileFile("TIFF, 10,000 frames", "hojas.tiff", lambda: tiff(10_000)),
    HostileFile("TIFF, frames in a circle", "circulo.tiff", lambda: tiff(3, is_circle=True)),
    HostileFile(
        "TIFF that says 2^31 pixels", "dice.tiff", lambda: tiff(1, width=65_536, height=32_768)
    ),
    HostileFile(
        "TIFF, 500 pages of 64 million pixels",
        "cielo.tiff",
        lambda: tiff(500, width=8000, height=8000, strip=b"\xff" * (8000 * 8000 // 8)),
    ),
    HostileFile("TIFF, truncated", "cortado.tiff", lambda: truncated("TIFF"), (FAILED, SYNCED)),
    HostileFile(
        "WebP, 1,000 frames", "anima.webp", lambda: animated("WEBP", 1000), (FAILED, SYNCED)
    ),
    HostileFile("WebP, truncated", "cortado.webp", lambda: truncated("WEBP"), (FAILED, SYNCED)),
    HostileFile("GIF", "anima.gif", lambda: animated("GIF", 20), (UNSUPPORTED,)),
    HostileFile("BMP that says 2^31 × 2^31", "dice.bmp", lambda: bmp(2**31 - 1, 2**31 - 1)),
    HostileFile("BMP of -2^31 lines", "menos.bmp", lambda: bmp(100, -(2**31))),
)
