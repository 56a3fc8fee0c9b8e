"""Word documents: everything that a reader of the printed page sees, under its heading."""

import pytest

from reading.errors import UnreadableFile
from reading.extractors.office import package
from reading.extractors.office.docx import extract
from reading.passages import Block
from reading.tests.office_files import (
    CHART_TEXTS,
    DIAGRAM,
    OFFICE,
    STYLES,
    chart,
    chart_reference,
    diagram_reference,
    drawing,
    heading,
    make_docx,
    make_package,
    paragraph,
    read_member,
    replace_member,
    strict,
    table,
)
from reasons import Reason

BOLD = "<w:b/>"


def blocks(body: str, **parts: str) -> list[Block]:
    return list(extract(make_docx(body, styles=STYLES, **parts)).blocks)


def texts(body: str, **parts: str) -> list[str]:
    return [block.text for block in blocks(body, **parts)]


# --- Sections -------------------------------------------------------------------------------------


def test_paragraphs_stand_under_their_heading_whatever_the_language_of_word():
    assert blocks(paragraph("Hola.") + heading("Plazos") + paragraph("Treinta días.")) == [
        Block("Hola."),
        Block("Plazos", "section Plazos", "Plazos", is_heading=True),
        Block("Treinta días.", "section Plazos", "Plazos"),
    ]


def test_path_of_a_section_is_its_parent_and_itself():
    body = heading("Garantía") + heading("Cuadro", 2) + paragraph("Seis años.")
    assert blocks(body)[-1] == Block("Seis años.", "section Cuadro", "Garantía > Cuadro")


def test_heading_by_outline_level_counts():
    outline = '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'
    style = f'<w:style w:styleId="X"><w:name w:val="Mío"/>{outline}</w:style>'
    body = paragraph("Plazos", properties='<w:pStyle w:val="X"/>') + paragraph("Dos días.")
    found = list(extract(make_docx(body, styles=style)).blocks)
    assert found[1] == Block("Dos días.", "section Plazos", "Plazos")


def test_style_inherits_being_a_heading():
    style = f'{STYLES}<w:style w:styleId="X"><w:basedOn w:val="Ttulo2"/></w:style>'
    body = heading("A") + paragraph("B", properties='<w:pStyle w:val="X"/>') + paragraph("c")
    assert list(extract(make_docx(body, styles=style)).blocks)[-1].section_title == "A > B"


def test_styles_that_inherit_in_a_circle_are_survived():
    style = (
        '<w:style w:styleId="A"><w:basedOn w:val="B"/></w:style>'
        '<w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>'
    )
    body = paragraph("Hola", properties='<w:pStyle w:val="A"/>')
    assert list(extract(make_docx(body, styles=style)).blocks) == [Block("Hola")]


def test_short_bold_line_is_a_heading_below_the_real_ones():
    body = heading("Taller") + paragraph("Horario de verano", run=BOLD) + paragraph("De 9 a 14.")
    assert blocks(body)[-1].section_title == "Taller > Horario de verano"


@pytest.mark.parametrize(
    "text", ["Cerramos en agosto.", "Precio: 25 euros", "Una frase " + "muy " * 12 + "larga"]
)
def test_bold_sentence_or_entry_is_no_heading(text: str):
    assert [block.is_heading for block in blocks(paragraph(text, run=BOLD))] == [False]


# --- What is text and what is not -----------------------------------------------------------------


def test_inserted_text_is_read_and_deleted_text_is_not():
    body = (
        "<w:p><w:r><w:t xml:space='preserve'>Son </w:t></w:r>"
        "<w:del><w:r><w:delText>treinta</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>sesenta</w:t></w:r></w:ins>"
        "<w:r><w:t xml:space='preserve'> días.</w:t></w:r></w:p>"
    )
    assert texts(body) == ["Son sesenta días."]


def test_content_controls_and_links_are_read():
    body = (
        f"<w:sdt><w:sdtContent>{paragraph('Dentro de un control.')}</w:sdtContent></w:sdt>"
        "<w:p><w:hyperlink><w:r><w:t>nuestra web</w:t></w:r></w:hyperlink></w:p>"
    )
    assert texts(body) == ["Dentro de un control.", "nuestra web"]


def test_hidden_text_is_left_out():
    assert texts(paragraph("secreto", run="<w:vanish/>") + paragraph("público")) == ["público"]


