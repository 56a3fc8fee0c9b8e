"""OpenDocument texts: everything that a reader of the printed page sees, under its heading."""

import pytest

from reading.errors import UnreadableFile
from reading.extractors.interface import DAMAGED
from reading.extractors.opendocument.odt import extract
from reading.extractors.opendocument.package import END_DAMAGED
from reading.passages import Block
from reading.tests.open_documents import (
    cell,
    chart,
    content,
    framed,
    h,
    make_flat,
    make_odf,
    p,
    root,
    row,
    table,
)
from reasons import Reason

NUMBERED = (
    '<text:list-style style:name="L1">'
    '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/>'
    '<text:list-level-style-number text:level="3" style:num-format="1" style:num-suffix="."'
    ' text:display-levels="3"/></text:list-style>'
    '<text:list-style style:name="L2"><text:list-level-style-bullet text:level="1"/>'
    "</text:list-style>"
)
HIDDEN = '<style:style style:name="Gone"><style:text-properties text:display="none"/></style:style>'
BOLD = '<style:style style:name="Bold"><style:text-properties fo:font-weight="bold"/></style:style>'


def blocks(body: str, *, styles: str = "", common: str = "") -> list[Block]:
    return list(extract(make_odf("text", body, styles=styles, common=common)).blocks)


def texts(body: str, *, styles: str = "", common: str = "") -> list[str]:
    return [block.text for block in blocks(body, styles=styles, common=common)]


def listed(*items: str, attributes: str = 'text:style-name="L1"') -> str:
    inside = "".join(f"<text:list-item>{item}</text:list-item>" for item in items)
    return f"<text:list {attributes}>{inside}</text:list>"


# --- Sections -------------------------------------------------------------------------------------


def test_paragraphs_stand_under_their_heading():
    assert blocks(p("Hola.") + h("Plazos") + h("Envío", 2) + p("Dos días.")) == [
        Block("Hola."),
        Block("Plazos", "section Plazos", "Plazos", is_heading=True),
        Block("Envío", "section Envío", "Plazos > Envío", is_heading=True),
        Block("Dos días.", "section Envío", "Plazos > Envío"),
    ]


def test_style_that_descends_from_title_or_heading_makes_a_heading():
    styles = (
        '<style:style style:name="P1" style:parent-style-name="Title"/>'
        '<style:style style:name="P2" style:parent-style-name="Heading_20_2"/>'
    )
    found = blocks(p("Manual", "P1") + p("Frenos", "P2") + p("Ajuste."), styles=styles)
    assert found[-1].section_title == "Manual > Frenos"


def test_styles_that_inherit_in_a_circle_are_survived():
    styles = (
        '<style:style style:name="A" style:parent-style-name="B"/>'
        '<style:style style:name="B" style:parent-style-name="A"/>'
    )
    assert texts(p("Hola", "A"), styles=styles) == ["Hola"]


@pytest.mark.parametrize(
    "line", [p("Horario", "Bold"), p('<text:span text:style-name="Bold">Horario</text:span>')]
)
def test_short_bold_line_is_a_heading(line: str):
    assert blocks(line + p("De 9 a 14."), styles=BOLD)[0].is_heading


def test_line_that_is_bold_in_part_is_none():
    line = p('<text:span text:style-name="Bold">Horario</text:span> de verano')
    assert not blocks(line, styles=BOLD)[0].is_heading


def test_numbers_of_headings_are_written():
    common = (
        "<office:styles><text:outline-style>"
        '<text:outline-level-style text:level="1" style:num-format="1"/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>'
        "</text:outline-style></office:styles>"
    )
    body = h("Uno") + h("Dos") + h("Dentro", 2) + h("Más", 2)
    assert texts(body, common=common) == ["1 Uno", "2 Dos", "2.1 Dentro", "2.2 Más"]


# --- What is text and what is not -----------------------------------------------------------------


def test_spaces_tabs_and_line_breaks_separate_words():
    body = p('Lunes<text:s text:c="3"/>y<text:tab/>martes<text:line-break/>cerrado\n   hoy')
    assert texts(body) == ["Lunes y martes\ncerrado hoy"]


