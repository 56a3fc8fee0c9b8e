"""ZIP archives and the office files that are some: bombs, loops, liars."""

import io
import struct
import zipfile
from collections.abc import Iterable
from itertools import repeat

from reading.tests.files.hostile.file import FAILED, MEGABYTE, SYNCED, UNSUPPORTED, HostileFile
from reading.tests.office_files import make_docx, make_package, paragraph, relationships, word_root

GIGABYTE = 1024 * MEGABYTE
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
DOCX_OPENING, DOCX_CLOSING = word_root("document", "<w:body>|</w:body>").encode().split(b"|")
SHEET_OPENING = f'<worksheet xmlns="{SHEET}"><sheetData>'.encode()
SHEET_CLOSING = b"</sheetData></worksheet>"
OLE_HEAD = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)

# --- Parts ----------------------------------------------------------------------------------------


def package(main: str, members: Iterable[tuple[str, Iterable[bytes]]]) -> bytes:
    """As make_package, with members too large to be held at once."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("_rels/.rels", relationships([("officeDocument", main)]))
        for name, parts in members:
            with archive.open(name, "w", force_zip64=False) as member:
                for part in parts:
                    member.write(part)
    return buffer.getvalue()


def docx_of(*body: Iterable[bytes]) -> bytes:
    parts = [part for each in body for part in each]
    return package(
        "word/document.xml", [("word/document.xml", [DOCX_OPENING, *parts, DOCX_CLOSING])]
    )


def workbook(sheet: Iterable[bytes], **parts: bytes) -> bytes:
    """One sheet; `parts`: sharedStrings, styles."""
    main = (
        f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'
        '<sheet name="Datos" sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    related = [("worksheet", "worksheets/sheet1.xml"), *((name, f"{name}.xml") for name in parts)]
    return package(
        "xl/workbook.xml",
        [
            ("xl/workbook.xml", [main.encode()]),
            ("xl/_rels/workbook.xml.rels", [relationships(related).encode()]),
            *((f"xl/{name}.xml", [content]) for name, content in parts.items()),
            ("xl/worksheets/sheet1.xml", [SHEET_OPENING, *sheet, SHEET_CLOSING]),
        ],
    )


def presentation(slides: int, entries: int) -> bytes:
    """`entries` of the slide list lead to `slides` parts."""
    listed = "".join(
        f'<p:sldId id="{256 + number}" r:id="rId{number % slides + 1}"/>'
        for number in range(entries)
    )
    main = (
        f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{OFFICE}">'
        f"<p:sldIdLst>{listed}</p:sldIdLst></p:presentation>"
    )
    slide = (
        f'<p:sld xmlns:p="{SLIDES}" xmlns:a="{DRAWING}"><p:cSld><p:spTree><p:sp><p:txBody><a:p>'
        "<a:r><a:t>Hola</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
    )
    names = [f"slides/slide{number}.xml" for number in range(slides)]
    members = {f"ppt/{name}": slide for name in names}
    members["ppt/presentation.xml"] = main
    members["ppt/_rels/presentation.xml.rels"] = relationships([("slide", name) for name in names])
    return make_package("ppt/presentation.xml", members)


def with_small_directory(archive: bytes, unzipped_bytes: int) -> bytes:
    """The archive, with a directory that says 1,000 bytes where it was `unzipped_bytes`."""
    return archive.replace(struct.pack("<I", unzipped_bytes), struct.pack("<I", 1000))


# --- The files ------------------------------------------------------------------------------------


def docx_of_a_gigabyte() -> bytes:
    return docx_of(repeat(paragraph("a" * 4000).encode() * 256, GIGABYTE // (256 * 4100)))


def docx_of_3_million_paragraphs() -> bytes:
    return docx_of(repeat(b"<w:p><w:r><w:t>a</w:t></w:r></w:p>" * 1000, 3000))


def docx_of_one_paragraph_of_3_million_runs() -> bytes:
    runs = repeat(b"<w:r><w:t>a</w:t></w:r>" * 1000, 3000)
    return docx_of([b"<w:p>"], runs, [b"</w:p>"])


def docx_of_nested_tables() -> bytes:
    depth = 5000
    cell = b"<w:tbl><w:tr><w:tc>"
    return docx_of([cell * depth, b"<w:p/>", b"</w:tc></w:tr></w:tbl>" * depth])


def docx_with_a_footnote_told_a_million_times() -> bytes:
    note = f'<w:footnote w:id="7">{paragraph("nota " * 20_000)}</w:footnote>'
    reference = '<w:p><w:r><w:footnoteReference w:id="7"/></w:r></w:p>'
    return make_docx(reference * 1_000_000, footnotes=note)


def docx_with_entities() -> bytes:
    levels = "".join(f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' for number in range(1, 10))
    return docx_with_doctype(f'<!DOCTYPE w:document [<!ENTITY l0 "ja">{levels}]>', "&l9;")


def docx_with_external_entity() -> bytes:
    return docx_with_doctype(
        '<!DOCTYPE w:document [<!ENTITY x SYSTEM "file:///etc/passwd">]>', "&x;"
    )


def docx_with_doctype(doctype: str, text: str) -> bytes:
    document = word_root("document", f"<w:body>{paragraph(text)}</w:body>")
    return make_package("word/document.xml", {"word/document.xml": doctype + document})


def docx_with_a_lying_directory() -> bytes:
    block, count = paragraph("a" * 4000).encode() * 256, 100
    size = len(DOCX_OPENING) + len(block) * count + len(DOCX_CLOSING)
    return with_small_directory(docx_of(repeat(block, count)), size)


def docx_of_100_000_members() -> bytes:
    return make_package(
        "word/document.xml",
        {
            "word/document.xml": word_root("document", f"<w:body>{paragraph('Hola')}</w:body>"),
            **{f"word/media/{number}": b"" for number in range(100_000)},
        },
    )


def docx_of_overlapping_members() -> bytes:
    """250 entries of the directory share 100 MB of one member: 25 GB of some 100 KB."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(100 * MEGABYTE))
        (info,) = archive.filelist
        for number in range(250):
            entry = zipfile.ZipInfo(f"word/document{number}.xml")
            for name in ("header_offset", "CRC", "compress_size", "file_size", "compress_type"):
                setattr(entry, name, getattr(info, name))
            archive.filelist.append(entry)
    return buffer.getvalue()


