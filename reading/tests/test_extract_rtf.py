"""Rich text: structure, letters of all code pages, and what is no text."""

import pytest

from reading.errors import UnreadableFile
from reading.extractors.interface import Extraction
from reading.extractors.legacy.rtf import extract
from reading.passages import Block
from reasons import Reason


def read(body: str, *, head: str = r"\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}") -> Extraction:
    return extract(f"{{\\rtf1{head}{body}}}".encode("latin-1"))


def texts(body: str, **options: str) -> list[str]:
    return [block.text for block in read(body, **options).blocks]


def headings(body: str) -> list[tuple[str, str]]:
    return [(block.text, block.section_title) for block in read(body).blocks if block.is_heading]


def row(*cells: str, edges: tuple[int, ...] = (), marks: tuple[str, ...] = ()) -> str:
    widths = edges or tuple(3000 * (index + 1) for index in range(len(cells)))
    marks = marks or ("",) * len(widths)
    definition = "".join(f"{mark}\\cellx{edge}" for edge, mark in zip(widths, marks, strict=True))
    written = "".join(f"\\pard\\intbl {cell}\\cell" for cell in cells)
    return f"\\trowd{definition}{written}\\row\n"


def test_paragraphs_and_line_ends():
    assert texts(r"Uno.\par Dos\line seguido.\par\pard{\b Tres} y\tab cuatro.\par") == [
        "Uno.",
        "Dos\nseguido.",
        "Tres y cuatro.",
    ]


def test_line_end_after_a_backslash_ends_a_paragraph():
    assert texts("Uno.\\\nDos.\\\r\nTres.") == ["Uno.", "Dos.", "Tres."]


@pytest.mark.parametrize(
    "style", [r"\s1\outlinelevel0", r"\s1", r"\outlinelevel0"], ids=["both", "style", "level"]
)
def test_headings_are_told_by_style_or_level(style: str):
    sheet = r"{\stylesheet{Normal;}{\s1\b heading 1;}{\s2\outlinelevel1 Apartado;}}"
    body = sheet + rf"\pard{style} Entrega\par\pard\s2 Plazos\par\pard Dos d\'edas.\par"
    assert list(read(body).blocks) == [
        Block("Entrega", "section Entrega", "Entrega", is_heading=True),
        Block("Plazos", "section Plazos", "Entrega > Plazos", is_heading=True)
        if "s1" in style or "level0" in style
        else Block("Plazos"),
        Block("Dos días.", "section Plazos", "Entrega > Plazos"),
    ]


def test_bold_line_alone_is_a_heading_and_a_bold_sentence_is_none():
    body = r"{\b Horario de tienda}\par Abierto.\par{\b No se admiten perros.}\par{\b Nota}: x\par"
    assert headings(body) == [("Horario de tienda", "Horario de tienda")]


def test_table_of_contents_is_left_out():
    sheet = r"{\stylesheet{\s3 toc 1;}}"
    assert texts(sheet + r"\pard\s3 Entrega\tab 4\par\pard Texto.\par") == ["Texto."]


def test_rows_carry_their_columns_names():
    body = (
        row("Modelo", "Precio")
        + row("Xaloc", r"899 \'80")
        + row("Garb\\'ed", "720")
        + r"\pard Fin.\par"
    )
    assert texts(body) == ["Modelo: Xaloc; Precio: 899 €", "Modelo: Garbí; Precio: 720", "Fin."]


def test_cells_that_span_columns_and_rows_keep_the_others_in_their_columns():
    body = (
        row("Zona", "Ciudad", "Tarifa")
        + row("Sur", "Todas", edges=(3000, 9000))
        + row("Norte", "Vigo", "5", marks=("\\clvmgf", "", ""))
        + row("", "Lugo", "6", marks=("\\clvmrg", "", ""))
    )
    assert texts(body) == [
        "Zona: Sur; Ciudad: Todas",
        "Zona: Norte; Ciudad: Vigo; Tarifa: 5",
        "Zona: Norte; Ciudad: Lugo; Tarifa: 6",
    ]


def test_table_of_one_column_is_a_frame():
    assert texts(row(r"Aviso.\par Cerrado en agosto.") + r"\pard Fin.\par") == [
        "Aviso.\nCerrado en agosto.",
        "Fin.",
    ]


def test_row_without_end_is_read():
    assert texts(r"\trowd\cellx3000\cellx6000\pard\intbl Uno\cell Dos\cell") == ["Uno: Dos"]


def test_list_items_keep_the_label_that_is_stored_with_them():
    body = (
        r"{\fonttbl{\f3\fcharset2 Symbol;}{\f4\fcharset2 Wingdings;}}"
        r"{\listtext\pard 2.\tab}Se env\'eda.\par{\listtext\f3\'b7\tab}Punto.\par"
        r"{\pntext\f4 q\tab}Otro.\par"
    )
    assert texts(body) == ["2. Se envía.", "- Punto.", "- Otro."]


def test_footnotes_comments_and_boxes_follow_their_paragraph():
    body = (
        r"Texto{\super 1{\footnote\pard\plain Una nota.}}{\*\annotation\pard Un comentario.}"
        r"{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 202}}{\sp{\sn wzDescription}{\sv Plano}}"
        r"{\shptxt\pard En la caja.\par}}{\shprslt{\*\do En la caja.}}} seguido.\par Fin.\par"
    )
    assert texts(body) == [
        "Texto1 seguido.",
        "Una nota.",
        "Un comentario.",
        "Plano",
        "En la caja.",
        "Fin.",
    ]


