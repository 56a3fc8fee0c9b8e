"""What a passage is: readable alone, and never over the border of a section, page, slide or row."""

import pytest

from reading import cutting
from reading.cutting import ROW_REPEATS_KEPT, chunk_document, keep_once
from reading.errors import UnreadableFile
from reading.passages import Block, ChunkLevel, ExtractedDocument, Passage
from reasons import Reason


def cut(*blocks: Block, level: ChunkLevel = ChunkLevel.PARAGRAPH) -> tuple[Passage, ...]:
    return chunk_document(ExtractedDocument("Guía", blocks, level))


def texts(*blocks: Block, level: ChunkLevel = ChunkLevel.PARAGRAPH) -> list[str]:
    return [passage.text for passage in cut(*blocks, level=level)]


def words(count: int, word: str = "palabra") -> str:
    return " ".join([word] * (count - 1) + [f"{word}."])


def lengths(passages: list[str]) -> list[int]:
    return [len(text.split()) for text in passages]


# --- Paragraphs -----------------------------------------------------------------------------------


def test_paragraph_keeps_its_place():
    assert cut(Block("Abrimos a las diez.", "page 3", "Horario")) == (
        Passage("Abrimos a las diez.", "page 3", "Horario", ChunkLevel.PARAGRAPH),
    )


def test_short_neighbours_are_merged():
    assert texts(Block(words(20, "a")), Block(words(30, "b"))) == [
        f"{words(20, 'a')}\n{words(30, 'b')}"
    ]


def test_merging_ends_at_120_words():
    assert lengths(texts(*[Block(words(50))] * 5)) == [100, 100, 50]


@pytest.mark.parametrize("count", [60, 150, 250])
def test_long_paragraph_stays_whole_and_alone(count: int):
    assert lengths(texts(Block(words(20)), Block(words(count)), Block(words(20)))) == [
        20,
        count,
        20,
    ]


def test_longer_paragraph_is_split_at_the_ends_of_sentences():
    sentence = f"Una {words(19)}"
    parts = texts(Block(" ".join([sentence] * 20)))
    assert lengths(parts) == [140, 140, 120]
    assert all(part.startswith("Una ") and part.endswith("palabra.") for part in parts)


def test_sentence_without_end_is_split_at_words():
    parts = texts(Block(words(1000)))
    assert lengths(parts) == [143] * 6 + [142]
    assert " ".join(parts) == words(1000)


def test_text_without_spaces_is_split_too():
    parts = texts(Block("字" * 10_000))
    assert "".join(parts) == "字" * 10_000
    assert max(map(len, parts)) <= 250 * 12


def test_announcement_stands_with_what_it_announces():
    announcement, items = Block("Para devolver un producto:"), Block(words(100))
    assert lengths(texts(announcement, items)) == [104]


def test_last_bit_of_a_list_joins_the_rest_of_it():
    assert lengths(texts(*[Block(words(40))] * 3, Block(words(10)))) == [130]


def test_last_bit_does_not_join_a_long_paragraph():
    assert lengths(texts(Block(words(100)), Block(words(5)))) == [100, 5]


# --- Borders --------------------------------------------------------------------------------------


def test_passage_never_spans_two_pages():
    passages = cut(Block("Uno.", "page 1"), Block("Dos.", "page 2"), Block("Tres.", "page 2"))
    assert [(passage.location, passage.text) for passage in passages] == [
        ("page 1", "Uno."),
        ("page 2", "Dos.\nTres."),
    ]


def test_passage_never_spans_two_sections_of_a_page():
    passages = cut(Block("Uno.", "page 1", "A"), Block("Dos.", "page 1", "B"))
    assert [passage.section_title for passage in passages] == ["A", "B"]


def test_sections_of_the_same_name_are_two():
    heading = Block("Precio", "section Precio", "Precio", is_heading=True)
    text = Block("Veinte euros.", "section Precio", "Precio")
    assert texts(heading, text, heading, text) == ["Veinte euros.", "Veinte euros."]


# --- Headings -------------------------------------------------------------------------------------


def section(heading: str, *paragraphs: str, parent: str = "") -> list[Block]:
    path = f"{parent} > {heading}" if parent else heading
    place = (f"section {heading}", path)
    return [
        Block(heading, *place, is_heading=True),
        *(Block(text, *place) for text in paragraphs),
    ]


