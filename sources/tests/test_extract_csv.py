"""Delimited text: each row with its columns' names, counted as a spreadsheet program counts."""

import pytest

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.text.csv_rows import extract
from sources.reading.passages import Block


def blocks(text: str | bytes) -> list[Block]:
    return list(extract(text.encode() if isinstance(text, str) else text).blocks)


def rows(text: str | bytes) -> list[tuple[str, str]]:
    return [(block.location, block.text) for block in blocks(text)]


def test_header_is_row_one_and_names_the_values():
    assert rows("modelo,precio\nXaloc,899\nDuna,649.50\n") == [
        ("row 2", "modelo: Xaloc; precio: 899"),
        ("row 3", "modelo: Duna; precio: 649.50"),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found(delimiter: str):
    text = "ticket;problema;estado\n1;Freno, chirría mucho;resuelta\n2;Cadena, salta;abierta\n"
    if delimiter == ",":
        text = text.replace(",", " y")
    assert rows(text.replace(";", delimiter))[1][1].startswith("ticket: 2; problema: Cadena")


def test_decimal_commas_are_no_delimiters():
    assert rows("modelo;precio\nXaloc;899,90\nDuna;649,50\n")[0] == (
        "row 2",
        "modelo: Xaloc; precio: 899,90",
    )


def test_delimiter_that_excel_declares_is_no_row():
    assert rows("sep=;\nmodelo;precio\nXaloc;899\n") == [("row 2", "modelo: Xaloc; precio: 899")]


def test_quoted_fields_keep_delimiters_and_line_ends():
    text = 'modelo;nota;precio\nXaloc;"gris; verde\ny ""azul""";899\nDuna;;649\n'
    assert rows(text) == [
        ("row 2", 'modelo: Xaloc; nota: gris; verde y "azul"; precio: 899'),
        ("row 3", "modelo: Duna; precio: 649"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings_of_spanish_tables(encoding: str):
    text = "año;país\n2024;España\n2025;Perú\n"
    assert rows(text.encode(encoding)) == [
        ("row 2", "año: 2024; país: España"),
        ("row 3", "año: 2025; país: Perú"),
    ]


def test_empty_rows_count_but_are_left_out():
    assert rows("modelo,precio\n\nXaloc,899\n,\nDuna,649\n") == [
        ("row 3", "modelo: Xaloc; precio: 899"),
        ("row 5", "modelo: Duna; precio: 649"),
    ]


def test_first_row_of_data_is_no_header():
    assert rows("Xaloc,899\nDuna,649\n") == [("row 1", "Xaloc: 899"), ("row 2", "Duna: 649")]


def test_pairs_have_no_header():
    assert rows("Teléfono;960 555 000\nCorreo;hola@tienda.example\n") == [
        ("row 1", "Teléfono: 960 555 000"),
        ("row 2", "Correo: hola@tienda.example"),
    ]


def test_questions_and_answers_have_a_header():
    text = (
        "Question;Answer\n"
        "How long does a delivery take?;Two working days in the whole country.\n"
        "Can I pay on delivery?;No, by card or bank transfer only, when you order.\n"
    )
    assert rows(text)[0] == (
        "row 2",
        "Question: How long does a delivery take?; Answer: Two working days in the whole country.",
    )


def test_years_may_be_names():
    assert rows("concepto;2023;2024\nVentas;100;120\n") == [
        ("row 2", "concepto: Ventas; 2023: 100; 2024: 120")
    ]


def test_lines_above_the_table_are_its_title():
    text = "Tarifa de otoño;;\n;;\nmodelo;precio;stock\nXaloc;899;4\n"
    assert blocks(text) == [
        Block("modelo: Xaloc; precio: 899; stock: 4", "row 4", "Tarifa de otoño")
    ]


def test_values_beyond_the_header_stand_alone():
    assert rows("modelo,precio\nXaloc,899,en oferta\n") == [
        ("row 2", "modelo: Xaloc; precio: 899; en oferta")
    ]


def test_one_column_is_a_list():
    assert rows("pan\nleche\nqueso\nvino\n") == [
        ("row 1", "pan"),
        ("row 2", "leche"),
        ("row 3", "queso"),
        ("row 4", "vino"),
    ]


def test_quotation_mark_that_is_never_closed_is_named():
    with pytest.raises(UnreadableFile, match="quotation mark is never closed"):
        blocks('modelo,nota\nXaloc,"' + "x,\n" * 400_000)
