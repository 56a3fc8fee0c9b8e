"""What a file is, is told by its bytes; a name that contradicts them is refused."""

import io
import zipfile

import pytest

from reading.errors import FileTypeRefused
from reading.file_types import (
    AUDIO_TYPES,
    BMP,
    CONTAINER_TYPES,
    CONTENT_TYPES,
    CSV,
    DOC,
    DOCX,
    EML,
    EPUB,
    FLAC,
    HTML,
    IMAGE_TYPES,
    JPEG,
    JSON,
    M4A,
    MARKDOWN,
    MBOX,
    MP3,
    MSG,
    ODP,
    ODS,
    ODT,
    OGG,
    PDF,
    PLAIN_TEXT,
    PNG,
    PPT,
    PPTX,
    PROBE_BYTES,
    RTF,
    TIFF,
    WAV,
    WEBM,
    WEBP,
    XLS,
    XLSX,
    XML,
    ZIP,
    detect_content_type,
)
from reading.passages import ChunkLevel
from reading.tests.office_files import make_docx, make_package, paragraph
from reading.tests.open_documents import make_flat, make_odf

OLE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(2000)
ARCHIVE = make_package("x/y.xml", {"x/y.xml": "<a/>"})
OUTLOOK = OLE + "__properties_version1.0".encode("utf-16-le")
ENCRYPTED = OLE + "EncryptedPackage".encode("utf-16-le") + bytes(100)


WORD = "WordDocument".encode("utf-16-le")


def typed(content_type: str) -> bytes:
    """An archive that says first what it is (OpenDocument 1.3 part 2, 3.3)."""
    return archive_of({"mimetype": content_type, "content.xml": "<a/>"})


