"""What is told of a table's row."""

from __future__ import annotations

import pytest

from language.message import read_message
from query.answering.rows import read_cells, tell_row
from query.understanding.asked_for import read_asked

MOORING = (
    "Ref: B-12; Mooring: Outer pier; Length: up to 9 m; Price (EUR): 41.5; Stock: 3;"
    " Notes: water and power are included"
)
FERRY = "Línea: Isla Norte; Hasta 5 kg: 3,20 €; De 5 a 15 kg: 6,90 €; Más de 15 kg: no se admite"


def told(question: str, row: str) -> str:
    asked = read_asked(read_message(question))
    return tell_row(row, asked, "es" if row == FERRY else "en")


def test_who_asks_for_a_price_gets_the_name_the_price_and_the_remark() -> None:
    assert (
        told("what does a mooring at the outer pier cost?", MOORING)
        == "Outer pier: €41.50; notes: water and power are included."
    )


def test_label_before_a_row_is_told_with_its_name() -> None:
    row = "Winter – Mooring: Outer pier; Length: up to 9 m; Price (EUR): 41.5; Stock: 3"
    answer = told("what does a mooring at the outer pier cost?", row)
    assert answer == "Winter – Outer pier: €41.50."


def test_of_several_prices_the_one_whose_range_fits_is_told() -> None:
    answer = told("¿cuánto cuesta mandar 12 kg a Isla Norte?", FERRY)
    assert answer == "Isla Norte: de 5 a 15 kg 6,90 €."


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
    assert told("how many are there of B-12?", MOORING) == (
        "Ref B-12, Outer pier: length: up to 9 m; €41.50; notes: water and power are included."
    )


def test_a_row_in_which_nothing_was_asked_for_is_told_whole() -> None:
    row = "Ref: B-12; Pier: Outer; Ground: sand; Depth: deep"
    assert told("tell me about B-12", row) == "Ref B-12, Outer: ground: sand; depth: deep."


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("¿cuándo vence la póliza Norte?", "Norte: vence 25 nov 2026."),
        ("when does the Norte policy expire?", "Norte: vence 25 Nov 2026."),
        ("¿cuánto cuesta la póliza Norte?", "Norte: 8,90 €."),
        ("how much is the Norte policy?", "Norte: €8.90."),
    ],
)
def test_values_are_written_as_people_write_them(question: str, written: str) -> None:
    row = "Póliza: Norte; Precio (€): 8.9; Ramo: hogar; Vence: 2026-11-25 00:00:00"
    assert tell_row(row, read_asked(read_message(question)), "es", is_in_table=True) == written


def test_lines_with_colons_that_are_no_table_stay_as_they_are() -> None:
    row = "Altitude: 1,880 m; Process: washed; Roast: medium; Notes: red apple and caramel"
    assert told("how high does it grow?", row) == row


def test_cells_are_told_apart_where_a_value_holds_a_colon() -> None:
    cells = read_cells("Days: Mon to Fri; Hours: 9:00-13:00; Phone: 555 010")
    assert [(cell.header, cell.value) for cell in cells] == [
        ("Days", "Mon to Fri"),
        ("Hours", "9:00-13:00"),
        ("Phone", "555 010"),
    ]
