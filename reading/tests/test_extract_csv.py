"""Delimited text: each row with its columns' names, counted as a spreadsheet program counts."""

import pytest

from reading.errors import UnreadableFile
from reading.extractors.text.csv_rows import extract
from reading.passages import Block
from reasons import Reason


def blocks(text: str | bytes) -> list[Block]:
    return list(extract(text.encode() if isinstance(text, str) else text).blocks)


def rows(text: str | bytes) -> list[tuple[str, str]]:
    return [(block.location, block.text) for block in blocks(text)]


def test_header_is_row_one_and_names_the_values():
    assert rows("modelo,precio\nXaloc,899\nDuna,649.50\n") == [
        ("row 2", "modelo: Xaloc; precio: 899"),
        ("row 3", "modelo: Duna; precio: 649.50"),
    ]


def test_lines_alone_that_part_a_table_are_labels_of_the_rows_below():
    text = "sala,hora,aforo\nDe baile,,\nBrisa,18,12\nMarea,25,20\nDe yoga,,\nCala,9,8\n"
    assert [(block.text, block.section_title) for block in blocks(text)] == [
        ("sala: Brisa; hora: 18; aforo: 12", "De baile"),
        ("sala: Marea; hora: 25; aforo: 20", "De baile"),
        ("sala: Cala; hora: 9; aforo: 8", "De yoga"),
    ]


def test_label_stands_below_the_title_and_above_a_header_that_is_repeated():
    text = "Tarifas 2027,\n,\nsala,hora\nBrisa,18\nDe yoga,\nsala,hora\nCala,9\n"
    assert [(block.text, block.section_title) for block in blocks(text)] == [
        ("sala: Brisa; hora: 18", "Tarifas 2027"),
        ("sala: Cala; hora: 9", "Tarifas 2027 > De yoga"),
    ]


def test_header_of_two_rows_is_joined():
    text = "sala,verano,,invierno,\n,día,mes,día,mes\nBrisa,18,180,9,90\nMarea,25,250,12,120\n"
    assert rows(text)[0] == (
        "row 3",
        "sala: Brisa; verano día: 18; verano mes: 180; invierno día: 9; invierno mes: 90",
    )


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


# --- What stands around a table -------------------------------------------------------------------

TABLE = "modelo,precio,stock\nXaloc,899,4\nDuna,649,2\n"


def test_remarks_above_a_table_are_rows_and_leave_its_names():
    assert rows(f"# Exported 2024-01-01\n# by Ana, from the till\n{TABLE}")[:3] == [
        ("row 1", "# Exported 2024-01-01"),
        ("row 2", "# by Ana: from the till"),
        ("row 4", "modelo: Xaloc; precio: 899; stock: 4"),
    ]


def test_pairs_above_a_table_leave_its_names():
    text = f"Cliente,ACME\nFecha,2024-01-02\n,\n{TABLE}"
    assert rows(text)[:3] == [
        ("row 1", "Cliente: ACME"),
        ("row 2", "Fecha: 2024-01-02"),
        ("row 5", "modelo: Xaloc; precio: 899; stock: 4"),
    ]


def test_titles_that_are_too_long_for_a_label_are_rows():
    title = "Tarifa de otoño " * 15
    assert rows(f"{title},,\n{TABLE}")[0] == ("row 1", title.strip())


def test_second_table_has_its_own_names_and_title():
    text = f"{TABLE}\nPersonal,,\nempleado,tienda,horas\nAna,Valencia,38\nLuis,Madrid,40\n"
    assert blocks(text)[2:] == [
        Block("empleado: Ana; tienda: Valencia; horas: 38", "row 7", "Personal"),
        Block("empleado: Luis; tienda: Madrid; horas: 40", "row 8", "Personal"),
    ]


def test_names_may_be_alike_above_values():
    assert rows("nombre,precio,precio\nXaloc,899,850\nDuna,649,600\n")[0] == (
        "row 2",
        "nombre: Xaloc; precio: 899; precio: 850",
    )


def test_names_may_all_be_alike_above_values():
    assert rows("precio,precio\n899,850\n649,600\n")[0] == ("row 2", "precio: 899; precio: 850")


def test_texts_below_an_empty_row_leave_a_table_its_names():
    text = "modelo,precio\nXaloc,899\nDuna,649\n\ntaller,Vic\ntienda,Reus\n"
    assert rows(text)[0] == ("row 2", "modelo: Xaloc; precio: 899")


def test_column_of_names_needs_no_name():
    assert rows(",2023,2024\nVentas,100,120\nCostes,50,60\n")[0] == (
        "row 2",
        "Ventas; 2023: 100; 2024: 120",
    )


def test_names_of_empty_columns_are_not_lost():
    assert rows("modelo,precio,notas\nXaloc,899,\nDuna,649,\n")[-1] == ("row 1", "notas")


def test_quotation_mark_that_is_never_closed_costs_no_row():
    text = 'modelo,nota,stock\nXaloc,"roto,4\nDuna,bien,5\nBrisa,mal,6\n'
    assert rows(text) == [
        ("row 2", 'modelo: Xaloc; nota: "roto; stock: 4'),
        ("row 3", "modelo: Duna; nota: bien; stock: 5"),
        ("row 4", "modelo: Brisa; nota: mal; stock: 6"),
    ]


def test_space_before_a_quotation_mark_is_none_of_the_field():
    assert rows('modelo, nota, stock\nXaloc, "gris, verde", 4\nDuna, "azul", 5\n')[0] == (
        "row 2",
        "modelo: Xaloc; nota: gris, verde; stock: 4",
    )


def test_each_word_of_a_table_stands_in_its_rows():
    """However its rows are shaped."""
    table = [["c0", "c1", "c2"], ["x", "1"], ["y", "2", "3", "más", "y más"], [], ["", "z"]]
    text = "\n".join(",".join(row) for row in [*table, ["sola"], ["a", "b", "c"]])
    found = " ".join(text for _, text in rows(text))
    assert all(cell in found for row in table for cell in row)
    assert "sola" in found


def test_what_stands_beyond_the_columns_of_any_table_is_left_out_and_told():
    rows = (";".join(f"{word}{number}" for number in range(2_001)) for word in "ab")
    found = extract("\n".join(rows).encode())
    assert [block.text.count(";") for block in found.blocks] == [1_999]
    assert [*found.warnings] == [Reason("far_fields_left_out", limit=2000)]
