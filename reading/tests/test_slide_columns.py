"""Slides: boxes under a heading go with it, and what is a table in all but name is read by row.

The cases are drawn as tables of a presentation of PowerPoint and of LibreOffice alike.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
from pptx import Presentation
from pptx.util import Cm, Pt

from reading.cutting import chunk_document
from reading.extractors.office import pptx
from reading.extractors.opendocument import odp
from reading.extractors.slides import SlideBox, SlideFrame, arrange
from reading.passages import Block, ChunkLevel, ExtractedDocument
from reading.tests.open_documents import framed, make_odf, p

BOLD = (
    '<style:style style:name="B" style:family="paragraph">'
    '<style:text-properties fo:font-weight="bold"/></style:style>'
)


@dataclass(frozen=True)
class Drawn:
    """A box; places are in centimetres. `text`: its paragraphs, a line each."""

    text: str
    left: float
    top: float
    width: float = 9
    is_bold: bool = False
    size: int = 0
    group: str = ""


Slide = Sequence[Drawn]


def drawn_pptx(slide: Slide) -> list[Block]:
    deck = Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    groups = {
        name: shapes.add_group_shape().shapes for name in {each.group for each in slide} if name
    }
    for each in slide:
        where = groups.get(each.group, shapes)
        frame = where.add_textbox(Cm(each.left), Cm(each.top), Cm(each.width), Cm(1)).text_frame
        frame.text = each.text
        for run in (run for paragraph in frame.paragraphs for run in paragraph.runs):
            run.font.bold = each.is_bold or None
            run.font.size = Pt(each.size) if each.size else None
    buffer = io.BytesIO()
    deck.save(buffer)
    return list(pptx.extract(buffer.getvalue()).blocks)


def drawn_odp(slide: Slide) -> list[Block]:
    def box(each: Drawn) -> str:
        style = "B" if each.is_bold else "Standard"
        place = f'svg:x="{each.left}cm" svg:y="{each.top}cm" svg:width="{each.width}cm"'
        inside = "".join(p(line, style) for line in each.text.splitlines())
        return framed(f"<draw:text-box>{inside}</draw:text-box>", place)

    names = dict.fromkeys(each.group for each in slide)
    body = "".join(
        f"<draw:g>{boxes}</draw:g>" if name else boxes
        for name in names
        if (boxes := "".join(box(each) for each in slide if each.group == name))
    )
    made = make_odf("presentation", f"<draw:page>{body}</draw:page>", styles=BOLD)
    return list(odp.extract(made).blocks)


READERS = pytest.mark.parametrize("draw", [drawn_pptx, drawn_odp])
Draw = Callable[[Slide], list[Block]]


def shuffled(slide: Slide) -> list[Drawn]:
    """As it is stored: nobody draws the boxes in the order in which they are read."""
    return [*slide[1::2][::-1], *slide[::2]]


def said(blocks: Sequence[Block]) -> list[tuple[str, str]]:
    return [(block.section_title, block.text) for block in blocks if not block.is_heading]


def grid(*rows: Sequence[str], top: float = 4, step: float = 2) -> list[Drawn]:
    return [
        Drawn(text, 1 + 10 * column, top + step * number, 9)
        for number, row in enumerate(rows)
        for column, text in enumerate(row)
    ]


def bold(boxes: Sequence[Drawn], count: int) -> list[Drawn]:
    """The first ones in bold, as headings are."""
    return [replace(each, is_bold=index < count) for index, each in enumerate(boxes)]


# --- Columns --------------------------------------------------------------------------------------


@READERS
def test_plans_beside_each_other_are_read_one_after_the_other(draw: Draw):
    boxes = grid(
        ("Plan Gaviota", "Plan Charrán"),
        ("Cuesta 9 euros\nUn barco", "Cuesta 20 euros\nTres barcos"),
    )
    slide = [Drawn("Planes del puerto", 1, 1, 19), *boxes, Drawn("IVA incluido.", 1, 12, 19)]
    found = draw(shuffled(slide))
    assert [block.text for block in found if block.is_heading] == [
        "Planes del puerto",
        "Plan Gaviota",
        "Plan Charrán",
    ]
    assert said(found) == [
        ("Planes del puerto > Plan Gaviota", "Cuesta 9 euros"),
        ("Planes del puerto > Plan Gaviota", "Un barco"),
        ("Planes del puerto > Plan Charrán", "Cuesta 20 euros"),
        ("Planes del puerto > Plan Charrán", "Tres barcos"),
        ("Planes del puerto", "IVA incluido."),
    ]


@READERS
def test_a_plan_is_a_passage_of_its_own(draw: Draw):
    boxes = bold(grid(("Winter", "Summer"), ("Open from ten", "Open from eight")), 2)
    document = ExtractedDocument("x", tuple(draw(boxes)), ChunkLevel.SECTION)
    assert [(each.section_title, each.text) for each in chunk_document(document)] == [
        ("Winter", "Open from ten"),
        ("Summer", "Open from eight"),
    ]


@READERS
def test_columns_of_several_boxes_that_differ_in_number(draw: Draw):
    slide = [
        *bold(grid(("Basic", "Family", "Club")), 3),
        Drawn("one berth", 1, 6),
        Drawn("one key", 1, 7.5),
        Drawn("two berths", 11, 6),
        Drawn("two keys", 11, 7),
        Drawn("free towing", 11, 8),
        Drawn("a whole pier", 21, 6),
    ]
    assert said(draw(shuffled(slide))) == [
        ("Basic", "one berth"),
        ("Basic", "one key"),
        ("Family", "two berths"),
        ("Family", "two keys"),
        ("Family", "free towing"),
        ("Club", "a whole pier"),
    ]


@READERS
def test_boxes_that_say_the_same_of_different_things_are_columns_without_bold_headings(draw: Draw):
    slide = grid(
        ("Dinghy", "Yacht"),
        ("12 EUR a month", "38 EUR a month"),
        ("Up to 4 metres", "Up to 11 metres"),
    )
    assert said(draw(shuffled(slide))) == [
        ("Dinghy", "12 EUR a month"),
        ("Dinghy", "Up to 4 metres"),
        ("Yacht", "38 EUR a month"),
        ("Yacht", "Up to 11 metres"),
    ]


@READERS
def test_two_rows_of_columns(draw: Draw):
    slide = [
        *bold(grid(("Norte", "Sur"), ("Abre a las ocho", "Abre a las nueve")), 2),
        *bold(grid(("Este", "Oeste"), ("Cierra en enero", "Cierra en marzo"), top=9), 2),
    ]
    assert said(draw(shuffled(slide))) == [
        ("Norte", "Abre a las ocho"),
        ("Sur", "Abre a las nueve"),
        ("Este", "Cierra en enero"),
        ("Oeste", "Cierra en marzo"),
    ]


@READERS
def test_groups_that_begin_with_a_heading_are_read_one_after_the_other(draw: Draw):
    slide = [
        replace(each, group=f"g{index % 2}")
        for index, each in enumerate(
            grid(("Morning", "Evening"), ("Trips to Ons", "Trips to Cíes"), ("8:30", "19:00"))
        )
    ]
    assert said(draw(slide)) == [
        ("Morning", "Trips to Ons"),
        ("Morning", "8:30"),
        ("Evening", "Trips to Cíes"),
        ("Evening", "19:00"),
    ]


def test_larger_type_marks_headings():
    slide = [
        replace(each, size=24 if index < 2 else 14)
        for index, each in enumerate(grid(("Kayak", "Canoe"), ("Seats one", "Takes three people")))
    ]
    assert said(drawn_pptx(slide)) == [("Kayak", "Seats one"), ("Canoe", "Takes three people")]


# --- What is no column ----------------------------------------------------------------------------


def by_row(slide: Slide) -> list[tuple[str, str]]:
    return [("", each.text) for each in slide]


@READERS
@pytest.mark.parametrize(
    "slide",
    [
        grid(("Up to 90 EUR", "Cashier"), ("Up to 700 EUR", "Manager"), ("More", "Owner")),
        grid(("Monday", "9–14"), ("Tuesday", "10–14")),
        grid(("Size", "Price"), ("10 cm", "4 EUR"), ("20 cm", "8 EUR")),
        bold(grid(("Role", "Duty"), ("Skipper", "Steers"), ("Mate", "Cooks")), 2),
        bold(grid(("Plan", "Fee", "Boats"), ("Basic", "12 EUR", "1"), ("Club", "38 EUR", "9")), 3),
        bold(grid(("Tariff", "One", "Two"), ("Fee", "9 EUR", "12 EUR"), ("Keys", "1", "2")), 3),
        bold(
            grid(
                ("Question", "Answer"),
                ("May I bring a dog?", "Yes, if it stays on its lead all the time on board."),
                ("May I swim?", "Only when the crew says that the current allows it."),
            ),
            2,
        ),
    ],
)
def test_tables_of_boxes_are_read_by_row(draw: Draw, slide: Slide):
    assert said(draw(shuffled(slide))) == by_row(slide)


@READERS
def test_rows_with_a_label_outside_the_headings_are_read_by_row(draw: Draw):
    slide = [
        *bold(grid(("One", "Two")), 2),
        Drawn("Fee", -6, 6, 4),
        *grid(("9 EUR", "12 EUR"), top=6),
    ]
    assert said(draw(slide)) == by_row(slide)


@READERS
def test_a_grid_in_one_group_is_read_by_row(draw: Draw):
    slide = [
        replace(each, group="all") for each in grid(("Up to 90 EUR", "Cashier"), ("More", "Owner"))
    ]
    assert said(draw(slide)) == by_row(slide)


@READERS
def test_boxes_on_a_line_whose_tops_differ_a_little_stay_in_one_row(draw: Draw):
    slide = [Drawn("left", 1, 4.1), Drawn("right", 11, 3.9), Drawn("below", 1, 6)]
    assert said(draw(shuffled(slide))) == by_row(slide)


# --- Hostile slides -------------------------------------------------------------------------------


def rows_of_headings(count: int, columns: int) -> list[SlideBox]:
    return [
        SlideBox(
            ("Heading",),
            SlideFrame(10.0 * column, 2.0 * row, 10.0 * column + 9, 2.0 * row + 1),
            size=row,
        )
        for row in range(count // columns)
        for column in range(columns)
    ]


@pytest.mark.parametrize("columns", [2, 12, 4_000])
def test_more_boxes_than_anybody_draws_are_arranged_at_once(columns: int):
    boxes = rows_of_headings(8_000, columns)
    assert sum(len(column.boxes) for column in arrange(boxes).columns) > 7_000


# --- Places of PowerPoint -------------------------------------------------------------------------


def read(deck: object) -> list[Block]:
    buffer = io.BytesIO()
    deck.save(buffer)  # type: ignore[attr-defined]
    return list(pptx.extract(buffer.getvalue()).blocks)


def test_groups_have_units_of_their_own():
    """The group is drawn to the right of the box; within it, places begin at zero."""
    deck = Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    group = shapes.add_group_shape()
    for top, text in ((0, "third"), (2, "fourth")):
        group.shapes.add_textbox(Cm(0), Cm(top), Cm(4), Cm(1)).text_frame.text = text
    group.left, group.top, group.width, group.height = Cm(12), Cm(9), Cm(8), Cm(6)
    for top, text in ((5, "first"), (9, "second")):
        shapes.add_textbox(Cm(1), Cm(top), Cm(4), Cm(1)).text_frame.text = text
    assert [block.text for block in read(deck)] == ["first", "second", "third", "fourth"]


def test_placeholders_have_the_places_of_their_layout():
    deck = Presentation()
    comparison = deck.slides.add_slide(deck.slide_layouts[4])
    comparison.shapes.title.text = "Two harbours"
    texts = ("Ribeira", "Deep water\nNo crane", "Burela", "Two cranes\nA slipway")
    for place, text in zip((1, 2, 3, 4), texts, strict=True):
        comparison.placeholders[place].text = text
    comparison.shapes.add_textbox(Cm(1), Cm(17), Cm(20), Cm(1)).text_frame.text = "As of May."
    assert said(read(deck)) == [
        ("Two harbours > Ribeira", "Deep water"),
        ("Two harbours > Ribeira", "No crane"),
        ("Two harbours > Burela", "Two cranes"),
        ("Two harbours > Burela", "A slipway"),
        ("Two harbours", "As of May."),
    ]