def test_heading_is_the_title_of_its_passages_and_no_text():
    passages = cut(*section("Envíos", "Gratis."), level=ChunkLevel.SECTION)
    assert passages == (Passage("Gratis.", "section Envíos", "Envíos", ChunkLevel.SECTION),)


def test_question_stands_with_its_answer():
    blocks = section("¿Cuánto cuesta el envío?", "Es gratis.", parent="Envíos")
    assert cut(*blocks) == (
        Passage(
            "¿Cuánto cuesta el envío?\nEs gratis.",
            "section ¿Cuánto cuesta el envío?",
            "Envíos > ¿Cuánto cuesta el envío?",
            ChunkLevel.PARAGRAPH,
        ),
    )


def test_question_stands_once_before_a_long_answer():
    found = texts(*section("How long does it take?", words(100), words(100)))
    assert [text.startswith("How long does it take?\n") for text in found] == [True, False]


def test_parent_of_other_headings_is_no_passage():
    blocks = [*section("Envíos"), *section("Plazos", "Dos días.", parent="Envíos")]
    assert texts(*blocks) == ["Dos días."]


def test_title_of_a_document_of_sections_is_no_passage_when_it_is_in_their_path():
    title = section("Guía de compra")
    blocks = [*title, *section("Tallas", "De la S a la XL.", parent="Guía de compra")]
    assert texts(*blocks) == ["De la S a la XL."]


def test_first_of_three_headings_in_a_row_opens_the_passage_whose_path_does_not_show_it():
    blocks = [
        *section("Guía"),
        *section("Envíos", parent="Guía"),
        *section("Plazos", "Dos días.", parent="Envíos"),
    ]
    assert [(passage.section_title, passage.text) for passage in cut(*blocks)] == [
        ("Envíos > Plazos", "Guía\nDos días.")
    ]


def test_parents_of_an_empty_section_stand_above_the_next_section():
    blocks = [
        *section("Guía"),
        *section("Envíos", parent="Guía"),
        *section("Plazos", parent="Envíos"),
        *section("Contacto", "Llámenos."),
    ]
    assert texts(*blocks) == ["Guía\nEnvíos\nPlazos\nLlámenos."]


def test_headings_in_a_row_at_the_end_close_the_passage_before_them():
    blocks = [
        *section("Envíos", "Gratis."),
        *section("Anexo"),
        *section("Tarifas", parent="Anexo"),
        *section("Islas", parent="Tarifas"),
    ]
    assert texts(*blocks) == ["Gratis.\nAnexo\nTarifas\nIslas"]


def test_parent_that_is_too_long_for_the_path_stands_in_the_text():
    parent = "Condiciones " * 12 + "generales"
    blocks = [*section(parent), *section("Plazos", "Dos días.")]
    assert texts(*blocks) == [f"{parent}\nDos días."]


def test_heading_that_is_longer_than_a_label_stands_in_the_text():
    heading = "Condiciones " * 50 + "generales"
    (passage,) = cut(*section(heading, "Dos días."))
    assert passage.text == f"{heading}\nDos días."


def test_outer_heading_of_the_same_name_stands_in_the_text():
    blocks = [
        *section("Garantía"),
        *section("Piezas", parent="Garantía"),
        *section("Garantía", "Dos años.", parent="Piezas"),
    ]
    assert texts(*blocks) == ["Garantía\nDos años."]


def test_heading_with_the_mark_of_a_path_in_it_is_shown():
    assert texts(*section("Archivo > Guardar", "Ctrl+G.")) == ["Ctrl+G."]


def test_heading_without_text_opens_the_passage_that_follows():
    blocks = [*section("Cerrado por vacaciones"), *section("Envíos", "Gratis.")]
    assert cut(*blocks, level=ChunkLevel.SECTION) == (
        Passage("Cerrado por vacaciones\nGratis.", "section Envíos", "Envíos", ChunkLevel.SECTION),
    )


def test_headings_without_text_stand_above_a_question_and_its_answer():
    blocks = [*section("Tienda"), *section("Taller"), *section("¿Cuánto cuesta?", "Nada.")]
    assert texts(*blocks) == ["Tienda\nTaller\n¿Cuánto cuesta?\nNada."]


def test_heading_without_text_at_the_end_closes_the_passage_before_it():
    blocks = [*section("Envíos", words(70), "Gratis."), *section("Contacto"), *section("Prensa")]
    assert texts(*blocks) == [words(70), "Gratis.\nContacto\nPrensa"]


