"""The list of sources that comes behind an answer's text."""

from dataclasses import replace

import pytest

from language.words import Language
from query.answers import Answer
from query.models import Outcome
from query.presentation.source_list import without_source_list, write_source_list
from query.search.candidates import RetrievedChunk
from query.tests.factories import make_chunk


def source(file: str, place: str, title: str = "") -> RetrievedChunk:
    return make_chunk(source_file=file, location=place, document_title=title)


def answer_from(*sources: RetrievedChunk, text: str = "It costs 7 euros.") -> Answer:
    """Marks all of them."""
    marks = "".join(f"[{number}]" for number in range(1, len(sources) + 1))
    return Answer(f"{text} {marks}", sources, "extractive", Outcome.ANSWERED)


def written(answer: Answer, language: Language) -> str:
    return answer.text + write_source_list(answer, language)


PRICES = source("prices.pdf", "page 3", "Prices 2026")
PAGE = source("https://example.com/visits", "section Hours", "Visits")


def test_sources_stand_below_the_answer_under_the_numbers_of_its_marks() -> None:
    text = written(answer_from(PRICES, PAGE), "en")

    assert text == (
        "It costs 7 euros. [1][2]\n\n"
        "Sources:\n"
        "[1] prices.pdf, page 3\n"
        "[2] Visits, https://example.com/visits"
    )


def test_only_those_that_the_text_marks_are_named() -> None:
    answer = replace(answer_from(PRICES, PAGE, PRICES), text="It costs 7 euros. [2]")
    text = written(answer, "en")

    assert text.splitlines()[2:] == ["Sources:", "[2] Visits, https://example.com/visits"]


def test_a_text_without_marks_names_the_first_three() -> None:
    pages = [source("prices.pdf", f"page {number}") for number in range(1, 6)]
    answer = replace(answer_from(*pages), text="I have found nothing that says so.")
    text = written(answer, "en")

    assert text.splitlines()[3:] == [f"[{n}] prices.pdf, page {n}" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("page 3", "página 3"),
        ("slide 2", "diapositiva 2"),
        ("earlier message 1", "mensaje anterior 1"),
        ("signature", "firma"),
        ("legal notice", "aviso legal"),
        ("paragraphs 2–3", "párrafos 2–3"),
        ("row 12", "fila 12"),
        ("item 3", "elemento 3"),
        ("line 4", "línea 4"),
        ("sheet Coffee, row 5", "hoja Coffee, fila 5"),
        ("sheet row by row, row 5", "hoja row by row, fila 5"),
        ("section page 3", "apartado page 3"),
        ("section Returns", "apartado Returns"),
        ("00:01:05", "00:01:05"),
        ("pages of the past", "pages of the past"),
    ],
)
def test_the_place_is_named_in_the_language_of_the_question(location: str, place: str) -> None:
    answer = answer_from(source("prices.xlsx", location))

    text = written(answer, "es")
    assert text.splitlines()[3:] == [f"[1] prices.xlsx, {place}"]

    text = written(answer, "en")
    assert text.splitlines()[3:] == [f"[1] prices.xlsx, {location}"]


def test_their_title_is_in_the_language_of_the_question() -> None:
    text = written(answer_from(PRICES), "es")

    assert text.splitlines()[2] == "Fuentes:"


def test_a_place_is_named_once_with_the_numbers_of_all_its_passages() -> None:
    text = written(answer_from(PRICES, PAGE, PRICES), "en")

    assert text.splitlines()[3:] == [
        "[1][3] prices.pdf, page 3",
        "[2] Visits, https://example.com/visits",
    ]


def test_a_page_without_a_title_is_its_address_and_a_file_without_a_place_its_name() -> None:
    answer = answer_from(source("https://example.com/a", ""), source("notes\n.txt", ""))
    text = written(answer, "en")

    assert text.splitlines()[3:] == ["[1] https://example.com/a", "[2] notes .txt"]


def test_no_list_without_sources() -> None:
    assert write_source_list(answer_from(), "en") == ""


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("end", ["", "\n", " \r\n\n"])
def test_a_list_of_ours_is_taken_off_again(language: Language, end: str) -> None:
    answer = answer_from(PRICES, PAGE)

    assert without_source_list(written(answer, language) + end) == answer.text


@pytest.mark.parametrize(
    "text",
    [
        "Sources: the handbook.",
        "We asked.\n\nSources:\nthe handbook",
        "We asked.\n\nSources:\n[1] the handbook\nAnd more.",
        "Fuentes:",
        "",
    ],
)
def test_what_only_looks_like_a_list_stays(text: str) -> None:
    assert without_source_list(text) == text


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "text",
    [
        "\n" * 1_000_000 + "a",
        "\nSources:\n\n" * 100_000 + "a",
        "\nSources:\n[1] a\n" * 100_000 + "a",
        "\nSources:\n" + "[1]" * 300_000 + "a",
        "\nSources:\n" + "[1] a\n" * 200_000 + "a",
    ],
)
def test_a_hostile_text_is_read_once(text: str) -> None:
    assert without_source_list(text) == text
