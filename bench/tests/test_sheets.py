"""The table questions: what is asked, and what counts as right."""

from io import BytesIO

import pytest
from openpyxl import load_workbook

from bench.tables.run import SheetVerdict, ask_sheet, figures, judge
from bench.tables.sheets import Half, SheetQuestion, holds, load_sheets, workbook
from query.answers import Answer
from query.models import Outcome

CHEAPEST = SheetQuestion("¿el más barato?", "es", (("Tetilla",), ("14,90", "14.90")), ("Cabrales",))
NEAR_MISS = SheetQuestion("¿y el de Oporto?", "es", (), ())


@pytest.mark.parametrize(
    ("half", "count", "asked"), [(Half.DEVELOPMENT, 26, 136), (Half.HELD_OUT, 10, 50)]
)
def test_a_sheet_is_asked_five_questions_or_six_one_in_ten_a_near_miss(
    half: Half, count: int, asked: int
) -> None:
    sheets = load_sheets(half)
    questions = [question for sheet in sheets for question in sheet.questions]

    assert len(sheets) == count
    assert len(questions) == asked
    assert sum(question.is_near_miss for question in questions) == count // 2


@pytest.mark.parametrize(
    ("answer", "wanted", "is_held"),
    [
        ("Tetilla: 8,90 €.", "8,90", True),
        ("Tetilla: 18,90 €.", "8,90", False),
        ("It is £64.00.", "64", True),
        ("It is £64.50.", "64", False),
        ("Son 3.", "3", True),
        ("Idiazábal ahumado", "idiazabal ahumado", True),
    ],
)
def test_strings_are_found_as_words_and_numbers_of_their_own(
    answer: str, wanted: str, *, is_held: bool
) -> None:
    assert holds(answer, wanted) is is_held


@pytest.mark.parametrize(
    ("question", "text", "outcome", "verdict"),
    [
        (CHEAPEST, "El más barato es Tetilla: 14,90 €.", Outcome.ANSWERED, SheetVerdict.RIGHT),
        (CHEAPEST, "Tetilla; 14,90 €", Outcome.UNSURE, SheetVerdict.TOLD),
        (CHEAPEST, "Tetilla", Outcome.ANSWERED, SheetVerdict.WRONG),
        (CHEAPEST, "Tetilla y Cabrales: 14,90 €.", Outcome.ANSWERED, SheetVerdict.WRONG),
        (CHEAPEST, "No lo sé.", Outcome.REDIRECTED, SheetVerdict.MISSED),
        (NEAR_MISS, "Tetilla: 14,90 €.", Outcome.ANSWERED, SheetVerdict.WRONG),
        (NEAR_MISS, "Tetilla: 14,90 €.", Outcome.UNSURE, SheetVerdict.RIGHT),
    ],
)
def test_an_answer_is_right_where_it_is_answered_and_tells_all(
    question: SheetQuestion, text: str, outcome: Outcome, verdict: SheetVerdict
) -> None:
    assert judge(question, Answer(text, (), "tables", outcome)) is verdict


def test_cells_of_a_workbook_are_numbers_as_people_type_them() -> None:
    rows = [["1.390 €", "8,90 €", "£1,020.00", "14,2", "1,200", "10-15", "205/55 R16"]]

    (page,) = load_workbook(BytesIO(workbook(rows))).worksheets
    (cells,) = page.iter_rows()

    values = [1390, 8.9, 1020.0, 14.2, 1200, "10-15", "205/55 R16"]
    assert [cell.value for cell in cells] == values
    assert cells[1].number_format == '#,##0.00 "€"'
    assert cells[2].number_format == '"£"#,##0.00'


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("name", ["quesos", "vans"])
def test_a_sheet_of_the_development_half_is_answered_rightly(name: str) -> None:
    (sheet,) = (sheet for sheet in load_sheets(Half.DEVELOPMENT) if sheet.name == name)

    judged = list(ask_sheet(sheet))

    assert [one.verdict for one in judged] == [SheetVerdict.RIGHT] * 5
    assert all(one.is_computed for one in judged)
    assert "1.000" in figures(judged)
