"""Archives of documents, and messages: what they hold is too much, too deep, or a lie."""

import base64
import io
import struct
import zipfile

from reading.tests.container_files import (
    attached_file,
    attached_message,
    make_eml,
    make_msg,
    make_zip,
    message_folder,
)
from reading.tests.files.hostile.archives import truncated, with_small_directory
from reading.tests.files.hostile.file import FAILED, MEGABYTE, SYNCED, HostileFile
from reading.tests.files.hostile.texts import SENTENCE

EITHER = (FAILED, SYNCED)
PROGRAM = b"MZ\x90\0\3\0\0\0" + bytes(4096)
HEADERS = b"From: ana@example.com\r\nSubject: Oferta\r\nMIME-Version: 1.0\r\n"
TABLES_AT, FAT_AT, DIRECTORY_AT = 72, 76, 48  # [MS-CFB] 2.2
BODY, RTF = 0x1000, 0x1009

# --- Archives -------------------------------------------------------------------------------------


def zip_of_65_535_members() -> bytes:
    return make_zip({f"{number}.txt": b"" for number in range(65_535)})


def zip_of_names() -> bytes:
    names = (
        "../../etc/passwd",
        "/etc/cron.d/a",
        "C:\\Windows\\a.txt",
        "a\n.txt",
        "..",
        "x" * 60_000,
    )
    return make_zip({name: f"{SENTENCE} {number}" for number, name in enumerate(names)})


def zip_of_zeros() -> bytes:
    return make_zip({f"{number}.txt": bytes(40 * MEGABYTE) for number in range(25)})


def zip_with_a_lying_directory() -> bytes:
    return with_small_directory(make_zip({"a.txt": bytes(100 * MEGABYTE)}), 100 * MEGABYTE)


def zip_that_overlaps() -> bytes:
    archive = make_zip({"a.txt": bytes(50 * MEGABYTE)})
    at = archive.find(b"PK\x01\x02")
    entry, end = archive[at : archive.find(b"PK\x05\x06")], archive[archive.find(b"PK\x05\x06") :]
    count = 500
    end = end[:8] + struct.pack("<HHI", count, count, count * len(entry)) + end[16:]
    return archive[:at] + entry * count + end


def zip_of_bombs_and_a_text() -> bytes:
    bomb = make_zip({f"{number}.txt": bytes(40 * MEGABYTE) for number in range(10)})
    return make_zip({"a.zip": bomb, "horario.txt": SENTENCE, "b.zip": bomb, "c.pdf": PROGRAM})


def zip_with_a_password() -> bytes:
    archive = bytearray(make_zip({"a.txt": SENTENCE}))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        archive[archive.find(magic) + offset] |= 1
    return bytes(archive)


def zip_by_bzip2() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.txt", bytes(200 * MEGABYTE))
    return buffer.getvalue()


# --- Messages -------------------------------------------------------------------------------------


def eml_of_parts(count: int) -> bytes:
    part = b'--b\r\nContent-Disposition: attachment; filename="a.exe"\r\n\r\nMZ\r\n'
    return HEADERS + b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + part * count


def eml_within_itself(depth: int, text: bytes = b"") -> bytes:
    kind = b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n'
    return HEADERS + b"".join(kind % (n, n) for n in range(depth)) + b"\r\n" + text


def eml_in_eml(depth: int) -> bytes:
    return (HEADERS + b"Content-Type: message/rfc822\r\n\r\n") * depth + HEADERS + b"\r\nHola"


def eml_of_headers() -> bytes:
    return HEADERS + b"X-A: b\r\n" * 1_000_000 + b"\r\n" + SENTENCE.encode()


