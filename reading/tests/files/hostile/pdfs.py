"""PDF files, written by hand where no library would write such a thing."""

import io
import zlib

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from reading.tests.files.hostile.file import FAILED, MEGABYTE, SYNCED, UNSUPPORTED, HostileFile

FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
TEXT = b"BT /F1 12 Tf 72 700 Td (Los pedidos se entregan en dos dias.) Tj ET"
PASSWORD = "secreto"
RESOURCES = "/Resources << /Font << /F1 3 0 R >> /XObject << /X1 5 0 R >> >>"


def pdf(objects: list[bytes]) -> bytes:
    """Objects 1, 2, … with their table; the first is the catalogue."""
    body = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, table)
    body += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, start)
    return bytes(body)


def stream(data: bytes, entries: str = "") -> bytes:
    return f"<< /Length {len(data)} {entries} >>\nstream\n".encode() + data + b"\nendstream"


def one_page(
    content: bytes, *, box: str = "0 0 595 842", count: int = 1, picture: bytes = b"null"
) -> bytes:
    """`content`: the page's stream object; `picture`: what /X1 is."""
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            f"<< /Type /Pages /Kids [4 0 R] /Count {count} >>".encode(),
            FONT.encode(),
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{box}] {RESOURCES}"
            " /Contents 6 0 R >>".encode(),
            picture,
            content,
        ]
    )


def of_100_000_pages() -> bytes:
    count, first = 100_000, 5
    kids = b" ".join(b"%d 0 R" % number for number in range(first, first + count))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
    page += b" /Resources << /Font << /F1 3 0 R >> >> >>"
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count %d /Kids [%b] >>" % (count, kids),
            FONT.encode(),
            stream(TEXT),
            *[page] * count,
        ]
    )


def with_pages_in_a_circle() -> bytes:
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 4 /Parent 2 0 R >>",
        ]
    )


def with_a_stream_of_a_gigabyte() -> bytes:
    """Spaces: no text at all, but all of them are unpacked."""
    return one_page(stream(deflated(b" " * MEGABYTE, 1024), "/Filter /FlateDecode"))


def with_a_stream_of_many_texts() -> bytes:
    """100 MB of text operators from 100 KB."""
    block = TEXT + b"\n"
    block *= MEGABYTE // len(block)
    return one_page(stream(deflated(block, 100), "/Filter /FlateDecode"))


def with_a_picture_of_a_gigabyte() -> bytes:
    """32,768 × 32,768 grey pixels of 1 MB: a scan to look at."""
    picture = stream(
        deflated(bytes(MEGABYTE), 1024),
        "/Type /XObject /Subtype /Image /Width 32768 /Height 32768 /ColorSpace /DeviceGray"
        " /BitsPerComponent 8 /Filter /FlateDecode",
    )
    return one_page(stream(b"q 595 0 0 842 0 0 cm /X1 Do Q"), picture=picture)


def with_a_huge_page_to_recognise() -> bytes:
    picture = stream(
        bytes(64),
        "/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray"
        " /BitsPerComponent 8",
    )
    return one_page(
        stream(b"q 1000000 0 0 1000000 0 0 cm /X1 Do Q"), box="0 0 1000000 1000000", picture=picture
    )


def with_forms_in_forms() -> bytes:
    """Each of ten forms draws the next ten times: ten thousand million texts."""
    depth, first = 10, 5
    forms = []
    for level in range(depth):
        is_last = level == depth - 1
        content = TEXT if is_last else b"/X1 Do " * 10
        entries = (
            "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >>"
            + ("" if is_last else f" /XObject << /X1 {first + level + 2} 0 R >>")
            + " >>"
        )
        forms.append(stream(content, entries))
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            FONT.encode(),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
            b" /Resources << /XObject << /X1 6 0 R >> >> >>",
            stream(b"/X1 Do " * 10),
            *forms,
        ]
    )


