"""Plain text: what is a paragraph, what is a heading, and in which encoding it is."""

import pytest

from reading.extractors.text.plain_text import extract
from reading.passages import Block


def blocks(text: str | bytes) -> list[Block]:
    return list(extract(text.encode() if isinstance(text, str) else text).blocks)


def texts(text: str | bytes) -> list[str]:
    return [block.text for block in blocks(text)]


def test_paragraphs_are_cut_at_empty_lines():
    assert texts("Abrimos a las diez.\n\n  \nCerramos a las ocho.\n") == [
        "Abrimos a las diez.",
        "Cerramos a las ocho.",
    ]


def test_wrapped_lines_are_joined():
    text = (
        "The workshop repairs bicycles of every make, electric ones\n"
        "too, as long as the maker still sells the parts that are\n"
        "needed.\n"
    )
    assert texts(text) == [
        "The workshop repairs bicycles of every make, electric ones too, as long as the maker "
        "still sells the parts that are needed."
    ]


def test_lines_that_end_early_stay_lines():
    text = "Calle Mayor 5\n28013 Madrid\nEspaña, a cinco minutos a pie de la estación central.\n"
    assert texts(text) == [
        "Calle Mayor 5\n28013 Madrid\nEspaña, a cinco minutos a pie de la estación central."
    ]


def test_entries_and_list_items_stay_lines():
    text = "Lunes a viernes: 10:00 - 14:00\nSábado: cerrado\n\n- pan\n- leche de avena\n"
    assert texts(text) == [
        "Lunes a viernes: 10:00 - 14:00\nSábado: cerrado",
        "- pan\n- leche de avena",
    ]


def test_first_line_alone_is_the_title():
    assert blocks("Valencia\n\nValencia es una ciudad.\n\nTiene puerto.") == [
        Block("Valencia", section_title="Valencia", is_heading=True),
        Block("Valencia es una ciudad.", section_title="Valencia"),
        Block("Tiene puerto.", section_title="Valencia"),
    ]


def test_a_question_above_its_answer_is_a_heading_for_that_answer_alone():
    text = (
        "Can I try a bike?\nYes, at any shop, free of charge, for half an hour.\n\n"
        "¿Hay talleres?\nSí, en las tres tiendas.\n\nWe are closed in August."
    )
    assert blocks(f"Questions\n\n{text}")[1:] == [
        Block("Can I try a bike?", section_title="Questions > Can I try a bike?", is_heading=True),
        Block(
            "Yes, at any shop, free of charge, for half an hour.",
            section_title="Questions > Can I try a bike?",
        ),
        Block("¿Hay talleres?", section_title="Questions > ¿Hay talleres?", is_heading=True),
        Block("Sí, en las tres tiendas.", section_title="Questions > ¿Hay talleres?"),
        Block("We are closed in August.", section_title="Questions"),
    ]


@pytest.mark.parametrize("text", ["Why?\nWhy not?", "…and what then?\nNobody knew."])
def test_what_only_asks_is_no_heading(text):
    assert not any(block.is_heading for block in blocks(f"Notes\n\n{text}")[1:])


@pytest.mark.parametrize(
    ("line", "is_title"),
    [
        ("¿Quién fue Vicent Climent?", True),
        ("Star Wars: The Last Jedi", True),
        ("Telephone: 960 555 000", False),
        ("We are open.", False),
        ("- pan", False),
    ],
)
def test_what_a_title_looks_like(line: str, is_title: bool):
    assert blocks(f"{line}\n\nText below.")[0].is_heading == is_title


def test_only_line_of_a_file_is_no_title():
    assert blocks("Abierto todos los días") == [Block("Abierto todos los días")]


@pytest.mark.parametrize(
    "heading",
    ["HORARIO DE VERANO\n", "Horario de verano\n=================\n", "# Horario de verano\n\n"],
)
def test_capitals_underlines_and_hashes_make_headings(heading: str):
    title = heading.split("\n")[0].lstrip("# ")
    assert blocks(f"Una frase.\n\n{heading}Abrimos a las nueve.") == [
        Block("Una frase."),
        Block(title, section_title=title, is_heading=True),
        Block("Abrimos a las nueve.", section_title=title),
    ]


def test_numbered_line_above_text_is_a_heading():
    assert [
        block.section_title for block in blocks("CONDITIONS\n\n2. Returns\n\nThirty days.")
    ] == [
        "CONDITIONS",
        "CONDITIONS > 2. Returns",
        "CONDITIONS > 2. Returns",
    ]


def test_numbered_lines_in_a_row_are_a_list():
    found = blocks("Do this.\n\n1. Open the box\n\n2. Charge the battery\n\n3. Ride")
    assert not any(block.is_heading for block in found)


def test_short_line_above_entries_names_them_and_only_them():
    text = (
        "Shop\nMonday: 10:00 - 14:00\nSunday: closed\n\n"
        "Rental desk\nEvery day from 9:00\n\n"
        "We close in August."
    )
    assert [(block.text, block.section_title) for block in blocks(text)] == [
        ("Shop", "Shop"),
        ("Monday: 10:00 - 14:00\nSunday: closed", "Shop"),
        ("Rental desk", "Rental desk"),
        ("Every day from 9:00", "Rental desk"),
        ("We close in August.", ""),
    ]


def test_line_above_entries_that_is_an_entry_itself_is_no_heading():
    assert texts("Telephone: 960 555 000\nFax: none") == ["Telephone: 960 555 000\nFax: none"]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"]
)
def test_encodings_of_spanish_text(encoding: str):
    text = "El niño pidió piñones: ¿cuántos días tardarán?"
    assert texts(text.encode(encoding)) == [text]


def test_typographic_characters_of_windows():
    text = "Cuesta 5 € – «barato», dijo…"
    assert texts(text.encode("cp1252")) == [text]


def test_broken_bytes_do_not_turn_utf8_into_latin():
    text = "Añadió mañana, sueño, otoño, niña, caña y leña. " * 10
    broken = text.encode() + b"\xff\xff"
    assert texts(broken)[0].startswith("Añadió mañana")


def test_characters_that_no_database_stores_are_gone():
    assert texts("ca\0ja\x07 de\u00ad sorpresas \ufb01nas\u200b") == ["caja de sorpresas finas"]


def test_text_without_letters_has_no_blocks():
    assert blocks("---\n\n***\n\n   \n") == []


def test_marks_of_a_terminal_are_no_text():
    assert texts("\x1b[1;31mERROR\x1b[0m in n\bno\bot\bte _\b3") == ["ERROR in note 3"]


def test_pages_of_a_printout_and_frames_around_a_table_cost_no_word():
    frame = "┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ 2 │\n└───┴───┘"
    words = " ".join(texts(f"Primera página.\fSegunda.\n\n{frame}")).split()
    assert [word for word in words if word.strip("┌─┬┐│├┼┤└┴┘")] == [
        *("Primera", "página.", "Segunda."),
        *("a", "b", "1", "2"),
    ]
