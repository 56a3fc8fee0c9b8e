"""Markdown: the tree of headings, and every block under its own."""

import pytest

from sources.reading.errors import UnreadableFile
from sources.reading.extractors.text import markdown
from sources.reading.extractors.text.markdown import extract
from sources.reading.passages import Block


def blocks(text: str) -> list[Block]:
    return list(extract(text.encode()).blocks)


def texts(text: str) -> list[str]:
    return [block.text for block in blocks(text)]


def test_blocks_stand_under_their_heading():
    assert blocks("Hola.\n\n# Envíos\n\n## Plazos\n\nDos días.\n\n# Pagos\n\nTarjeta.") == [
        Block("Hola."),
        Block("Envíos", "section Envíos", "Envíos", is_heading=True),
        Block("Plazos", "section Plazos", "Envíos > Plazos", is_heading=True),
        Block("Dos días.", "section Plazos", "Envíos > Plazos"),
        Block("Pagos", "section Pagos", "Pagos", is_heading=True),
        Block("Tarjeta.", "section Pagos", "Pagos"),
    ]


def test_path_of_a_section_is_its_parent_and_itself():
    assert blocks("# A\n\n## B\n\n#### C\n\ntext")[-1].section_title == "B > C"


def test_underlined_headings_count():
    assert blocks("Envíos\n======\n\nGratis.")[-1] == Block("Gratis.", "section Envíos", "Envíos")


def test_lists_keep_their_marks():
    assert texts("- pan\n- leche\n\n3. abrir\n4. cerrar\n   - con llave") == [
        "- pan",
        "- leche",
        "3. abrir",
        "4. cerrar",
        "- con llave",
    ]


def test_second_paragraph_of_an_item_has_no_mark():
    assert texts("1. uno\n\n   sigue\n2. dos") == ["1. uno", "sigue", "2. dos"]


def test_table_rows_carry_their_columns_names():
    text = "| Modelo | Precio |\n|---|--:|\n| Xaloc | 899 € |\n| Duna | |\n"
    assert texts(text) == ["Modelo: Xaloc; Precio: 899 €", "Modelo: Duna"]


def test_table_without_rows_keeps_its_names():
    assert texts("| Modelo | Precio |\n|---|---|\n") == ["Modelo; Precio"]


def test_inline_marks_go_and_what_they_mark_stays():
    text = "El **mejor** [precio](http://x.example) con `código` y ![foto de la tienda](a.png)."
    assert texts(text) == ["El mejor precio con código y foto de la tienda."]


def test_code_is_kept_as_lines():
    assert texts("```python\nx = 1\nprint(x)\n```") == ["x = 1\nprint(x)"]


def test_raw_html_is_dropped():
    assert texts("<script>alert(1)</script>\n\nHola <b>mundo</b><br>adiós") == ["Hola mundo\nadiós"]


def test_comment_is_dropped():
    assert texts("<!-- internal: ask Rosa -->\n\nHola") == ["Hola"]


def test_settings_at_the_top_of_a_file_are_no_text():
    assert texts("---\ntitle: Envíos\ndraft: true\n---\n\nGratis.") == ["Gratis."]


def test_rule_at_the_top_of_a_file_is_no_setting():
    assert texts("---\n\nGratis.\n\n---\n\nSiempre.") == ["Gratis.", "Siempre."]


def test_quotation_is_text():
    assert texts("> Muy amables.\n> Volveré.") == ["Muy amables. Volveré."]


def test_nesting_without_end_is_survived():
    assert blocks("> " * 5000 + "x") == []


def test_larger_files_than_the_parser_can_hold_are_refused(monkeypatch):
    monkeypatch.setattr(markdown, "MARKDOWN_MAX_BYTES", 10)
    with pytest.raises(UnreadableFile, match="Split it into several files"):
        extract(b"# Title and more")