def test_deleted_text_is_left_out_wherever_it_is_kept():
    body = (
        "<text:tracked-changes>"
        '<text:changed-region text:id="c1"><text:deletion>' + p("treinta") + "</text:deletion>"
        '</text:changed-region><text:changed-region text:id="c2"><text:deletion/>'
        "</text:changed-region></text:tracked-changes>"
        + p(
            'Son <text:change text:change-id="c1"/>sesenta '
            '<text:change-start text:change-id="c2"/>u ochenta '
            '<text:change-end text:change-id="c2"/>días.'
        )
    )
    assert texts(body) == ["Son sesenta días."]


def test_inserted_text_is_read():
    body = (
        '<text:tracked-changes><text:changed-region text:id="c1"><text:insertion/>'
        "</text:changed-region></text:tracked-changes>"
        + p(
            'Son <text:change-start text:change-id="c1"/>seis<text:change-end text:change-id="c1"/>'
        )
    )
    assert texts(body) == ["Son seis"]


def test_hidden_text_and_sections_are_left_out():
    body = (
        p('Público<text:span text:style-name="Gone"> secreto</text:span>')
        + '<text:section text:display="none"><text:section>'
        + p("Oculto")
        + listed(p("Oculto"))
        + "</text:section></text:section><text:section>"
        + p("Visible")
        + "</text:section>"
    )
    assert texts(body, styles=HIDDEN) == ["Público", "Visible"]


def test_table_of_contents_is_left_out():
    body = f"<text:table-of-content><text:index-body>{p('Plazos 3')}</text:index-body>"
    assert texts(body + "</text:table-of-content>" + p("Hola.")) == ["Hola."]


def test_fields_and_links_show_their_text():
    body = p("<text:a>nuestra web</text:a>, <text:date>3/5/2025</text:date>")
    assert texts(body) == ["nuestra web, 3/5/2025"]


def test_notes_and_comments_follow_their_paragraph():
    note = (
        "<text:note><text:note-citation>1</text:note-citation>"
        f"<text:note-body>{p('Solo el cuadro.')}</text:note-body></text:note>"
    )
    comment = f"<office:annotation><dc:creator>Ana</dc:creator>{p('¿Seguro?')}</office:annotation>"
    assert texts(p(f"Seis años.{note}{comment}") + p("Fin.")) == [
        "Seis años.",
        "Solo el cuadro.",
        "Ana: ¿Seguro?",
        "Fin.",
    ]


def test_text_boxes_are_read_after_their_paragraph_with_what_is_in_them():
    box = framed(f"<draw:text-box>{p('Aviso.')}{listed(p('Lunes'))}</draw:text-box>")
    shape = f"<draw:custom-shape>{p('Abierto')}</draw:custom-shape>"
    body = p(f"Horario.{box}<draw:a>{shape}</draw:a>")
    assert texts(body, styles=NUMBERED) == ["Horario.", "Aviso.", "1. Lunes", "Abierto"]


def test_headers_and_footers_are_read_once():
    master = (
        "<office:master-styles>"
        + "".join(
            f"<style:master-page><style:header>{p('Velomar S.L.')}</style:header><style:footer>"
            + p("Página <text:page-number>3</text:page-number>")
            + "</style:footer></style:master-page>"
            for _ in range(2)
        )
        + "</office:master-styles>"
    )
    assert blocks(p("Hola."), common=master) == [
        Block("Hola."),
        Block("Velomar S.L.", "page header"),
        Block("Página", "page footer"),
    ]


def test_chart_tells_its_title_and_values():
    shown = chart("Ventas", row("", "2024"), row("Enero", "12"), row("Febrero", "15"))
    body = p(framed('<draw:object xlink:href="./Object 1"/>'))
    found = extract(make_odf("text", body, parts={"Object 1/content.xml": shown}))
    assert [block.text for block in found.blocks] == [
        "Ventas",
        "Enero; 2024: 12",
        "Febrero; 2024: 15",
    ]


def test_formula_is_told_as_it_was_typed():
    math = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>E</mi>'
        "<annotation>E = m c^2</annotation></semantics></math>"
    )
    body = p(framed('<draw:object xlink:href="./Object 1"/>'))
    found = extract(make_odf("text", body, parts={"Object 1/content.xml": math}))
    assert [block.text for block in found.blocks] == ["E = m c^2"]


# --- Lists ----------------------------------------------------------------------------------------


def test_items_carry_their_numbers():
    inner = listed(p("chica"), listed(p("más chica"), attributes=""), attributes="")
    body = listed(p("uno"), p("dos") + p("sigue") + inner, p("tres"))
    assert texts(body, styles=NUMBERED) == [
        "1. uno",
        "2. dos",
        "sigue",
        "a) chica",
        "2.a.1. más chica",
        "3. tres",
    ]