def test_field_codes_are_left_out():
    body = (
        "<w:p><w:r><w:instrText>PAGEREF x</w:instrText></w:r><w:r><w:t>página 3</w:t></w:r></w:p>"
    )
    assert texts(body) == ["página 3"]


def test_table_of_contents_is_left_out_where_it_repeats_headings():
    style = '<w:style w:styleId="TDC1"><w:name w:val="toc 1"/></w:style>'
    line = paragraph("1. Garantía 12", properties='<w:pStyle w:val="TDC1"/>')
    body = line + paragraph("1. Garantía")
    assert [block.text for block in extract(make_docx(body, styles=style)).blocks] == [
        "1. Garantía"
    ]


def test_line_breaks_and_tabs_separate_words():
    body = (
        "<w:p><w:r><w:t>Lunes</w:t><w:tab/><w:t>cerrado</w:t><w:br/><w:t>Martes</w:t></w:r></w:p>"
    )
    assert texts(body) == ["Lunes cerrado\nMartes"]


def test_text_box_is_read_once_after_its_paragraph():
    box = f"<w:txbxContent>{paragraph('Aviso: cerrado el lunes.')}</w:txbxContent>"
    body = (
        "<w:p><w:r><mc:AlternateContent>"
        f"<mc:Choice><wps:txbx>{box}</wps:txbx></mc:Choice>"
        f"<mc:Fallback>{box}</mc:Fallback>"
        "</mc:AlternateContent><w:t>Horario general.</w:t></w:r></w:p>"
    )
    assert texts(body) == ["Horario general.", "Aviso: cerrado el lunes."]


def test_footnote_follows_its_paragraph():
    body = (
        "<w:p><w:r><w:t>Garantía de seis años.</w:t>"
        '<w:footnoteReference w:id="2"/></w:r></w:p>' + paragraph("Fin.")
    )
    notes = f'<w:footnote w:id="2">{paragraph("Solo el cuadro.")}</w:footnote>'
    assert texts(body, footnotes=notes) == ["Garantía de seis años.", "Solo el cuadro.", "Fin."]


# --- Lists ----------------------------------------------------------------------------------------

NUMBERING = (
    '<w:abstractNum w:abstractNumId="0">'
    '<w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%2)"/></w:lvl>'
    "</w:abstractNum>"
    '<w:abstractNum w:abstractNumId="1">'
    '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="·"/></w:lvl>'
    "</w:abstractNum>"
    '<w:abstractNum w:abstractNumId="2">'
    '<w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="upperRoman"/>'
    '<w:lvlText w:val="Artículo %1."/></w:lvl>'
    "</w:abstractNum>"
    + "".join(
        f'<w:num w:numId="{number + 1}"><w:abstractNumId w:val="{number}"/></w:num>'
        for number in range(3)
    )
)


def item(text: str, *, list_id: int, level: int = 0) -> str:
    properties = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return paragraph(text, properties=properties)


def test_numbers_that_word_draws_are_written():
    body = (
        item("Abrir", list_id=1)
        + item("con llave", list_id=1, level=1)
        + item("sin llave", list_id=1, level=1)
        + item("Cerrar", list_id=1)
        + item("de golpe", list_id=1, level=1)
    )
    assert texts(body, numbering=NUMBERING) == [
        "1. Abrir",
        "a) con llave",
        "b) sin llave",
        "2. Cerrar",
        "a) de golpe",
    ]


def test_bullets_are_written_as_dashes():
    assert texts(item("pan", list_id=2), numbering=NUMBERING) == ["- pan"]


def test_numbered_heading_carries_its_number():
    properties = '<w:pStyle w:val="Ttulo1"/><w:numPr><w:numId w:val="3"/></w:numPr>'
    body = paragraph("Objeto", properties=properties) + paragraph("Regula el alquiler.")
    assert blocks(body, numbering=NUMBERING)[-1].location == "section Artículo IV. Objeto"


# --- Tables ---------------------------------------------------------------------------------------


def test_table_rows_carry_their_columns_names():
    rows = [["Artículo", "Plazo", "Estado"], ["Cascos", "30 días", "sin usar"], ["Cámaras", "", ""]]
    assert blocks(heading("Plazos") + table(rows)) == [
        Block("Plazos", "section Plazos", "Plazos", is_heading=True),
        Block("Artículo: Cascos; Plazo: 30 días; Estado: sin usar", "section Plazos", "Plazos"),
        Block("Artículo: Cámaras", "section Plazos", "Plazos"),
    ]


