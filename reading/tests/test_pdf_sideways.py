"""PDF: what is printed sideways on an upright page is turned before its lines are sought."""

from collections.abc import Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from reading.extractors.pdf.document import extract
from reading.tests.test_extract_pdf import LEFT, Draw, blocks, lines, make_pdf, texts, together
from reading.tests.test_pdf_edges import at
from reasons import Reason

ROWS = (
    ("Berth", "Summer", "Winter"),
    ("Up to 6 metres", "840", "410"),
    ("Up to 9 metres", "1,260", "630"),
    ("Up to 12 metres", "1,990", "980"),
)
READ = [
    "Berth",
    "Up to 6 metres — Summer: 840; Winter: 410",
    "Up to 9 metres — Summer: 1,260; Winter: 630",
    "Up to 12 metres — Summer: 1,990; Winter: 980",
]
PARAGRAPH = ("Boats leave the pier at nine every", "morning and come back before dusk.")
WHOLE = "Boats leave the pier at nine every morning and come back before dusk."


def turned(degrees: int, draw: Draw, *, x: int = 300, y: int = 400) -> Draw:
    """`degrees` against the clock; what is drawn begins at the middle of the page."""

    def drawn(canvas: Canvas) -> None:
        canvas.saveState()
        canvas.translate(x, y)
        canvas.rotate(degrees)
        draw(canvas)
        canvas.restoreState()

    return drawn


def table(rows: Sequence[Sequence[str]] = ROWS, *, by_column: bool = False) -> Draw:
    cells = [
        (column, row, text) for row, texts in enumerate(rows) for column, text in enumerate(texts)
    ]

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for column, row, text in sorted(cells) if by_column else cells:
            canvas.drawString(-250 + 150 * column, -14 * row, text)

    return draw


def paragraph(*texts: str) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for row, text in enumerate(texts):
            canvas.drawString(-250, -14 * row, text)

    return draw


@pytest.mark.parametrize("degrees", [90, 270, 180])
@pytest.mark.parametrize("by_column", [False, True])
def test_a_table_printed_sideways_has_its_rows(degrees: int, by_column: bool):
    assert texts(turned(degrees, table(by_column=by_column))) == READ


@pytest.mark.parametrize("degrees", [90, 270])
def test_a_sideways_table_stands_beside_upright_text(degrees: int):
    page = together(lines(*PARAGRAPH), turned(degrees, table(), x=400))
    assert texts(page) == [WHOLE, *READ]


def test_a_sideways_table_stands_under_the_heading_above_it():
    page = together(lines("Fees", font="Helvetica-Bold", size=16), turned(90, table()))
    found = blocks(lines("The harbour is open.", "It is lit."), page)
    assert [(block.section_title, block.text) for block in found[2:]] == [
        ("Fees", text) for text in READ
    ]


def test_headers_and_numbers_of_a_page_with_a_sideways_table_go_as_elsewhere():
    def page(number: int, draw: Draw) -> Draw:
        return together(at(815, "Harbour fees"), draw, at(30, str(number), x=300))

    first, second = page(1, at(700, "Fees are due in May.")), page(2, turned(90, table()))
    assert texts(first, second) == ["Harbour fees", "Fees are due in May.", *READ]


@pytest.mark.parametrize("degrees", [90, 270])
def test_a_paragraph_printed_sideways_is_joined(degrees: int):
    page = together(
        lines("An upright line of text stands here."), turned(degrees, paragraph(*PARAGRAPH))
    )
    assert texts(page) == ["An upright line of text stands here.", WHOLE]


def test_a_line_in_the_margin_belongs_to_no_section():
    """The stamp of an archive, the name of an axis."""
    heading = lines("Moorings", font="Helvetica-Bold", size=16)
    page = together(
        heading, at(740, "Each raft has two chains."), turned(90, at(0, "Filed 3 May 2027"), x=20)
    )
    found = [(block.section_title, block.text, block.is_aside) for block in blocks(page)]
    assert found[1:] == [
        ("Moorings", "Each raft has two chains.", False),
        ("", "Filed 3 May 2027", True),
    ]


def test_on_a_turned_page_the_text_that_is_upright_as_shown_comes_first():
    def page(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        turned(90, paragraph(*PARAGRAPH))(canvas)
        turned(0, table(), x=300, y=200)(canvas)

    assert texts(page) == [WHOLE, *READ]


def test_words_that_are_struck_out_sideways_are_left_out():
    def price(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        canvas.drawString(0, 0, "A week costs 290 EUR 235 EUR.")
        left = canvas.stringWidth("A week costs ", "Helvetica", 11)
        canvas.line(left, 3.5, left + canvas.stringWidth("290 EUR", "Helvetica", 11), 3.5)

    page = together(lines(*PARAGRAPH), turned(90, price))
    assert texts(page)[-1] == "A week costs 235 EUR."


# --- At a slant -----------------------------------------------------------------------------------

SLANTED = [Reason("pages_at_a_slant", places=Reason("places_page", numbers="1"))]


def test_lines_at_a_slant_are_told():
    page = together(lines(*PARAGRAPH), turned(30, paragraph(*PARAGRAPH * 2)))
    assert extract(make_pdf(page)).warnings == SLANTED


@pytest.mark.parametrize("degrees", [0, 1, 90])
def test_lines_that_were_scanned_a_little_askew_are_not_told(degrees: int):
    assert extract(make_pdf(turned(degrees, paragraph(*PARAGRAPH * 2)))).warnings == []


def test_a_word_across_the_page_is_not_told():
    page = together(lines(*PARAGRAPH), turned(45, at(0, "DRAFT", size=60, x=LEFT)))
    assert extract(make_pdf(page)).warnings == []
