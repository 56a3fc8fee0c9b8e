"""Messages of Outlook: their text in whatever form it was kept, and what is attached."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from reading.errors import UnreadableFile
from reading.extractors.containers.compressed_rtf import FIRST_WINDOW, decompress
from reading.file_types import EML, MSG
from reading.passages import Block, ExtractedDocument, Member
from reading.tests.confined import extract_document, read_document
from reading.tests.container_files import (
    CSV_OF_PRICES,
    TEXT,
    attached_file,
    attached_message,
    make_msg,
    message_folder,
    properties,
)
from reasons import Reason

BODY, HTML, RTF, CONTENT_ID = 0x1000, 0x1013, 0x1009, 0x3712
# [MS-OXRTFCP] 4.1.1
COMPRESSED = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c0900206277"
    "05b06c647d0a800fa0"
)


def read(content: bytes, tmp_path: Path, content_type: str = MSG) -> ExtractedDocument:
    path = tmp_path / "stored"
    path.write_bytes(content)
    return read_document(path, content_type=content_type, title="mail.msg")


def body(content: bytes, tmp_path: Path, content_type: str = MSG) -> list[str]:
    """Without subject and headers."""
    return [block.text for block in read(content, tmp_path, content_type).blocks][2:]


def refusal(content: bytes, tmp_path: Path) -> Reason:
    path = tmp_path / "stored"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile) as caught:
        extract_document(path, content_type=MSG, title="mail.msg")
    return caught.value.reason


def uncompressed(rtf: bytes) -> bytes:
    return struct.pack("<III", len(rtf) + 12, len(rtf), 0x414C454D) + bytes(4) + rtf


def test_a_message_says_its_subject_who_wrote_to_whom(tmp_path: Path):
    assert read(make_msg(), tmp_path).blocks == (
        Block("Offer 2041", "message header", section_title="Offer 2041", is_heading=True),
        Block(
            "From: Ana Ruiz <ana@example.com>\nTo: Luis Gil <luis@example.com>",
            "message header",
            section_title="Offer 2041",
        ),
        Block(TEXT, section_title="Offer 2041"),
    )


def test_html_is_read_where_there_is_no_other_text(tmp_path: Path):
    content = make_msg({BODY: ""}, binaries={HTML: b"<p>Precio: 899 \xe2\x82\xac</p>"})
    assert body(content, tmp_path) == ["Precio: 899 €"]


def test_rtf_is_read_where_there_is_nothing_else(tmp_path: Path):
    rtf = rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}Precio: 899 \'80\par Espa\u241?a}"
    content = make_msg({BODY: ""}, binaries={RTF: uncompressed(rtf)})
    assert body(content, tmp_path) == ["Precio: 899 €", "España"]


def test_rtf_that_was_html_is_read_as_html(tmp_path: Path):
    """[MS-OXRTFEX]: what is between htmlrtf and htmlrtf0 is for programs that know no HTML."""
    rtf = (
        rb"{\rtf1\ansi\ansicpg1252\fromhtml1 {\*\htmltag64 <table><tr><th>}Model"
        rb"{\*\htmltag72 </th><th>}Price{\*\htmltag72 </th></tr><tr><td>}\htmlrtf\par\htmlrtf0 "
        rb"Xaloc{\*\htmltag72 </td><td>}899{\*\htmltag72 </td></tr></table>}}"
    )
    content = make_msg({BODY: ""}, binaries={RTF: uncompressed(rtf)})
    assert body(content, tmp_path) == ["Model: Xaloc; Price: 899"]


def test_letters_of_html_in_rtf_are_those_of_their_font(tmp_path: Path):
    """Tags are written in the code page of the file, text in that of its font."""
    rtf = (
        rb"{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0\fcharset0 Arial;}"
        rb"{\f1\fcharset204 Arial;}{\f2\fcharset2 Symbol;}}"
        rb"{\*\htmltag64 <p>}\htmlrtf {\f1 \htmlrtf0 \'d6\'e5\'ed\'e0: 899\htmlrtf }\htmlrtf0 "
        rb"{\*\htmltag72 </p>}\htmlrtf \f2 \htmlrtf0 {\*\htmltag64 <p title='ni\'f1o'>}"
        rb"\f0 \u-10179?\u-8704? ol\u233\'e9{\*\htmltag72 </p>}}"
    )
    content = make_msg({BODY: ""}, binaries={RTF: uncompressed(rtf)})
    assert body(content, tmp_path) == ["Цена: 899", "\U0001f600 olé"]


@pytest.mark.parametrize("opening", [rb"{\rtf1\ansi ", rb"{\rtf1\ansi\fromhtml1 "])
def test_rtf_whose_end_is_missing_is_told(opening: bytes, tmp_path: Path):
    content = make_msg({BODY: ""}, binaries={RTF: uncompressed(opening + b"{Price: 899")})
    assert read(content, tmp_path).warnings == (Reason("end_of_file_lost"),)
    assert body(content, tmp_path) == ["Price: 899"]


def test_what_is_attached_comes_out_with_its_name(tmp_path: Path):
    files = [attached_file("Precios año.csv", CSV_OF_PRICES), attached_file("b.bin", b"x" * 9000)]
    assert read(make_msg(attachments=files), tmp_path).members == (
        Member("Precios año.csv", CSV_OF_PRICES),
        Member("b.bin", b"x" * 9000),
    )


def test_a_logo_in_the_signature_is_passed_over(tmp_path: Path):
    logo = properties({0x3707: "image001.png", CONTENT_ID: "a@b"}, {0x3701: bytes(9000)})
    assert read(make_msg(attachments=[logo]), tmp_path).members == ()


def test_an_attachment_that_is_elsewhere_is_told(tmp_path: Path):
    link = properties({0x3707: "Plan.docx"}, numbers={0x3705: 7})
    [member] = read(make_msg(attachments=[link]), tmp_path).members
    assert member == Member("Plan.docx", refusal=Reason("attachment_is_link"))


def test_a_message_in_a_message_is_a_file_of_its_own(tmp_path: Path):
    inner = message_folder(
        {0x0037: "Plan de año", BODY: "Inner"},
        attachments=[attached_file("Precios año.csv", CSV_OF_PRICES)],
        header_bytes=24,
    )
    [member] = read(make_msg(attachments=[attached_message(inner)]), tmp_path).members
    assert member.name == "Plan de año.eml"
    document = read(member.content, tmp_path, EML)
    assert [document.blocks[0].text, document.blocks[2].text] == ["Plan de año", "Inner"]
    assert document.members == (Member("Precios año.csv", CSV_OF_PRICES),)


@pytest.mark.parametrize("opening", [rb"{\rtf1\ansi ", rb"{\rtf1\ansi\fromhtml1 "])
def test_a_message_in_a_message_may_have_its_text_as_rtf(opening: bytes, tmp_path: Path):
    rtf = opening + rb"Espa\u241?a\par Price: 899}"
    inner = message_folder({BODY: ""}, binaries={RTF: uncompressed(rtf)}, header_bytes=24)
    [member] = read(make_msg(attachments=[attached_message(inner)]), tmp_path).members
    assert " ".join(body(member.content, tmp_path, EML)) == "España Price: 899"


def test_messages_within_each_other_are_written_out_up_to_a_limit(tmp_path: Path):
    inner = message_folder(header_bytes=24)
    for _ in range(8):
        inner = message_folder(attachments=[attached_message(inner)], header_bytes=24)
    [member] = read(make_msg(attachments=[attached_message(inner)]), tmp_path).members
    assert member.refusal == Reason("message_nested_too_deep")


def test_a_message_that_is_cut_off_is_damaged(tmp_path: Path):
    content = make_msg({BODY: TEXT * 2000})
    for size in (100, 600, len(content) // 2):
        assert str(refusal(content[:size], tmp_path)).startswith(
            "This file is damaged or incomplete"
        )


def test_a_chain_of_sectors_in_a_circle_ends(tmp_path: Path):
    content = bytearray(make_msg({BODY: TEXT * 2000}))
    (fat,) = struct.unpack_from("<I", content, 76)
    struct.pack_into("<I", content, (fat + 1) * 512 + 4, 0)  # sector 1 leads to sector 0
    assert read(bytes(content), tmp_path).blocks


def test_a_folder_in_itself_ends(tmp_path: Path):
    content = bytearray(make_msg(attachments=[attached_file("a.txt", b"Text")]))
    (directory,) = struct.unpack_from("<I", content, 48)
    struct.pack_into("<I", content, (directory + 1) * 512 + 128 + 72, 1)  # its neighbour is itself
    assert read(bytes(content), tmp_path).warnings == (Reason("message_parts_lost"),)


def test_tables_larger_than_the_file_are_not_read(tmp_path: Path):
    content = bytearray(make_msg())
    struct.pack_into("<I", content, 72, 0x7FFFFFFF)
    assert str(refusal(bytes(content), tmp_path)).startswith("This file is damaged or incomplete")


# --- RTF as Outlook compresses it -----------------------------------------------------------------


def test_compressed_rtf_is_what_the_specification_says():
    """[MS-OXRTFCP] 4.1.1.3."""
    assert decompress(COMPRESSED) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"


def test_what_copies_itself_is_repeated():
    """[MS-OXRTFCP] 4.1.2: a copy may reach into what it has just written."""
    data = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")
    assert decompress(data) == b"{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}"


def test_compressed_rtf_that_says_it_is_too_long_is_not_begun():
    with pytest.raises(UnreadableFile):
        decompress(struct.pack("<IIII", 20, 0xFFFFFFF0, 0x75465A4C, 0) + b"\xff" * 100)


@pytest.mark.parametrize("junk", [b"\xff" * 5000, b"\x00", b"\xff\xff\xff", b""])
def test_compressed_rtf_of_junk_ends(junk: bytes):
    data = struct.pack("<IIII", 20, 1_000_000, 0x75465A4C, 0) + junk
    assert len(decompress(data)) <= 1_000_000
    assert len(FIRST_WINDOW) == 207


@pytest.mark.parametrize("opening", [rb"{\rtf1\ansi ", rb"{\rtf1\ansi\fromhtml1 "])
def test_groups_without_end_end(opening: bytes, tmp_path: Path):
    rtf = opening + b"Price: 899" + b"{" * 100_000
    assert body(make_msg({BODY: ""}, binaries={RTF: uncompressed(rtf)}), tmp_path) == ["Price: 899"]
