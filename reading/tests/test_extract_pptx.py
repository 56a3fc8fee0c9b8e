"""Presentations: slide by slide, with tables, groups and the speaker's notes."""

import io
import zipfile

import pytest
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.presentation import Presentation as PresentationType
from pptx.util import Cm

from reading.errors import UnreadableFile
from reading.extractors.interface import Extraction
from reading.extractors.office.package import OLE_MAGIC
from reading.extractors.office.pptx import extract
from reading.passages import Block
from reading.tests.office_files import read_member, replace_member, strict
from reasons import Reason

TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 1, 5, 6


@pytest.fixture
def deck() -> PresentationType:
    return Presentation()


def saved(deck: PresentationType) -> bytes:
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def read(deck: PresentationType) -> Extraction:
    return extract(saved(deck))


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
    assert extraction.warnings == [Reason("hidden_slides_left_out", names="2")]


def test_slides_are_read_in_the_order_in_which_they_are_shown(deck):
    for text in ("uno", "dos"):
        add_box(add_slide(deck, BLANK), text)
    order = deck.slides._sldIdLst
    order.append(order[0])
    assert texts(deck) == ["dos", "uno"]


def test_protected_presentation_is_named_as_such():
    with pytest.raises(UnreadableFile, match="This presentation is protected with a password"):
        extract(OLE_MAGIC + bytes(100))


# --- Charts, pictures, comments -------------------------------------------------------------------


