"""Tells the kind of a file by its first and last bytes, and says how each kind is treated.

Cheap and bounded: it runs in the web process, which never parses. Its word is only that the file
looks like its kind.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from types import MappingProxyType

from reading.errors import FileTypeRefused
from reading.passages import ChunkLevel
from reasons import Reason

# What follows the last dot of "Prices 2.5 final" or "v1.2" is no extension.
EXTENSION = re.compile(r"^\.[a-z][a-z0-9]{0,9}$|^\.7z$|^\.3gp$")
PROBE_BYTES = 64 * 1024  # how much of the head and of the tail detect_content_type wants to see


@dataclass(frozen=True)
class FileType:
    """`extractor`: a module of reading.extractors. `extensions` in lower case, the usual
    one first.
    """

    extractor: str
    level: ChunkLevel
    name: str
    extensions: tuple[str, ...]


PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
RTF = "application/rtf"
DOC = "application/msword"
XLS = "application/vnd.ms-excel"
PPT = "application/vnd.ms-powerpoint"
CSV = "text/csv"
MARKDOWN = "text/markdown"
PLAIN_TEXT = "text/plain"
HTML = "text/html"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
EPUB = "application/epub+zip"
XML = "application/xml"
JSON = "application/json"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"
WEBP = "image/webp"
BMP = "image/bmp"
WAV = "audio/wav"
MP3 = "audio/mpeg"
OGG = "audio/ogg"
M4A = "audio/mp4"
FLAC = "audio/flac"
WEBM = "audio/webm"
ZIP = "application/zip"
EML = "message/rfc822"
MSG = "application/vnd.ms-outlook"
MBOX = "application/mbox"

CONTENT_TYPES: Mapping[str, FileType] = MappingProxyType(
    {
        PDF: FileType("pdf.document", ChunkLevel.PARAGRAPH, "PDF", (".pdf",)),
        DOCX: FileType(
            "office.docx", ChunkLevel.SECTION, "DOCX", (".docx", ".docm", ".dotx", ".dotm")
        ),
        XLSX: FileType(
            "office.xlsx", ChunkLevel.ROW, "XLSX", (".xlsx", ".xlsm", ".xlsb", ".xltx", ".xltm")
        ),
        PPTX: FileType(
            "office.pptx",
            ChunkLevel.SECTION,
            "PPTX",
            (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm"),
        ),
        RTF: FileType("legacy.rtf", ChunkLevel.SECTION, "RTF", (".rtf",)),
        DOC: FileType("legacy.doc", ChunkLevel.SECTION, "DOC", (".doc", ".dot")),
        XLS: FileType("legacy.xls", ChunkLevel.ROW, "XLS", (".xls", ".xlt")),
        PPT: FileType("legacy.ppt", ChunkLevel.SECTION, "PPT", (".ppt", ".pps", ".pot")),
        CSV: FileType("text.csv_rows", ChunkLevel.ROW, "CSV", (".csv", ".tsv", ".tab", ".psv")),
        MARKDOWN: FileType("text.markdown", ChunkLevel.SECTION, "Markdown", (".md", ".markdown")),
        PLAIN_TEXT: FileType(
            "text.plain_text", ChunkLevel.PARAGRAPH, "TXT", (".txt", ".text", ".log")
        ),
        HTML: FileType("html.document", ChunkLevel.SECTION, "HTML", (".html", ".htm", ".xhtml")),
        ODT: FileType("opendocument.odt", ChunkLevel.SECTION, "ODT", (".odt", ".ott", ".fodt")),
        ODS: FileType("opendocument.ods", ChunkLevel.ROW, "ODS", (".ods", ".ots", ".fods")),
        ODP: FileType("opendocument.odp", ChunkLevel.SECTION, "ODP", (".odp", ".otp", ".fodp")),
        EPUB: FileType("books.epub", ChunkLevel.SECTION, "EPUB", (".epub",)),
        XML: FileType(
            "data.xml_file", ChunkLevel.SECTION, "XML", (".xml", ".rss", ".atom", ".dita", ".dbk")
        ),
        JSON: FileType(
            "data.json_records",
            ChunkLevel.SECTION,
            "JSON",
            (".json", ".jsonl", ".ndjson", ".geojson", ".ipynb"),
        ),
        PNG: FileType("images.image", ChunkLevel.PARAGRAPH, "PNG", (".png",)),
        JPEG: FileType(
            "images.image", ChunkLevel.PARAGRAPH, "JPEG", (".jpg", ".jpeg", ".jpe", ".jfif")
        ),
        TIFF: FileType("images.image", ChunkLevel.PARAGRAPH, "TIFF", (".tif", ".tiff")),
        WEBP: FileType("images.image", ChunkLevel.PARAGRAPH, "WebP", (".webp",)),
        BMP: FileType("images.image", ChunkLevel.PARAGRAPH, "BMP", (".bmp", ".dib")),
        WAV: FileType("audio.recording", ChunkLevel.PARAGRAPH, "WAV", (".wav",)),
        MP3: FileType("audio.recording", ChunkLevel.PARAGRAPH, "MP3", (".mp3",)),
        OGG: FileType("audio.recording", ChunkLevel.PARAGRAPH, "OGG", (".ogg", ".oga", ".opus")),
        M4A: FileType("audio.recording", ChunkLevel.PARAGRAPH, "M4A", (".m4a",)),
        FLAC: FileType("audio.recording", ChunkLevel.PARAGRAPH, "FLAC", (".flac",)),
        WEBM: FileType("audio.recording", ChunkLevel.PARAGRAPH, "WebM", (".webm",)),
        ZIP: FileType("containers.zip_archive", ChunkLevel.PARAGRAPH, "ZIP", (".zip",)),
        EML: FileType("containers.eml", ChunkLevel.PARAGRAPH, "EML", (".eml", ".mht", ".mhtml")),
        MSG: FileType("containers.msg", ChunkLevel.PARAGRAPH, "MSG", (".msg",)),
        MBOX: FileType("containers.mailbox", ChunkLevel.PARAGRAPH, "MBOX", (".mbox",)),
    }
)
IMAGE_TYPES = (PNG, JPEG, TIFF, WEBP, BMP)
AUDIO_TYPES = (WAV, MP3, OGG, M4A, FLAC, WEBM)
CONTAINER_TYPES = (ZIP, EML, MSG, MBOX)  # of which each file in it is a document
BY_EXTENSION = {ext: kind for kind, entry in CONTENT_TYPES.items() for ext in entry.extensions}
TEXT_TYPES = (CSV, MARKDOWN, PLAIN_TEXT, HTML, EML, MBOX)
OPEN_DOCUMENT_TYPES = (ODT, ODS, ODP)
OFFICE_TYPES = (DOCX, XLSX, PPTX)
OLD_OFFICE_TYPES = (DOC, XLS, PPT)
SUPPORTED = ", ".join(entry.name for entry in CONTENT_TYPES.values())

# The folder in which an office file usually keeps its document
OFFICE_FOLDERS = {b"word/": DOCX, b"xl/": XLSX, b"ppt/": PPTX}
# What is in office files and in hardly another archive (ECMA-376 part 2, 10.1.2): a ZIP of
# documents may have a folder named "word"
PACKAGE_MARKS = (
    b"[content_types].xml",
    b"_rels/.rels",
    b"word/document.xml",
    b"xl/workbook.xml",
    b"ppt/presentation.xml",
)
# The type of the document itself, wherever it lies
MAIN_TYPE = re.compile(
    rb"(?:(wordprocessingml|ms-word)|(spreadsheetml|ms-excel)|(?:presentationml|ms-powerpoint))"
    rb"\.[\w.]{1,60}\bmain\b"
)
CONTENT_LIST = b"[Content_Types].xml"
CONTENT_LIST_MAX_BYTES = 256 * 1024
# APPNOTE 6.3.10, 4.3.7, 4.3.12 and 4.3.16
ZIP_MAGIC = b"PK\x03\x04"
ZIP_ENTRY = b"PK\x01\x02"
ZIP_END = b"PK\x05\x06"
ZIP_NAME_AT = 30  # of a member, from its own magic on
EMPTY_ZIP_MAGIC = ZIP_END  # its directory alone
OLE_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
OUTLOOK_PROPERTIES = "__properties_version1.0".encode("utf-16-le")
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
PDF_MAGIC = b"%PDF-"
PDF_MAGIC_WITHIN = 1024  # readers accept a few bytes of another program before it
# The stream that holds the document in an OLE file, as its directory spells it.
OLE_STREAMS = {
    "WordDocument".encode("utf-16-le"): DOC,
    "Workbook".encode("utf-16-le"): XLS,
    "Book\0".encode("utf-16-le"): XLS,
    "PowerPoint Document".encode("utf-16-le"): PPT,
}
# What programs save and export under an old name; it is read as what it is.
DISGUISED = {
    DOC: (RTF, DOCX, HTML, XML, EML, PLAIN_TEXT),
    XLS: (XLSX, HTML, XML, CSV),
    PPT: (PPTX,),
    RTF: (DOC, DOCX),
}
RTF_MAGIC = b"{\\rtf"
# BOF of Excel 2 to 4, whose files are no OLE ([MS-XLS] 2.4.21)
FLAT_XLS_MAGICS = (b"\x09\0\x04\0", b"\x09\x02\x06\0", b"\x09\x04\x06\0")

# (offset, bytes) pairs that stand in the head of a file of each kind. Short ones are believed only
# where the rest is no text ("BM too is a village").
MEDIA_MAGICS: tuple[tuple[str, tuple[tuple[int, bytes], ...]], ...] = (
    (PNG, ((0, b"\x89PNG\r\n\x1a\n"),)),
    (JPEG, ((0, b"\xff\xd8\xff"),)),
    (TIFF, ((0, b"II*\x00"),)),
    (TIFF, ((0, b"MM\x00*"),)),
    (TIFF, ((0, b"II+\x00"),)),
    (TIFF, ((0, b"MM\x00+"),)),
    (WEBP, ((0, b"RIFF"), (8, b"WEBP"))),
    (BMP, ((0, b"BM"),)),
    (WAV, ((0, b"RIFF"), (8, b"WAVE"))),
    (WAV, ((0, b"RF64"), (8, b"WAVE"))),
    (OGG, ((0, b"OggS"),)),
    (FLAC, ((0, b"fLaC"),)),
    (MP3, ((0, b"ID3"),)),
    (MP3, ((0, b"\xff\xfb"),)),
    (MP3, ((0, b"\xff\xfa"),)),
    (MP3, ((0, b"\xff\xf3"),)),
    (MP3, ((0, b"\xff\xf2"),)),
    (M4A, ((4, b"ftyp"),)),
    (WEBM, ((0, b"\x1aE\xdf\xa3"),)),
)

# Kinds that would else be taken for text, or deserve a plain word.
OTHER_MAGICS = (
    (b"GIF8", "file_is_other_image"),
    (b"%!PS", "file_is_postscript"),
    (b"\x1f\x8b", "file_is_compressed"),
    (b"7z\xbc\xaf\x27\x1c", "file_is_compressed"),
    (b"Rar!", "file_is_compressed"),
    (b"\x7fELF", "file_is_program"),
    (b"MZ", "file_is_program"),
)
HTML_OPENINGS = (b"<!doctype html", b"<html")
# Of what programs export as .xls or .doc: a page without its frame
FRAGMENT_OPENINGS = (b"<table", b"<head", b"<meta", b"<style", b"<body", b"<div", b"<p>", b"<h1")
XML_OPENING = b"<?xml"
JSON_OPENINGS = tuple(opening.encode() for opening in '{["-0123456789tfn')
FLAT_WITHIN = 16 * 1024  # where the root of a flat OpenDocument file says what it is
# An OpenDocument file and a book begin with a member of this name that holds their type, stored as
# it is. Some programs forget it, and are known by what else is in the archive.
TYPE_MEMBER = b"mimetype"
MANIFESTS = {b"META-INF/manifest.xml": OPEN_DOCUMENT_TYPES, b"META-INF/container.xml": (EPUB,)}
# A page saved with its pictures, in a file that is built as a message
SAVED_PAGE = re.compile(rb"MIME-Version:.{0,500}?multipart/related", re.IGNORECASE | re.DOTALL)
HTML_WITHIN_XML = 1024  # XHTML: where its root stands, after the declaration and comments
TEXT_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
TEXT_CONTROLS = frozenset(b"\t\n\r\f\x0b\x08\x1a\x1b")  # may stand in a text
CONTROL_MAX_SHARE = 0.01


def detect_content_type(head: bytes, tail: bytes, filename: str) -> str:
    """A key of CONTENT_TYPES.

    Args:
        head: the first PROBE_BYTES of the file, or all of it.
        tail: the last PROBE_BYTES.
        filename: the client's; only its extension is looked at.

    Raises:
        FileTypeRefused: a kind that we do not read, or an extension that contradicts the
            content.
    """
    extension = extension_of(filename)
    content_type = told_by_content(head, tail, extension)
    check_extension(content_type, extension)
    return content_type


def extension_of(filename: str) -> str:
    """Lower case with its dot, "" when there is none; a path in the name is ignored."""
    name = PureWindowsPath(PurePosixPath(filename.replace("\0", "")).name).name
    suffix = PurePosixPath(name).suffix.lower()
    return suffix if EXTENSION.match(suffix) else ""


def told_by_content(head: bytes, tail: bytes, extension: str) -> str:
    if not head and extension in BY_EXTENSION:
        return BY_EXTENSION[extension]  # nothing contradicts its name; extraction says: it is empty
    if is_pdf(head, extension):
        return PDF
    if head.startswith(ZIP_MAGIC):
        return declared_type(head, tail, extension) or office_type(head, tail)
    if head.startswith(EMPTY_ZIP_MAGIC):
        return ZIP
    if head.startswith(OLE_MAGIC):
        return ole_type(head, tail, extension)
    if head.lstrip().startswith(RTF_MAGIC):
        return RTF
    if head.startswith(FLAT_XLS_MAGICS) and BY_EXTENSION.get(extension) == XLS:
        return XLS
    if media := media_type(head):
        return media
    refuse_other_kinds(head)
    if kind := xml_type(head, extension):
        return kind
    if looks_like_html(head) or is_disguised_html(head, extension):
        return HTML
    return text_type(head, extension)


def is_pdf(head: bytes, extension: str) -> bool:
    """A text may speak of "%PDF-": only a file that calls itself one may have bytes before it."""
    within = PDF_MAGIC_WITHIN if extension in CONTENT_TYPES[PDF].extensions else len(PDF_MAGIC)
    return PDF_MAGIC in head.lstrip()[:within]


def declared_type(head: bytes, tail: bytes, extension: str) -> str:
    """A key of CONTENT_TYPES for an OpenDocument file or a book, "" for another archive."""
    name_end = ZIP_NAME_AT + len(TYPE_MEMBER)
    if head[ZIP_NAME_AT:name_end] == TYPE_MEMBER:
        start = name_end + int.from_bytes(head[28:30], "little")
        for kind in (*OPEN_DOCUMENT_TYPES, EPUB):
            if head.startswith(kind.encode(), start):  # also "…text-template"
                return kind
    content_type = BY_EXTENSION.get(extension, "")
    is_told = any(
        content_type in kinds and name in head + tail for name, kinds in MANIFESTS.items()
    )
    return content_type if is_told else ""


def office_type(head: bytes, tail: bytes) -> str:
    """The type by the names in the archive's directory, and if they leave a doubt, by its list of
    content types; any other archive is a ZIP of files. The directories of files that are embedded
    in it do not count."""
    directory, is_whole = zip_directory(tail)
    written = (
        names_after(directory, ZIP_ENTRY, lengths_at=28, name_at=46)
        if directory
        else names_after(head, ZIP_MAGIC, lengths_at=26, name_at=ZIP_NAME_AT)
    )
    names = {name.replace(b"\\", b"/").lstrip(b"/").lower() for name in written}
    kinds = {
        kind
        for folder, kind in OFFICE_FOLDERS.items()
        if any(name.startswith(folder) for name in names)
    }
    if len(kinds) != 1 and (declared := declared_office_type(head)):
        return declared
    if len(kinds) == 1 and (not is_whole or not names.isdisjoint(PACKAGE_MARKS)):
        return kinds.pop()
    return ZIP


def zip_directory(tail: bytes) -> tuple[bytes, bool]:
    """(what is in reach of the directory at the end of an archive, whether that is all of it)."""
    end = tail.rfind(ZIP_END)
    if end < 0:
        return b"", False
    size = int.from_bytes(tail[end + 12 : end + 16], "little")
    return tail[max(end - size, 0) : end], size <= end


def names_after(data: bytes, magic: bytes, *, lengths_at: int, name_at: int) -> Iterator[bytes]:
    """The names of the records that begin with `magic`."""
    start = data.find(magic)
    while start >= 0:
        length = int.from_bytes(data[start + lengths_at : start + lengths_at + 2], "little")
        yield data[start + name_at : start + name_at + length]
        start = data.find(magic, start + name_at + length)


def declared_office_type(head: bytes) -> str:
    """The type by the list of content types, which most programs write first; "" if it is out of
    reach or says nothing."""
    found = MAIN_TYPE.search(unpacked_content_list(head))
    if found is None:
        return ""
    return {1: DOCX, 2: XLSX}.get(found.lastindex or 0, PPTX)


def unpacked_content_list(head: bytes) -> bytes:
    start = head.find(CONTENT_LIST) - ZIP_NAME_AT
    if start < 0 or not head.startswith(ZIP_MAGIC, start):
        return b""
    method, extra_bytes = (
        int.from_bytes(head[start + at : start + at + 2], "little") for at in (8, 28)
    )
    packed = head[start + ZIP_NAME_AT + len(CONTENT_LIST) + extra_bytes :]
    if method == 0:
        return packed[:CONTENT_LIST_MAX_BYTES]
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, CONTENT_LIST_MAX_BYTES)
    except zlib.error:
        return b""


def ole_type(head: bytes, tail: bytes, extension: str) -> str:
    """Office before 2007, a message of Outlook, or a protected DOCX, XLSX or PPTX: extraction says
    that it is that.

    The directory may lie out of reach, and name the documents that are embedded too: the extension
    is believed unless what is in reach contradicts it.
    """
    seen = head + tail
    declared = BY_EXTENSION.get(extension, "")
    found = [OLE_STREAMS[name] for name in sorted(OLE_STREAMS, key=seen.find) if name in seen]
    if declared in (*OFFICE_TYPES, *OLD_OFFICE_TYPES) and (
        declared in found or not found or ENCRYPTED_PACKAGE in seen
    ):
        return declared
    if declared == MSG or (not found and OUTLOOK_PROPERTIES in seen):
        return MSG
    if not found:
        raise FileTypeRefused(Reason("file_type_unknown", names=SUPPORTED))
    return found[0]


def media_type(head: bytes) -> str:
    """A key of CONTENT_TYPES for pictures and sound, "" for other content."""
    for content_type, marks in MEDIA_MAGICS:
        if all(head[at : at + len(mark)] == mark for at, mark in marks):
            return "" if looks_like_text(head) else content_type
    return ""


def refuse_contradiction(extension: str, extensions: tuple[str, ...], name: str) -> None:
    if extension and extension not in extensions:
        raise FileTypeRefused(Reason("file_ending_contradicts", ending=extension[:20], kind=name))


def refuse_other_kinds(head: bytes) -> None:
    for magic, code in OTHER_MAGICS:
        if head.startswith(magic) and not (len(magic) == 2 and looks_like_text(head)):
            raise FileTypeRefused(Reason(code, names=SUPPORTED))
    if not looks_like_text(head):
        raise FileTypeRefused(Reason("file_type_unknown", names=SUPPORTED))


def xml_type(head: bytes, extension: str) -> str:
    """XML, or the kind of a flat OpenDocument file; "" for what is neither."""
    if extension in CONTENT_TYPES[XML].extensions:
        return XML if text_opening(head).startswith(b"<") else ""
    if not markup_opening(head).startswith(XML_OPENING) or looks_like_html(head):
        return ""
    if extension in CONTENT_TYPES[PLAIN_TEXT].extensions:
        return ""  # somebody wants it read as it is written
    start = head[:FLAT_WITHIN]
    flat = (kind for kind in OPEN_DOCUMENT_TYPES if f'office:mimetype="{kind}'.encode() in start)
    return next(flat, XML)


def text_opening(head: bytes) -> bytes:
    """The text without a byte order mark, and without the zeros of UTF-16."""
    for mark in TEXT_BOMS:
        head = head.removeprefix(mark)
    return head.replace(b"\0", b"").lstrip()


def looks_like_html(head: bytes) -> bool:
    opening = markup_opening(head)
    if opening.startswith(XML_OPENING):
        return any(mark in opening for mark in HTML_OPENINGS)
    return opening.startswith(HTML_OPENINGS)


def is_disguised_html(head: bytes, extension: str) -> bool:
    disguises = DISGUISED.get(BY_EXTENSION.get(extension, ""), ())
    return HTML in disguises and markup_opening(head).startswith(FRAGMENT_OPENINGS)


def markup_opening(head: bytes) -> bytes:
    return head.removeprefix(TEXT_BOMS[0]).lstrip()[:HTML_WITHIN_XML].lower()


def looks_like_text(head: bytes) -> bool:
    if head.startswith(TEXT_BOMS):
        return True
    if b"\0" in head:
        return is_utf16(head)
    controls = sum(byte < 32 and byte not in TEXT_CONTROLS for byte in head)
    return controls <= CONTROL_MAX_SHARE * len(head)


def is_utf16(head: bytes) -> bool:
    """Latin text in UTF-16 without its mark: a zero in every other byte, hardly any between."""
    half = len(head) // 2
    even, odd = head[0::2].count(0), head[1::2].count(0)
    return max(even, odd) > 0.7 * half and min(even, odd) < 0.05 * half


def text_type(head: bytes, extension: str) -> str:
    """Texts are told from each other by their extension alone; without one, it is plain text."""
    if not extension:
        return PLAIN_TEXT
    content_type = BY_EXTENSION.get(extension, "")
    if content_type in TEXT_TYPES:
        return content_type
    if EML in DISGUISED.get(content_type, ()) and SAVED_PAGE.match(text_opening(head)):
        return EML
    if disguised := [kind for kind in DISGUISED.get(content_type, ()) if kind in TEXT_TYPES]:
        return disguised[-1]
    if content_type == JSON and text_opening(head).startswith(JSON_OPENINGS):
        return JSON
    if content_type:
        name = CONTENT_TYPES[content_type].name
        raise FileTypeRefused(Reason("file_name_contradicts", name=name, kind=name))
    raise FileTypeRefused(Reason("file_ending_unsupported", ending=extension[:20], names=SUPPORTED))


def check_extension(content_type: str, extension: str) -> None:
    expected = CONTENT_TYPES[content_type]
    if content_type in DISGUISED.get(BY_EXTENSION.get(extension, ""), ()):
        return
    refuse_contradiction(extension, tuple(expected.extensions), expected.name)
