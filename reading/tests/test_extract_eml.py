"""Messages: their text, their headers, and what is attached to them."""

from __future__ import annotations

import base64
from email.mime.application import MIMEApplication
from email.mime.image import MIMEImage
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.parser import BytesParser
from pathlib import Path

import pytest

from reading.errors import UnreadableFile
from reading.file_types import EML, MBOX
from reading.passages import Block, ExtractedDocument, Member
from reading.tests.confined import extract_document, read_document
from reading.tests.container_files import CSV_OF_PRICES, TEXT, make_eml
from reasons import Reason

HEADERS = b"From: ana@example.com\r\nSubject: Offer\r\nMIME-Version: 1.0\r\n"


def read(content: bytes, tmp_path: Path, content_type: str = EML) -> ExtractedDocument:
    path = tmp_path / "stored"
    path.write_bytes(content)
    return read_document(path, content_type=content_type, title="mail.eml")


def texts(document: ExtractedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def body(content: bytes, tmp_path: Path) -> list[str]:
    """Without subject and headers."""
    return texts(read(content, tmp_path))[2:]


def refusal(content: bytes, tmp_path: Path) -> Reason:
    path = tmp_path / "stored"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile) as caught:
        extract_document(path, content_type=EML, title="mail.eml")
    return caught.value.reason


def message(*parts: tuple[bytes, bytes], kind: bytes = b"mixed") -> bytes:
    """`parts`: headers and content of each."""
    inside = b"".join(b"--b\r\n%s\r\n\r\n%s\r\n" % part for part in parts)
    return HEADERS + b'Content-Type: multipart/%s; boundary="b"\r\n\r\n' % kind + inside + b"--b--"


@pytest.mark.parametrize("encoding", ["idna", "punycode", "undefined", "zlib", "utf-8\0"])
def test_an_encoding_that_decodes_nothing_costs_a_name_alone(tmp_path: Path, encoding: str):
    name = f"filename*={encoding}''a%FF.txt".encode()
    text = f"Content-Type: text/plain; charset*={encoding}''a%FF".encode()
    attached = b"Content-Type: text/plain\r\nContent-Disposition: attachment; " + name
    number = attached.replace(name, b"filename*" + b"1" * 5000 + b"*=a")

    document = read(message((text, b"Hello."), (attached, b"A"), (number, b"B")), tmp_path)

    assert texts(document)[-1] == "Hello."
    assert [member.content for member in document.members] == [b"A", b"B"]


def test_a_message_says_its_subject_who_wrote_to_whom_and_when(tmp_path: Path):
    assert read(make_eml(), tmp_path).blocks == (
        Block("Offer 2041", "message header", section_title="Offer 2041", is_heading=True),
        Block(
            "From: Ana Ruiz <ana@example.com>\nTo: Luis Gil <luis@example.com>\n"
            "Date: Mon, 23 Nov 2026 09:00:00 +0100",
            "message header",
            section_title="Offer 2041",
        ),
        Block(TEXT, section_title="Offer 2041"),
    )


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        (b"=?utf-8?B?w5FhbmTDug==?=", "Ñandú"),
        (b"=?iso-8859-1?Q?Oferta_n=FAmero?= =?iso-8859-1?Q?_2?=", "Oferta número 2"),
        ("Ñandú".encode(), "Ñandú"),
        ("Ñandú".encode("cp1252"), "Ñandú"),
        (b"=?unknown?Q?a=F1o?=", "año"),
        (b"=?utf-8?B?=A=?=", "=?utf-8?B?=A=?="),
        (b"folded\r\n over lines", "folded over lines"),
    ],
)
def test_headers_are_read_whatever_they_are_written_in(tmp_path: Path, header: bytes, shown: str):
    content = b"From: ana@example.com\r\nSubject: " + header + b"\r\n\r\nText\r\n"
    assert texts(read(content, tmp_path))[0] == shown


