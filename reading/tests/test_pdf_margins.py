"""PDF: what stands at the foot and in the margins of pages belongs to no section."""

import pytest
from reportlab.pdfgen.canvas import Canvas

from reading.tests.test_extract_pdf import LEFT, Draw, blocks, lines, together
from reading.tests.test_pdf_edges import WHOLE, at, passages, section

NOTE = "The office is open on weekdays."


def rule(y: float, *, width: float = 90, left: float = LEFT) -> Draw:
    return lambda canvas: canvas.line(left, y, left + width, y)


def bar(y: float) -> Draw:
    return lambda canvas: canvas.rect(LEFT, y, 100, 0.6, stroke=0, fill=1)


def asides(*pages: Draw) -> list[str]:
    return [block.text for block in blocks(*pages) if block.is_aside]


# --- Footnotes in the text's own type -------------------------------------------------------------


@pytest.mark.parametrize("mark", ["* ", "1 ", "(1) ", "1. ", "[1] "])
@pytest.mark.parametrize("drawn", [rule(75), bar(76)])
def test_below_a_short_rule_a_marked_text_is_a_footnote(mark: str, drawn: Draw):
    page = section(drawn, at(60, mark + NOTE))
    assert passages(page) == [("Moorings", WHOLE), ("", mark + NOTE)]


@pytest.mark.parametrize(
    ("reference", "mark"),
    [
        ("A diver signs the report* in the office.", "* "),
        ("A diver signs the report1 in the office.", "1 "),
        ("A diver signs the report.1 It is kept.", "1. "),
        ("A diver signs the report (1) in the office.", "(1) "),
        ("A diver signs the report [2] in the office.", "[2] "),
        ("A diver signs the report† in the office.", "† "),
    ],
)
def test_a_mark_at_the_foot_that_stands_in_the_text_begins_a_footnote(reference: str, mark: str):
    page = section(at(690, reference), at(60, mark + NOTE))
    assert asides(page) == [mark + NOTE]


def test_two_footnotes_in_the_texts_own_type_of_which_one_has_two_lines():
    page = section(
        at(690, "Chains* are bought in Vigo** by the owner."),
        at(90, "* The office is open on weekdays from nine"),
        at(76, "to one, and closed in August."),
        at(62, "** Since 2024."),
    )
    assert asides(page) == [
        "* The office is open on weekdays from nine to one, and closed in August.",
        "** Since 2024.",
    ]


@pytest.mark.parametrize(
    "foot",
    [
        at(60, f"1. {NOTE}"),  # nothing refers to it: an item of a list
        at(60, f"(1) {NOTE}"),
        together(rule(75), at(60, NOTE)),  # no mark
        together(rule(75, width=475), at(60, f"1. {NOTE}")),  # as wide as the page: it parts it
        together(rule(75, left=400), at(60, f"1. {NOTE}")),
    ],
)
def test_other_text_at_the_foot_stays_in_its_section(foot: Draw):
    assert asides(section(foot)) == []


@pytest.mark.parametrize(
    "text",
    ["It holds 40 km2 of water.", "CO2 is sold.", "See art.2 of it.", "Within two (2) years."],
)
def test_numbers_of_other_things_refer_to_no_footnote(text: str):
    assert asides(section(at(690, text), at(60, f"2. {NOTE}"))) == []


def test_items_that_follow_the_text_directly_are_no_footnotes():
    page = section(at(690, "There are two kinds of rafts1:"), at(676, "1 large ones of wood"))
    assert asides(page) == []


# --- Headers and footers of few pages -------------------------------------------------------------


def page_of(text: str, *furniture: Draw) -> Draw:
    return together(lines(text, font="Helvetica-Bold", size=14, top=740), *furniture)


def test_a_footer_that_two_pages_share_is_a_passage_of_its_own():
    footer = at(40, "Cofradía de Cambados, Calle Real 3")
    first = together(page_of("Cuotas", footer), at(700, "La cuota son 40 euros."))
    second = together(page_of("Altas", footer), at(700, "Se tramitan en marzo."))
    assert passages(first, second) == [
        ("Cuotas", "La cuota son 40 euros."),
        ("", "Cofradía de Cambados, Calle Real 3"),
        ("Altas", "Se tramitan en marzo."),
    ]


def test_a_header_that_two_pages_share_is_a_passage_of_its_own():
    header = at(815, "Guild of Cambados")
    first = together(header, at(740, "The fee is 40 euros."))
    second = together(header, at(740, "Members join in March."))
    assert passages(first, second) == [
        ("", "Guild of Cambados"),
        ("", "The fee is 40 euros."),
        ("", "Members join in March."),
    ]


def test_a_footer_of_two_lines_with_the_pages_number():
    pages = [
        together(
            page_of(title),
            at(700, text),
            at(52, "Guild of Cambados", size=9),
            at(40, f"Statutes, page {number}", size=9),
        )
        for number, (title, text) in enumerate(
            (("Fees", "The fee is 40 euros."), ("Terms", "Members join in March.")), start=1
        )
    ]
    assert [text for section, text in passages(*pages) if section] == [
        "The fee is 40 euros.",
        "Members join in March.",
    ]


@pytest.mark.parametrize("number", ["Página 1 de 3", "Page 1 of 3", "pág. 2", "p. 4/9"])
@pytest.mark.parametrize("y", [40, 815])
def test_a_line_at_the_edge_with_the_pages_number_is_no_part_of_a_section(number: str, y: int):
    edge = together(at(y, "Cofradía de Cambados", size=9), at(y, number, size=9, x=480))
    assert sorted(passages(section(edge))) == [
        ("", "Cofradía de Cambados"),
        ("Moorings", WHOLE),
    ]


@pytest.mark.parametrize("number", ["- 4 -", "– 12 –", "Page 1 of 3", "Página 1 de 3", "4 / 9"])
def test_a_lone_number_of_the_page_goes(number: str):
    assert passages(section(at(40, number, x=280))) == [("Moorings", WHOLE)]


def test_a_title_that_pages_share_stays_a_title():
    title = lines("Fees of the guild", font="Helvetica-Bold", size=18, top=800)
    first = together(title, at(740, "The fee is 40 euros."))
    second = together(title, at(740, "Members join in March."))
    assert [name for name, _ in passages(first, second)] == ["Fees of the guild"] * 2


def test_a_last_line_that_pages_share_stays_with_the_text():
    def priced(name: str) -> Draw:
        return lines(f"Chain of {name}, two metres long,", "all prices without tax.")

    assert asides(priced("steel"), priced("brass")) == []


def test_a_row_with_a_page_of_a_book_in_the_middle_of_the_text_stays():
    def index(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for number, name in enumerate(("Fees", "Terms", "Ropes")):
            canvas.drawString(LEFT, 700 - 14 * number, name)
            canvas.drawString(400, 700 - 14 * number, f"page {number + 3}")

    assert "page 5" in " ".join(block.text for block in blocks(index))