def archive_of(members: dict[str, str | bytes], *, compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def detect(content: bytes, filename: str) -> str:
    return detect_content_type(content[:PROBE_BYTES], content[-PROBE_BYTES:], filename)


def office_file(member: str) -> bytes:
    return make_package(member, {member: "<root/>"})


@pytest.mark.parametrize(
    ("content", "filename", "expected"),
    [
        (b"%PDF-1.7\n", "catalogue.pdf", PDF),
        (b"%PDF-1.7\n", "catalogue", PDF),
        (b"%PDF-1.7\n", "CATALOGUE.PDF", PDF),
        (b"junk of a mail program\n%PDF-1.7\n", "catalogue.pdf", PDF),
        (office_file("word/document.xml"), "letter.docx", DOCX),
        (office_file("word/document.xml"), "letter", DOCX),
        (office_file("xl/workbook.xml"), "prices.xlsx", XLSX),
        (office_file("ppt/presentation.xml"), "talk.pptx", PPTX),
        (b"a,b\n1,2\n", "rows.csv", CSV),
        ("año;país\n".encode("latin-1"), "filas.csv", CSV),
        (b"# Title\n", "notes.md", MARKDOWN),
        (b"# Title\n", "notes.markdown", MARKDOWN),
        (b"Open every day.", "hours.txt", PLAIN_TEXT),
        (b"Open every day.", "README", PLAIN_TEXT),
        (b"Open every day.", "Prices 2.5 final", PLAIN_TEXT),
        ("Abierto".encode("utf-16"), "horario.txt", PLAIN_TEXT),
        ("Abierto todos los días".encode("utf-16-le"), "horario.txt", PLAIN_TEXT),
        (b"MZ is a village. BM too.", "villages.txt", PLAIN_TEXT),
        (b"A file that begins with %PDF- is a PDF.", "formats.md", MARKDOWN),
        (b"", "empty.txt", PLAIN_TEXT),
        (b"<!DOCTYPE html><p>x</p>", "page.html", HTML),
        (b"<p>Open every day</p>", "fragment.htm", HTML),
        (b"<?xml version='1.0'?>\n<html xmlns='...'>", "page.xhtml", HTML),
        (make_odf("text", ""), "letter.odt", ODT),
        (make_odf("text-template", ""), "letter.ott", ODT),
        (make_odf("spreadsheet", ""), "prices", ODS),
        (make_odf("presentation", ""), "talk.odp", ODP),
        (make_flat("text", ""), "letter.fodt", ODT),
        (make_flat("spreadsheet", ""), "prices", ODS),
        (make_flat("text", ""), "letter.xml", XML),
        (archive_of({"mimetype": "?", "META-INF/container.xml": "<a/>"}), "book.epub", EPUB),
        (archive_of({"content.xml": "<a/>", "META-INF/manifest.xml": "<a/>"}), "prices.ods", ODS),
        (archive_of({"META-INF/container.xml": "<a/>"}), "book.epub", EPUB),
        (b"<?xml version='1.0'?><a/>", "data.xml", XML),
        (b"\xef\xbb\xbf<a/>", "data.xml", XML),
        ("<a/>".encode("utf-16"), "data.xml", XML),
        (b"<?xml version='1.0'?><a/>", "data", XML),
        (b"<?xml version='1.0'?><rss><x><html>", "news.rss", XML),
        (b' {"a": 1}', "data.json", JSON),
        (b'{"a": 1}\n{"a": 2}', "data.jsonl", JSON),
        ('[{"a": 1}]'.encode("utf-16"), "data.json", JSON),
        (b'{"cells": []}', "analysis.ipynb", JSON),
        (b'{"a": 1}', "notes.txt", PLAIN_TEXT),
        (ARCHIVE, "files.zip", ZIP),
        (ARCHIVE, "files", ZIP),
        (b"PK\x05\x06" + bytes(18), "empty.zip", ZIP),
        (b"From: ana@example.com\n", "letter.eml", EML),
        (b"From ana@example.com Mon Nov 23\n", "letters.mbox", MBOX),
        (b"From: ana@example.com\n", "letter.txt", PLAIN_TEXT),
        (OUTLOOK, "letter", MSG),
        (OLE, "letter.msg", MSG),
        (OLE + WORD, "letter.doc", DOC),
        (OLE + WORD, "letter", DOC),
        (OLE, "prices.xls", XLS),
        (OLE, "talk.ppt", PPT),
        (b"{\\rtf1 x}", "letter.rtf", RTF),
        (b"{\\rtf1 x}", "letter.doc", RTF),
        (OLE + WORD, "letter.rtf", DOC),
        (office_file("word/document.xml"), "letter.doc", DOCX),
        (b"<html><p>Open</p>", "letter.doc", HTML),
        (b"Open every day.", "letter.doc", PLAIN_TEXT),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related\n", "letter.doc", EML),
        (b"From: <Saved by Blink>\nMIME-Version: 1.0\n", "page.mhtml", EML),
        (office_file("xl/workbook.xml"), "prices.xls", XLSX),
        (b"<table><tr><td>Xaloc</td></tr></table>", "prices.xls", HTML),
        (b"<?xml version='1.0'?><Workbook/>", "prices.xls", XML),
        (b"Model\tPrice\nXaloc\t899\n", "prices.xls", CSV),
        (b"\x09\0\x04\0\x02\0\x10\0" + bytes(50), "prices.xls", XLS),
        (office_file("ppt/presentation.xml"), "talk.ppt", PPTX),
        (b"<?xml version='1.0'?><prices>", "prices.xml", XML),
        (b"<?xml version='1.0'?><prices>", "prices.txt", PLAIN_TEXT),
        (b'[{"model": "Xaloc"}]', "prices.json", JSON),
        (b'{"model": "Xaloc"}\n{"model": "Rayo"}\n', "prices.jsonl", JSON),
        (typed("application/vnd.oasis.opendocument.text"), "letter.odt", ODT),
        (typed("application/vnd.oasis.opendocument.spreadsheet"), "prices.ods", ODS),
        (typed("application/vnd.oasis.opendocument.presentation-template"), "talk.otp", ODP),
        (typed("application/epub+zip"), "book.epub", EPUB),
    ],
)
def test_type_is_told_by_content(content: bytes, filename: str, expected: str):
    assert detect(content, filename) == expected


def embedded(kind: str) -> bytes:
    """A workbook inside another file, as Office puts it there for a chart: not compressed."""
    return office_file({"xlsx": "xl/workbook.xml", "docx": "word/document.xml"}[kind])


@pytest.mark.parametrize(
    ("member", "filename", "expected"),
    [
        ("word/document.xml", "report.docx", DOCX),
        ("ppt/presentation.xml", "talk.pptx", PPTX),
    ],
)
@pytest.mark.parametrize("size", [0, PROBE_BYTES * 2])
def test_workbook_of_a_chart_does_not_make_a_document_an_archive(
    member: str, filename: str, expected: str, size: int
):
    content = archive_of(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": "",
            "media/film.bin": bytes(size),
            member: "<root/>",
            "embeddings/Microsoft_Excel_Sheet1.xlsx": embedded("xlsx"),
        }
    )
    assert detect(content, filename) == expected