@pytest.mark.parametrize(
    ("encoding", "charset"),
    [
        ("utf-8", "utf-8"),
        ("cp1252", "iso-8859-1"),
        ("cp1251", "windows-1251"),
        ("utf-8", "x-unknown"),
        ("utf-8", ""),
    ],
)
def test_the_text_is_read_in_its_encoding(tmp_path: Path, encoding: str, charset: str):
    text = "Цена: 899" if encoding == "cp1251" else "Precio en España: 899 €"
    kind = f"Content-Type: text/plain{f'; charset={charset}' if charset else ''}\r\n\r\n"
    content = HEADERS + kind.encode() + text.encode(encoding)
    assert body(content, tmp_path) == [text]


@pytest.mark.parametrize("junk", [b"base32", b"quoted-printable", b"base64", b"7bit; x"])
def test_a_text_that_is_not_encoded_as_it_says_is_still_read(tmp_path: Path, junk: bytes):
    content = HEADERS + b"Content-Transfer-Encoding: " + junk + b"\r\n\r\nOpen=ZZ every day!\r\n"
    assert body(content, tmp_path)


def test_the_plain_version_of_a_text_is_read_where_it_is_whole(tmp_path: Path):
    assert body(make_eml(html=f"<p>{TEXT}</p>"), tmp_path) == [TEXT]


def test_of_html_all_is_read_that_its_reader_sees(tmp_path: Path):
    html = (
        "<head><title>Template 7</title></head><div style='display:none'>Look, an offer for you,"
        " which ends on Friday!</div><header>Offer for Ana</header><main><p>A night costs 899 €."
        "</p></main><aside>Breakfast until 11.</aside><div class=footer>Cancel until 48 hours"
        " before.</div>"
    )
    document = read(make_eml("", html=html), tmp_path)
    assert texts(document)[2:] == [
        "Offer for Ana",
        "A night costs 899 €.",
        "Breakfast until 11.",
        "Cancel until 48 hours before.",
    ]
    assert document.warnings == ()


def test_the_version_with_the_text_is_read_where_the_plain_one_only_points_to_it(tmp_path: Path):
    table = "<table><tr><th>Model</th><th>Price</th></tr><tr><td>Xaloc</td><td>899</td></tr>"
    html = f"<p>These are the prices of the new season, for all our shops.</p>{table}</table>"
    assert body(make_eml("See this in a browser.", html=html), tmp_path) == [
        "These are the prices of the new season, for all our shops.",
        "Model: Xaloc; Price: 899",
    ]


def test_what_is_quoted_is_kept(tmp_path: Path):
    text = "Yes, 899 euros.\n\nAna wrote:\n> What does the Xaloc cost?"
    assert body(make_eml(text), tmp_path) == [
        "Yes, 899 euros.",
        "Ana wrote:",
        "What does the Xaloc cost?",
    ]


def test_several_texts_follow_each_other(tmp_path: Path):
    content = message((b"Content-Type: text/plain", b"One"), (b"Content-Type: text/plain", b"Two"))
    assert body(content, tmp_path) == ["One", "Two"]


def test_what_is_attached_comes_out_with_its_name(tmp_path: Path):
    attached = {"Precios año.csv": CSV_OF_PRICES, "notes.txt": b"Notes"}
    assert read(make_eml(attached=attached), tmp_path).members == (
        Member("Precios año.csv", CSV_OF_PRICES),
        Member("notes.txt", b"Notes"),
    )


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b'Content-Disposition: attachment; filename="=?utf-8?Q?a=C3=B1o.txt?="', "año.txt"),
        (b"Content-Disposition: attachment; filename*=utf-8''a%C3%B1o.txt", "año.txt"),
        (
            b"Content-Disposition: attachment; filename*0*=utf-8''a%C3%B1;\r\n filename*1=o.txt",
            "año.txt",
        ),
        (b'Content-Type: text/plain; name="year.txt"', "year.txt"),
        (b'Content-Disposition: attachment; filename="../../etc/passwd"', "etc/passwd"),
        (b"Content-Type: application/pdf", "Part 3.pdf"),
    ],
)
def test_names_of_attachments_are_read_as_programs_write_them(
    tmp_path: Path, header: bytes, name: str
):
    content = message((b"Content-Type: text/plain", b"Text"), (header, b"Content"))
    assert read(content, tmp_path).members == (Member(name, b"Content"),)


