"""Presentations of before 2007: files/deck.ppt was made by LibreOffice, the others here."""

import struct
from pathlib import Path

import pytest

from reading.errors import UnreadableFile
from reading.extractors.legacy.ppt_records import SLIDES_MAX
from reading.file_types import PPT
from reading.passages import Block, ExtractedDocument
from reading.tests.confined import extract_document
from reading.tests.old_office_files import (
    FILES,
    container,
    make_ole,
    make_ppt,
    record,
    text,
    text_box,
)
from reasons import Reason

DECK = FILES / "deck.ppt"
TITLE, BODY, OTHER = 0, 1, 4
PLAIN_TOKEN, ENCRYPTED_TOKEN = 0xE391C05F, 0xF3D1C4DF
PROTECTED = Reason("file_protected", kind="presentation")


def read(content: bytes, tmp_path: Path) -> ExtractedDocument:
    path = tmp_path / "stored"
    path.write_bytes(content)
    return extract_document(path, content_type=PPT, title="Charla")


def texts(content: bytes, tmp_path: Path) -> list[tuple[str, str]]:
    return [(block.location, block.text) for block in read(content, tmp_path).blocks]


def failure(content: bytes, tmp_path: Path) -> Reason:
    with pytest.raises(UnreadableFile) as caught:
        read(content, tmp_path)
    return caught.value.reason


def outline_reference(index: int) -> bytes:
    return record(0x0F9E, struct.pack("<I", index))


def anchored(content: str, *, top: int, left: int) -> bytes:
    anchor = record(0xF010, struct.pack("<4h", top, left, left + 10, top + 10))
    return container(0xF004, anchor, container(0xF00D, text(content, OTHER)))


def test_slides_have_their_titles_texts_notes_and_tables(tmp_path: Path):
    document = read(DECK.read_bytes(), tmp_path)
    assert document.blocks == (
        Block("Reservas", "slide 1", "Reservas", is_heading=True),
        Block("Se deja la bici la víspera.", "slide 1", "Reservas"),
        Block("Se recoge en 15 días.", "slide 1", "Reservas"),
        Block("Ofrecer también el bono.", "slide 1", "Reservas"),
        Block("Prices 漢字", "slide 2", "Prices 漢字", is_heading=True),
        Block("Package: Basic; Price: 39 EUR; Takes: 1 h", "slide 2", "Prices 漢字"),
        Block("Package: Full; Price: 79 EUR; Takes: 3 h", "slide 2", "Prices 漢字"),
    )
    assert document.coverage.pages == 3


def test_hidden_slides_are_left_out_and_named(tmp_path: Path):
    assert read(DECK.read_bytes(), tmp_path).warnings == (
        Reason("hidden_slides_left_out", names="3"),
    )


def test_text_of_the_outline_stands_where_a_shape_refers_to_it(tmp_path: Path):
    outline = text("Portes", TITLE) + text("Van gratis.\rDesde\v50 €.", BODY)
    shapes = text_box(text("Suelto.", OTHER)) + text_box(outline_reference(1))
    assert texts(make_ppt([(outline, shapes)]), tmp_path) == [
        ("slide 1", "Portes"),
        ("slide 1", "Suelto."),
        ("slide 1", "Van gratis."),
        ("slide 1", "Desde\n50 €."),
    ]


def test_text_of_the_outline_that_no_shape_refers_to_is_read(tmp_path: Path):
    outline = text("Portes", TITLE) + text("Van gratis.", BODY)
    assert texts(make_ppt([(outline, b"")]), tmp_path) == [
        ("slide 1", "Portes"),
        ("slide 1", "Van gratis."),
    ]


def test_shapes_are_read_from_top_to_bottom_and_left_to_right(tmp_path: Path):
    shapes = (
        anchored("third", top=900, left=10)
        + anchored("second", top=210, left=500)
        + anchored("first", top=220, left=10)
    )
    assert [line for _, line in texts(make_ppt([(b"", shapes)]), tmp_path)] == [
        "first",
        "second",
        "third",
    ]


def framed(content: str, *, top: int, left: int, right: int) -> bytes:
    anchor = record(0xF010, struct.pack("<4h", top, left, right, top + 100))
    return container(0xF004, anchor, container(0xF00D, text(content, OTHER)))


def member(content: str, left: int, top: int) -> bytes:
    """A box of a group, in the group's own units."""
    anchor = record(0xF00F, struct.pack("<4i", left, top, left + 400, top + 50))
    return container(0xF004, anchor, container(0xF00D, text(content, OTHER)))


def sections(shapes: bytes, tmp_path: Path) -> list[tuple[str, str]]:
    blocks = read(make_ppt([(text("Planes", TITLE), shapes)]), tmp_path).blocks
    return [(block.section_title, block.text) for block in blocks if not block.is_heading]


COLUMNS = [
    ("Planes > Gaviota", "Cuesta 9 euros"),
    ("Planes > Gaviota", "Un barco"),
    ("Planes > Charrán", "Cuesta 20 euros"),
    ("Planes > Charrán", "Tres barcos"),
]


def test_boxes_under_a_heading_are_read_with_it(tmp_path: Path):
    shapes = (
        framed("Cuesta 20 euros\rTres barcos", top=900, left=2000, right=3800)
        + framed("Charrán", top=500, left=2000, right=3800)
        + framed("Cuesta 9 euros\rUn barco", top=900, left=100, right=1900)
        + framed("Gaviota", top=500, left=100, right=1900)
    )
    assert sections(shapes, tmp_path) == COLUMNS