def test_headers_and_footers_are_told_once_and_page_numbers_never():
    body = (
        r"{\header\pard Bicis Mar\par}{\footer\pard Condiciones de 2025\par P\'e1gina 3 de 7\par}"
        r"Uno.\par\sect{\header\pard Bicis Mar\par}Dos.\par"
    )
    assert texts(body) == ["Bicis Mar", "Uno.", "Dos.", "Condiciones de 2025"]


def test_header_of_signs_alone_does_not_take_long():
    assert texts(r"{\header " + "-" * 5000 + r" x\par}Uno.\par")[-1] == "Uno."


@pytest.mark.parametrize(
    "hidden",
    [
        r"{\v secreto}",
        r"\v secreto\v0 ",
        r"{\deleted secreto}",
        r"{\*\bkmkstart secreto}",
        r"{\*\unbekannt secreto}",
        r"{\field{\*\fldinst HYPERLINK secreto}{\fldrslt}}",
        r"{\pict\wmetafile8 secreto}",
        r"{\object{\*\objdata secreto}}",
        r"{\info{\title secreto}{\upr{\author secreto}{\*\ud secreto}}}",
        r"{\pict\bin9 secreto}}}",
    ],
)
def test_what_nobody_sees_is_left_out(hidden: str):
    assert texts(rf"Antes {hidden}despu\'e9s.\par") == ["Antes después."]


def test_star_within_a_group_begins_no_destination():
    assert texts(r"Uno {\fldrslt \*\cs12 dos} {tres\*\cs3 cuatro}.\par") == ["Uno dos trescuatro."]


def test_result_of_a_field_is_read():
    assert texts(r'V\'e9ase {\field{\*\fldinst HYPERLINK "x"}{\fldrslt la web}}.\par') == [
        "Véase la web."
    ]


@pytest.mark.parametrize(
    ("charset", "encoding", "text"),
    [
        (0, "cp1252", "Año € “bueno”"),
        (238, "cp1250", "Příliš žluťoučký"),
        (204, "cp1251", "Привет"),
        (161, "cp1253", "Ελληνικά"),
        (162, "cp1254", "Şişli ığ"),
        (186, "cp1257", "Ąžuolas"),
        (128, "cp932", "日本語のテスト"),
        (134, "gbk", "简体中文"),
        (136, "cp950", "繁體中文"),
        (129, "cp949", "한국어"),
        (77, "mac_roman", "Año é"),
    ],
)
def test_letters_of_a_font_are_in_its_code_page(charset: int, encoding: str, text: str):
    codes = "".join(f"\\'{byte:02x}" for byte in text.encode(encoding))
    fonts = rf"\ansi\deff0{{\fonttbl{{\f0 Arial;}}{{\f1\fcharset{charset} X;}}}}"
    assert texts(rf"{{\f1 {codes}}}\par", head=fonts) == [text]


def test_letters_without_a_font_are_in_the_code_page_of_the_file():
    assert texts(r"\'cf\'f0\'e8\par", head=r"\ansi\ansicpg1251") == ["При"]
    assert texts(r"A\'96o\par", head=r"\mac ") == ["Año"]
    assert texts(r"\'a4\par", head=r"\pc") == ["ñ"]


def test_font_whose_name_alone_tells_its_code_page():
    assert texts(r"\f1\'ef\par", head=r"\ansi{\fonttbl{\f1 Arial CE;}}") == ["ď"]


def test_unicode_replaces_what_stands_in_for_it():
    assert texts(
        r"\u1052?\u1080\'3f\u1088 \uc2\u28450\'8a\'bf\uc0\u8364 \u-10179\u-8704 .\par"
    ) == ["Мир漢€😀."]


def test_greek_of_the_symbol_font():
    head = r"\ansi{\fonttbl{\f3\fcharset2 Symbol;}}"
    assert texts(r"\'c1ngulo {\f3 a}, {\f3\u-3999 ?}\par", head=head) == ["Ángulo α, α"]


def test_unicode_text_is_preferred_to_its_likeness():
    assert texts(r"{\upr{Mir?}{\*\ud{\u1052 ?ir}}}\par") == ["Мir"]


def test_text_after_the_last_brace_is_none_of_the_document():
    assert [block.text for block in extract(b"{\\rtf1 Texto.\\par}\0\0 basura }} {").blocks] == [
        "Texto."
    ]


def test_file_that_was_cut_off_is_read_and_says_so():
    extraction = extract(rb"{\rtf1{\b Uno.}\par Dos {\i tres")
    assert [block.text for block in extraction.blocks] == ["Uno.", "Dos tres"]
    assert extraction.warnings == [Reason("end_of_file_lost")]


def test_groups_deeper_than_any_program_writes_are_read():
    assert texts("{" * 5000 + "hondo" + "}" * 5000 + r"\par llano\par") == ["hondo", "llano"]


def test_row_with_more_cells_than_a_table_has_loses_none():
    words = " ".join(texts(row(*(f"c{index}" for index in range(450)))))
    assert all(f"c{index}" in words for index in range(450))


def test_file_that_is_no_rich_text():
    with pytest.raises(UnreadableFile, match="damaged or incomplete"):
        extract(b"plain words")


def test_embedded_objects_are_told_and_what_they_show_is_read():
    found = read(r"Antes {\object\objemb{\*\objdata 0105}{\result tabla}} y {\object\objemb}.\par")
    assert [block.text for block in found.blocks] == ["Antes tabla y ."]
    assert found.warnings == [Reason("embedded_objects_left_out", count=2)]