def eml_with_a_long_header(piece: bytes) -> bytes:
    header = piece * (20 * MEGABYTE // len(piece))
    return (
        b"From: a@b\r\nSubject: " + header + b"\r\nTo: " + header + b"\r\n\r\n" + SENTENCE.encode()
    )


def eml_of_junk() -> bytes:
    head = (
        b"Content-Transfer-Encoding: base64\r\nContent-Type: text/plain; charset=punycode\r\n\r\n"
    )
    return HEADERS + head + b"=A=\xff-" * (8 * MEGABYTE)


def eml_that_lies() -> bytes:
    attached = {"precios.pdf": PROGRAM, "foto.png": SENTENCE.encode(), "a.docx": make_eml()}
    return make_eml(attached={**attached, "../../b.txt": SENTENCE.encode()})


def eml_with_a_bomb() -> bytes:
    return make_eml(attached={"a.zip": zip_of_zeros()})


def mailbox_of_a_million() -> bytes:
    return b"From a@b\nFrom: a@b\n\nHola\n\n" * 1_000_000


def eml_of_base64_lines() -> bytes:
    content = base64.encodebytes(SENTENCE.encode() * (30 * MEGABYTE // len(SENTENCE)))
    head = b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return HEADERS + head + content


def compressed_rtf(data: bytes, raw_bytes: int) -> bytes:
    return struct.pack("<IIII", len(data) + 12, raw_bytes, 0x75465A4C, 0) + data


def msg_with_rtf(rtf: bytes, raw_bytes: int) -> bytes:
    return make_msg({BODY: ""}, binaries={RTF: compressed_rtf(rtf, raw_bytes)})


def plain_rtf(rtf: bytes) -> bytes:
    return struct.pack("<IIII", len(rtf) + 12, len(rtf), 0x414C454D, 0) + rtf


def msg_in_a_circle() -> bytes:
    content = bytearray(make_msg({BODY: SENTENCE * 2000}))
    (fat,) = struct.unpack_from("<I", content, FAT_AT)
    for sector in range(64):
        struct.pack_into("<I", content, (fat + 1) * 512 + 4 * sector, sector // 2)
    return bytes(content)


def msg_with_tables_of_its_own_size() -> bytes:
    content = bytearray(make_msg())
    struct.pack_into("<I", content, TABLES_AT, 0xFFFFFFF0)
    return bytes(content)


def msg_of_streams_of_2_gigabytes() -> bytes:
    content = bytearray(make_msg({BODY: SENTENCE * 2000}))
    (directory,) = struct.unpack_from("<I", content, DIRECTORY_AT)
    for number in range(1, 8):
        struct.pack_into("<I", content, (directory + 1) * 512 + 128 * number + 120, 0x7FFFFFFF)
    return bytes(content)


def msg_of_20_000_attachments() -> bytes:
    return make_msg(attachments=[{"__properties_version1.0": bytes(8)}] * 20_000)


def msg_in_msg(depth: int) -> bytes:
    inner = message_folder(header_bytes=24)
    for _ in range(depth):
        inner = message_folder(attachments=[attached_message(inner)], header_bytes=24)
    return make_msg(attachments=[attached_message(inner), attached_file("a.txt", b"Hola")])


FILES = (
    HostileFile("ZIP, 65,535 empty members", "vacios.zip", zip_of_65_535_members),
    HostileFile("ZIP, names that lead out of it", "nombres.zip", zip_of_names, (SYNCED,)),
    HostileFile("ZIP, 1 GB of zeros", "ceros.zip", zip_of_zeros),
    HostileFile("ZIP, 100 MB that its directory hides", "miente.zip", zip_with_a_lying_directory),
    HostileFile("ZIP, 25 GB of overlapping members", "solapa.zip", zip_that_overlaps),
    HostileFile("ZIP, a text between bombs", "entre.zip", zip_of_bombs_and_a_text, (SYNCED,)),
    HostileFile("ZIP, encrypted", "clave.zip", zip_with_a_password),
    HostileFile("ZIP, 200 MB by bzip2", "bzip2.zip", zip_by_bzip2),
    HostileFile(
        "ZIP, truncated", "cortado.zip", lambda: truncated(make_zip({"a.txt": SENTENCE * 100}))
    ),
    HostileFile("ZIP of nothing", "nada.zip", lambda: make_zip({})),
    HostileFile("EML, 200,000 attachments", "partes.eml", lambda: eml_of_parts(200_000), (SYNCED,)),
    HostileFile("EML, 3,000 parts in each other", "hondo.eml", lambda: eml_within_itself(3000)),
    HostileFile(
        "EML, 500 parts in each other, 20 MB of lines",
        "lineas.eml",
        lambda: eml_within_itself(500, b"--b\r\n" * (4 * MEGABYTE)),
        EITHER,
    ),
    HostileFile("EML in EML, 400 deep", "cartas.eml", lambda: eml_in_eml(400), EITHER),
    HostileFile("EML, a million headers", "cabezas.eml", eml_of_headers, EITHER),
    HostileFile(
        "EML, headers of 20 MB of =?",
        "palabras.eml",
        lambda: eml_with_a_long_header(b"=?a?q?x"),
        EITHER,
    ),
    HostileFile(
        "EML, headers of 20 MB of (",
        "parentesis.eml",
        lambda: eml_with_a_long_header(b'("<'),
        EITHER,
    ),
    HostileFile("EML, 40 MB that is no base64", "basura.eml", eml_of_junk, EITHER),
    HostileFile("EML, 30 MB of text", "largo.eml", eml_of_base64_lines, EITHER),
    HostileFile("EML, attachments that lie", "miente.eml", eml_that_lies, (SYNCED,)),
    HostileFile("EML, attached 1 GB of zeros", "bomba.eml", eml_with_a_bomb, (SYNCED,)),
    HostileFile("EML without a header", "texto.eml", lambda: SENTENCE.encode()),
    HostileFile("MBOX, a million messages", "buzon.mbox", mailbox_of_a_million, EITHER),
    HostileFile("MSG, sectors in circles", "circulo.msg", msg_in_a_circle, EITHER),
    HostileFile("MSG, tables of 2 TB", "tablas.msg", msg_with_tables_of_its_own_size),
    HostileFile("MSG, streams of 2 GB", "flujos.msg", msg_of_streams_of_2_gigabytes, EITHER),
    HostileFile("MSG, 20,000 attachments", "veinte.msg", msg_of_20_000_attachments, EITHER),
    HostileFile("MSG in MSG, 200 deep", "cartas.msg", lambda: msg_in_msg(200), EITHER),
    HostileFile(
        "MSG, RTF of 4 GB by LZFu",
        "lzfu.msg",
        lambda: msg_with_rtf(b"\xff" * MEGABYTE, 0xFFFFFFF0),
        EITHER,
    ),
    HostileFile(
        "MSG, RTF that copies itself",
        "copia.msg",
        lambda: msg_with_rtf((b"\xff" + b"\x0c\xef" * 8) * 100_000, 32 * MEGABYTE),
        EITHER,
    ),
    HostileFile(
        "MSG, RTF of a million groups",
        "grupos.msg",
        lambda: make_msg({BODY: ""}, binaries={RTF: plain_rtf(b"{\\rtf1" + b"{" * 1_000_000)}),
        EITHER,
    ),
    HostileFile(
        "MSG, truncated", "cortado.msg", lambda: truncated(make_msg({BODY: SENTENCE * 500}))
    ),
)