def test_list_begins_anew_unless_it_goes_on():
    goes_on = 'text:style-name="L1" text:continue-numbering="true"'
    body = listed(p("uno")) + listed(p("uno")) + p("x") + listed(p("dos"), attributes=goes_on)
    assert texts(body, styles=NUMBERED) == ["1. uno", "1. uno", "x", "2. dos"]


def test_bullets_and_unknown_styles_are_dashes():
    body = listed(p("a"), attributes='text:style-name="L2"') + listed(p("b"), attributes="")
    assert texts(body, styles=NUMBERED) == ["- a", "- b"]


# --- Tables ---------------------------------------------------------------------------------------


def test_rows_carry_the_names_of_their_columns():
    header = f"<table:table-header-rows>{row('Modelo', 'Precio')}</table:table-header-rows>"
    assert texts(table(header, row("Xaloc", "899"), row("Mestral", "1.200"))) == [
        "Modelo: Xaloc; Precio: 899",
        "Modelo: Mestral; Precio: 1.200",
    ]


def test_cell_that_spans_rows_stands_in_each():
    covered = "<table:covered-table-cell/>"
    rows = [
        row("Marca", "Modelo", "Año"),
        row(cell("Orbea", 'table:number-rows-spanned="2"'), "Alma", "2024"),
        row(covered, "Rise", "2025"),
        row("BH", "Lynx", "2023"),
    ]
    assert texts(table(*rows)) == [
        "Marca: Orbea; Modelo: Alma; Año: 2024",
        "Marca: Orbea; Modelo: Rise; Año: 2025",
        "Marca: BH; Modelo: Lynx; Año: 2023",
    ]


def test_table_of_one_column_is_a_frame_around_paragraphs():
    assert texts(table(row(f"<table:table-cell>{h('Plazos')}{p('Dos.')}</table:table-cell>"))) == [
        "Plazos",
        "Dos.",
    ]


# --- Files ----------------------------------------------------------------------------------------


def test_flat_file_is_read_alike():
    body = h("Plazos") + listed(p("Dos días."))
    flat = extract(make_flat("text", body, styles=NUMBERED)).blocks
    assert list(flat) == blocks(body, styles=NUMBERED)


def test_protected_file_is_named_as_such():
    manifest = root("x", "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>")
    with pytest.raises(UnreadableFile) as caught:
        extract(make_odf("text", "", parts={"META-INF/manifest.xml": manifest}))
    assert caught.value.reason == (Reason("file_protected", kind="document"))


def test_what_stands_before_the_damage_is_read_and_the_rest_told():
    whole = make_flat("text", p("Uno.") * 50 + p("Dos."))
    found = extract(whole[:-80])
    assert {block.text for block in found.blocks} >= {"Uno."}
    assert found.warnings == [END_DAMAGED]


@pytest.mark.parametrize("content", [b"PK\x03\x04 and nothing else", b"<a", b""])
def test_file_of_which_nothing_can_be_read_is_refused(content: bytes):
    with pytest.raises(UnreadableFile) as caught:
        list(extract(content).blocks)
    assert caught.value.reason == DAMAGED


def test_entities_are_refused():
    flat = make_flat("text", p("&a;")).replace(
        b"<office:d", b'<!DOCTYPE x [<!ENTITY a "b">]><office:d', 1
    )
    with pytest.raises(UnreadableFile):
        list(extract(flat).blocks)


def test_repeated_cells_and_spans_without_end_are_bounded():
    many = 'table:number-columns-repeated="9999999" table:number-columns-spanned="9999999"'
    rows = '<table:table-row table:number-rows-repeated="9999999">'
    body = table(row("a", "b"), f"{rows}{cell('x', many)}</table:table-row>")
    assert len(texts(body)) == 51


def test_embedded_objects_that_are_no_chart_or_formula_are_told():
    sheet = root("document-content", content("spreadsheet", table(row("a", "b"))))
    shown = '<draw:object xlink:href="./Object 1"/>', '<draw:object-ole xlink:href="./Object 2"/>'
    body = p("Texto") + "".join(p(framed(each)) for each in (*shown, shown[0]))
    found = extract(make_odf("text", body, parts={"Object 1/content.xml": sheet}))
    assert [block.text for block in found.blocks] == ["Texto"]
    assert [*found.warnings] == [Reason("embedded_objects_left_out", count=2)]
