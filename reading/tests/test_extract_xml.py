"""XML: documents by their sections, data by its records, whatever its vocabulary."""

import pytest

from reading.errors import UnreadableFile
from reading.extractors.data.xml_file import extract
from reading.extractors.interface import DAMAGED
from reading.passages import Block
from reading.tests.open_documents import h, make_flat, p
from reasons import Reason


def blocks(content: str) -> list[Block]:
    return list(extract(content.encode()).blocks)


def texts(content: str) -> list[str]:
    return [block.text for block in blocks(content)]


# --- Data -----------------------------------------------------------------------------------------


def test_repeated_elements_are_rows():
    content = (
        "<bikes currency='EUR'><bike id='7'><name>Xaloc</name><price unit='€'>899</price>"
        "<maker><city>Reus</city></maker><tag>a</tag><tag>b</tag></bike>"
        "<bike><name>Mestral</name></bike></bikes>"
    )
    assert blocks(content) == [
        Block("currency: EUR"),
        Block(
            "id: 7; name: Xaloc; price: 899; price.unit: €; maker.city: Reus; tag: a, b",
            "item 1",
            "bike",
        ),
        Block("name: Mestral", "item 2", "bike"),
    ]


def test_names_are_told_without_their_namespaces():
    content = (
        '<x:a xmlns:x="urn:x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        ' xsi:schemaLocation="urn:x y.xsd"><x:b>Hola</x:b></x:a>'
    )
    assert texts(content) == ["b: Hola"]


def test_prose_within_data_is_one_text():
    content = (
        "<shop><note>Abre <b>siempre</b> a las 9.</note><city>Reus</city><open>si</open>"
        "<about><p>Uno.</p><p>Dos.</p></about></shop>"
    )
    assert texts(content) == [
        "note: Abre siempre a las 9.",
        "city: Reus",
        "open: si",
        "about: Uno. Dos.",
    ]


def test_feed_is_told_entry_by_entry_without_its_markup():
    content = (
        "<rss><channel><title>Noticias</title><item><title>Uno</title><description>&lt;p&gt;Hola "
        "&lt;b&gt;a todos&lt;/b&gt;&lt;/p&gt;</description></item><item><title>Dos</title>"
        "<description><![CDATA[<p>Adiós</p>]]></description></item></channel></rss>"
    )
    assert blocks(content) == [
        Block("title: Noticias", "", "channel"),
        Block("title: Uno; description: Hola a todos", "item 1", "channel > item"),
        Block("title: Dos; description: Adiós", "item 2", "channel > item"),
    ]


def test_workbook_of_excel_2003_is_read_by_row():
    def row(*cells: str) -> str:
        inside = "".join(f"<Cell{each}</Data></Cell>" for each in cells)
        return f"<Row>{inside}</Row>"

    data = '><Data ss:Type="String">'
    content = (
        '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>'
        '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"'
        ' xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">'
        '<Worksheet ss:Name="Precios"><Table>'
        + row(f"{data}Modelo", f"{data}Año", f"{data}Precio")
        + row(f"{data}Xaloc", f' ss:Index="3"{data}899')
        + row(f"{data}Alma", f"{data}2024", f"{data}900")
        + "</Table></Worksheet></Workbook>"
    )
    assert blocks(content) == [
        Block("Modelo: Xaloc; Precio: 899", "sheet Precios, row 2", "Precios"),
        Block("Modelo: Alma; Año: 2024; Precio: 900", "sheet Precios, row 3", "Precios"),
    ]