def test_table_of_pairs_has_no_header():
    rows = [["Teléfono", "960 555 000"], ["Correo", "hola@tienda.example"]]
    assert texts(table(rows)) == ["Teléfono: 960 555 000", "Correo: hola@tienda.example"]


def test_declared_header_counts():
    rows = [["Día", "Turno"], ["Lunes", "Ana"], ["Martes", "Leo"]]
    body = table(rows).replace("<w:tr>", "<w:tr><w:trPr><w:tblHeader/></w:trPr>", 1)
    assert texts(body) == ["Día: Lunes; Turno: Ana", "Día: Martes; Turno: Leo"]


def test_merged_cells_keep_the_columns():
    body = (
        "<w:tbl>"
        "<w:tr><w:tc><w:p><w:r><w:t>Zona</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p><w:r><w:t>Plazo</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p><w:r><w:t>Precio</w:t></w:r></w:p></w:tc></w:tr>"
        '<w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>'
        "<w:p><w:r><w:t>Islas</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p><w:r><w:t>5 días</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p><w:r><w:t>12 €</w:t></w:r></w:p></w:tc></w:tr>"
        "<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"
        '<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
        "<w:p><w:r><w:t>a consultar</w:t></w:r></w:p></w:tc></w:tr>"
        "</w:tbl>"
    )
    assert texts(body) == [
        "Zona: Islas; Plazo: 5 días; Precio: 12 €",
        "Zona: Islas; Plazo: a consultar",
    ]


LABELLED = (
    "<w:tbl>"
    "{title}"
    "<w:tr>{sala}{verano}</w:tr>"
    "<w:tr>{down}{dia}{mes}</w:tr>"
    "<w:tr>{baile}</w:tr>"
    "<w:tr>{brisa}{a}{b}</w:tr>"
    "<w:tr>{yoga}</w:tr>"
    "<w:tr>{cala}{c}{d}</w:tr>"
    "</w:tbl>"
)


def spanning(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph(text)}</w:tc>"


def over(columns: int) -> str:
    return f'<w:gridSpan w:val="{columns}"/>'


@pytest.mark.parametrize(
    ("title", "before"), [("", ""), ("<w:tr>{title}</w:tr>", "Tarifas 2027 – ")]
)
def test_header_of_two_rows_and_labels_belong_to_the_rows_below(title: str, before: str):
    cells = {
        "sala": spanning("Sala", '<w:vMerge w:val="restart"/>'),
        "verano": spanning("Verano", over(2)),
        "down": spanning("", "<w:vMerge/>"),
        "title": spanning("Tarifas 2027", over(3)),
        "baile": spanning("De baile", over(3)),
        "yoga": spanning("De yoga:", over(3)),
    }
    texts_of = {"dia": "Día", "mes": "Mes", "brisa": "Brisa", "a": "18", "b": "180"}
    texts_of |= {"cala": "Cala", "c": "9", "d": "90"}
    cells |= {name: spanning(text) for name, text in texts_of.items()}
    body = LABELLED.replace("{title}", title).format(**cells)
    assert texts(body) == [
        f"{before}De baile – Sala: Brisa; Verano Día: 18; Verano Mes: 180",
        f"{before}De yoga – Sala: Cala; Verano Día: 9; Verano Mes: 90",
    ]


def test_table_of_one_column_is_a_frame_around_paragraphs():
    content = paragraph("Aviso.") + table([["a", "b"], ["c", "d"]])
    body = f"<w:tbl><w:tr><w:tc>{content}</w:tc></w:tr></w:tbl>"
    assert texts(body) == ["Aviso.", "a: b", "c: d"]


def test_span_that_claims_millions_of_columns_is_survived():
    body = table([["a", "b"], ["c", "d"]]).replace(
        "<w:tc>", '<w:tc><w:tcPr><w:gridSpan w:val="9999999"/></w:tcPr>'
    )
    assert texts(body) == ["a: b", "c: d"]


def test_names_of_columns_without_a_value_are_read():
    rows = [["Nombre", "Firma", "Fecha"], ["Ana", "", ""], ["Leo", "", ""]]
    assert texts(table(rows)) == ["Nombre; Firma; Fecha", "Nombre: Ana", "Nombre: Leo"]