def nested_archive(name: str) -> bytes:
    """An archive of ten archives of ten archives …, six deep: a million files of a megabyte."""
    content = bytes(MEGABYTE)
    for level in range(6):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(10):
                archive.writestr(name.format(level, number), content)
        content = buffer.getvalue()
    return content


def xlsx_of_a_gigabyte() -> bytes:
    row = b'<row r="1"><c r="A1" t="inlineStr"><is><t>' + b"a" * 4000 + b"</t></is></c></row>"
    return workbook(repeat(row * 256, GIGABYTE // (256 * len(row)) + 1))


def xlsx_with_a_lying_directory() -> bytes:
    row = b'<row><c t="inlineStr"><is><t>' + b"a" * 4000 + b"</t></is></c></row>"
    block, count = row * 256, 900
    size = len(SHEET_OPENING) + len(block) * count + len(SHEET_CLOSING)
    return with_small_directory(workbook(repeat(block, count)), size)


def xlsx_with_a_cell_far_away() -> bytes:
    return workbook(
        [
            b'<row r="1"><c r="A1"><v>1</v></c></row>',
            b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        ]
    )


def xlsx_of_a_million_rows() -> bytes:
    rows = (
        b'<row r="%d"><c r="A%d"><v>%d</v></c><c r="B%d"><v>7</v></c></row>' % (n, n, n, n)
        for n in range(1, 1_048_577)
    )
    return workbook(rows)


def xlsx_with_a_long_text_in_a_million_cells() -> bytes:
    rows = (
        b'<row r="%d"><c r="A%d" t="s"><v>0</v></c></row>' % (n, n) for n in range(1, 1_000_000)
    )
    text = f'<sst xmlns="{SHEET}"><si><t>{"largo " * 1_000_000}</t></si></sst>'
    return workbook(rows, sharedStrings=text.encode())


def xlsx_with_an_endless_number_format() -> bytes:
    code = "[$" * 2_000_000
    styles = f'<styleSheet xmlns="{SHEET}"><numFmts><numFmt numFmtId="164" formatCode="{code}"/>'
    styles += '</numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>'
    return workbook([b'<row r="1"><c r="A1" s="0"><v>1</v></c></row>'], styles=styles.encode())


def truncated(content: bytes, share: float = 0.6) -> bytes:
    return content[: int(len(content) * share)]


def honest_docx() -> bytes:
    return make_docx("".join(paragraph(f"Artículo {number}: condición.") for number in range(400)))


def honest_xlsx() -> bytes:
    return workbook(
        b'<row r="%d"><c r="A%d"><v>%d</v></c></row>' % (n, n, n) for n in range(1, 400)
    )


def encrypted_office() -> bytes:
    return OLE_HEAD + "EncryptedPackage".encode("utf-16-le") + bytes(4096)


FILES = (
    HostileFile("DOCX, 1 GB unzipped", "giga.docx", docx_of_a_gigabyte),
    HostileFile("DOCX, 3 million paragraphs", "parrafos.docx", docx_of_3_million_paragraphs),
    HostileFile(
        "DOCX, one paragraph of 3 million runs",
        "runs.docx",
        docx_of_one_paragraph_of_3_million_runs,
        (FAILED, SYNCED),
    ),
    HostileFile("DOCX, 5,000 tables in each other", "tablas.docx", docx_of_nested_tables),
    HostileFile(
        "DOCX, a long footnote told a million times",
        "notas.docx",
        docx_with_a_footnote_told_a_million_times,
    ),
    HostileFile("DOCX, entity bomb", "risas.docx", docx_with_entities),
    HostileFile("DOCX, external entity", "fuera.docx", docx_with_external_entity),
    HostileFile(
        "DOCX, 100 MB that its directory hides", "miente.docx", docx_with_a_lying_directory
    ),
    HostileFile("DOCX, 100,000 members", "miembros.docx", docx_of_100_000_members),
    HostileFile("DOCX, 25 GB of overlapping members", "solapa.docx", docx_of_overlapping_members),
    HostileFile("DOCX, truncated", "cortado.docx", lambda: truncated(honest_docx())),
    HostileFile("DOCX, encrypted", "clave.docx", encrypted_office),
    HostileFile("DOCX, 0 bytes", "nada.docx", bytes),
    HostileFile("DOCX without text", "blanco.docx", lambda: make_docx(paragraph(" \t ") * 1000)),
    HostileFile("XLSX, 1 GB unzipped", "giga.xlsx", xlsx_of_a_gigabyte),
    HostileFile(
        "XLSX, 0.9 GB that its directory hides", "miente.xlsx", xlsx_with_a_lying_directory
    ),
    HostileFile("XLSX, one cell far away", "lejos.xlsx", xlsx_with_a_cell_far_away, (SYNCED,)),
    HostileFile("XLSX, 1,048,576 rows", "filas.xlsx", xlsx_of_a_million_rows),
    HostileFile(
        "XLSX, 6 MB of text in a million cells",
        "repite.xlsx",
        xlsx_with_a_long_text_in_a_million_cells,
    ),
    HostileFile(
        "XLSX, number format of 4 MB",
        "formato.xlsx",
        xlsx_with_an_endless_number_format,
        (FAILED, SYNCED),
    ),
    HostileFile("XLSX, truncated", "cortado.xlsx", lambda: truncated(honest_xlsx())),
    HostileFile("XLSX, encrypted", "clave.xlsx", encrypted_office),
    HostileFile("XLSX, 0 bytes", "nada.xlsx", bytes),
    HostileFile("PPTX, 20,000 slides", "diapos.pptx", lambda: presentation(20_000, 20_000)),
    HostileFile(
        "PPTX, 9,000 slides", "nueve.pptx", lambda: presentation(9_000, 9_000), (FAILED, SYNCED)
    ),
    HostileFile(
        "PPTX, one slide shown a million times", "bucle.pptx", lambda: presentation(1, 1_000_000)
    ),
    HostileFile("PPTX, 0 bytes", "nada.pptx", bytes),
    HostileFile("ZIP in ZIP, six deep", "muñeca.zip", lambda: nested_archive("{}-{}.zip")),
    HostileFile(
        "ZIP in ZIP, six deep, named DOCX",
        "muñeca.docx",
        lambda: nested_archive("word/{}-{}.zip"),
        (UNSUPPORTED,),
    ),
    HostileFile("ZIP named DOCX", "archivo.docx", lambda: nested_archive("{}-{}"), (UNSUPPORTED,)),
)
