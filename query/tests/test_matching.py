"""How the words of a question stand in a passage."""

import numpy as np
import pytest

from language.terms import term_number, word_terms
from language.words import information
from query.search.matching import (
    TERM_GRADES,
    Matcher,
    measure_unheard,
    min_distance,
)
from query.tests.factories import make_chunk, make_question
from sources.embedding.close_reading import CloseReading

HEADING_ALONE = CloseReading((), (0,), np.empty((0, 0), np.uint8))


def match(question, text, *, language="en", question_language="en", **chunk):
    matcher = Matcher(make_question(question, language=question_language))
    (found,) = matcher.match([make_chunk(text=text, language=language, **chunk)])
    return found


def test_passages_beside_each_other_are_matched_as_alone():
    matcher = Matcher(make_question("What does a winter berth cost?", language="en"))
    chunks = [
        make_chunk(text="A winter berth will cost 90 euros.", language="en"),
        make_chunk(text="Boats. Cost of a berth in winter.", language="en", section_title="Berths"),
        make_chunk(text="El amarre de invierno.", language="es"),
        make_chunk(text="", language="en"),
        make_chunk(text="", language="en", section_title="Berth", reading=HEADING_ALONE),
        make_chunk(text="Winter.", language="en"),
    ]
    assert matcher.match(chunks) == [found for chunk in chunks for found in matcher.match([chunk])]


class TestTheWords:
    def test_a_passage_with_every_word_in_one_sentence(self):
        found = match("What does a winter berth cost?", "A winter berth will cost 90 euros.")
        assert (found.sentence, found.titled_sentence, found.words) == (1.0, 1.0, 5)

    def test_words_count_by_their_information(self):
        found = match("zeppelin price", "The price is low.")
        known, rare = information("price", "en"), information("zeppelin", "en")
        assert found.sentence == pytest.approx(known / (known + rare))
        assert found.information == pytest.approx(known)

    def test_the_best_sentence_counts_not_all_of_them(self):
        spread = match("winter berth", "Winter is cold. Each berth is long.")
        assert spread.sentence < 1.0
        assert spread.information == match("winter berth", "A winter berth.").information

    def test_titles_count_for_each_sentence(self):
        found = match(
            "price of the winter berth", "The price is 90 euros.", section_title="Winter berth"
        )
        assert found.sentence < 1.0
        assert found.titled_sentence == 1.0
        assert 0 < found.title < 1

    def test_words_that_only_ask_do_not_count(self):
        assert match("How many berths?", "berths").sentence == 1.0
        assert (
            match("¿Cuántos amarres?", "amarres", language="es", question_language="es").sentence
            == 1
        )

    def test_a_question_of_nothing_but_such_words_keeps_them(self):
        assert match("much", "much").sentence == 1.0

    def test_the_other_language_holds_the_word_too(self):
        spanish = match("warranty", "La garantía dura un año.", language="es")
        english = match("¿garantía?", "The warranty lasts.", question_language="es")
        assert spanish.sentence == english.sentence == TERM_GRADES["c"]

    def test_another_form_of_the_word_counts_nearly_as_much(self):
        plural = match("¿garantía?", "Las garantías.", language="es", question_language="es")
        assert plural.sentence == TERM_GRADES["s"]
        assert match("berth", "Berths.").sentence == TERM_GRADES["c"]

    def test_a_word_that_begins_alike_counts_in_part(self):
        found = match("arboleda", "arbolito", language="es", question_language="es")
        assert found.sentence == TERM_GRADES["^"]

    def test_numbers_that_begin_alike_are_others(self):
        assert match("123456", "123457").sentence == 0.0

    def test_a_table_row_is_one_sentence(self):
        row = "Berth: 12. Season: winter"
        assert match("winter berth", row, level="row").sentence == 1.0
        assert match("winter berth", row, level="paragraph").sentence < 1.0

    def test_no_words_no_match(self):
        assert match("?", "Boats.").information == 0.0
        assert match("boats", "").sentence == 0.0


class TestAdjacency:
    def test_words_side_by_side(self):
        assert match("winter berth", "A winter berth.").adjacency == 1.0

    def test_words_near_each_other_count_half(self):
        assert match("winter berth", "The berth, closed each winter.").adjacency == 0.5

    def test_words_far_from_each_other_do_not_count(self):
        text = "Winter brings storms, ice, long nights, and one free berth."
        assert match("winter berth", text).adjacency == 0.0

    def test_a_single_word_has_no_neighbour(self):
        assert match("berth", "A berth.").adjacency == 0.0


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [([1, 9], [4, 8], 1), ([5], [5], 0), ([1, 2, 3], [90], 87), ([], [1], float("inf"))],
)
def test_the_distance_of_the_nearest_two(first, second, expected):
    assert min_distance(first, second) == expected


class TestWhatNoPassageSays:
    def heard(self, *words, language="en"):
        return {term_number(term) for word in words for term in word_terms(word, language)}

    def test_it_is_a_share_of_the_question(self):
        unheard = measure_unheard(make_question("zeppelin price"), self.heard("price"))
        known, rare = information("price", "en"), information("zeppelin", "en")
        assert unheard == pytest.approx(rare / (known + rare))

    def test_another_form_or_language_is_enough(self):
        assert measure_unheard(make_question("warranties"), self.heard("warranty")) == 0
        spanish = self.heard("garantia", language="es")
        assert measure_unheard(make_question("warranty"), spanish) == 0

    def test_a_question_without_words_says_nothing_new(self):
        assert measure_unheard(make_question("?"), set()) == 0