def test_groups_have_units_of_their_own(tmp_path: Path):
    """The group's left half is 400 of its own units wide, and stands on the left of the slide."""
    anchor = record(0xF010, struct.pack("<4h", 500, 100, 3800, 1300))
    units = record(0xF009, struct.pack("<4i", 0, 0, 900, 200))
    boxes = (
        member("Cuesta 20 euros\rTres barcos", 500, 100),
        member("Charrán", 500, 0),
        member("Cuesta 9 euros\rUn barco", 0, 100),
        member("Gaviota", 0, 0),
    )
    group = container(0xF003, container(0xF004, units, anchor), *boxes)
    last = framed("IVA incluido.", top=2000, left=100, right=3800)
    assert sections(container(0xF003, container(0xF004), last, group), tmp_path) == [
        *COLUMNS,
        ("Planes", "IVA incluido."),
    ]


def test_slide_that_is_gone_costs_only_itself(tmp_path: Path):
    content = make_ppt([(text("Uno", TITLE), b""), (b"", text_box(text("Dos", OTHER)))])
    slide = container(0x03EE, record(0x03EF, bytes(24)))[:4]
    assert content.count(slide) == 2
    damaged = read(content.replace(slide, b"\0\0\xff\xff", 1), tmp_path)
    assert [block.text for block in damaged.blocks] == ["Uno", "Dos"]
    assert damaged.warnings == (
        Reason("parts_of_damaged_file", places=Reason("places_slide", numbers="1")),
    )


def test_document_is_found_without_the_way_to_it(tmp_path: Path):
    content = make_ppt([(b"", text_box(text("Hola.", OTHER)))])
    way = content.index(struct.pack("<II", 20, PLAIN_TOKEN)) + 8
    lost = content[:way] + b"\xff\xff\xff\x7f" + content[way + 4 :]
    assert texts(lost, tmp_path) == [("slide 1", "Hola.")]


def test_groups_in_each_other_end(tmp_path: Path):
    shapes = text_box(text("hondo", OTHER))
    for _ in range(3000):
        shapes = container(0xF003, shapes)
    content = make_ppt([(text("Título", TITLE), shapes)])
    assert texts(content, tmp_path)[0] == ("slide 1", "Título")


def test_list_of_slides_without_end_is_refused(tmp_path: Path):
    content = make_ppt([(b"", b"")])
    entry = record(0x03F3, struct.pack("<5I", 2, 0, 0, 256, 0))
    stream = container(0x03E8, container(0x0FF0, entry * (SLIDES_MAX + 1)))
    assert entry in content
    assert str(failure(make_ole({"PowerPoint Document": stream}), tmp_path)).startswith(
        "This file contains too much text."
    )


@pytest.mark.parametrize(
    "content",
    [
        make_ppt([(b"", b"")], token=ENCRYPTED_TOKEN),
        make_ole({"EncryptedPackage": b""}),
        make_ole({"EncryptedSummary": b"", "PowerPoint Document": b""}),
    ],
)
def test_protected_presentation_is_named_as_such(content: bytes, tmp_path: Path):
    assert failure(content, tmp_path) == PROTECTED


def test_presentation_of_before_1997_says_what_to_do(tmp_path: Path):
    told = Reason("presentation_too_old")
    assert failure(make_ole({"PP40": b""}), tmp_path) == told
    old = make_ole({"PersistentStorage Directory": b"", "PowerPoint Document": b""})
    assert failure(old, tmp_path) == told


def test_truncated_presentation_is_damaged(tmp_path: Path):
    assert str(failure(DECK.read_bytes()[:400], tmp_path)).startswith("This file is damaged")


def string(content: str, instance: int) -> bytes:
    return record(0x0FBA, content.encode("utf-16-le"), instance=instance)


def test_comments_are_read(tmp_path: Path):
    comment = container(0x2EE0, string("Ana", 0), string("¿Y en año bisiesto?", 1))
    tags = container(0x1388, container(0x138A, string("___PPT10", 0), record(0x138B, comment)))
    deck = make_ppt([(b"", text_box(text("Hola.", OTHER)))], beside=tags)
    assert texts(deck, tmp_path) == [("slide 1", "Hola."), ("slide 1", "Ana: ¿Y en año bisiesto?")]


def test_footers_that_are_shown_are_read_once(tmp_path: Path):
    def footer(flags: int) -> bytes:
        return container(
            0x0FD9, record(0x0FDA, struct.pack("<HH", 0, flags)), string("Xaloc SL", 2)
        )

    slides = [(b"", text_box(text(line, OTHER))) for line in ("Uno", "Dos")]
    assert texts(make_ppt(slides, beside=footer(0x20)), tmp_path) == [
        ("slide 1", "Uno"),
        ("slide 1", "Xaloc SL"),
        ("slide 2", "Dos"),
    ]
    assert len(texts(make_ppt(slides, beside=footer(0)), tmp_path)) == 2


def test_embedded_objects_are_told(tmp_path: Path):
    deck = make_ppt([(b"", text_box(text("Hola.", OTHER)))], objects=container(0x0FCC))
    assert read(deck, tmp_path).warnings == (Reason("embedded_objects_left_out", count=1),)
