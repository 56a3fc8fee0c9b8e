"""What is told of a table's row."""

from __future__ import annotations

import pytest

from language.message import read_message
from query.answering.rows import read_cells, shorten_row
from query.understanding.asked_for import read_asked

MOORING = (
    "Ref: B-12; Mooring: Outer pier; Length: up to 9 m; Price (EUR): 41.5; Stock: 3;"
    " Notes: water and power are included"
)
FERRY = "Línea: Isla Norte; Hasta 5 kg: 3,20 €; De 5 a 15 kg: 6,90 €; Más de 15 kg: no se admite"


def told(question: str, row: str) -> str:
    asked = read_asked(read_message(question))
    return shorten_row(row, asked, "es" if row == FERRY else "en")


def test_who_asks_for_a_price_gets_the_name_the_price_and_the_remark() -> None:
    assert (
        told("what does a mooring at the outer pier cost?", MOORING)
        == "Outer pier: Price (EUR): 41.5; Notes: water and power are included"
    )


def test_of_several_prices_the_one_whose_range_fits_is_told() -> None:
    answer = told("¿cuánto cuesta mandar 12 kg a Isla Norte?", FERRY)
    assert answer == "Isla Norte: De 5 a 15 kg: 6,90 €"


@pytest.mark.parametrize(
    "row",
    [
        "The pier opens at nine.",
        "Item: Buoy; Size: L; Price: 7 euros",
        "Name: Anna",
        "See the notice: the pier; the berth: both are closed",
    ],
)
def test_what_is_no_row_or_a_short_one_stays_as_it_is(row: str) -> None:
    assert told("how much is it?", row) == row


def test_who_asks_for_some_number_gets_the_whole_row() -> None:
    assert told("how many are there of B-12?", MOORING) == MOORING.replace(" Stock: 3;", "")


def test_a_row_in_which_nothing_was_asked_for_stays_whole() -> None:
    row = "Ref: B-12; Pier: Outer; Ground: sand; Depth: deep"
    assert told("tell me about B-12", row) == row


def test_cells_are_told_apart_where_a_value_holds_a_colon() -> None:
    cells = read_cells("Days: Mon to Fri; Hours: 9:00-13:00; Phone: 555 010")
    assert [(cell.header, cell.value) for cell in cells] == [
        ("Days", "Mon to Fri"),
        ("Hours", "9:00-13:00"),
        ("Phone", "555 010"),
    ]
