"""PDF: footnotes stand apart, the page's number and struck out words are no text."""

import pytest
from reportlab.pdfgen.canvas import Canvas

from reading.cutting import chunk_document
from reading.passages import ChunkLevel, ExtractedDocument
from reading.tests.test_extract_pdf import LEFT, Draw, blocks, lines, texts, together

BODY = (
    "Each raft is held by two chains of at least",
    "thirty millimetres, which a diver checks in",
    "spring and in autumn of each year.",
)
SPRING = "Each raft is held by two chains of at least thirty millimetres, which a diver checks in"
WHOLE = f"{SPRING} spring and in autumn of each year."


def at(y: int, text: str, *, size: float = 11, x: int = LEFT) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", size)
        canvas.drawString(x, y, text)

    return draw


def section(*others: Draw) -> Draw:
    heading = lines("Moorings", font="Helvetica-Bold", size=14)
    return together(heading, lines(*BODY, top=750), *others)


def passages(*pages: Draw) -> list[tuple[str, str]]:
    """(section, text)"""
    document = ExtractedDocument("x", tuple(blocks(*pages)), ChunkLevel.SECTION)
    return [(each.section_title, each.text) for each in chunk_document(document)]


@pytest.mark.parametrize("mark", ["* ", "1 ", "(2) ", "3. ", "† ", "Note: "])
def test_a_footnote_is_a_passage_of_its_own(mark: str):
    note = f"{mark}The office is open on weekdays."
    page = section(at(60, note, size=8))
    assert passages(page) == [("Moorings", WHOLE), ("", note)]


def test_a_footnote_of_two_lines_and_a_second_one():
    page = section(
        at(80, "1 The office is open on weekdays from nine", size=8),
        at(70, "to one, and closed in August.", size=8),
        at(60, "2 Since 2024.", size=8),
    )
    assert [block.text for block in blocks(page) if block.is_aside] == [
        "1 The office is open on weekdays from nine to one, and closed in August.",
        "2 Since 2024.",
    ]


def test_a_footnote_without_headings_in_the_document_stands_apart_too():
    page = together(lines(*BODY), at(60, "* The office is open on weekdays.", size=8))
    assert passages(page) == [("", WHOLE), ("", "* The office is open on weekdays.")]


def test_small_type_without_a_mark_and_marks_in_the_texts_own_type_stay():
    assert not any(
        block.is_aside
        for page in (section(at(60, "Printed in Vigo.", size=8)), section(at(60, "1 Chain, new")))
        for block in blocks(page)
    )


@pytest.mark.parametrize("number", ["7", "- 7 -", "Page 7", "Página 7 de 12", "pág. 7"])
@pytest.mark.parametrize("y", [40, 820])
def test_the_number_of_a_single_page_is_no_text(number: str, y: int):
    assert texts(section(at(y, number, size=9, x=530))) == ["Moorings", WHOLE]


def test_the_number_goes_and_the_footnote_stays():
    page = section(at(60, "* Open on weekdays.", size=8), at(40, "7", size=8, x=530))
    assert passages(page) == [("Moorings", WHOLE), ("", "* Open on weekdays.")]


def test_a_number_in_the_text_or_in_large_type_stays():
    assert texts(section(at(708, "12"))) != ["Moorings", WHOLE]
    assert "2027" in " ".join(texts(section(at(820, "2027", size=24))))


# --- Struck out -----------------------------------------------------------------------------------


def price(strike: Draw) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        canvas.drawString(LEFT, 700, "A week costs 290 EUR 235 EUR.")
        strike(canvas)

    return draw


def extent(text: str) -> tuple[float, float]:
    canvas = Canvas("unused.pdf")
    before, within = "A week costs ", text
    left = LEFT + canvas.stringWidth(before, "Helvetica", 11)
    return left, left + canvas.stringWidth(within, "Helvetica", 11)


def stroke(y: float, *, reach: float = 0) -> Draw:
    left, right = extent("290 EUR")

    def draw(canvas: Canvas) -> None:
        canvas.setLineWidth(0.7)
        canvas.line(left - reach, y, right + reach, y)

    return draw


def bar(y: float) -> Draw:
    left, right = extent("290 EUR")
    return lambda canvas: canvas.rect(left, y, right - left, 0.8, stroke=0, fill=1)


@pytest.mark.parametrize("strike", [stroke(703.5), bar(703.2), stroke(704.2, reach=2)])
def test_words_with_a_line_through_them(strike: Draw):
    assert texts(price(strike)) == ["A week costs 235 EUR."]


@pytest.mark.parametrize(
    "line",
    [
        stroke(698.5),  # below: underlined
        stroke(711),  # above: a table's rule
        stroke(703.5, reach=200),  # goes on: a chart's
    ],
)
def test_other_lines_strike_nothing(line: Draw):
    assert texts(price(line)) == ["A week costs 290 EUR 235 EUR."]


def test_a_whole_line():
    def draw(canvas: Canvas) -> None:
        lines("Closed on Mondays.", "", "Open daily.")(canvas)
        width = canvas.stringWidth("Closed on Mondays.", "Helvetica", 11)
        canvas.line(LEFT, 783.5, LEFT + width, 783.5)

    assert texts(draw) == ["Open daily."]