def test_footnote_of_a_table_follows_it():
    rows = table([["Modelo", "Plazo"], ["Xaloc", "2"], ["Duna", "3"]])
    body = rows.replace("<w:t>Xaloc</w:t>", '<w:t>Xaloc</w:t><w:footnoteReference w:id="2"/>')
    notes = f'<w:footnote w:id="2">{paragraph("Sin festivos.")}</w:footnote>'
    assert texts(body + paragraph("Fin."), footnotes=notes)[-2:] == ["Sin festivos.", "Fin."]


def test_text_box_in_a_cell_is_read_once():
    box = f"<w:txbxContent>{paragraph('Aviso.')}</w:txbxContent>"
    twice = (
        f"<w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    body = table([["Modelo", "Plazo"], ["Xaloc", "2"]])
    body = body.replace("<w:r><w:rPr></w:rPr><w:t>Xaloc</w:t></w:r>", f"{twice}")
    assert texts(body) == ["Modelo: Aviso.; Plazo: 2"]


def test_table_in_a_text_box_is_read_by_row():
    rows = table([["Modelo", "Plazo"], ["Xaloc", "2"]])
    body = f"<w:p><w:r><wps:txbx><w:txbxContent>{rows}</w:txbxContent></wps:txbx></w:r></w:p>"
    assert texts(body) == ["Modelo: Xaloc; Plazo: 2"]


# --- Beside the text ------------------------------------------------------------------------------


def page_number(kind: str) -> str:
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f"<w:r><w:instrText> {kind} </w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>3</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def test_page_headers_and_footers_are_read_once_each_without_the_numbers_of_pages():
    number = f"<w:p><w:r><w:t>Página </w:t></w:r>{page_number('PAGE')}</w:p>"
    side = (
        "<w:p><w:r><w:t>Confidencial</w:t><w:tab/><w:t>Página </w:t></w:r>"
        f"{page_number('PAGE')}<w:r><w:t> de </w:t></w:r>"
        '<w:fldSimple w:instr=" NUMPAGES "><w:r><w:t>12</w:t></w:r></w:fldSimple></w:p>'
    )
    found = blocks(
        paragraph("Hola."),
        header1=paragraph("Tienda Xaloc"),
        header2=paragraph("Tienda Xaloc"),
        footer1=side,
        footer2=number,
    )
    assert found == [
        Block("Hola."),
        Block("Tienda Xaloc", "page header"),
        Block("Confidencial", "page footer"),
    ]


def test_document_may_have_its_text_in_the_header_alone():
    assert texts("<w:p/>", header1=paragraph("Abierto todo el año.")) == ["Abierto todo el año."]


def test_comment_follows_its_paragraph_with_its_author():
    body = (
        '<w:p><w:r><w:t>Sesenta días.</w:t><w:commentReference w:id="0"/></w:r></w:p>'
        + paragraph("Fin.")
    )
    notes = (
        f'<w:comment w:id="0" w:author="Ana">{paragraph("¿No eran treinta?")}</w:comment>'
        f'<w:comment w:id="1" w:author="Leo">{paragraph("Sin lugar.")}</w:comment>'
    )
    assert texts(body, comments=notes) == [
        "Sesenta días.",
        "Ana: ¿No eran treinta?",
        "Fin.",
        "Leo: Sin lugar.",
    ]


def test_chart_is_read_by_category():
    found = extract(make_docx(drawing(chart_reference("rId1")), chart1=chart()))
    assert [block.text for block in found.blocks] == CHART_TEXTS
    assert found.warnings == []


def test_chart_whose_values_are_not_stored_is_told():
    body = paragraph("Antes.") + drawing(chart_reference("rId1")) + paragraph("Después.")
    found = extract(make_docx(body, chart1=chart(with_values=False)))
    assert [block.text for block in found.blocks] == [
        "Antes.",
        "Ventas",
        "País",
        "Cuota",
        "Después.",
    ]
    assert found.warnings == [Reason("graphics_read_in_part", count=1)]


def test_diagram_is_read():
    assert texts(drawing(diagram_reference("rId2")), diagramData1=DIAGRAM) == ["Pedido", "Entrega"]


@pytest.mark.parametrize(
    ("description", "read"),
    [
        (
            "Plano de la tienda con la salida al patio",
            ["Plano de la tienda con la salida al patio"],
        ),
        ("Un perro en la playa\n\nDescripción generada automáticamente", ["Un perro en la playa"]),
        ("Imagen 5", []),
        ("C:\\Users\\ana\\mis fotos\\logo de la tienda.png", []),
        ("", []),
    ],
)
def test_what_a_picture_shows_is_read_where_somebody_has_written_it(
    description: str, read: list[str]
):
    assert texts(drawing("", description=description)) == read


def test_embedded_objects_are_told():
    data = make_docx(paragraph("Hola."), package1="")
    found = extract(data)
    assert [block.text for block in found.blocks] == ["Hola."]
    assert found.warnings == [Reason("embedded_objects_left_out", count=1)]


def test_page_inserted_as_html_is_read():
    body = f'<w:altChunk xmlns:r="{OFFICE}" r:id="rId1"/>'
    data = make_docx(body, aFChunk1="")
    relations = read_member(data, "word/_rels/document.xml.rels").replace(".xml", ".htm")
    data = replace_member(data, "word/_rels/document.xml.rels", relations)
    page = "<main><p>Desde la web.</p></main><footer>Más texto.</footer>"
    data = replace_member(data, "word/aFChunk1.htm", page)
    assert [block.text for block in extract(data).blocks] == ["Desde la web.", "Más texto."]


def test_page_inserted_that_cannot_be_read_costs_only_itself():
    body = f'{paragraph("Plazos.")}<w:altChunk xmlns:r="{OFFICE}" r:id="rId1"/>'
    data = make_docx(body, aFChunk1="")
    relations = read_member(data, "word/_rels/document.xml.rels").replace(".xml", ".htm")
    data = replace_member(data, "word/_rels/document.xml.rels", relations)
    data = replace_member(data, "word/aFChunk1.htm", "<div>" * 20_000 + "hondo")
    found = extract(data)
    assert [block.text for block in found.blocks] == ["Plazos."]
    assert found.warnings == [Reason("inserted_texts_left_out", count=1)]


def test_text_inserted_is_in_the_encoding_that_it_is_in():
    body = f'<w:altChunk xmlns:r="{OFFICE}" r:id="rId1"/>'
    data = make_docx(body, aFChunk1="")
    relations = read_member(data, "word/_rels/document.xml.rels").replace(".xml", ".txt")
    data = replace_member(data, "word/_rels/document.xml.rels", relations)
    data = replace_member(data, "word/aFChunk1.txt", "Año y día.".encode("cp1252"))
    assert [block.text for block in extract(data).blocks] == ["Año y día."]


# --- What is not stored as text -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "read"),
    [
        ('<w:sym w:font="Symbol" w:char="F062"/>', "β"),
        ('<w:sym w:font="Wingdings" w:char="F0FC"/>', "✓"),
        ('<w:sym w:font="Arial" w:char="00E9"/>', "é"),
        ('<w:sym w:font="Unknown" w:char="F0FC"/>', ""),
        ("<w:fldChar><w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData></w:fldChar>", "☒"),
        (
            '<w:fldChar><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="no"/>'
            '<w:listEntry w:val="sí"/></w:ddList></w:ffData></w:fldChar>',
            "sí",
        ),
    ],
)
def test_symbols_and_form_fields_are_written_out(run: str, read: str):
    body = f"<w:p><w:r><w:t>Valor x</w:t>{run}</w:r></w:p>"
    assert texts(body) == [f"Valor x{read}"]


