"""Spreadsheets: each row with its columns' names, its number as Excel shows it."""

import datetime
import io
from collections.abc import Sequence
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.interface import Extraction
from sources.reading.extractors.office import worksheets
from sources.reading.extractors.office.package import OLE_MAGIC
from sources.reading.extractors.office.xlsx import extract
from sources.reading.passages import Block

Row = Sequence[Any]
HEADER = ["Modelo", "Color", "Precio"]
VALUES: Row = ["Xaloc", "gris", 899]


def make_workbook(*rows: Row, title: str = "Precios") -> Workbook:
    workbook = Workbook()
    sheet = sheet_of(workbook)
    sheet.title = title
    for row in rows:
        sheet.append(list(row))
    return workbook


def sheet_of(workbook: Workbook) -> Worksheet:
    assert isinstance(workbook.active, Worksheet)
    return workbook.active


def read(workbook: Workbook) -> Extraction:
    buffer = io.BytesIO()
    workbook.save(buffer)
    return extract(buffer.getvalue())


def texts(*rows: Row) -> list[str]:
    return [block.text for block in read(make_workbook(*rows)).blocks]


def test_row_has_sheet_number_and_names():
    workbook = make_workbook(HEADER, ["Xaloc", "gris", 899], ["Duna", "verde", 649.5])
    assert list(read(workbook).blocks) == [
        Block("Modelo: Xaloc; Color: gris; Precio: 899", "sheet Precios, row 2", "Precios"),
        Block("Modelo: Duna; Color: verde; Precio: 649.5", "sheet Precios, row 3", "Precios"),
    ]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12.5, "12.5"),
        (12.500000000000002, "12.5"),
        (0.1 + 0.2, "0.3"),
        (3.0, "3"),
        (-4, "-4"),
        (1234567.89, "1234567.89"),
        (9876543210.12, "9876543210.12"),
        (0.000012, "0.000012"),
        (datetime.date(2025, 3, 1), "2025-03-01"),
        (datetime.datetime(2025, 3, 1, 9, 30), "2025-03-01 09:30"),  # noqa: DTZ001 - Excel has none
        (datetime.time(9, 30), "09:30"),
        (True, "TRUE"),
        ("  dos\n palabras ", "dos palabras"),
    ],
)
def test_values_are_written_as_a_person_sees_them(value: Any, shown: str):
    assert texts(HEADER, ["Xaloc", "gris", value]) == [
        f"Modelo: Xaloc; Color: gris; Precio: {shown}"
    ]


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (0.21, "0%", "21%"),
        (0.125, "0.0%", "12.5%"),
        (19.9, '#,##0.00 "€"', "19.9 €"),
        (19.9, "#,##0.00\\ [$€-C0A]", "19.9 €"),
        (19.9, "$#,##0.00", "$19.9"),
        (19.9, "0.00", "19.9"),
    ],
)
def test_percent_and_currency_signs_are_written(value: float, number_format: str, shown: str):
    workbook = make_workbook(HEADER, ["Xaloc", "gris", value])
    sheet_of(workbook)["C2"].number_format = number_format
    assert [block.text for block in read(workbook).blocks] == [
        f"Modelo: Xaloc; Color: gris; Precio: {shown}"
    ]


def test_lines_above_the_table_are_its_title():
    rows: list[Row] = [["Tarifa 2025"], ["IVA incluido"], HEADER, ["Xaloc", "gris", 899]]
    assert list(read(make_workbook(*rows)).blocks) == [
        Block(
            "Modelo: Xaloc; Color: gris; Precio: 899",
            "sheet Precios, row 4",
            "Tarifa 2025 – IVA incluido",
        )
    ]


def test_title_may_stand_apart_from_its_table():
    rows: list[Row] = [["Tarifa 2025"], [], HEADER, ["Xaloc", "gris", 899]]
    (block,) = read(make_workbook(*rows)).blocks
    assert (block.location, block.section_title) == ("sheet Precios, row 4", "Tarifa 2025")


def test_names_of_groups_stand_before_the_names_of_columns():
    rows: list[Row] = [
        [None, "Verano", None, "Invierno", None],
        ["Modelo", "Precio", "Stock", "Precio", "Stock"],
        ["Xaloc", 899, 4, 799, 2],
    ]
    assert texts(*rows) == [
        "Modelo: Xaloc; Verano Precio: 899; Verano Stock: 4; Invierno Precio: 799; "
        "Invierno Stock: 2"
    ]


