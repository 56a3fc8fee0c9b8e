"""OpenDocument spreadsheets: rows with the names of their columns, as of a workbook of Excel."""

import pytest

from reading.errors import UnreadableFile
from reading.extractors.opendocument import ods
from reading.extractors.opendocument.ods import extract
from reading.passages import Block
from reading.tests.open_documents import cell, chart, framed, make_flat, make_odf, p, row, table
from reasons import Reason

OBJECT = '<draw:object xlink:href="./Object 1"/>'
HIDDEN = (
    '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
)


def value(kind: str, attributes: str, shown: str = "") -> str:
    return cell(shown or "?", f'office:value-type="{kind}" {attributes}')


def blocks(*sheets: str) -> list[Block]:
    return list(extract(make_odf("spreadsheet", "".join(sheets))).blocks)


def texts(*rows: str) -> list[str]:
    return [block.text for block in blocks(table(*rows))]


def test_row_has_sheet_number_and_names():
    assert blocks(table(row("Modelo", "Precio"), row("Xaloc", "899"))) == [
        Block("Modelo: Xaloc; Precio: 899", "sheet Datos, row 2", "Datos")
    ]


@pytest.mark.parametrize(
    ("kind", "attributes", "shown", "told"),
    [
        ("float", 'office:value="1234.5"', "1.234,50", "1234.5"),
        ("float", 'office:value="12"', "12 kg", "12 kg"),
        ("float", 'office:value="0"', "#DIV/0!", "#DIV/0!"),
        ("percentage", 'office:value="0.21"', "21,00 %", "21%"),
        ("currency", 'office:value="12.5" office:currency="EUR"', "12,50 €", "12.5 €"),
        ("currency", 'office:value="12.5" office:currency="USD"', "$12.50", "$12.5"),
        ("currency", 'office:value="12.5" office:currency="CHF"', "CHF 12.50", "12.5 CHF"),
        ("date", 'office:date-value="2025-01-31"', "31/01/25", "2025-01-31"),
        ("float", 'office:value="2.4968"', "2,50", "2.5"),
        ("float", 'office:value="899.5"', "900", "900"),
        ("float", 'office:value="8001"', "08001", "08001"),
        ("float", 'office:value="600123456"', "600 123 456", "600 123 456"),
        ("float", 'office:value="600123456"', "600\u202f123\u202f456", "600123456"),
        ("float", 'office:value="1500000"', "1,5", "1,5"),
        ("float", 'office:value="1500000"', "1,5E+06", "1500000"),
        ("float", 'office:value="0"', "sin cargo", "sin cargo"),
        ("percentage", 'office:value="0.33333"', "33 %", "33%"),
        ("currency", 'office:value="0" office:currency="EUR"', "- €", "0 €"),
        ("currency", 'office:value="12" office:currency="EUR"', "desde 12 €", "desde 12 €"),
        ("currency", 'office:value="12.499" office:currency="EUR"', "12,50 €", "12.5 €"),
        ("date", 'office:date-value="2025-01-31T10:30:00"', "31/01/25", "2025-01-31"),
        ("date", 'office:date-value="2025-01-31T10:30:00"', "31/1/25 10:30", "2025-01-31 10:30"),
        ("date", 'office:date-value="2027-03-01"', "marzo 2027", "marzo 2027"),
        ("date", 'office:date-value="2027-03-01"', "03/27", "03/2027"),
        ("date", 'office:date-value="2027-03-01"', "1 mar", "2027-03-01"),
        ("date", 'office:date-value="2027-03-01"', "lunes", "lunes"),
        ("time", 'office:time-value="PT02H30M00S"', "2 h 30 min", "2 h 30 min"),
        ("time", 'office:time-value="PT09H05M00S"', "9:05 a. m.", "09:05"),
        ("date", 'office:date-value="soon"', "pronto", "pronto"),
        ("time", 'office:time-value="PT09H05M00S"', "9:05", "09:05"),
        ("boolean", 'office:boolean-value="true"', "VERDADERO", "TRUE"),
        ("string", "", "Hola", "Hola"),
        ("float", 'office:value="x"', "7", "7"),
    ],
)
def test_values_are_written_as_of_a_workbook_of_excel(
    kind: str, attributes: str, shown: str, told: str
):
    found = texts(row("Modelo", "Precio", "Notas"), row("a", value(kind, attributes, shown), "b"))
    assert found == [f"Modelo: a; Precio: {told}; Notas: b"]


def test_repeated_cells_keep_their_columns_and_rows_their_numbers():
    empty = '<table:table-row table:number-rows-repeated="3"><table:table-cell/></table:table-row>'
    gap = '<table:table-cell table:number-columns-repeated="2"/>'
    body = table(row("a", "b", "c", "d"), row("1", gap, "4"), row(*"5678"), empty, row(*"xyz"))
    assert [(block.text, block.location) for block in blocks(body)] == [
        ("a: 1; d: 4", "sheet Datos, row 2"),
        ("a: 5; b: 6; c: 7; d: 8", "sheet Datos, row 3"),
        ("a: x; b: y; c: z", "sheet Datos, row 7"),
    ]