def test_formulas_keep_their_fractions_and_powers():
    body = (
        '<w:p><m:oMath xmlns:m="m"><m:r><m:t>a=</m:t></m:r>'
        "<m:f><m:num><m:r><m:t>b+1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
        "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
        "</m:oMath></w:p>"
    )
    assert texts(body) == ["a=(b+1)/2x^2"]


def test_result_of_a_field_is_read():
    body = '<w:p><w:fldSimple w:instr=" TITLE "><w:r><w:t>Guía</w:t></w:r></w:fldSimple></w:p>'
    assert texts(body) == ["Guía"]


# --- Parts that fail ------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["styles", "numbering", "footnotes", "comments"])
def test_side_part_that_is_damaged_costs_no_more_than_itself(part: str):
    parts = {"styles": STYLES, "numbering": "", "footnotes": "", "comments": ""}
    data = make_docx(paragraph("Hola.") + table([["a", "b"], ["c", "d"]]), **parts)
    found = extract(replace_member(data, f"word/{part}.xml", "no XML"))
    assert [block.text for block in found.blocks] == ["Hola.", "a: b", "c: d"]
    told = part in ("footnotes", "comments")
    assert found.warnings == ([Reason("notes_read_in_part")] if told else [])


def test_parts_are_found_when_nothing_leads_to_them():
    data = make_docx(heading("Plazos") + paragraph("Dos días."), styles=STYLES)
    for relations in ("_rels/.rels", "word/_rels/document.xml.rels"):
        data = replace_member(data, relations, None)
    assert list(extract(data).blocks)[-1] == Block("Dos días.", "section Plazos", "Plazos")


