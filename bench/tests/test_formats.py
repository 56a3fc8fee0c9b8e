"""The measure of what is read: fair to every reader, and never blind to a loss."""

from collections import Counter

import pytest

from bench.formats.environments import Seen
from bench.formats.scoring import agree, score, score_passages
from bench.formats.words import (
    agreed,
    lost_numbers,
    lost_words,
    order_kept,
    without_running_lines,
    words_of,
)
from reading.passages import ChunkLevel, Passage
from reading.tests.files.corpus.catalogue import FILES

pytestmark = pytest.mark.slow


def passage(text: str, section_title: str = "") -> Passage:
    return Passage(text, "page 1", section_title, ChunkLevel.PARAGRAPH)


# --- Words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Café — CAFE\u0301", ["café", "café"]),
        ("the ﬁrst ﬂoor", ["the", "first", "floor"]),
        ("trans-\nmission", ["transmission"]),
        ("snake_case", ["snake", "case"]),
        ("東京へ go", ["東", "京", "へ", "go"]),
        ("soft\u00adhyphen", ["softhyphen"]),
    ],
)
def test_words_are_compared_whatever_their_form(text: str, words: list[str]):
    assert words_of(text) == words


def test_word_that_stands_glued_is_not_lost_but_a_short_one_would_be_found_anywhere():
    assert lost_words(Counter(["bell", "lamp", "on"]), "bellslamps nothing") == Counter(["on"])


def test_word_said_twice_and_kept_once_is_lost_once():
    assert lost_words(Counter(["bell", "bell"]), "a bell") == Counter(["bell"])


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.125, "12.5 %"),
        (1249.5, "1.249,50 EUR"),
        (1249.5, "1,249.50"),
        (899.0, "899"),
        (2 / 3, "0.67"),
        (1234567.0, "1 234 567"),
        (-5.0, "(5)"),
    ],
)
def test_number_is_kept_however_it_is_written(number: float, text: str):
    assert lost_numbers([number], text) == []


def test_number_that_is_not_there_is_lost():
    assert lost_numbers([417.0], "4170 and 41") == [417.0]


def test_words_are_agreed_as_often_as_a_second_reader_finds_them():
    first, second, third = Counter("aab"), Counter("abc"), Counter("ad")
    assert agreed([first, second, third]) == Counter("ab")


def test_running_header_counts_once_whatever_its_page_number():
    pages = [f"Statutes {number}\nText of {name}" for number, name in enumerate("xyz")]
    assert without_running_lines(pages) == "Statutes 0\nText of x\nText of y\nText of z"


def test_order_is_the_longest_run_of_words_that_stand_as_they_should():
    assert order_kept(["a", "b", "c", "d"], ["a", "b", "c", "d"]) == 1
    assert order_kept(["a", "b", "c", "d"], ["c", "d", "a", "b"]) == 0.5


# --- Scores ---------------------------------------------------------------------------------------


def test_titles_of_passages_count_as_text():
    reference = agree([Seen(pages=["Deposit Ninety euros"], headings=["Deposit"])])
    assert reference is not None
    found = score_passages(reference, [passage("Ninety euros", "Terms > Deposit")])
    assert (found.recall, found.headings) == (1, 1)


def test_names_of_columns_that_each_row_repeats_are_no_noise():
    reference = agree([Seen(pages=["Model Price Xaloc 899 Mestral 640"])])
    assert reference is not None
    rows = [passage("Model: Xaloc; Price: 899"), passage("Model: Mestral; Price: 640")]
    assert score_passages(reference, rows).precision == 1


def test_row_is_kept_where_one_passage_holds_it():
    seen = Seen(pages=["x"], rows=[["Xaloc", "899"], ["Mestral", "640"]])
    reference = agree([seen])
    assert reference is not None
    found = score_passages(reference, [passage("Xaloc: 899"), passage("Mestral"), passage("640")])
    assert found.rows == 0.5


def test_text_that_no_reader_sees_costs_precision():
    reference = agree([Seen(pages=["a bell"])])
    assert reference is not None
    assert score(reference, "a bell concealed words").precision == 0.5


def test_loss_is_more_than_two_percent_of_the_words():
    reference = agree([Seen(pages=[" ".join(f"word{number}" for number in range(100))])])
    assert reference is not None
    kept = [f"word{number}" for number in range(97)]
    assert score(reference, " ".join(kept)).has_loss
    assert not score(reference, " ".join([*kept, "word97"])).has_loss


def test_nothing_is_held_against_a_file_that_no_reader_reads():
    assert agree([Seen(error="It is damaged.")]) is None


# --- The corpus -----------------------------------------------------------------------------------


def test_every_made_file_has_a_name_of_its_own():
    assert max(Counter(made.name for made in FILES).values()) == 1


def test_made_files_say_what_they_are_about():
    assert all(made.about for made in FILES)
    assert sum(not made.is_of_issue for made in FILES) >= 30