def test_workbook_of_excel_2003_is_read_as_it_is_shown_and_merged():
    def number(text: str, style: str, kind: str = "Number") -> str:
        return f'<Cell ss:StyleID="{style}"><Data ss:Type="{kind}">{text}</Data></Cell>'

    def text(text: str, merge: str = "") -> str:
        return f'<Cell {merge}><Data ss:Type="String">{text}</Data></Cell>'

    formats = {
        "price": "0.00\\ [$€-2];;&quot;sin coste&quot;",
        "month": "mmm\\ yyyy",
        "day": "Short Date",
    }
    styles = "".join(
        f'<Style ss:ID="{name}"><NumberFormat ss:Format="{code}"/></Style>'
        for name, code in formats.items()
    )
    rows = (
        text("Curso", 'ss:MergeDown="1"') + text("Precio", 'ss:MergeAcross="1"') + text("Desde"),
        f'<Cell ss:Index="2"><Data ss:Type="String">Socios</Data></Cell>{text("Otros")}',
        text("De agua", 'ss:MergeAcross="3"'),
        text("Vela") + number("0", "price") + number("119.996", "price")
        + number("2027-03-01T00:00:00.000", "month", "DateTime"),
        text("Remo") + number("9", "price") + number("12", "price")
        + number("2027-04-02T00:00:00.000", "day", "DateTime"),
    )  # fmt: skip
    content = (
        '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"'
        ' xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">'
        f'<Styles>{styles}</Styles><Worksheet ss:Name="Cursos"><Table>'
        + "".join(f"<Row>{row}</Row>" for row in rows)
        + "</Table></Worksheet></Workbook>"
    )
    assert [(block.text, block.section_title) for block in blocks(content)] == [
        (
            "Curso: Vela; Precio Socios: sin coste; Precio Otros: 120 €; Desde: 03/2027",
            "Cursos > De agua",
        ),
        (
            "Curso: Remo; Precio Socios: 9 €; Precio Otros: 12 €; Desde: 2027-04-02",
            "Cursos > De agua",
        ),
    ]


# --- Documents ------------------------------------------------------------------------------------

DOCBOOK = """<?xml version="1.0"?>
<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd" [
<!ENTITY shop "Velomar">]>
<book><title>Manual</title><chapter><title>Frenos</title>
<para>De &shop;, con <emphasis>calma</emphasis>:<orderedlist><listitem><para>Aprieta.</para>
</listitem><listitem><para>Suelta.</para></listitem></orderedlist></para>
<table><title>Piezas</title><tgroup><thead><row><entry>Pieza</entry><entry>Precio</entry></row>
</thead><tbody><row><entry>Zapata</entry><entry>9</entry></row></tbody></tgroup></table>
<programlisting>uno
  dos</programlisting></chapter>
<chapter><title>Ruedas</title>
<para>Infla.<footnote><para>A 6 bar.</para></footnote></para></chapter>
</book>"""


def test_sections_paragraphs_lists_and_tables_of_a_document():
    assert [(block.text, block.section_title) for block in blocks(DOCBOOK)] == [
        ("Manual", "Manual"),
        ("Frenos", "Manual > Frenos"),
        ("De Velomar, con calma:", "Manual > Frenos"),
        ("1. Aprieta.", "Manual > Frenos"),
        ("2. Suelta.", "Manual > Frenos"),
        ("Piezas", "Manual > Frenos"),
        ("Pieza: Zapata; Precio: 9", "Manual > Frenos"),
        ("uno\ndos", "Manual > Frenos"),
        ("Ruedas", "Manual > Ruedas"),
        ("Infla.", "Manual > Ruedas"),
        ("A 6 bar.", "Manual > Ruedas"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "<topic><title>Uno</title><body><p>Hola <b>a</b> todos.</p></body></topic>",
        "<article><body><sec><title>Uno</title><p>Hola <italic>a</italic> todos.</p></sec></body>"
        "</article>",
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head>Uno</head>'
        "<p>Hola <hi>a</hi> todos.</p></div></body></text></TEI>",
        "<document><section><title>Uno</title><paragraph>Hola <strong>a</strong> todos."
        "</paragraph></section></document>",
        "<unknown><part><title>Uno</title><p>Hola <x>a</x> todos.</p></part></unknown>",
    ],
)
def test_documents_of_many_vocabularies(content: str):
    assert blocks(content) == [
        Block("Uno", "section Uno", "Uno", is_heading=True),
        Block("Hola a todos.", "section Uno", "Uno"),
    ]


