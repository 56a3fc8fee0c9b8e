"""PDF: columns that begin with headings of their own, as a slide saved as a PDF has them."""

from collections.abc import Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from reading.extractors.pdf.columns import split_columns
from reading.extractors.pdf.layout import Cell, Line
from reading.tests.test_extract_pdf import BOLD, LEFT, Draw, blocks, lines, texts, together

RIGHT = 320
Row = Sequence[str]


def drawn(rows: Sequence[Row], *, by_column: bool, heading: int = 14, font: str = BOLD) -> Draw:
    """The first row in the type of headings; "" leaves a cell out."""
    cells = [
        (column, row, text) for row, each in enumerate(rows) for column, text in enumerate(each)
    ]

    def draw(canvas: Canvas) -> None:
        for column, row, text in sorted(cells) if by_column else cells:
            canvas.setFont(font if row == 0 else "Helvetica", heading if row == 0 else 11)
            canvas.drawString(LEFT + (RIGHT - LEFT) * column, 700 - 22 * row, text)

    return draw


def said(*draws: Draw) -> list[tuple[str, str]]:
    found = blocks(together(*draws))
    return [(block.section_title, block.text) for block in found if not block.is_heading]


TITLE = lines("Plans of the harbour 2027", size=20)
ORDERS = pytest.mark.parametrize("by_column", [False, True])


@ORDERS
def test_plans_beside_each_other_are_read_one_after_the_other(by_column: bool):
    rows = (
        ("Plan Gull", "Plan Tern"),
        ("Costs 9 euros a month.", "Costs 20 euros a month."),
        ("One boat.", "Three boats."),
    )
    end = lines("All prices include tax.", top=560)
    assert said(TITLE, drawn(rows, by_column=by_column), end) == [
        ("Plans of the harbour 2027 > Plan Gull", "Costs 9 euros a month."),
        ("Plans of the harbour 2027 > Plan Gull", "One boat."),
        ("Plans of the harbour 2027 > Plan Tern", "Costs 20 euros a month."),
        ("Plans of the harbour 2027 > Plan Tern", "Three boats."),
        ("Plans of the harbour 2027", "All prices include tax."),
    ]


@ORDERS
def test_columns_of_points_that_differ_in_number(by_column: bool):
    rows = (
        ("Morning", "Evening"),
        ("• Trips to Ons", "• Trips to the lighthouse"),
        ("• Breakfast", "• A concert on board"),
        ("", "• Fireworks in August"),
    )
    assert said(drawn(rows, by_column=by_column)) == [
        ("Morning", "• Trips to Ons"),
        ("Morning", "• Breakfast"),
        ("Evening", "• Trips to the lighthouse"),
        ("Evening", "• A concert on board"),
        ("Evening", "• Fireworks in August"),
    ]


@ORDERS
def test_headings_that_are_larger_and_not_bold(by_column: bool):
    rows = (("Winter", "Summer"), ("Open from ten", "Open from eight"))
    assert said(drawn(rows, by_column=by_column, font="Helvetica", heading=16)) == [
        ("Winter", "Open from ten"),
        ("Summer", "Open from eight"),
    ]


def test_columns_end_where_the_next_ones_begin():
    first = drawn((("North", "South"), ("Opens at eight", "Opens at nine")), by_column=False)

    def second(canvas: Canvas) -> None:
        canvas.translate(0, -60)
        drawn((("East", "West"), ("Closes in May", "Closes in June")), by_column=False)(canvas)

    assert said(first, second) == [
        ("North", "Opens at eight"),
        ("South", "Opens at nine"),
        ("East", "Closes in May"),
        ("West", "Closes in June"),
    ]


@pytest.mark.parametrize(
    ("rows", "read"),
    [
        (
            (("Model", "Price"), ("Gull", "899 EUR"), ("Tern", "1,200 EUR")),
            ["Model: Gull; Price: 899 EUR", "Model: Tern; Price: 1,200 EUR"],
        ),
        (
            (("Year", "Sales"), ("2025", "1,204"), ("2026", "1,388")),
            ["Year: 2025; Sales: 1,204", "Year: 2026; Sales: 1,388"],
        ),
    ],
)
def test_tables_under_large_headings_are_read_by_row(rows: Sequence[Row], read: list[str]):
    assert texts(drawn(rows, by_column=False)) == read


def test_no_line_is_lost_or_said_twice():
    rows = (("Gull", "Tern", "Auk"), ("alpha", "beta", "gamma"), ("delta", "", "zeta"))
    words = " ".join(texts(drawn(rows, by_column=True))).replace(":", "").replace(";", "").split()
    assert sorted(words) == sorted(text for row in rows for text in row if text)


def test_a_page_of_any_number_of_lines_is_split_at_once():
    def cell(column: int, row: int) -> Cell:
        left = 100.0 * column
        return Cell("Heading", left, left + 90, 10.0 * row, 9 + row / 10_000, False, 1, ())

    rows = [Line((cell(0, row), cell(1, row))) for row in range(20_000)]
    found = list(split_columns(rows[::-1]))
    assert sum(len(stretch.lines) for stretch in found) > 19_000