def test_cells_and_rows_repeated_without_end_are_bounded():
    many = cell("x", 'table:number-columns-repeated="16384"')
    rows = '<table:table-row table:number-rows-repeated="1048576">'
    found = blocks(table(f"{rows}{many}</table:table-row>"))
    assert (len(found), found[0].text.count("x")) == (100, 100)


def test_cell_merged_over_rows_stands_in_each():
    covered = "<table:covered-table-cell/>"
    merged = cell("Orbea", 'table:number-rows-spanned="2"')
    rows = [row("Marca", "Modelo"), row(merged, "1"), row(covered, "2"), row("BH", "3")]
    assert texts(*rows) == [
        "Marca: Orbea; Modelo: 1",
        "Marca: Orbea; Modelo: 2",
        "Marca: BH; Modelo: 3",
    ]


def test_headers_of_two_rows_and_labels_are_read_as_they_are_merged():
    covered = "<table:covered-table-cell/>"
    down = 'table:number-rows-spanned="2"'

    def over(text: str, columns: int) -> str:
        return cell(text, f'table:number-columns-spanned="{columns}"') + covered * (columns - 1)

    rows = [
        row(cell("Modelo", down), over("Verano", 2)),
        row(covered, "Día", "Mes"),
        row(over("Carretera", 3)),
        row("Xaloc", "14", "65"),
        row(over("Montaña", 3)),
        row("Duna", "22", "99"),
    ]
    assert [(block.text, block.section_title) for block in blocks(table(*rows))] == [
        ("Modelo: Xaloc; Verano Día: 14; Verano Mes: 65", "Datos > Carretera"),
        ("Modelo: Duna; Verano Día: 22; Verano Mes: 99", "Datos > Montaña"),
    ]


def test_declared_header_names_the_columns():
    header = f"<table:table-header-rows>{row('1', '2')}</table:table-header-rows>"
    assert texts(header, row("a", "b")) == ["1: a; 2: b"]


def test_hidden_sheets_are_left_out_and_named():
    hidden = table(row("a", "b"), attributes='table:name="Costes" table:style-name="ta2"')
    found = extract(make_odf("spreadsheet", hidden + table(row("c", "d")), styles=HIDDEN))
    assert [block.text for block in found.blocks] == ["c: d"]
    assert found.warnings == [Reason("hidden_sheets_left_out", names="Costes")]


def test_comments_and_drawings_come_after_the_rows():
    note = f"<office:annotation><dc:creator>Ana</dc:creator>{p('Subirá.')}</office:annotation>"
    shape = f"<table:shapes><draw:custom-shape>{p('Oferta')}</draw:custom-shape></table:shapes>"
    body = table(
        shape,
        row("Modelo", "Precio"),
        row("Xaloc", f"<table:table-cell>{note}{p('9')}</table:table-cell>"),
    )
    assert [(block.text, block.location) for block in blocks(body)] == [
        ("Modelo: Xaloc; Precio: 9", "sheet Datos, row 2"),
        ("Oferta", "sheet Datos"),
        ("Ana: Subirá.", "sheet Datos, row 2"),
    ]


def test_chart_tells_its_title_and_leaves_its_values_to_the_cells():
    shown = chart("Ventas", row("", "2024"), row("Enero", "12"))
    frame = f"<table:shapes>{framed(OBJECT)}</table:shapes>"
    content = make_odf(
        "spreadsheet", table(frame, row("a", "b")), parts={"Object 1/content.xml": shown}
    )
    assert [block.text for block in extract(content).blocks] == ["a: b", "Ventas"]


def test_flat_file_is_read_alike_with_the_charts_within():
    shown = chart("Ventas", row("", "2024"), row("Enero", "12"))
    frame = f"<table:shapes>{framed(f'<draw:object>{shown}</draw:object>')}</table:shapes>"
    found = extract(make_flat("spreadsheet", table(frame, row("a", "b")) + table(row("c", "d"))))
    assert [block.text for block in found.blocks] == ["a: b", "Ventas", "c: d"]


def test_more_rows_than_passages_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ods, "PASSAGES_MAX", 2)
    with pytest.raises(UnreadableFile, match="The sheet Datos has too many rows"):
        texts(*(row("a", "b") for _ in range(3)))


def test_what_stands_beyond_the_columns_of_any_table_is_left_out_and_told():
    far = '<table:table-cell table:number-columns-repeated="5000"/>'
    found = extract(make_odf("spreadsheet", table(row("a", far, "b"), row("c", "d"))))
    assert [block.text for block in found.blocks] == ["c: d"]
    assert [*found.warnings] == [Reason("far_cells_left_out", count=1, limit=2000, names="Datos")]


def test_protected_workbook_is_named_as_such():
    manifest = '<m xmlns="urn:x"><encryption-data/></m>'
    with pytest.raises(UnreadableFile, match="This workbook is protected with a password"):
        extract(make_odf("spreadsheet", "", parts={"META-INF/manifest.xml": manifest}))
