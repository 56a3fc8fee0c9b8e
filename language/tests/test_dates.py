"""Dates, as people ask for them and as tables, programs and letters write them."""

from __future__ import annotations

import pytest

from language.dates import DateRange, Day, order_of, read_asked_dates, read_dates, terms_of_dates
from language.message import read_message
from language.tests.processor_time import processor_seconds
from language.words import tokenize

FOURTH = Day(3, 4, 2027)


@pytest.mark.parametrize(
    "text",
    [
        "el 4 de marzo de 2027",
        "jueves, 4 de marzo del 2027",
        "4/3/2027",
        "04-03-2027",
        "4.3.27",
        "4 mar 2027",
        "04-Mar-27",
        "2027-03-04",
        "2027/3/4",
        "starts_at: 2027-03-04T18:30:00Z",
        "March 4, 2027",
        "Mar 4th 2027",
        "the 4th of March 2027",
        "Thursday 4 March, 2027",
    ],
)
def test_a_day_is_known_in_every_form(text: str) -> None:
    assert read_dates(text) == (DateRange(FOURTH, FOURTH),)


@pytest.mark.parametrize(
    "text", ["el 4 de marzo", "on March 4th", "el 4/3", "hasta el día 4 de marzo"]
)
def test_a_day_may_be_of_any_year(text: str) -> None:
    (found,) = read_dates(text)
    assert found.high == Day(3, 4)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("antes del 15 de abril de 2027", None, Day(4, 14, 2027)),
        ("hasta el jueves 15 de abril de 2027", None, Day(4, 15, 2027)),
        ("by 15 April 2027", None, Day(4, 15, 2027)),
        ("before May 1st", None, Day(4, 30)),
        ("después del 31/12/2026", Day(1, 1, 2027), None),
        ("a partir del 1 de mayo", Day(5, 1), None),
        ("after 28 February 2028", Day(2, 29, 2028), None),
        ("from 1 April 2027 on", Day(4, 1, 2027), None),
        ("el 1 de abril en adelante", Day(4, 1), None),
        ("del 1 al 8 de mayo de 2027", Day(5, 1, 2027), Day(5, 8, 2027)),
        ("between 3 March and 10 April 2027", Day(3, 3, 2027), Day(4, 10, 2027)),
        ("20 Dec – 6 Jan 2027", Day(12, 20, 2026), Day(1, 6, 2027)),
        ("March 1-15", Day(3, 1), Day(3, 15)),
        ("en marzo de 2027", Day(3, 1, 2027), Day(3, 31, 2027)),
        ("in February", Day(2, 1), Day(2, 29)),
    ],
)
def test_a_date_bounds_what_it_is_asked_for(text: str, low: Day | None, high: Day | None) -> None:
    assert read_dates(text) == (DateRange(low, high),)


@pytest.mark.parametrize(
    "text",
    [
        "may I bring a dog?",
        "Children under 12 may swim",
        "abierto 24/7",
        "1/2 kg",
        "versión 1.2.3.4",
        "el 31/31/2027",
        "el 30 de febrero",
        "tel. 981-55-50",
        "el mar en calma",
        "what is the APR?",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert read_dates(text) == ()


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["04/03/2027", "25/03/2027"], "day"),
        (["04/03/2027", "03/25/2027"], "month"),
        (["04/03/2027", "2027-03-25"], None),
    ],
)
def test_other_dates_tell_which_number_is_the_day(texts: list[str], order: str | None) -> None:
    assert order_of(texts) == order


def test_of_two_numbers_an_english_question_may_mean_either_first() -> None:
    both = (DateRange(FOURTH, FOURTH), DateRange(Day(4, 3, 2027), Day(4, 3, 2027)))
    assert read_asked_dates("4/3/2027", "en") == both
    assert read_asked_dates("4/3/2027", "es") == both[:1]
    assert read_asked_dates("25/3/2027", "en") == read_asked_dates("3/25/2027", "en")


@pytest.mark.parametrize(
    ("asked", "offered", "is_in"),
    [
        ("4 March", "2027-03-04", True),
        ("4 March 2027", "el 4 de marzo", True),
        ("4 March 2026", "2027-03-04", False),
        ("after 1 May 2027", "2027-05-21", True),
        ("after 1 May 2027", "2027-05-01", False),
        ("en marzo", "del 28 de marzo al 2 de abril", True),
        ("el 2 de enero", "20 Dec - 6 Jan", True),
        ("el 2 de febrero", "20 Dec - 6 Jan", False),
    ],
)
def test_two_dates_share_a_day_or_not(asked: str, offered: str, is_in: bool) -> None:
    (one,), (other,) = read_dates(asked), read_dates(offered)
    assert one.overlaps(other) is other.overlaps(one) is is_in


@pytest.mark.parametrize(
    "question", ["el 4 de marzo de 2027", "4/3/2027", "2027-03-04", "March 4th, 2027"]
)
@pytest.mark.parametrize(
    "text", ["Fecha: 2027-03-04", "04/03/2027", "on 4 March 2027", "4.3.27", "2027-03-04T18:30"]
)
def test_the_search_knows_the_words_of_a_date_in_its_other_forms(question: str, text: str) -> None:
    held = {f"={word}" for word in tokenize(text)}
    day = [word for word in read_message(question).content.words if word.text not in ("el", "de")]
    assert [word.text for word in day if held.isdisjoint(word.terms)] == []


def test_a_bound_adds_no_words_to_the_search() -> None:
    plain = "antes del 15 de abril"
    assert terms_of_dates(plain, read_dates(plain)) == {}


@pytest.mark.parametrize(
    "piece", ["4 de marzo de ", "1/", "1.1.1.", "4 ", " ", "antes del ", "de 4 a ", "2027-", "mar-"]
)
def test_a_hostile_text_takes_no_time(piece: str) -> None:
    text = piece * (10_000 // len(piece))
    assert processor_seconds(lambda: read_dates(text)) < 0.1