def test_tables_below_each_other_have_their_own_names():
    rows: list[Row] = [HEADER, ["Xaloc", "gris", 899], [], ["Recambio", "Stock"], ["Cadena", 12]]
    assert texts(*rows) == [
        "Modelo: Xaloc; Color: gris; Precio: 899",
        "Recambio: Cadena; Stock: 12",
    ]


def test_table_goes_on_after_an_empty_row():
    rows: list[Row] = [HEADER, ["Xaloc", "gris", 899], [], ["Duna", "verde", 649]]
    assert texts(*rows)[1] == "Modelo: Duna; Color: verde; Precio: 649"


def test_notes_below_a_table_are_kept():
    rows: list[Row] = [HEADER, ["Xaloc", "gris", 899], [], ["Precios válidos hasta mayo."]]
    assert texts(*rows)[1] == "Precios válidos hasta mayo."


def test_empty_columns_and_cells_are_left_out():
    rows: list[Row] = [["Modelo", None, "Precio"], ["Xaloc", None, 899], ["Duna", None, None]]
    assert texts(*rows) == ["Modelo: Xaloc; Precio: 899", "Modelo: Duna"]


def test_names_of_columns_are_read_by_themselves_when_one_has_no_value():
    assert texts(["Modelo", "Precio", "Nota"], ["Xaloc", 899, None]) == [
        "Modelo; Precio; Nota",
        "Modelo: Xaloc; Precio: 899",
    ]


def test_table_may_begin_anywhere():
    workbook = make_workbook()
    for column, (name, value) in enumerate(zip(HEADER, VALUES, strict=True), 3):
        sheet_of(workbook).cell(5, column, name)
        sheet_of(workbook).cell(6, column, value)
    (block,) = read(workbook).blocks
    assert (block.location, block.text) == (
        "sheet Precios, row 6",
        "Modelo: Xaloc; Color: gris; Precio: 899",
    )


def test_cell_merged_over_rows_stands_in_each():
    workbook = make_workbook(HEADER, ["Xaloc", "gris", 899], [None, "verde", 919])
    sheet_of(workbook).merge_cells("A2:A3")
    assert [block.text for block in read(workbook).blocks] == [
        "Modelo: Xaloc; Color: gris; Precio: 899",
        "Modelo: Xaloc; Color: verde; Precio: 919",
    ]


def test_formula_without_a_stored_result_is_told():
    extraction = read(make_workbook(HEADER, ["Xaloc", "gris", "=1+1"]))
    assert [block.text for block in extraction.blocks][-1] == "Modelo: Xaloc; Color: gris"
    assert extraction.warnings == [
        "The results of 1 formulas are not stored in this file and were left out, in these sheets: "
        "Precios. Open the workbook in its program, save it and upload it again."
    ]


def test_hidden_sheets_are_left_out_and_named():
    workbook = make_workbook(HEADER, ["Xaloc", "gris", 899])
    workbook.create_sheet("Costes").append(["Coste", 1])
    workbook["Costes"].sheet_state = "hidden"
    extraction = read(workbook)
    assert [block.location for block in extraction.blocks] == ["sheet Precios, row 2"]
    assert extraction.warnings == ["Hidden sheets were left out: Costes."]


def test_sheets_come_in_their_order():
    workbook = make_workbook(HEADER, ["Xaloc", "gris", 899])
    other = workbook.create_sheet("Piezas")
    other.append(["Pieza", "Stock"])
    other.append(["Cadena", 4])
    assert [block.location for block in read(workbook).blocks] == [
        "sheet Precios, row 2",
        "sheet Piezas, row 2",
    ]


def test_more_rows_than_passages_are_refused(monkeypatch):
    monkeypatch.setattr(worksheets, "PASSAGES_MAX", 2)
    with pytest.raises(UnreadableFile, match="The sheet Precios has too many rows"):
        texts(HEADER, ["a", "b", 1], ["c", "d", 2])


def test_more_columns_than_any_table_has_are_refused(monkeypatch):
    monkeypatch.setattr(worksheets, "COLUMNS_MAX", 2)
    with pytest.raises(UnreadableFile, match="more than 2 columns"):
        texts(HEADER)


def test_protected_workbook_is_named_as_such():
    with pytest.raises(UnreadableFile, match="This workbook is protected with a password"):
        extract(OLE_MAGIC + bytes(100))


def test_empty_sheets_are_passed_over():
    workbook = make_workbook(HEADER, VALUES)
    workbook.create_sheet("Hoja2")
    assert [block.location for block in read(workbook).blocks] == ["sheet Precios, row 2"]