def with_many_pages_and_no_list() -> bytes:
    """A million pages that nothing lists: their list is made anew."""
    return b"%PDF-1.7\n" + b"".join(
        b"%d 0 obj<</Type/Page>>endobj\n" % number for number in range(10**6)
    )


def with_objects_that_never_end() -> bytes:
    return b"%PDF-1.7\n" + b"1 0 obj " * (30 * MEGABYTE // 8)


def with_many_comments() -> bytes:
    """100,000 on one page, and all are the same megabyte."""
    notes = b"<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents 6 0 R >> " * 100_000
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            FONT.encode(),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Annots [%b]"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % notes,
            stream(TEXT),
            b"(%b)" % (b"Nota larga " * 90_000),
        ]
    )


def with_the_same_word_everywhere() -> bytes:
    """200,000 times at one place: each might be a shadow of the others."""
    word = b"BT /F1 12 Tf 72 700 Td " + b"(aa) Tj 0 0 Td " * 200_000 + b"ET"
    return one_page(stream(word))


def honest(pages: int = 3, password: str = "") -> bytes:
    buffer = io.BytesIO()
    encryption = StandardEncryption(password, ownerPassword="o") if password else None
    canvas = Canvas(buffer, encrypt=encryption)
    for number in range(pages):
        canvas.drawString(72, 700, f"Capítulo {number}: los pedidos se entregan en dos días.")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def deflated(block: bytes, times: int) -> bytes:
    packer = zlib.compressobj(1)
    return b"".join(packer.compress(block) for _ in range(times)) + packer.flush()


FILES = (
    HostileFile("PDF, 100,000 pages", "paginas.pdf", of_100_000_pages),
    HostileFile(
        "PDF, one page that says it is 2 thousand million",
        "cuenta.pdf",
        lambda: one_page(stream(TEXT), count=2**31 - 1),
        (FAILED, SYNCED),
    ),
    HostileFile("PDF, pages in a circle", "circulo.pdf", with_pages_in_a_circle),
    HostileFile(
        "PDF, text on a page of 10^6 × 10^6 points",
        "enorme.pdf",
        lambda: one_page(stream(TEXT), box="0 0 1000000 1000000"),
        (FAILED, SYNCED),
    ),
    HostileFile("PDF, scan of 10^6 × 10^6 points", "escaneo.pdf", with_a_huge_page_to_recognise),
    HostileFile("PDF, stream of 1 GB", "giga.pdf", with_a_stream_of_a_gigabyte),
    HostileFile(
        "PDF, stream of 1.4 million texts",
        "textos.pdf",
        with_a_stream_of_many_texts,
        (FAILED, SYNCED),
    ),
    HostileFile("PDF, picture of 1 GB", "foto.pdf", with_a_picture_of_a_gigabyte),
    HostileFile("PDF, forms in forms, 10^10 texts", "formas.pdf", with_forms_in_forms),
    HostileFile("PDF, truncated", "cortado.pdf", lambda: honest(40)[:9000], (FAILED, SYNCED)),
    HostileFile("PDF, a million pages without a list", "hojas.pdf", with_many_pages_and_no_list),
    HostileFile("PDF, objects that never end", "objetos.pdf", with_objects_that_never_end),
    HostileFile("PDF, 100,000 comments of 1 MB", "notas.pdf", with_many_comments, (FAILED, SYNCED)),
    HostileFile(
        "PDF, one word 200,000 times at one place",
        "sombras.pdf",
        with_the_same_word_everywhere,
        (FAILED, SYNCED),
    ),
    HostileFile("PDF, encrypted", "clave.pdf", lambda: honest(password=PASSWORD)),
    HostileFile("PDF, 0 bytes", "nada.pdf", bytes),
    HostileFile("PDF without text", "blanco.pdf", lambda: one_page(stream(b""))),
    HostileFile("PDF named DOCX", "carta.docx", honest, (UNSUPPORTED,)),
)