def test_runs_of_a_word_document_are_joined():
    content = (
        '<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body>'
        "<w:p><w:r><w:t>Ho</w:t></w:r><w:r><w:t>la.</w:t></w:r></w:p></w:body></w:wordDocument>"
    )
    assert texts(content) == ["Hola."]


def test_flat_open_document_and_web_page_are_read_as_what_they_are():
    flat = make_flat("text", h("Plazos") + p("Dos días."))
    assert [block.text for block in extract(flat).blocks] == ["Plazos", "Dos días."]
    page = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><nav>Inicio</nav><main><p>Hola</p></main></body></html>'
    assert texts(page) == ["Inicio", "Hola"]


# --- Characters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252"])
def test_declared_encoding_counts(encoding: str):
    content = f'<?xml version="1.0" encoding="{encoding}"?><a><b>A Coruña</b></a>'
    assert [block.text for block in extract(content.encode(encoding)).blocks] == ["b: A Coruña"]


def test_encoding_that_is_declared_wrongly_is_found():
    content = '<?xml version="1.0" encoding="x-unknown"?><a><b>A Coruña</b></a>'
    assert texts(content) == ["b: A Coruña"]


def test_names_of_characters_are_known_and_unknown_ones_stay():
    assert texts("<a><b>caf&eacute;&nbsp;&mdash; &company;&lt;</b></a>") == ["b: café — company<"]


def test_parts_of_a_document_without_a_common_root_are_all_read():
    assert texts("<sect1><para>Uno.</para></sect1>\n<sect1><para>Dos.</para></sect1>") == [
        "Uno.",
        "Dos.",
    ]


# --- Damage and attacks ---------------------------------------------------------------------------


def test_what_stands_before_the_damage_is_read_and_the_rest_told():
    found = extract(b"<a>\n<b><c>Uno</c></b>\n<b><c>Dos</c></b>\n<b><c>Tr")
    assert [block.text for block in found.blocks][:2] == ["c: Uno", "c: Dos"]
    assert found.warnings == [Reason("xml_damaged_from_line", line=4)]


@pytest.mark.parametrize("content", ["palabras", "<", "<?xml version='1.0'?>"])
def test_file_that_is_no_xml_is_refused(content: str):
    with pytest.raises(UnreadableFile) as caught:
        texts(content)
    assert caught.value.reason == DAMAGED


def test_entities_neither_unfold_nor_fetch():
    bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 20))
    declared = f'<!DOCTYPE x [<!ENTITY a0 "ja">{bomb}<!ENTITY f SYSTEM "file:///etc/passwd">]>'
    assert texts(f"{declared}<x><b>Uno &a0; &a19; &f;</b></x>") == ["b: Uno ja"]


def test_entity_told_without_end_is_bounded_and_told():
    declared = f'<!DOCTYPE x [<!ENTITY a "{"a" * 10_000}">]>'
    found = extract(f"{declared}<x>{'<b>&a;</b>' * 10_000}</x>".encode())
    assert sum(len(block.text) for block in found.blocks) < 2_000_000
    assert len(found.warnings) == 1


def test_nesting_without_end_is_read_as_far_as_it_goes():
    found = extract(b"<a><b>Uno</b>" + b"<c>" * 10_000 + b"x" + b"</c>" * 10_000 + b"</a>")
    assert [block.text for block in found.blocks][0] == "b: Uno"
    assert len(found.warnings) == 1


def test_rows_without_cells_are_read():
    content = (
        "<document><row><model>Xaloc</model><price>899</price></row><row>Alone</row></document>"
    )
    assert texts(content) == ["Xaloc: 899", "Alone"]