def add_chart(slide, kind: XL_CHART_TYPE = XL_CHART_TYPE.COLUMN_CLUSTERED):
    data = CategoryChartData(number_format='0.0 "€"')
    data.categories = ["España", "Francia"]
    data.add_series("2023", (12.5, 7))
    data.add_series("2024", (15, None))
    chart = slide.shapes.add_chart(kind, Cm(1), Cm(5), Cm(9), Cm(9), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Ventas"
    return chart


@pytest.mark.parametrize("kind", [XL_CHART_TYPE.COLUMN_CLUSTERED, XL_CHART_TYPE.LINE])
def test_chart_is_read_by_category(deck, kind):
    chart = add_chart(add_slide(deck, TITLE_ONLY, "Resultados"), kind)
    chart.category_axis.axis_title.text_frame.text = "País"
    chart.value_axis.axis_title.text_frame.text = "Millones"
    assert list(read(deck).blocks)[1:] == [
        Block(text, "slide 1", "Resultados")
        for text in (
            "Ventas",
            "Millones",
            "País: España; 2023: 12.5 €; 2024: 15 €",
            "País: Francia; 2023: 7 €",
        )
    ]


def test_chart_that_is_damaged_costs_no_more_than_itself(deck):
    slide = add_slide(deck, TITLE_ONLY, "Resultados")
    add_chart(slide)
    add_box(slide, "Antes y después.", top=20)
    data = saved(deck)
    part = next(name for name in names_of(data) if name.startswith("ppt/charts/chart"))
    extraction = extract(replace_member(data, part, "no XML"))
    assert [block.text for block in extraction.blocks] == ["Resultados", "Antes y después."]
    assert extraction.warnings == [
        Reason("parts_graphic_read_in_part", places=Reason("places_slide", numbers="1"))
    ]


def names_of(data: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.namelist()


def test_what_a_picture_shows_is_read_where_somebody_has_written_it(deck):
    slide = add_slide(deck, BLANK)
    picture = io.BytesIO()
    Image.new("RGB", (2, 2)).save(picture, "PNG")
    shape = slide.shapes.add_picture(picture, Cm(1), Cm(1))
    shape._element.nvPicPr.cNvPr.set("descr", "Plano de la tienda con la salida al patio")
    assert texts(deck) == ["Plano de la tienda con la salida al patio"]


def related_to_slide(data: bytes, kind: str, target: str, part: str, content: str) -> bytes:
    """The presentation with one more part that its first slide leads to."""
    relations = "ppt/slides/_rels/slide1.xml.rels"
    entry = f'<Relationship Id="rId99" Type="{kind}" Target="{target}"/></Relationships>'
    changed = read_member(data, relations).replace("</Relationships>", entry)
    return replace_member(replace_member(data, relations, changed), part, content)


def test_comments_follow_the_slide_with_their_authors(deck):
    add_box(add_slide(deck, BLANK), "Hola.")
    comments = '<p:cmLst xmlns:p="p"><p:cm authorId="0"><p:text>¿Seguro?</p:text></p:cm></p:cmLst>'
    data = related_to_slide(
        saved(deck), "x/comments", "../comments/comment1.xml", "ppt/comments/comment1.xml", comments
    )
    authors = '<p:cmAuthorLst xmlns:p="p"><p:cmAuthor id="0" name="Ana"/></p:cmAuthorLst>'
    data = replace_member(data, "ppt/commentAuthors.xml", authors)
    assert [block.text for block in extract(data).blocks] == ["Hola.", "Ana: ¿Seguro?"]


def test_threads_of_comments_are_read_with_their_replies(deck):
    add_box(add_slide(deck, BLANK), "Hola.")
    body = "<p188:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></p188:txBody>"
    thread = (
        '<p188:cmLst xmlns:p188="p" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        '<p188:cm authorId="{A}"><p188:replyLst>'
        f'<p188:reply authorId="{{B}}">{body.format("Sí.")}</p188:reply></p188:replyLst>'
        f"{body.format('¿Seguro?')}</p188:cm></p188:cmLst>"
    )
    data = related_to_slide(
        saved(deck), "x/comments", "../comments/m1.xml", "ppt/comments/m1.xml", thread
    )
    assert [block.text for block in extract(data).blocks] == ["Hola.", "¿Seguro?", "Sí."]


def test_text_of_the_master_is_read_once(deck):
    for title in ("Uno", "Dos"):
        add_box(add_slide(deck, BLANK), title)
    box = deck.slides[0].shapes.add_textbox(Cm(1), Cm(1), Cm(4), Cm(1))
    box.text_frame.text = "Tienda Xaloc"
    deck.slide_master.shapes._spTree.append(box._element)
    assert texts(deck) == ["Uno", "Tienda Xaloc", "Dos"]


# --- Parts that fail ------------------------------------------------------------------------------


def test_slide_that_is_damaged_or_missing_costs_no_more_than_itself(deck):
    for text in ("uno", "dos", "tres", "cuatro"):
        add_box(add_slide(deck, BLANK), text)
    data = replace_member(saved(deck), "ppt/slides/slide2.xml", "no XML")
    data = replace_member(data, "ppt/slides/slide3.xml", None)
    whole = read_member(data, "ppt/slides/slide4.xml")
    cut = whole[: whole.index("</a:t>")]
    extraction = extract(replace_member(data, "ppt/slides/slide4.xml", cut))
    assert [(block.location, block.text) for block in extraction.blocks] == [
        ("slide 1", "uno"),
        ("slide 4", "cuatro"),
    ]
    assert extraction.warnings == [
        Reason("parts_not_read", places=Reason("places_slide", numbers="2–3")),
        Reason("parts_read_in_part", places=Reason("places_slide", numbers="4")),
    ]
    assert extraction.pages == 4


def test_slides_are_found_when_the_list_of_slides_is_lost(deck):
    for text in ("uno", "dos"):
        add_box(add_slide(deck, BLANK), text)
    data = replace_member(saved(deck), "ppt/_rels/presentation.xml.rels", None)
    assert [block.text for block in extract(data).blocks] == ["uno", "dos"]


def test_strict_presentation_is_read(deck):
    slide = add_slide(deck, TITLE_AND_CONTENT, "Reservas")
    slide.placeholders[1].text = "Se recoge en 15 días."
    found = extract(strict(saved(deck))).blocks
    assert [block.text for block in found] == ["Reservas", "Se recoge en 15 días."]


def test_presentation_without_a_slide_that_can_be_read_is_damaged(deck):
    add_box(add_slide(deck, BLANK), "uno")
    extraction = extract(replace_member(saved(deck), "ppt/slides/slide1.xml", "no XML"))
    with pytest.raises(UnreadableFile, match="damaged or incomplete"):
        list(extraction.blocks)
