"""What a reply says, and how it is cut into what a messenger takes."""

import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.surfaces.telegram.surface import Telegram
from channels.surfaces.whatsapp.surface import WhatsApp
from channels.tests.factories import make_config
from query.answers import Answer
from query.models import Outcome
from query.search.candidates import RetrievedChunk
from query.tests.factories import make_chunk
from webhooks.replies import count_units, split_text, write_answer, write_parts

# --- Sources --------------------------------------------------------------------------------------


def source(file: str, place: str, title: str = "") -> RetrievedChunk:
    return make_chunk(source_file=file, location=place, document_title=title)


def answer_from(*sources: RetrievedChunk, text: str = "It costs 7 euros.") -> Answer:
    """Marks all of them."""
    marks = "".join(f"[{number}]" for number in range(1, len(sources) + 1))
    return Answer(f"{text} {marks}", sources, "extractive", Outcome.ANSWERED)


PRICES = source("prices.pdf", "page 3", "Prices 2026")
PAGE = source("https://example.com/visits", "section Hours", "Visits")


def test_sources_stand_below_the_answer_under_the_numbers_of_its_marks() -> None:
    text = write_answer(answer_from(PRICES, PAGE), names_sources=True, language="en")

    assert text == (
        "It costs 7 euros. [1][2]\n\n"
        "Sources:\n"
        "[1] prices.pdf, page 3\n"
        "[2] Visits, https://example.com/visits"
    )


def test_only_those_that_the_text_marks_are_named() -> None:
    answer = replace(answer_from(PRICES, PAGE, PRICES), text="It costs 7 euros. [2]")
    text = write_answer(answer, names_sources=True, language="en")

    assert text.splitlines()[2:] == ["Sources:", "[2] Visits, https://example.com/visits"]


def test_a_text_without_marks_names_the_first_three() -> None:
    pages = [source("prices.pdf", f"page {number}") for number in range(1, 6)]
    answer = replace(answer_from(*pages), text="I have found nothing that says so.")
    text = write_answer(answer, names_sources=True, language="en")

    assert text.splitlines()[3:] == [f"[{n}] prices.pdf, page {n}" for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("page 3", "página 3"),
        ("slide 2", "diapositiva 2"),
        ("paragraphs 2–3", "párrafos 2–3"),
        ("row 12", "fila 12"),
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

    text = write_answer(answer, names_sources=True, language="es")
    assert text.splitlines()[3:] == [f"[1] prices.xlsx, {place}"]

    text = write_answer(answer, names_sources=True, language="en")
    assert text.splitlines()[3:] == [f"[1] prices.xlsx, {location}"]


def test_their_title_is_in_the_language_of_the_question() -> None:
    text = write_answer(answer_from(PRICES), names_sources=True, language="es")

    assert text.splitlines()[2] == "Fuentes:"


def test_a_place_is_named_once_with_the_numbers_of_all_its_passages() -> None:
    text = write_answer(answer_from(PRICES, PAGE, PRICES), names_sources=True, language="en")

    assert text.splitlines()[3:] == [
        "[1][3] prices.pdf, page 3",
        "[2] Visits, https://example.com/visits",
    ]


def test_a_page_without_a_title_is_its_address_and_a_file_without_a_place_its_name() -> None:
    answer = answer_from(source("https://example.com/a", ""), source("notes\n.txt", ""))
    text = write_answer(answer, names_sources=True, language="en")

    assert text.splitlines()[3:] == ["[1] https://example.com/a", "[2] notes .txt"]


@pytest.mark.parametrize(("sources", "names_sources"), [((), True), ((PRICES,), False)])
def test_no_list_without_sources_or_when_the_agent_cites_none(
    sources: tuple[RetrievedChunk, ...], names_sources: bool
) -> None:
    answer = answer_from(*sources)

    assert write_answer(answer, names_sources=names_sources, language="en") == answer.text


# --- Parts ----------------------------------------------------------------------------------------


def test_what_fits_is_one_part() -> None:
    assert split_text(" One.\n\nTwo. ", 11) == ["One.\n\nTwo."]
    assert split_text(" \n", 10) == []


def test_paragraphs_stay_whole_where_they_fit() -> None:
    assert split_text("One two.\n\nThree four.\n\nFive.", 22) == [
        "One two.\n\nThree four.",
        "Five.",
    ]


def test_else_it_is_cut_at_the_end_of_a_sentence() -> None:
    text = "We open at nine. The guide, Dr. Lema, speaks English. Bring water."

    assert split_text(text, 40) == [
        "We open at nine.",
        "The guide, Dr. Lema, speaks English.",
        "Bring water.",
    ]


def test_else_between_words() -> None:
    assert split_text("one two three four", 9) == ["one two", "three", "four"]


def test_a_heading_alone_is_no_part() -> None:
    assert split_text("Hours\n\nNine to five. Six on Sundays.", 30) == [
        "Hours\n\nNine to five.",
        "Six on Sundays.",
    ]


def test_a_long_address_is_not_cut_while_it_fits_a_part_of_its_own() -> None:
    address = "https://example.com/" + "a" * 20

    assert split_text(f"See {address}", 42) == ["See", address]
    assert split_text("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


@pytest.mark.parametrize(
    ("text", "max_units", "parts"),
    [
        ("😀😀😀", 5, ["😀😀", "😀"]),  # of two units each
        ("ae\u0301ae\u0301", 4, ["ae\u0301a", "e\u0301"]),
        ("ab👩\u200d👧cd", 6, ["ab", "👩\u200d👧c", "d"]),
        ("a👍🏽b", 4, ["a", "👍🏽", "b"]),
        ("🇪🇸🇬🇧", 6, ["🇪🇸", "🇬🇧"]),
        ("a" + "\u0301" * 9, 5, ["a" + "\u0301" * 4, "\u0301" * 5]),  # longer than a part
    ],
)
def test_a_character_as_people_see_it_is_not_cut(
    text: str, max_units: int, parts: list[str]
) -> None:
    assert split_text(text, max_units) == parts


PIECES = st.sampled_from(
    [
        "a",
        "word",
        "x" * 9,
        " ",
        "\n",
        "\n\n",
        ". ",
        "? ",
        "Sr. ",
        "😀",
        "e\u0301",
        "🇪🇸",
        "👩\u200d👧",
    ]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join), st.integers(2, 40))
def test_nothing_is_lost_or_doubled_and_every_part_fits(text: str, max_units: int) -> None:
    parts = split_text(text, max_units)

    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(0 < count_units(part) <= max_units and part == part.strip() for part in parts)


def test_a_very_long_text_is_cut_in_a_moment() -> None:
    parts = split_text("We open at nine. " * 20_000, 4096)

    assert len(parts) == 83
    assert all(part.endswith("nine.") for part in parts)


@pytest.mark.parametrize(
    ("messenger", "expected"),
    [
        (Telegram(make_config("messenger_a")), "*7* euros"),
        (WhatsApp(make_config("messenger_b")), "∗7∗ euros"),
    ],
    ids=["messenger_a", "messenger_b"],
)
def test_its_markup_does_nothing(messenger: Telegram | WhatsApp, expected: str) -> None:
    assert write_parts(messenger, "*7* euros") == [expected]


def test_a_long_answer_is_several_messages() -> None:
    text = "\n\n".join(f"Paragraph {number}. {uuid.UUID(int=number)}" * 20 for number in range(9))
    parts = write_parts(Telegram(make_config()), text)

    assert [count_units(part) <= 4096 for part in parts] == [True] * len(parts)
    assert "\n\n".join(parts) == text