@pytest.mark.parametrize(
    ("declared", "filename", "expected"),
    [
        ("openxmlformats-officedocument.wordprocessingml.document.main+xml", "a.docx", DOCX),
        ("ms-word.template.macroEnabledTemplate.main+xml", "a.dotm", DOCX),
        ("ms-excel.sheet.binary.macroEnabled.main", "a.xlsb", XLSX),
        ("ms-excel.template.macroEnabled.main+xml", "a.xltm", XLSX),
        ("ms-powerpoint.slideshow.macroEnabled.main+xml", "a.ppsm", PPTX),
        ("openxmlformats-officedocument.presentationml.template.main+xml", "a.potm", PPTX),
    ],
)
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_document_that_lies_in_an_unusual_folder_is_told_by_its_content_types(
    declared: str, filename: str, expected: str, compression: int
):
    types = f'<Types><Override PartName="/x.xml" ContentType="application/vnd.{declared}"/></Types>'
    members: dict[str, str | bytes] = {"[Content_Types].xml": types, "x.xml": "<root/>"}
    assert detect(archive_of(members, compression=compression), filename) == expected


@pytest.mark.parametrize("name", ["Word/Document.xml", "word\\document.xml", "/word/document.xml"])
def test_names_in_an_office_file_may_be_written_otherwise(name: str):
    content = archive_of({"[Content_Types].xml": "<Types/>", name: "<root/>"})
    assert detect(content, "letter.docx") == DOCX


def test_archive_of_documents_in_a_folder_named_word_is_an_archive():
    content = archive_of({"word/one.docx": embedded("docx"), "word/two.docx": embedded("docx")})
    assert detect(content, "letters.zip") == ZIP


def test_office_file_is_told_by_the_end_when_its_beginning_is_pictures():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("media/picture.bin", bytes(2 * PROBE_BYTES))
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<root/>")
        archive.writestr("media/another.bin", bytes(2 * PROBE_BYTES))
    assert detect(buffer.getvalue(), "letter.docx") == DOCX


@pytest.mark.parametrize(
    ("content", "filename", "message"),
    [
        (b"%PDF-1.7\n", "letter.docx", "ends in .docx, but its content is PDF"),
        (office_file("xl/workbook.xml"), "a.docx", "ends in .docx, but its content is XLSX"),
        (b"plain words", "letter.pdf", "says PDF, but its content is not PDF"),
        (b"plain words", "letter.docx", "says DOCX, but its content is not DOCX"),
        (b"%PDF-1.7\n", "words.txt", "ends in .txt, but its content is PDF"),
        (OLE, "old", "The type of this file is unknown"),
        (OLE + WORD, "old.docx", "ends in .docx, but its content is DOC"),
        (OLE + WORD, "old.xls", "ends in .xls, but its content is DOC"),
        (b"\xff\xd8\xff\xe0" + bytes(50), "photo.txt", "ends in .txt, but its content is JPEG"),
        (b"ID3\x04" + bytes(50), "voice.pdf", "ends in .pdf, but its content is MP3"),
        (b"GIF89a" + bytes(50), "photo.gif", "a format that we do not read"),
        (b"\n<html>", "page.txt", "ends in .txt, but its content is HTML"),
        (b"<?xml version='1.0'?><svg>", "drawing.svg", "ends in .svg, but its content is XML"),
        (b"plain words", "data.xml", "says XML, but its content is not XML"),
        (b"plain words", "data.json", "says JSON, but its content is not JSON"),
        (make_odf("text", ""), "letter.docx", "ends in .docx, but its content is ODT"),
        (make_odf("text", ""), "prices.ods", "ends in .ods, but its content is ODT"),
        (archive_of({"META-INF/manifest.xml": "<a/>"}), "program.jar", "ZIP"),
        (b"{\\rtf1 x}", "letter.docx", "ends in .docx, but its content is RTF"),
        (b"words", "script.py", "ending in .py are not supported"),
        (b"\x00\x01\x02\x03", "notes.txt", "is unknown"),
        (b"\x01\x02\x03\x04\x05\x06\x07", "notes.txt", "is unknown"),
        (ARCHIVE, "letter.docx", "ends in .docx, but its content is ZIP"),
        (ARCHIVE, "message.eml", "ends in .eml, but its content is ZIP"),
        (b"From: ana@example.com\n", "letter.msg", "says MSG, but its content is not MSG"),
    ],
)
def test_other_types_are_refused_with_what_to_do(content: bytes, filename: str, message: str):
    with pytest.raises(FileTypeRefused, match=message):
        detect(content, filename)


