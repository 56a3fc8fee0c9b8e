"""Words are data: every list is read by one loader, and stands in one place."""

import re
from pathlib import Path

import pytest

from language import word_lists
from language.calendar import MONTH_FORMS, MONTH_NUMBERS, WEEKDAY_NUMBERS
from language.numerals import names_of, usual_name
from language.quantity_words import UNITS

LANGUAGE = Path(word_lists.__file__).parent
ROOT = LANGUAGE.parent
WITHOUT_WORDS = {"bench", "demo", "migrations", "tests", ".venv", "var", "locale"}


def test_a_list_is_that_of_all_files_or_of_one_language() -> None:
    assert {"morning", "mañana"} <= word_lists.words("kinds.hours")
    assert "morning" not in word_lists.words("kinds.hours", "es")


def test_a_list_that_no_file_has_is_an_error() -> None:
    with pytest.raises(KeyError, match="kinds.fruit"):
        word_lists.words("kinds.fruit")


def test_nobody_can_change_a_table() -> None:
    table = word_lists.read_file("es")["kinds"]

    with pytest.raises(TypeError):
        table["hours"] = ""  # type: ignore[index] # that is what is tried


def test_a_line_break_is_not_a_part_of_a_pattern() -> None:
    assert "\n" in word_lists.read_file("es")["buying"]["want"]
    assert re.fullmatch(word_lists.pattern("buying.want", "es"), "podemos")


def test_months_and_weekdays_have_their_numbers_in_both_languages() -> None:
    assert (MONTH_NUMBERS["noviembre"], MONTH_NUMBERS["november"]) == (11, 11)
    assert (MONTH_FORMS["dic"], MONTH_FORMS["sept"]) == (12, 9)
    assert (WEEKDAY_NUMBERS["sabados"], WEEKDAY_NUMBERS["saturday"]) == (6, 6)


def test_a_number_has_its_names_the_usual_one_first() -> None:
    assert names_of(100) == ["cien", "ciento", "hundred"]
    assert names_of(12) == ["doce", "twelve"]
    assert usual_name(21, "es") == "veintiuno"


def test_a_unit_is_told_in_its_base() -> None:
    assert UNITS["gramos"] == ("kg", 1 / 1000)
    assert UNITS["weeks"] == ("day", 7)


@pytest.mark.parametrize("word", ["noviembre", "wednesday", "diecisiete", "seventeen"])
def test_months_weekdays_and_numerals_stand_in_one_file(word: str) -> None:
    files = [
        path.relative_to(ROOT)
        for path in (*ROOT.glob("*/**/*.py"), *ROOT.glob("*/**/*.toml"))
        if WITHOUT_WORDS.isdisjoint(path.relative_to(ROOT).parts)
        and path.name != "contact.toml"  # words of headings, not a list of days
    ]
    holding = [
        path for path in files if re.search(word, (ROOT / path).read_text("utf-8"), re.IGNORECASE)
    ]

    assert [path.parent for path in holding] == [Path("language")]