def test_document_of_headings_alone_is_one_passage():
    (passage,) = cut(*section("Tarifas"), *section("Temporada alta"))
    assert (passage.text, passage.location) == ("Tarifas\nTemporada alta", "section Tarifas")


def test_long_row_of_headings_is_a_passage_of_its_own():
    headings = [block for number in range(30) for block in section(f"Número {number} de tres")]
    found = texts(*headings, *section("Envíos", "Gratis."))
    assert [text.count("\n") + 1 for text in found] == [15, 15, 1]


# --- Locations ------------------------------------------------------------------------------------


def test_paragraphs_without_a_place_are_numbered():
    passages = cut(Block(words(70)), Block("Dos."), Block("Tres."), Block(words(70)))
    assert [passage.location for passage in passages] == [
        "paragraph 1",
        "paragraphs 2–3",
        "paragraph 4",
    ]


def test_headings_do_not_count_as_paragraphs():
    passages = cut(Block("Horario", "", "Horario", is_heading=True), Block("Hola.", "", "Horario"))
    assert [passage.location for passage in passages] == ["paragraph 1"]


def test_labels_fit_their_columns():
    (passage,) = cut(Block("Hola.", "section " + "x" * 600, "y" * 600))
    assert (len(passage.location), len(passage.section_title)) == (500, 500)


# --- Rows -----------------------------------------------------------------------------------------


def test_each_row_is_a_passage():
    rows = [Block(f"Modelo: {name}", f"row {number}") for number, name in enumerate("ab", 2)]
    assert cut(*rows, level=ChunkLevel.ROW) == (
        Passage("Modelo: a", "row 2", "", ChunkLevel.ROW),
        Passage("Modelo: b", "row 3", "", ChunkLevel.ROW),
    )


def test_very_long_row_is_split_and_keeps_its_place():
    passages = cut(Block(f"Nota: {words(300)}", "row 7"), level=ChunkLevel.ROW)
    assert [passage.location for passage in passages] == ["row 7", "row 7", "row 7"]


# --- Repeats --------------------------------------------------------------------------------------


def passages_of(*values: str, level: ChunkLevel = ChunkLevel.PARAGRAPH) -> tuple[Passage, ...]:
    return tuple(
        Passage(value, f"part {number}", "", level) for number, value in enumerate(values, start=1)
    )


def test_a_passage_that_repeats_the_one_before_is_kept_once():
    kept, told = keep_once(passages_of("Kayak", "Kayak", "Canoe", "Kayak"))

    places = [(passage.text, passage.location) for passage in kept]
    assert places == [("Kayak", "part 1"), ("Canoe", "part 3"), ("Kayak", "part 4")]
    assert told == ()


def test_rows_that_say_the_same_are_things_to_be_counted_up_to_a_number():
    rows = passages_of(*["Silla; libre"] * (ROW_REPEATS_KEPT + 20), level=ChunkLevel.ROW)

    assert keep_once(rows[:ROW_REPEATS_KEPT]) == (rows[:ROW_REPEATS_KEPT], ())
    assert keep_once(rows) == (rows[:ROW_REPEATS_KEPT], (Reason("repeated_passages", count=20),))


def test_the_same_answer_to_another_question_is_no_repeat():
    passages = cut(*(Block("Yes.", "", section) for section in ("May I swim?", "May I row?")))

    assert keep_once(passages) == (passages, ())


@pytest.mark.parametrize(
    ("count", "told"), [(9, ()), (10, (Reason("repeated_passages", count=10),))]
)
def test_many_repeats_are_told(count: int, told: tuple[Reason, ...]):
    assert keep_once(passages_of(*["Kayak"] * (count + 1))) == (passages_of("Kayak"), told)


# --- Limits ---------------------------------------------------------------------------------------


def test_passage_has_a_letter_or_a_digit():
    assert texts(Block("—", "page 1"), Block("Hola.", "page 2")) == ["Hola."]


def test_document_without_passages_fails():
    with pytest.raises(UnreadableFile, match="no text that can be indexed"):
        cut(Block("—"))


def test_document_with_too_many_passages_says_to_split_it(monkeypatch):
    monkeypatch.setattr(cutting, "PASSAGES_MAX", 2)
    rows = [Block(f"Fila {number}", f"row {number}") for number in range(3)]
    with pytest.raises(UnreadableFile, match="Split it into several files"):
        cut(*rows, level=ChunkLevel.ROW)
