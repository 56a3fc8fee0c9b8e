"""Spreadsheets: each row with its columns' names, its number as Excel shows it."""

import datetime
import io
import struct
from collections.abc import Sequence
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.utils.datetime import CALENDAR_MAC_1904
from openpyxl.worksheet.table import Table
from openpyxl.worksheet.worksheet import Worksheet

from reading.errors import UnreadableFile
from reading.extractors.interface import Extraction
from reading.extractors.office import worksheets, xlsx
from reading.extractors.office.package import OLE_MAGIC
from reading.extractors.office.xlsx import extract
from reading.passages import Block
from reading.tests.office_files import (
    CHART_TEXTS,
    chart,
    make_package,
    read_member,
    relationships,
    replace_member,
    strict,
)
from reasons import Reason

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


def saved(workbook: Workbook) -> bytes:
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def read(workbook: Workbook) -> Extraction:
    return extract(saved(workbook))


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
        (8001, "00000", "08001"),
        (8001.5, "00000", "08002"),
        (2.4968, "0.00", "2.5"),
        (0, '0.00 "€";-0.00 "€";"sin cargo"', "sin cargo"),
        (0, '"sin cargo"', "sin cargo"),
        (600_123_456, "000 000 000", "600 123 456"),
        (12, '"desde "0 "€"', "desde 12 €"),
        (46_447, "mmm yyyy", "03/2027"),
        (46_447, "mmm-yy", "03/2027"),
        (1.0625, "[h]:mm", "25:30"),
        (12, '0" kg"', "12 kg"),
        (120, '#,##0\\ "m²"', "120 m²"),
        (4, '0 "años";-0 "años"', "4 años"),
        (1_500_000, '0.0,,"M"', "1.5M"),
        (7, '0"/2026"', "7/2026"),
    ],
)
def test_numbers_are_written_as_the_sheet_shows_them(value: float, number_format: str, shown: str):
    workbook = make_workbook(HEADER, ["Xaloc", "gris", value])
    sheet_of(workbook)["C2"].number_format = number_format
    assert [block.text for block in read(workbook).blocks] == [
        f"Modelo: Xaloc; Color: gris; Precio: {shown}"
    ]