def test_a_logo_in_the_signature_is_passed_over_and_a_picture_that_was_sent_is_not(tmp_path: Path):
    mail = BytesParser().parsebytes(make_eml())
    for content_id, name, size in (("1", "logo.png", 9_000), ("2", "plan.png", 300_000)):
        picture = MIMEImage(bytes(size), "png", name=name)
        picture["Content-ID"] = f"<{content_id}>"
        mail.attach(picture)
    assert [member.name for member in read(mail.as_bytes(), tmp_path).members] == ["plan.png"]


def test_a_forwarded_message_is_a_file_of_its_own(tmp_path: Path):
    mail = BytesParser().parsebytes(make_eml())
    forwarded = make_eml("Inner", subject="Plan: A/B", attached={"a.csv": b"a;b"})
    mail.attach(MIMEMessage(BytesParser().parsebytes(forwarded)))
    [member] = read(mail.as_bytes(), tmp_path).members
    assert member.name == "Plan: A/B.eml"
    assert body(member.content, tmp_path) == ["Inner"]


def test_proofs_of_who_wrote_it_are_passed_over(tmp_path: Path):
    mail = MIMEMultipart("signed")
    mail["From"], mail["Subject"] = "ana@example.com", "Offer"
    mail.attach(MIMEText(TEXT))
    mail.attach(MIMEApplication(b"-----BEGIN PGP", "pgp-signature"))
    document = read(mail.as_bytes(), tmp_path)
    assert (texts(document)[2:], document.members) == ([TEXT], ())


def test_an_encrypted_message_says_what_to_do(tmp_path: Path):
    content = HEADERS + b"Content-Type: application/pkcs7-mime; name=smime.p7m\r\n\r\nMIIB"
    assert str(refusal(content, tmp_path)).startswith("This message is encrypted or sealed")


def test_what_begins_with_no_header_is_no_message(tmp_path: Path):
    assert str(refusal(b"Open every day.\n", tmp_path)).startswith("This is not an e-mail")


def test_the_end_that_is_missing_is_told(tmp_path: Path):
    content = message((b"Content-Type: text/plain", b"One")).removesuffix(b"--b--")
    document = read(content, tmp_path)
    assert texts(document)[2:] == ["One"]
    assert document.warnings == (Reason("message_cut_off"),)


def test_parts_without_end_are_read_up_to_a_limit_and_told(tmp_path: Path):
    content = message(*[(b"Content-Type: application/x", b"x")] * 12_000)
    document = read(content, tmp_path)
    assert len(document.members) == 500
    assert document.warnings == (
        Reason("message_too_complex", depth=50, parts=10000),
        Reason("files_beyond_limit", count=9499, limit=500),
    )


def nested(depth: int) -> bytes:
    kind = b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n'
    return HEADERS + b"".join(kind % (level, level) for level in range(depth)) + b"\r\nText"


def test_parts_within_parts_are_read_up_to_a_limit_and_told(tmp_path: Path):
    told = read(nested(80), tmp_path).warnings
    assert Reason("message_too_complex", depth=50, parts=10000) in told


def test_parts_within_parts_without_end_are_refused(tmp_path: Path):
    assert "could not be read" in str(refusal(nested(3000), tmp_path))


def test_a_mailbox_gives_its_messages(tmp_path: Path):
    mailbox = (
        b"From ana@example.com Mon Nov 23 09:00:00 2026\nFrom: ana@example.com\nSubject: A/B\n\n"
        b"One\nFrom then on\n\n>From here\n\n"
        b"From luis@example.com Mon Nov 23 09:00:00 2026\nFrom: luis@example.com\n\nTwo\n"
    )
    first, second = read(mailbox, tmp_path, MBOX).members
    assert (first.name, second.name) == ("0001 A-B.eml", "0002 Message.eml")
    assert body(first.content, tmp_path) == ["One", "From then on", "From here"]


def test_a_text_without_a_postmark_is_no_mailbox(tmp_path: Path):
    with pytest.raises(UnreadableFile, match="damaged"):
        read(b"Open every day.", tmp_path, MBOX)