@pytest.mark.parametrize(
    ("content", "filename", "expected"),
    [
        (b"\x89PNG\r\n\x1a\n", "photo.png", PNG),
        (b"\xff\xd8\xff\xe0", "photo.jpeg", JPEG),
        (b"II*\x00", "scan.tiff", TIFF),
        (b"MM\x00*", "scan", TIFF),
        (b"RIFF\x00\x00\x00\x00WEBP", "photo.webp", WEBP),
        (b"BM\x00\x00", "photo.bmp", BMP),
        (b"RIFF\x00\x00\x00\x00WAVE", "voice.wav", WAV),
        (b"ID3\x04", "voice.mp3", MP3),
        (b"\xff\xfb\x90\x00", "voice.mp3", MP3),
        (b"OggS\x00", "voice.ogg", OGG),
        (b"\x00\x00\x00\x20ftypM4A ", "voice.m4a", M4A),
        (b"fLaC\x00", "voice.flac", FLAC),
        (b"\x1aE\xdf\xa3", "voice.webm", WEBM),
    ],
)
def test_images_and_audio_are_told_by_their_first_bytes(
    content: bytes, filename: str, expected: str
):
    assert detect(content + bytes(50), filename) == expected


@pytest.mark.parametrize("text", [b"BMW spare parts", b"ID3 tags, explained", b"OggS and others"])
def test_text_that_begins_like_another_kind_is_text(text: bytes):
    assert detect(text, "notes.txt") == PLAIN_TEXT


def test_archive_with_two_kinds_of_document_is_neither():
    content = make_package(
        "word/document.xml", {"word/document.xml": "<a/>", "xl/workbook.xml": "<a/>"}
    )
    with pytest.raises(FileTypeRefused, match="its content is ZIP"):
        detect(content, "letter.docx")


@pytest.mark.parametrize(("filename", "expected"), [("a.docx", DOCX), ("a.xlsx", XLSX)])
def test_protected_office_file_passes_so_that_extraction_can_name_the_reason(filename, expected):
    assert detect(ENCRYPTED, filename) == expected


@pytest.mark.parametrize("filename", ["../../etc/notes.txt", "C:\\temp\\notes.txt", "a\0.txt"])
def test_only_the_extension_of_a_name_counts(filename: str):
    assert detect(b"words", filename) == PLAIN_TEXT


def test_level_of_chunks_follows_the_type():
    assert {kind: entry.level for kind, entry in CONTENT_TYPES.items()} == {
        PDF: ChunkLevel.PARAGRAPH,
        PLAIN_TEXT: ChunkLevel.PARAGRAPH,
        DOCX: ChunkLevel.SECTION,
        MARKDOWN: ChunkLevel.SECTION,
        PPTX: ChunkLevel.SECTION,
        XLSX: ChunkLevel.ROW,
        CSV: ChunkLevel.ROW,
        HTML: ChunkLevel.SECTION,
        ODT: ChunkLevel.SECTION,
        ODS: ChunkLevel.ROW,
        ODP: ChunkLevel.SECTION,
        EPUB: ChunkLevel.SECTION,
        XML: ChunkLevel.SECTION,
        JSON: ChunkLevel.SECTION,
        **dict.fromkeys((*IMAGE_TYPES, *AUDIO_TYPES), ChunkLevel.PARAGRAPH),
        **dict.fromkeys((RTF, DOC, PPT, ODT, ODP, EPUB, XML, JSON), ChunkLevel.SECTION),
        **dict.fromkeys((XLS, ODS), ChunkLevel.ROW),
        **dict.fromkeys((*IMAGE_TYPES, *AUDIO_TYPES, *CONTAINER_TYPES), ChunkLevel.PARAGRAPH),
    }


def test_detection_looks_at_the_head_and_tail_only():
    content = make_docx(paragraph("hola"))
    assert detect_content_type(content[:200], content[-200:], "a.docx") == DOCX
