"""OpenDocument files, books, XML and JSON: bombs, loops, nesting, numbers without end."""

import io
import json
import zipfile
from collections.abc import Iterable
from itertools import repeat

from reading.tests.files.hostile.file import FAILED, MEGABYTE, SYNCED, UPLOAD_MAX_BYTES, HostileFile
from reading.tests.open_documents import cell, framed, make_odf, p, root, row, table

EITHER = (FAILED, SYNCED)
SENTENCE = "Los pedidos se entregan en dos días laborables."
TYPE = "application/vnd.oasis.opendocument."
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf"/></rootfiles></container>'
)
LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 20))
BOMB = f'<!DOCTYPE x [<!ENTITY a0 "ja">{LAUGHS}]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'

# --- OpenDocument ---------------------------------------------------------------------------------


def document_of(kind: str, parts: Iterable[bytes]) -> bytes:
    """As make_odf, with a body too large to be held at once."""
    opening, closing = root(
        "document-content", f"<office:body><office:{kind}>|</office:{kind}></office:body>"
    ).split("|")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("mimetype", TYPE + kind, zipfile.ZIP_STORED)
        with archive.open("content.xml", "w", force_zip64=False) as member:
            member.write(opening.encode())
            for part in parts:
                member.write(part)
            member.write(closing.encode())
    return buffer.getvalue()


def odt_of_a_gigabyte() -> bytes:
    return document_of("text", repeat(b" " * MEGABYTE, 1100))


def odt_of_3_million_paragraphs() -> bytes:
    return document_of("text", repeat(b"<text:p>uno</text:p>" * 1000, 3000))


def odt_of_one_paragraph_of_3_million_spans() -> bytes:
    spans = repeat(b"<text:span>uno</text:span>" * 1000, 3000)
    return document_of("text", (b"<text:p>", *spans, b"</text:p>"))


def odt_of_nested_sections() -> bytes:
    return document_of("text", (b"<text:section>" * 5000, b"</text:section>" * 5000))


def odt_with_entities() -> bytes:
    content = root(
        "document-content", "<office:body><office:text>&a19;</office:text></office:body>"
    )
    return make_odf("text", "", parts={"content.xml": BOMB.replace(" x ", " y ") + content})


def odt_of_spans_without_end() -> bytes:
    many = 'table:number-columns-repeated="9999999" table:number-columns-spanned="9999999"'
    opening = '<table:table-row table:number-rows-repeated="9999999">'
    return make_odf("text", table(row("a", "b"), f"{opening}{cell('x', many)}</table:table-row>"))


def odt_with_a_chart_shown_100_000_times() -> bytes:
    shown = p(framed('<draw:object xlink:href="./Object 1"/>'))
    rows = "".join(row("Enero", str(number)) for number in range(1000))
    chart = f"<office:body><office:chart><chart:chart/>{table(rows)}</office:chart></office:body>"
    parts = {"Object 1/content.xml": root("document-content", chart)}
    return make_odf("text", shown * 100_000, parts=parts)


def ods_of_cells_repeated_without_end() -> bytes:
    cells = cell("x", 'table:number-columns-repeated="16384"')
    opening = '<table:table-row table:number-rows-repeated="1048576">'
    return make_odf("spreadsheet", table(f"{opening}{cells}</table:table-row>"))


def ods_of_a_million_rows() -> bytes:
    rows = repeat(row("uno", "dos").encode() * 1000, 1000)
    return document_of("spreadsheet", (b'<table:table table:name="A">', *rows, b"</table:table>"))


def ods_of_merged_columns() -> bytes:
    merged = cell("x", 'table:number-rows-spanned="1000000"') * 2000
    first, others = row(merged).encode(), repeat(row("uno").encode() * 1000, 40)
    return document_of(
        "spreadsheet", (b'<table:table table:name="A">', first, *others, b"</table:table>")
    )


def odp_of_a_million_slides() -> bytes:
    return document_of("presentation", repeat(b"<draw:page/>" * 1000, 1000))