def tagged(tag: int, *contents: bytes) -> bytes:
    """An element of DER."""
    content = b"".join(contents)
    length = len(content)
    return (
        bytes([tag])
        + (bytes([length]) if length < 128 else b"\x82" + length.to_bytes(2, "big"))
        + content
    )


def opened(tag: int, *contents: bytes) -> bytes:
    """An element of BER without a length, as programs write that do not know it yet."""
    return bytes([tag, 0x80]) + b"".join(contents) + b"\0\0"


INNER = b"Content-Type: text/plain; charset=utf-8\r\n\r\nEl a\xc3\xb1o que viene.\r\n" + b"x " * 90
SIGNED, DATA = (bytes.fromhex(f"06092a864886f70d01070{number}") for number in (2, 1))
VERSION, DIGESTS, CERTIFICATES = tagged(2, b"\1"), tagged(0x31), tagged(0xA0, bytes(200))


def smime(content: bytes) -> bytes:
    return (
        HEADERS + b"Content-Type: application/pkcs7-mime; smime-type=signed-data\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(content)
    )


@pytest.mark.parametrize(
    "content",
    [
        tagged(
            0x30,
            SIGNED,
            tagged(
                0xA0,
                tagged(
                    0x30,
                    VERSION,
                    DIGESTS,
                    tagged(0x30, DATA, tagged(0xA0, tagged(4, INNER))),
                    CERTIFICATES,
                ),
            ),
        ),
        opened(
            0x30,
            SIGNED,
            opened(
                0xA0,
                opened(
                    0x30,
                    VERSION,
                    DIGESTS,
                    opened(
                        0x30,
                        DATA,
                        opened(0xA0, opened(0x24, tagged(4, INNER[:50]), tagged(4, INNER[50:]))),
                    ),
                    CERTIFICATES,
                ),
            ),
        ),
    ],
)
def test_a_message_sealed_with_a_signature_is_read(tmp_path: Path, content: bytes):
    document = read(smime(content), tmp_path)
    assert texts(document)[2].startswith("El año que viene.")
    assert document.warnings == ()


@pytest.mark.parametrize("content", [b"", b"\x30", b"\x30\x80", tagged(0x30, SIGNED), bytes(90)])
def test_what_is_not_signed_but_sealed_is_told_to_be_encrypted(tmp_path: Path, content: bytes):
    assert "encrypted" in str(refusal(smime(content), tmp_path))


PGP = b"-----BEGIN PGP MESSAGE-----\n\nhIwDxE023q1UqxYBBACp70e7KP\n-----END PGP MESSAGE-----\n"


def test_what_is_encrypted_within_a_message_is_told_and_no_text(tmp_path: Path):
    document = read(
        message(
            (b"Content-Type: text/plain", b"Before\n\n" + PGP + b"\nAfter"),
            (b"Content-Type: application/pgp-encrypted", b"Version: 1"),
            (b"Content-Type: application/octet-stream", PGP),
        ),
        tmp_path,
    )
    assert texts(document)[2:] == ["Before", "After"]
    assert document.members == ()
    assert [*document.warnings] == [Reason("message_part_encrypted")]


def test_a_page_saved_as_one_file_is_its_text(tmp_path: Path):
    """MHTML (RFC 2557): what it is laid out with is nothing to read."""
    page = message(
        (
            b"Content-Type: text/html; charset=utf-8\r\nContent-Location: http://a.example/",
            "<html><head><title>Tarifas</title></head><body><h1>Tarifas del año</h1>"
            "<p>La habitación doble cuesta 120 € la noche.</p></body></html>".encode(),
        ),
        (b"Content-Type: text/css\r\nContent-Location: cid:a.css", b"p { color: red }"),
        (b"Content-Type: text/xml\r\nContent-Location: list.xml", b"<xml/>"),
        kind=b"related",
    )
    document = read(page, tmp_path)
    assert texts(document)[2:] == ["Tarifas del año", "La habitación doble cuesta 120 € la noche."]
    assert document.members == ()
    assert document.warnings == ()