def test_texts_are_written_as_the_sheet_shows_them():
    workbook = make_workbook(HEADER, ["Xaloc", "gris", "A12"])
    sheet_of(workbook)["C2"].number_format = '"Ref. "@'
    assert [block.text for block in read(workbook).blocks] == [
        "Modelo: Xaloc; Color: gris; Precio: Ref. A12"
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
    assert extraction.warnings == [Reason("formulas_left_out", count=1, names="Precios")]


def test_hidden_sheets_are_left_out_and_named():
    workbook = make_workbook(HEADER, ["Xaloc", "gris", 899])
    workbook.create_sheet("Costes").append(["Coste", 1])
    workbook["Costes"].sheet_state = "hidden"
    extraction = read(workbook)
    assert [block.location for block in extraction.blocks] == ["sheet Precios, row 2"]
    assert extraction.warnings == [Reason("hidden_sheets_left_out", names="Costes")]


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


def test_what_stands_beyond_the_columns_of_any_table_is_left_out_and_told(monkeypatch):
    monkeypatch.setattr(worksheets, "COLUMNS_MAX", 2)
    monkeypatch.setattr(xlsx, "COLUMNS_MAX", 2)
    found = read(make_workbook(HEADER, ["Xaloc", "gris", 899], ["Duna", "verde"]))
    assert [each.text for each in found.blocks] == ["Modelo: Color", "Xaloc: gris", "Duna: verde"]
    assert [*found.warnings] == [Reason("far_cells_left_out", count=2, limit=2, names="Precios")]


def test_protected_workbook_is_named_as_such():
    with pytest.raises(UnreadableFile, match="This workbook is protected with a password"):
        extract(OLE_MAGIC + bytes(100))


def test_empty_sheets_are_passed_over():
    workbook = make_workbook(HEADER, VALUES)
    workbook.create_sheet("Hoja2")
    assert [block.location for block in read(workbook).blocks] == ["sheet Precios, row 2"]


# --- Tables of a sheet ----------------------------------------------------------------------------


def test_tables_beside_each_other_are_read_one_after_the_other():
    rows: list[Row] = [
        ["Modelo", "Precio", None, "Modelo", "Precio"],
        ["Xaloc", 899, None, "Casco", 49],
        ["Duna", 649, None, None, None],
    ]
    assert texts(*rows) == [
        "Modelo: Xaloc; Precio: 899",
        "Modelo: Duna; Precio: 649",
        "Modelo: Casco; Precio: 49",
    ]


def test_table_with_an_empty_column_stays_one():
    rows: list[Row] = [["Modelo", "Color", None, "Precio", "Stock"], ["Xaloc", "gris", None, 9, 4]]
    assert texts(*rows) == ["Modelo: Xaloc; Color: gris; Precio: 9; Stock: 4"]


def test_headers_of_two_rows_and_labels_are_read_as_they_are_merged():
    rows: list[Row] = [
        ["Modelo", "Verano", None, "Notas"],
        [None, "Día", "Mes"],
        ["Carretera"],
        ["Xaloc", 14, 65, "con casco"],
        ["Montaña"],
        ["Duna", 22, 99],
    ]
    workbook = make_workbook(*rows)
    for cells in ("A1:A2", "B1:C1", "D1:D2", "A3:D3", "A5:D5"):
        sheet_of(workbook).merge_cells(cells)
    assert [(block.text, block.section_title) for block in read(workbook).blocks] == [
        ("Modelo: Xaloc; Verano Día: 14; Verano Mes: 65; Notas: con casco", "Precios > Carretera"),
        ("Modelo: Duna; Verano Día: 22; Verano Mes: 99", "Precios > Montaña"),
    ]


def test_tables_that_are_declared_beside_each_other_share_no_row():
    workbook = make_workbook(
        ["Día", "Turno", None, "Sala", "Planta"],
        ["Lunes", "Ana", None, "Brisa", "baja"],
        ["Martes", "Leo", None, "Cala", "alta"],
    )
    sheet_of(workbook).add_table(Table(displayName="Turnos", ref="A1:B3"))
    sheet_of(workbook).add_table(Table(displayName="Salas", ref="D1:E3"))
    assert [block.text for block in read(workbook).blocks] == [
        "Día: Lunes; Turno: Ana",
        "Día: Martes; Turno: Leo",
        "Sala: Brisa; Planta: baja",
        "Sala: Cala; Planta: alta",
    ]


def test_declared_header_counts():
    workbook = make_workbook(["Día", "Turno"], ["Lunes", "Ana"], ["Martes", "Leo"])
    sheet_of(workbook).add_table(Table(displayName="Turnos", ref="A1:B3"))
    assert [block.text for block in read(workbook).blocks] == [
        "Día: Lunes; Turno: Ana",
        "Día: Martes; Turno: Leo",
    ]


def test_hidden_rows_and_columns_are_read():
    workbook = make_workbook(HEADER, VALUES, ["Duna", "verde", 649])
    sheet_of(workbook).row_dimensions[2].hidden = True
    sheet_of(workbook).column_dimensions["B"].hidden = True
    assert [block.text for block in read(workbook).blocks][0] == (
        "Modelo: Xaloc; Color: gris; Precio: 899"
    )


# --- Cells as other programs write them -----------------------------------------------------------


def sheet_with(cells: str) -> bytes:
    """A workbook whose one row is this XML."""
    data = saved(make_workbook(["x"]))
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    content = f'<worksheet xmlns="{main}"><sheetData><row>{cells}</row></sheetData></worksheet>'
    return replace_member(data, "xl/worksheets/sheet1.xml", content)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ('<c t="inlineStr"><is><t>en la celda</t></is></c>', "en la celda"),
        ('<c t="inlineStr"><is><r><t>dos </t></r><r><t>trozos</t></r></is></c>', "dos trozos"),
        ('<c t="str"><f>A1</f><v>resultado</v></c>', "resultado"),
        ('<c t="e"><v>#DIV/0!</v></c>', "#DIV/0!"),
        ('<c t="b"><v>1</v></c>', "TRUE"),
        ('<c t="d"><v>2025-03-01T00:00:00Z</v></c>', "2025-03-01"),
        ('<c t="str"><v>una_x000D_\nlínea</v></c>', "una línea"),
        ("<c><v>1.5E3</v></c>", "1500"),
    ],
)
def test_cells_are_read_as_other_programs_write_them(cell: str, shown: str):
    assert [block.text for block in extract(sheet_with(cell)).blocks] == [shown]


