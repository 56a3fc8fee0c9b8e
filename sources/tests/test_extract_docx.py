"""Word documents: everything that a reader of the printed page sees, under its heading."""

import pytest

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.office import package
from sources.reading.extractors.office.docx import extract
from sources.reading.passages import Block
from sources.tests.office_files import STYLES, heading, make_docx, make_package, paragraph, table

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


def test_table_of_one_column_is_a_frame_around_paragraphs():
    content = paragraph("Aviso.") + table([["a", "b"], ["c", "d"]])
    body = f"<w:tbl><w:tr><w:tc>{content}</w:tc></w:tr></w:tbl>"
    assert texts(body) == ["Aviso.", "a: b", "c: d"]


def test_span_that_claims_millions_of_columns_is_survived():
    body = table([["a", "b"], ["c", "d"]]).replace(
        "<w:tc>", '<w:tc><w:tcPr><w:gridSpan w:val="9999999"/></w:tcPr>'
    )
    assert texts(body) == ["a: b", "c: d"]


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
    assert extraction.warnings == ["The document was read only in part: the rest of it is damaged."]


def test_archive_without_a_document_is_damaged():
    with pytest.raises(UnreadableFile, match=DAMAGED):
        read_all(make_package("word/document.xml", {}))


def test_protected_document_is_named_as_such():
    with pytest.raises(UnreadableFile, match="This document is protected with a password"):
        read_all(package.OLE_MAGIC + bytes(100))


def test_sizes_are_judged_before_anything_is_unpacked(monkeypatch):
    monkeypatch.setattr(package, "UNZIPPED_MAX_BYTES", 1000)
    with pytest.raises(UnreadableFile, match="unpacks to an unreasonable size"):
        read_all(make_docx(paragraph("a" * 1000)))


def test_number_of_members_is_limited(monkeypatch):
    monkeypatch.setattr(package, "MEMBERS_MAX", 3)
    with pytest.raises(UnreadableFile, match="unpacks to an unreasonable size"):
        read_all(make_docx(paragraph("a")))


def test_one_part_is_limited_too(monkeypatch):
    monkeypatch.setattr(package, "XML_MAX_BYTES", 100)
    with pytest.raises(UnreadableFile, match="unpacks to an unreasonable size"):
        read_all(make_docx(paragraph("a" * 100)))
