"""Markdown: the tree of headings, and every block under its own."""

import pytest

from reading.errors import UnreadableFile
from reading.extractors.text import markdown
from reading.extractors.text.markdown import extract
from reading.passages import Block
from reasons import Reason


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


@pytest.mark.parametrize(
    "front_matter",
    [
        '---\ntitle: "Envíos"\ndescription: >-\n  Cuánto cuestan\n  y tardan.\n'
        "tags: [pagos, 'plazos']\nauthor:\n  - Ana\n  - Luis\ndraft: true\nlayout: post\n---\n",
        "+++\ntitle = 'Envíos'\ndescription = 'Cuánto cuestan, y tardan.'\n"
        "tags = ['pagos', 'plazos']\nauthor = 'Ana, Luis'\ndraft = true\n+++\n",
    ],
)
def test_front_matter_tells_its_title_and_summary_and_no_settings(front_matter: str):
    found = blocks(f"{front_matter}\nGratis.")
    assert found[0] == Block("Envíos", "section Envíos", "Envíos", is_heading=True)
    assert [block.text.replace("',", ",").replace(", '", ", ") for block in found[1:]] == [
        "Cuánto cuestan, y tardan.",
        "tags: pagos, plazos; author: Ana, Luis",
        "Gratis.",
    ]


def test_rule_at_the_top_of_a_file_is_no_setting():
    assert texts("---\n\nGratis.\n\n---\n\nSiempre.") == ["Gratis.", "Siempre."]


def test_quotation_is_text():
    assert texts("> Muy amables.\n> Volveré.") == ["Muy amables. Volveré."]


def test_what_is_nested_without_end_is_read_as_lines():
    (block,) = blocks("> " * 5000 + "hola\n")
    assert block.text.endswith("> hola")


# --- HTML within ----------------------------------------------------------------------------------


def test_table_written_in_html_is_read_as_one():
    text = "# Precios\n\n<table>\n<tr><th>Modelo</th><th>Precio</th></tr>\n\n"
    text += "<tr>\n<td>Xaloc</td>\n<td>899 €</td>\n</tr>\n\n</table>\n\nSin IVA."
    assert texts(text) == ["Precios", "Modelo: Xaloc; Precio: 899 €", "Sin IVA."]


def test_html_around_markdown_leaves_it_as_it_is():
    text = (
        '<div align="center">\n\n# Guía\n\n</div>\n\n<details>\n<summary>¿Plazos?</summary>\n\n'
        "- dos **días**\n\n</details>\n\n<dl><dt>Fax</dt><dd>ninguno</dd></dl>\n"
    )
    assert [(block.text, block.section_title) for block in blocks(text)] == [
        ("Guía", "Guía"),
        ("¿Plazos?", "Guía > ¿Plazos?"),
        ("- dos días", "Guía > ¿Plazos?"),
        ("Fax: ninguno", "Guía"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A vector<string> of names", "A vector<string> of names"),
        ("Use <title> once.\n\nNext.", "Use <title> once."),
        ("<div class='open>\nwords\n</div>\n\nNext.", "<div class='open> words"),
        ("<textarea>\nwords\n\nNext.", "<textarea> words\n\nNext."),
        ("run <command> now\n\n</div></p>\n\nNext.", "run <command> now"),
    ],
)
def test_tag_that_is_never_closed_takes_nothing_with_it(text: str, expected: str):
    found = " ".join(texts(text))
    assert found.startswith(expected.replace("\n\n", " "))
    assert found.endswith("names" if "names" in text else "Next.")


def test_hidden_html_is_told():
    found = extract(f"Hola\n\n<div style='display:none'>{'secreto ' * 9}</div>".encode())
    assert [block.text for block in found.blocks] == ["Hola"]
    assert list(found.warnings) == [Reason("hidden_parts_left_out")]


def test_footnotes_are_text_and_addresses_of_links_are_none():
    text = "Gratis.[^1] Más [aquí][a].\n\n[^1]: Siempre\n\n[a]: http://x.example\n"
    assert texts(text) == ["Gratis.[^1] Más aquí.", "[^1]: Siempre"]


def test_table_cells_hold_code_with_bars_and_breaks():
    text = "| Opción | Qué hace |\n|---|---|\n| `a \\| b` | una<br>dos |\n"
    assert texts(text) == ["Opción: a | b; Qué hace: una, dos"]


def test_open_tags_without_end_cost_no_time():
    assert texts("<a " * 200_000 + "fin")[0].endswith("fin")
    assert texts("<div\n" + "<!-- " * 200_000 + "\n\nfin")
    assert texts('x <b c="' * 100_000 + "fin")[0].endswith("fin")


# --- Limits ---------------------------------------------------------------------------------------


def test_larger_files_than_the_parser_can_hold_are_refused(monkeypatch):
    monkeypatch.setattr(markdown, "MARKDOWN_MAX_BYTES", 10)
    with pytest.raises(UnreadableFile, match="Split it into several files"):
        extract(b"# Title and more")
