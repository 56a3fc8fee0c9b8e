"""What a reply says, and how it is cut into what a messenger takes."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.surfaces.telegram.surface import Telegram
from channels.surfaces.whatsapp.surface import WhatsApp
from channels.tests.factories import make_config
from webhooks.replies import count_units, split_text, write_parts

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