def test_text_with_formats_inside_is_read_whole():
    text = CellRichText("Precio ", TextBlock(InlineFont(b=True), "especial"), " hoy")
    assert texts(HEADER, ["Xaloc", "gris", text])[-1].endswith("Precio: Precio especial hoy")


def test_dates_may_be_counted_from_1904():
    workbook = make_workbook(HEADER, ["Xaloc", "gris", datetime.date(2025, 3, 1)])
    workbook.epoch = CALENDAR_MAC_1904
    assert [block.text for block in read(workbook).blocks][-1].endswith("Precio: 2025-03-01")


def test_seconds_are_written_where_there_are_any():
    assert texts(HEADER, ["Xaloc", "gris", datetime.time(9, 30, 15)])[-1].endswith("09:30:15")


def test_strict_workbook_is_read():
    data = strict(saved(make_workbook(HEADER, VALUES)))
    assert [block.text for block in extract(data).blocks] == [
        "Modelo: Xaloc; Color: gris; Precio: 899"
    ]


# --- XLSB -----------------------------------------------------------------------------------------


def record(kind: int, content: bytes = b"") -> bytes:
    """[MS-XLSB] 2.1.4: numbers of seven bits a byte."""
    return packed_number(kind) + packed_number(len(content)) + content


def packed_number(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + packed_number(rest) if rest else bytes([low])


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def binary_sheet(*rows: Row) -> bytes:
    parts = [record(129), record(148, struct.pack("<IIII", 0, len(rows) - 1, 0, 9)), record(145)]
    for number, row in enumerate(rows):
        parts.append(record(0, struct.pack("<IIHHBI", number, 0, 300, 0, 0, 0)))
        for column, value in enumerate(row):
            place = struct.pack("<II", column, 0)
            is_text = isinstance(value, str)
            content = wide(value) if is_text else struct.pack("<d", value)
            parts.append(record(6 if is_text else 5, place + content))
    return b"".join([*parts, record(146), record(130)])


def binary_workbook(**sheets: bytes) -> bytes:
    """The sheet "Costes" is hidden."""
    entries = [
        record(156, struct.pack("<II", name == "Costes", index) + wide(f"rId{index}") + wide(name))
        for index, name in enumerate(sheets, start=1)
    ]
    book = b"".join([record(131), record(143), *entries, record(144), record(132)])
    targets = [("worksheet", f"worksheets/{name}.bin") for name in sheets]
    members: dict[str, str | bytes] = {
        "xl/workbook.bin": book,
        "xl/_rels/workbook.bin.rels": relationships(targets),
    }
    for name, content in sheets.items():
        members[f"xl/worksheets/{name}.bin"] = content
    return make_package("xl/workbook.bin", members)


def test_binary_workbook_is_read_as_any_other():
    precios, costes = binary_sheet(HEADER, VALUES), binary_sheet(["Coste", 1.0])
    extraction = extract(binary_workbook(Precios=precios, Costes=costes))
    assert list(extraction.blocks) == [
        Block("Modelo: Xaloc; Color: gris; Precio: 899", "sheet Precios, row 2", "Precios")
    ]
    assert extraction.warnings == [Reason("hidden_sheets_left_out", names="Costes")]


# --- Beside the cells -----------------------------------------------------------------------------


def test_chart_is_read_by_category_where_it_stands():
    workbook = make_workbook(HEADER, VALUES)
    bars = BarChart()
    bars.add_data(Reference(sheet_of(workbook), min_col=3, min_row=1, max_row=2))
    sheet_of(workbook).add_chart(bars, "A10")
    data = replace_member(saved(workbook), "xl/charts/chart1.xml", chart())
    extraction = extract(data)
    title, *rows = list(extraction.blocks)[1:]
    assert title == Block("Ventas", "sheet Precios, row 10", "Ventas", is_heading=True)
    assert rows == [Block(text, "sheet Precios, row 10", "Ventas") for text in CHART_TEXTS[1:]]
    assert extraction.warnings == []


def test_comments_and_shapes_are_read_where_they_stand():
    workbook = make_workbook(HEADER, VALUES)
    sheet_of(workbook)["C2"].comment = Comment("Sin IVA", "Ana")
    assert list(read(workbook).blocks)[1:] == [Block("Sin IVA", "sheet Precios, row 2", "Precios")]


def test_text_of_a_shape_is_read():
    data = saved(make_workbook(HEADER, VALUES))
    shape = (
        '<xdr:wsDr xmlns:xdr="x" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
        "<xdr:oneCellAnchor><xdr:from><xdr:row>6</xdr:row></xdr:from><xdr:sp><xdr:txBody>"
        "<a:p><a:r><a:t>Precios de feria</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
        "</xdr:oneCellAnchor></xdr:wsDr>"
    )
    data = replace_member(data, "xl/drawings/drawing1.xml", shape)
    relation = relationships([("drawing", "../drawings/drawing1.xml")])
    data = replace_member(data, "xl/worksheets/_rels/sheet1.xml.rels", relation)
    assert list(extract(data).blocks)[1:] == [
        Block("Precios de feria", "sheet Precios, row 7", "Precios")
    ]


# --- Parts that fail ------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["xl/styles.xml", "xl/theme/theme1.xml", "docProps/core.xml"])
@pytest.mark.parametrize("content", ["no XML", None])
def test_side_part_that_is_damaged_or_missing_costs_nothing(part: str, content: str | None):
    extraction = extract(replace_member(saved(make_workbook(HEADER, VALUES)), part, content))
    assert [block.text for block in extraction.blocks] == [
        "Modelo: Xaloc; Color: gris; Precio: 899"
    ]
    assert extraction.warnings == []


@pytest.mark.parametrize("content", ["no XML", None])
def test_texts_that_are_damaged_are_told_and_numbers_are_read(content: str | None):
    data = sheet_with('<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c><v>899</v></c>')
    extraction = extract(replace_member(data, "xl/sharedStrings.xml", content))
    assert [block.text for block in extraction.blocks] == ["899"]
    assert extraction.warnings == [Reason("damaged_cells_left_out", count=2, names="Precios")]


def test_texts_that_cells_share_are_read_without_their_pronunciation():
    data = sheet_with('<c t="s"><v>0</v></c>')
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    texts = (
        f'<sst xmlns="{main}"><si><r><t>東</t></r><r><t>京</t></r><rPh><t>とう</t></rPh></si></sst>'
    )
    data = replace_member(data, "xl/sharedStrings.xml", texts)
    assert [block.text for block in extract(data).blocks] == ["東京"]


def test_sheet_that_is_damaged_costs_no_more_than_itself():
    workbook = make_workbook(HEADER, VALUES)
    for title in ("Piezas", "Taller"):
        workbook.create_sheet(title).append(["Pieza", "Stock"])
        workbook[title].append(["Cadena", 4])
        workbook[title].append(["Rueda", 9])
    data = replace_member(saved(workbook), "xl/worksheets/sheet2.xml", "no XML")
    whole = read_member(data, "xl/worksheets/sheet3.xml")
    cut = whole[: whole.index('<c r="B3"')]
    extraction = extract(replace_member(data, "xl/worksheets/sheet3.xml", cut))
    assert [block.text for block in extraction.blocks] == [
        "Modelo: Xaloc; Color: gris; Precio: 899",
        "Pieza: Cadena; Stock: 4",
        "Pieza: Rueda",
    ]
    assert extraction.warnings == [
        Reason("damaged_sheets_left_out", names="Piezas"),
        Reason("sheets_read_in_part", names="Taller"),
    ]


def test_workbook_without_a_sheet_that_can_be_read_is_damaged():
    data = replace_member(saved(make_workbook(HEADER)), "xl/worksheets/sheet1.xml", "no XML")
    with pytest.raises(UnreadableFile, match="damaged or incomplete"):
        list(extract(data).blocks)


def test_sheets_are_found_when_the_list_of_sheets_is_lost():
    data = replace_member(saved(make_workbook(HEADER, VALUES)), "xl/workbook.xml", "no XML")
    assert [block.location for block in extract(data).blocks] == ["sheet sheet1, row 2"]


def test_chart_that_is_damaged_is_told():
    workbook = make_workbook(HEADER, VALUES)
    bars = BarChart()
    bars.add_data(Reference(sheet_of(workbook), min_col=3, min_row=1, max_row=2))
    sheet_of(workbook).add_chart(bars, "A10")
    extraction = extract(replace_member(saved(workbook), "xl/charts/chart1.xml", "no XML"))
    assert len(list(extraction.blocks)) == 1
    assert extraction.warnings == [Reason("sheet_side_parts_read_in_part", names="Precios")]
