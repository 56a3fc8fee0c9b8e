"""RTF and the OLE files of Office before 2007: endless groups, chains in a circle, lying sizes."""

import struct

from reading.tests.files.hostile.file import FAILED, MEGABYTE, SYNCED, UPLOAD_MAX_BYTES, HostileFile
from reading.tests.old_office_files import (
    FILES as SAMPLES,
)
from reading.tests.old_office_files import (
    SECTOR,
    container,
    make_ole,
    make_ppt,
    record,
    text,
    text_box,
)

SENTENCE = b"Los pedidos se entregan en dos d\\'edas laborables. "
EITHER = (FAILED, SYNCED)
STREAM_MAX_BYTES = 6 * MEGABYTE  # as much as the first sectors of make_ole's table name
WORD_97_IDENTITY = struct.pack("<HH", 0xA5EC, 0x00C1)
PIECES_AT = 0x01A2  # fcClx and lcbClx in the FIB ([MS-DOC] 2.5.6)


def rtf(*parts: bytes) -> bytes:
    return b"{\\rtf1\\ansi " + b"".join(parts) + b"}"


def filled(piece: bytes, size_bytes: int = 50 * MEGABYTE) -> bytes:
    return piece * ((size_bytes - 100) // len(piece))


def rtf_of_rows_with_edges_of_their_own() -> bytes:
    rows = (
        b"\\trowd\\cellx%d\\cellx%d\\intbl a\\cell b\\cell\\row " % (n * 50, n * 50 + 25)
        for n in range(200_000)
    )
    return rtf(*rows)


def rtf_of_a_table_of_fonts() -> bytes:
    fonts = (b"{\\f%d\\fcharset%d F%d;}" % (n, n % 256, n) for n in range(1_000_000))
    return rtf(b"{\\fonttbl", *fonts, b"}", SENTENCE)


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def truncated(name: str, share: float = 0.5) -> bytes:
    content = sample(name)
    return content[: int(len(content) * share)]


def with_chain_in_a_circle(content: bytes) -> bytes:
    """Each sector of the table but its own and the directory's leads to the one before it."""
    table = list(struct.unpack_from(f"<{SECTOR // 4}I", content, SECTOR))
    circle = [
        max(index - 1, 2) if entry < len(table) else entry for index, entry in enumerate(table)
    ]
    return content[:SECTOR] + struct.pack(f"<{len(table)}I", *circle) + content[2 * SECTOR :]


def doc_with_pieces_out_of_reach() -> bytes:
    identity = bytearray(WORD_97_IDENTITY.ljust(2000, b"\0"))
    struct.pack_into("<II", identity, PIECES_AT, 0xFFFFFF00, 0xFFFFFF00)
    return make_ole({"WordDocument": bytes(identity), "0Table": bytes(4096)})


def doc_of_one_text_in_many_pieces() -> bytes:
    """Each names the same text again."""
    count = STREAM_MAX_BYTES // 2 // 12
    positions = struct.pack(f"<{count + 1}I", *range(0, (count + 1) * 4, 4))
    piece = struct.pack("<HIH", 0, 0x40000000 | 4096, 0)
    pieces = b"\x02" + struct.pack("<I", len(positions) + count * 8) + positions + piece * count
    identity = bytearray(WORD_97_IDENTITY.ljust(8192, b"a"))
    identity[4:0x4C] = bytes(0x4C - 4)
    struct.pack_into("<I", identity, 0x4C, count * 4)
    identity[0x50:0x380] = bytes(0x380 - 0x50)
    struct.pack_into("<II", identity, PIECES_AT, 0, len(pieces))
    return make_ole({"WordDocument": bytes(identity), "0Table": pieces})


def biff(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def xls_of_globals(*records: bytes) -> bytes:
    opening = biff(0x0809, struct.pack("<HHHHII", 0x0600, 5, 0x0DBB, 0x07CC, 0, 0x0006))
    return make_ole({"Workbook": opening + b"".join(records) + biff(0x000A, b"")})


def excel_2_of_a_million_cells() -> bytes:
    cells = (
        biff(0x0004, struct.pack("<HH3xB", row, column, 5) + b"largo")
        for row in range(16_000)
        for column in range(60)
    )
    return biff(0x0009, struct.pack("<HH", 2, 0x10)) + b"".join(cells) + biff(0x000A, b"")


def ppt_of_a_slide_told_again_and_again() -> bytes:
    entry = record(0x03F3, struct.pack("<5I", 2, 0, 0, 256, 0))
    stream = container(0x03E8, container(0x0FF0, entry * 9_000))
    start = len(stream)
    slide = container(
        0x03EE, container(0x040C, container(0xF002, text_box(text("largo " * 200_000, 4))))
    )
    directory = record(0x1772, struct.pack("<II", 1 << 20 | 2, start))
    return make_ole({"PowerPoint Document": stream + slide + directory})


def ppt_of_nested_groups(depth: int = 100_000) -> bytes:
    openings = b"".join(
        struct.pack("<HHI", 0xF, 0xF003, (depth - level) * 8) for level in range(depth)
    )
    return make_ppt([(text("Hola", 0), openings)])


def ppt_of_a_directory_without_end() -> bytes:
    """Every entry says that 4,095 offsets follow it."""
    directory = record(0x1772, struct.pack("<I", 0xFFF00001) * (STREAM_MAX_BYTES // 4))
    return make_ole({"PowerPoint Document": container(0x03E8) + directory})


def ppt_of_edits_in_a_circle() -> bytes:
    edit = record(0x0FF5, struct.pack("<7I", 0, 0, 8, 0, 1, 0, 0))
    user = record(0x0FF6, struct.pack("<III", 20, 0xE391C05F, 8))
    return make_ole({"PowerPoint Document": bytes(8) + edit, "Current User": user})


FILES = (
    HostileFile("RTF, 50 MB of opening braces", "llaves.rtf", lambda: rtf(filled(b"{")), EITHER),
    HostileFile("RTF, 50 MB of groups", "grupos.rtf", lambda: rtf(filled(b"{}")), EITHER),
    HostileFile("RTF, 50 MB of words", "palabras.rtf", lambda: rtf(filled(b"\\b")), EITHER),
    HostileFile("RTF, 50 MB of paragraphs", "parrafos.rtf", lambda: rtf(filled(b"a\\par "))),
    HostileFile("RTF, 50 MB of cells", "celdas.rtf", lambda: rtf(filled(b"a\\cell ")), EITHER),
    HostileFile(
        "RTF, 50 MB of rows", "filas.rtf", lambda: rtf(filled(b"\\trowd a\\cell\\row ")), EITHER
    ),
    HostileFile("RTF, 50 MB of letters", "letras.rtf", lambda: rtf(filled(b"\\'f1")), EITHER),
    HostileFile(
        "RTF, 50 MB of pictures", "fotos.rtf", lambda: rtf(b"{\\pict ", filled(b"00ff\n"), b"}")
    ),
    HostileFile(
        "RTF, rows whose edges all differ",
        "bordes.rtf",
        rtf_of_rows_with_edges_of_their_own,
        EITHER,
    ),
    HostileFile("RTF, a million fonts", "fuentes.rtf", rtf_of_a_table_of_fonts, EITHER),
    HostileFile(
        "RTF, 2 thousand million bytes to skip",
        "salto.rtf",
        lambda: rtf(SENTENCE, b"\\par{\\pict\\bin2147483647 x}"),
        (SYNCED,),
    ),
    HostileFile(
        "RTF, a line of 50 MB",
        "linea.rtf",
        lambda: rtf(filled(b"palabra ", UPLOAD_MAX_BYTES)),
        EITHER,
    ),
    HostileFile("RTF, 0 bytes", "nada.rtf", bytes),
    HostileFile("DOC, truncated", "cortado.doc", lambda: truncated("letter.doc")),
    HostileFile(
        "DOC, sectors in a circle",
        "circulo.doc",
        lambda: with_chain_in_a_circle(sample("letter.doc")),
        EITHER,
    ),
    HostileFile("DOC, pieces out of reach", "piezas.doc", doc_with_pieces_out_of_reach),
    HostileFile(
        "DOC, the same text in 250,000 pieces", "repite.doc", doc_of_one_text_in_many_pieces, EITHER
    ),
    HostileFile("DOC, nothing but zeros", "ceros.doc", lambda: make_ole({"WordDocument": b""})),
    HostileFile("DOC, 0 bytes", "nada.doc", bytes),
    HostileFile("XLS, truncated", "cortado.xls", lambda: truncated("book.xls", 0.4)),
    HostileFile(
        "XLS, sectors in a circle",
        "circulo.xls",
        lambda: with_chain_in_a_circle(sample("book.xls")),
        EITHER,
    ),
    HostileFile(
        "XLS, 4 thousand million texts declared",
        "textos.xls",
        lambda: xls_of_globals(biff(0x00FC, struct.pack("<II", 0xFFFFFFFF, 0xFFFFFFFF))),
    ),
    HostileFile("XLS, encrypted", "clave.xls", lambda: xls_of_globals(biff(0x002F, bytes(6)))),
    HostileFile("XLS, 960,000 cells of Excel 2", "celdas.xls", excel_2_of_a_million_cells, EITHER),
    HostileFile("XLS, 0 bytes", "nada.xls", bytes),
    HostileFile("PPT, truncated", "cortado.ppt", lambda: truncated("deck.ppt"), EITHER),
    HostileFile(
        "PPT, sectors in a circle",
        "circulo.ppt",
        lambda: with_chain_in_a_circle(sample("deck.ppt")),
        EITHER,
    ),
    HostileFile(
        "PPT, one slide shown 9,000 times", "bucle.ppt", ppt_of_a_slide_told_again_and_again
    ),
    HostileFile("PPT, 100,000 groups in each other", "grupos.ppt", ppt_of_nested_groups, (SYNCED,)),
    HostileFile("PPT, a directory without end", "directorio.ppt", ppt_of_a_directory_without_end),
    HostileFile("PPT, edits in a circle", "ediciones.ppt", ppt_of_edits_in_a_circle),
    HostileFile("PPT, 0 bytes", "nada.ppt", bytes),
)
