"""Presentations: slide by slide, with tables, groups and the speaker's notes."""

import io

import pytest
from pptx import Presentation
from pptx.presentation import Presentation as PresentationType
from pptx.util import Cm

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.interface import Extraction
from sources.reading.extractors.office.package import OLE_MAGIC
from sources.reading.extractors.office.pptx import extract
from sources.reading.passages import Block

TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 1, 5, 6


@pytest.fixture
def deck() -> PresentationType:
    return Presentation()


def read(deck: PresentationType) -> Extraction:
    buffer = io.BytesIO()
    deck.save(buffer)
    return extract(buffer.getvalue())


def texts(deck: PresentationType) -> list[str]:
    return [block.text for block in read(deck).blocks]


def add_slide(deck: PresentationType, layout: int, title: str = ""):
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def add_box(slide, text: str, *, left: int = 1, top: int = 1) -> None:
    slide.shapes.add_textbox(Cm(left), Cm(top), Cm(4), Cm(1)).text_frame.text = text


def test_slides_have_their_number_and_title(deck):
    slide = add_slide(deck, TITLE_AND_CONTENT, "Reservas")
    slide.placeholders[1].text = "Se deja la bici la víspera.\nSe recoge en 15 días."
    add_box(add_slide(deck, BLANK), "Sin título.")
    assert list(read(deck).blocks) == [
        Block("Reservas", "slide 1", "Reservas", is_heading=True),
        Block("Se deja la bici la víspera.", "slide 1", "Reservas"),
        Block("Se recoge en 15 días.", "slide 1", "Reservas"),
        Block("Sin título.", "slide 2", ""),
    ]


def test_table_rows_carry_their_columns_names(deck):
    slide = add_slide(deck, TITLE_ONLY, "Prices")
    grid = slide.shapes.add_table(3, 3, Cm(1), Cm(5), Cm(20), Cm(3)).table
    rows = [("Package", "Price", "Takes"), ("Basic", "39 EUR", "1 h"), ("Full", "79 EUR", "3 h")]
    for row, cells in zip(grid.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    assert texts(deck)[1:] == [
        "Package: Basic; Price: 39 EUR; Takes: 1 h",
        "Package: Full; Price: 79 EUR; Takes: 3 h",
    ]


def test_notes_of_the_speaker_belong_to_the_slide(deck):
    slide = add_slide(deck, TITLE_ONLY, "Precios")
    slide.notes_slide.notes_text_frame.text = "Ofrecer también el bono."
    assert list(read(deck).blocks)[1] == Block("Ofrecer también el bono.", "slide 1", "Precios")


def test_grouped_shapes_are_read(deck):
    slide = add_slide(deck, BLANK)
    outer = slide.shapes.add_group_shape()
    inner = outer.shapes.add_group_shape()
    inner.shapes.add_textbox(Cm(1), Cm(1), Cm(4), Cm(1)).text_frame.text = "Dentro del grupo."
    assert texts(deck) == ["Dentro del grupo."]


def test_shapes_are_read_from_top_to_bottom_and_left_to_right(deck):
    slide = add_slide(deck, BLANK)
    add_box(slide, "third", left=1, top=9)
    add_box(slide, "second", left=12, top=2)
    add_box(slide, "first", left=1, top=2)
    assert texts(deck) == ["first", "second", "third"]


def add_at_the_foot(slide, kind: str, text: str) -> None:
    add_box(slide, text)
    shape = slide.shapes[-1]._element
    namespace = "http://schemas.openxmlformats.org/presentationml/2006/main"
    shape.nvSpPr.nvPr.append(shape.makeelement(f"{{{namespace}}}ph", {"type": kind}))


def test_foot_of_the_slides_is_read_once_and_their_numbers_never(deck):
    for title in ("Uno", "Dos"):
        slide = add_slide(deck, BLANK)
        add_box(slide, title)
        for kind, text in (("sldNum", "7"), ("ftr", "Confidencial"), ("dt", "1 de mayo")):
            add_at_the_foot(slide, kind, text)
    assert texts(deck) == ["Uno", "Confidencial", "1 de mayo", "Dos"]


def test_hidden_slides_are_left_out_and_named(deck):
    for text in ("uno", "dos", "tres"):
        add_box(add_slide(deck, BLANK), text)
    deck.slides[1]._element.set("show", "0")
    extraction = read(deck)
    assert [(block.location, block.text) for block in extraction.blocks] == [
        ("slide 1", "uno"),
        ("slide 3", "tres"),
    ]
    assert extraction.warnings == ["Hidden slides were left out: 2."]


def test_slides_are_read_in_the_order_in_which_they_are_shown(deck):
    for text in ("uno", "dos"):
        add_box(add_slide(deck, BLANK), text)
    order = deck.slides._sldIdLst
    order.append(order[0])
    assert texts(deck) == ["dos", "uno"]


def test_protected_presentation_is_named_as_such():
    with pytest.raises(UnreadableFile, match="This presentation is protected with a password"):
        extract(OLE_MAGIC + bytes(100))