# --- Books ----------------------------------------------------------------------------------------


def book_of(chapter: bytes, *, times: int = 1) -> bytes:
    spine = '<itemref idref="a"/>' * times
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.xhtml" '
        f'media-type="application/xhtml+xml"/></manifest><spine>{spine}</spine></package>'
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("book.opf", package)
        archive.writestr("a.xhtml", chapter)
    return buffer.getvalue()


def chapter_of(body: str, declaration: str = "") -> bytes:
    return f"{declaration}<html><body>{body}</body></html>".encode()


# --- XML and JSON ---------------------------------------------------------------------------------


def repeated(opening: str, piece: str, closing: str = "", *, megabytes: int = 48) -> bytes:
    data = piece.encode()
    return opening.encode() + data * (megabytes * MEGABYTE // len(data)) + closing.encode()


def wide_and_deep() -> bytes:
    """Each level has a thousand values beside the next one."""
    fields = "".join(f"<f{number}/>" for number in range(1000))
    return f"<x>{f'<a>{fields}' * 250}Uno{'</a>' * 250}</x>".encode()


def attributes_without_end() -> bytes:
    names = " ".join(f'a{number}="1"' for number in range(4_000_000))
    return f"<x><b {names}>Uno</b></x>".encode()


def of_records(size_bytes: int) -> bytes:
    record = {"name": "Xaloc", "price": 899, "address": {"city": "Reus"}, "note": SENTENCE}
    text = json.dumps(record)
    return f"[{','.join([text] * (size_bytes // (len(text) + 1) - 1))}]".encode()


FILES = (
    HostileFile("ODT, 1 GB unzipped", "giga.odt", odt_of_a_gigabyte),
    HostileFile("ODT, 3 million paragraphs", "parrafos.odt", odt_of_3_million_paragraphs),
    HostileFile(
        "ODT, one paragraph of 3 million spans",
        "tramos.odt",
        odt_of_one_paragraph_of_3_million_spans,
        EITHER,
    ),
    HostileFile("ODT, 5,000 sections in each other", "secciones.odt", odt_of_nested_sections),
    HostileFile("ODT, entity bomb", "risas.odt", odt_with_entities),
    HostileFile("ODT, spans without end", "celdas.odt", odt_of_spans_without_end, (SYNCED,)),
    HostileFile(
        "ODT, a chart shown 100,000 times",
        "bucle.odt",
        odt_with_a_chart_shown_100_000_times,
        (SYNCED,),
    ),
    HostileFile("ODT, truncated", "cortado.odt", lambda: make_odf("text", p(SENTENCE))[:-30]),
    HostileFile("ODT, 0 bytes", "nada.odt", bytes),
    HostileFile("ODT without text", "blanco.odt", lambda: make_odf("text", p(" ") * 1000)),
    HostileFile(
        "ODS, 17 thousand million cells", "celdas.ods", ods_of_cells_repeated_without_end, (SYNCED,)
    ),
    HostileFile("ODS, a million rows", "filas.ods", ods_of_a_million_rows),
    HostileFile("ODS, 2,000 columns merged over all rows", "fusion.ods", ods_of_merged_columns),
    HostileFile("ODP, a million slides", "diapos.odp", odp_of_a_million_slides),
    HostileFile(
        "EPUB, a chapter named a million times",
        "bucle.epub",
        lambda: book_of(chapter_of(SENTENCE), times=1_000_000),
        (SYNCED,),
    ),
    HostileFile(
        "EPUB, chapter of 200 MB",
        "largo.epub",
        lambda: book_of(chapter_of(f"<p>{SENTENCE}</p>" * 4_000_000)),
    ),
    HostileFile(
        "EPUB, 100,000 elements in each other",
        "hondo.epub",
        lambda: book_of(chapter_of("<div>" * 100_000 + SENTENCE)),
    ),
    HostileFile(
        "EPUB, entity bomb", "risas.epub", lambda: book_of(chapter_of("&a19;", BOMB)), EITHER
    ),
    HostileFile(
        "EPUB, external entity", "fuera.epub", lambda: book_of(chapter_of("&f;", OUTSIDE)), EITHER
    ),
    HostileFile("XML, entity bomb", "risas.xml", lambda: f"{BOMB}<x>&a19;</x>".encode()),
    HostileFile(
        "XML, entity bomb in an attribute",
        "risas.xml",
        lambda: f'{BOMB}<x><b c="&a19;">Uno</b></x>'.encode(),
        EITHER,
    ),
    HostileFile(
        "XML, entity bomb, UTF-16",
        "risas.xml",
        lambda: f'<?xml version="1.0" encoding="utf-16"?>{BOMB}<x>&a19;</x>'.encode("utf-16"),
    ),
    HostileFile("XML, external entity", "fuera.xml", lambda: f"{OUTSIDE}<x>&f;</x>".encode()),
    HostileFile("XML, 48 MB of <a/>", "etiquetas.xml", lambda: repeated("<x>", "<a/>", "</x>")),
    HostileFile(
        "XML, 48 MB of elements in each other",
        "hondo.xml",
        lambda: repeated("<x>Uno", "<a>"),
        EITHER,
    ),
    HostileFile("XML, 48 MB of attributes", "atributos.xml", attributes_without_end, EITHER),
    HostileFile("XML, wide and deep", "ancho.xml", wide_and_deep, EITHER),
    HostileFile("XML, 48 MB of <", "menor.xml", lambda: repeated("<", "<")),
    HostileFile(
        "XML, declarations without end", "dtd.xml", lambda: repeated("<!DOCTYPE x [", "<!ENTITY a ")
    ),
    HostileFile(
        "XML, a million records",
        "muchos.xml",
        lambda: repeated("<x>", "<r><a>Uno</a></r>", "</x>", megabytes=17),
    ),
    HostileFile("XML, 0 bytes", "nada.xml", bytes),
    HostileFile("JSON, 48 MB of [", "hondo.json", lambda: repeated("[", "[")),
    HostileFile("JSON, 48 MB of lists", "listas.json", lambda: repeated("[1", ",[]", "]"), EITHER),
    HostileFile(
        "JSON, 48 MB of lists in an object",
        "listas.json",
        lambda: repeated('{"a":[1', ",[]", "]}"),
        EITHER,
    ),
    HostileFile("JSON, 48 MB of numbers", "numeros.json", lambda: repeated("[1", ",1", "]")),
    HostileFile(
        "JSON, 48 MB of numbers in an object",
        "numeros.json",
        lambda: repeated('{"a":[1', ",1", "]}"),
    ),
    HostileFile(
        "JSON, a number of 48 MB", "largo.json", lambda: repeated('{"a":', "9", "}"), EITHER
    ),
    HostileFile(
        "JSON, names without end", "nombres.json", lambda: repeated('{"a":1', ',"a":1', "}"), EITHER
    ),
    HostileFile("JSON, 50 MB of records", "muchos.json", lambda: of_records(UPLOAD_MAX_BYTES)),
    HostileFile(
        "JSON, values of HTML", "html.json", lambda: repeated('["x"', ',"<b>Uno</b>"', "]"), EITHER
    ),
    HostileFile(
        "JSON, one value of 48 MB of HTML",
        "html.json",
        lambda: repeated('{"a":"', "<b>", '"}'),
        EITHER,
    ),
    HostileFile("JSON Lines, 48 MB of []", "lineas.jsonl", lambda: repeated("", "[]\n"), EITHER),
    HostileFile(
        "JSON Lines, 48 MB of damaged ones",
        "lineas.jsonl",
        lambda: repeated('{"a":1}\n{"a":2}\n', "{\n"),
        EITHER,
    ),
    HostileFile("JSON, 0 bytes", "nada.json", bytes),
)