def test_strict_document_is_read():
    data = make_docx(
        heading("Plazos") + drawing(chart_reference("rId1")), chart1=chart(), styles=STYLES
    )
    assert [block.text for block in extract(strict(data)).blocks] == ["Plazos", *CHART_TEXTS]


def test_damaged_header_is_told():
    data = make_docx(paragraph("Hola."), header1=paragraph("Tienda"))
    whole = read_member(data, "word/header1.xml")
    found = extract(replace_member(data, "word/header1.xml", whole[: whole.index("</w:t>")]))
    assert [block.text for block in found.blocks] == ["Hola.", "Tienda"]
    assert found.warnings == [Reason("frames_read_in_part")]


def test_character_that_xml_forbids_is_left_out_alone():
    found = extract(make_docx(paragraph("ho\x01la &#2;mundo") + paragraph("Fin.")))
    assert [block.text for block in found.blocks] == ["hola mundo", "Fin."]
    assert found.warnings == []


# --- Hostile and broken files ---------------------------------------------------------------------

DAMAGED = "damaged or incomplete"
ENTITY = (
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">'
    '<!ENTITY c SYSTEM "file:///etc/hostname">]>'
)


def read_all(data: bytes) -> None:
    list(extract(data).blocks)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_document_type_is_refused(encoding: str):
    body = f'<w:document xmlns:w="x"><w:body>{paragraph("&b;&c;")}</w:body></w:document>'
    document = f'<?xml version="1.0" encoding="{encoding}"?>{ENTITY}{body}'.encode(encoding)
    data = make_package("word/document.xml", {"word/document.xml": document})
    with pytest.raises(UnreadableFile, match=DAMAGED):
        read_all(data)


def test_truncated_file_is_damaged():
    data = make_docx(paragraph("hola"))
    with pytest.raises(UnreadableFile, match=DAMAGED):
        read_all(data[: len(data) // 2])


def test_damaged_document_is_read_to_the_damage():
    extraction = extract(make_docx(paragraph("Primero.") + "<w:p><w:r><w:t>hola</w:t>"))
    assert next(block.text for block in extraction.blocks) == "Primero."
    extraction = extract(make_docx(paragraph("Primero.") + "<w:p><w:r><w:t>hola</w:t>"))
    assert [block.text for block in extraction.blocks] == ["Primero.", "hola"]
    assert extraction.warnings == [Reason("document_read_in_part")]


def test_archive_without_a_document_is_damaged():
    with pytest.raises(UnreadableFile, match=DAMAGED):
        read_all(make_package("word/document.xml", {}))


def test_protected_document_is_named_as_such():
    with pytest.raises(UnreadableFile, match="This document is protected with a password"):
        read_all(package.OLE_MAGIC + bytes(100))


def test_sizes_are_judged_before_anything_is_unpacked(monkeypatch):
    monkeypatch.setattr(package, "UNZIPPED_MAX_BYTES", 1000)
    with pytest.raises(UnreadableFile, match="far too large when it is unpacked"):
        read_all(make_docx(paragraph("a" * 1000)))


def test_number_of_members_is_limited(monkeypatch):
    monkeypatch.setattr(package, "MEMBERS_MAX", 3)
    with pytest.raises(UnreadableFile, match="far too large when it is unpacked"):
        read_all(make_docx(paragraph("a")))


def test_one_part_is_limited_too(monkeypatch):
    monkeypatch.setattr(package, "XML_MAX_BYTES", 100)
    with pytest.raises(UnreadableFile, match="far too large when it is unpacked"):
        read_all(make_docx(paragraph("a" * 100)))
