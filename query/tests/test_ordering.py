"""The order of the candidates: a weighted sum of shares and cosines."""

from dataclasses import replace

import pytest

from language.message import read_message
from query.search.calibration import Level
from query.search.candidates import Closeness, Match, SentenceCloseness
from query.search.ordering import (
    LONG_PASSAGE_WORDS,
    ORDINARY_VECTORS,
    gather_evidence,
    order_chunks,
    standing,
)
from query.search.retrieval import read_question, retrieve_chunks
from query.tests.factories import index_texts, make_calibration, make_chunk, make_question

QUESTION = make_question("winter berth")
ZERO = make_calibration()


class TestHowACosineStands:
    def test_by_the_deviations_above_the_mean_of_its_neighbours(self):
        chunk = make_chunk(similarity=0.7, mean=0.4, deviation=0.1, neighbours=10**9)
        assert standing(QUESTION, chunk, ZERO) == pytest.approx(3.0)

    def test_few_neighbours_are_believed_in_part(self):
        chunk = make_chunk(similarity=0.5, mean=0.4, deviation=0.3, neighbours=ORDINARY_VECTORS)
        assert standing(QUESTION, chunk, ZERO) == pytest.approx((0.5 - 0.2) / 0.2)

    def test_where_there_are_none_the_models_ordinary_level_counts(self):
        assert standing(QUESTION, make_chunk(similarity=0.5), ZERO) == pytest.approx(5.0)

    def test_each_pair_of_languages_has_its_own_level(self):
        levels = {**ZERO.levels, ("en", "es"): Level(0.3, 0.1)}
        calibration = replace(ZERO, levels=levels)
        assert standing(QUESTION, make_chunk(similarity=0.5, language="es"), calibration) == (
            pytest.approx(2.0)
        )
        assert standing(QUESTION, make_chunk(similarity=0.5), calibration) == pytest.approx(5.0)

    def test_passages_that_are_all_alike_stand_still(self):
        """One that is stored twice, and nothing else, has no deviation."""
        chunk = make_chunk(similarity=0.5, mean=0.5, deviation=0.0, neighbours=10**9)
        assert standing(QUESTION, chunk, ZERO) == pytest.approx(0.0, abs=1e-3)


class TestEvidence:
    def gather(self, *chunks):
        return gather_evidence(QUESTION, chunks, ZERO)

    def test_standing_and_bm25_are_shares_of_the_best_candidates(self):
        first, second = self.gather(
            make_chunk(similarity=0.2, lexical=3.0), make_chunk(similarity=0.8, lexical=12.0)
        )
        assert (first.standing, first.lexical) == pytest.approx((0.25, 0.25))
        assert (second.standing, second.lexical) == pytest.approx((1.0, 1.0))

    def test_bm25_is_also_a_share_of_the_best_in_its_language(self):
        spanish, english, other = self.gather(
            make_chunk(lexical=4.0, language="es"),
            make_chunk(lexical=8.0),
            make_chunk(lexical=2.0),
        )
        assert [item.lexical for item in (spanish, english, other)] == [0.5, 1.0, 0.25]
        assert [item.lexical_in_language for item in (spanish, english, other)] == [1.0, 1.0, 0.25]
        assert [item.crosses_languages for item in (spanish, english, other)] == [1.0, 0.0, 0.0]

    def test_below_the_mean_nothing_is_shared(self):
        below, above = self.gather(
            make_chunk(similarity=0.1, mean=0.3, deviation=0.1, neighbours=10**9),
            make_chunk(similarity=0.5, mean=0.3, deviation=0.1, neighbours=10**9),
        )
        assert (below.standing, above.standing) == (0.0, 1.0)

    def test_where_nothing_shares_a_word_bm25_tells_nothing(self):
        assert [item.lexical for item in self.gather(make_chunk(lexical=0.0))] == [0.0]

    def test_the_length_is_a_logarithm_that_ends_at_1(self):
        chunks = [make_chunk(match=Match(words=words)) for words in (0, 20, LONG_PASSAGE_WORDS, 99)]
        chunks.append(make_chunk(match=Match(words=5000)))
        lengths = [item.length for item in self.gather(*chunks)]
        assert lengths == [
            0.0,
            pytest.approx(0.508, abs=0.001),
            1.0,
            pytest.approx(0.768, abs=1e-3),
            1.0,
        ]

    def test_words_and_closeness_are_the_passages_own(self):
        match = Match(sentence=0.1, titled_sentence=0.2, title=0.3, adjacency=0.4)
        sentences = (SentenceCloseness(mean=0.6, window=0.7), SentenceCloseness(mean=0.5))
        chunk = make_chunk(match=match, closeness=Closeness(mean=0.8, sentences=sentences))
        (item,) = self.gather(chunk)
        assert (item.sentence, item.titled_sentence, item.title) == (0.1, 0.2, 0.3)
        assert (item.adjacency, item.closeness) == (0.4, 0.8)
        assert (item.sentence_closeness, item.window_closeness) == (0.6, 0.7)


class TestOrder:
    def test_the_score_is_the_weighted_sum_and_the_best_is_first(self):
        calibration = make_calibration(ordering={"title": 2.0, "sentence": 1.0})
        named = make_chunk(chunk_id=1, match=Match(title=1.0, sentence=0.5))
        said = make_chunk(chunk_id=2, match=Match(title=0.0, sentence=1.0))
        assert self.order(calibration, said, named) == [(1, 2.5), (2, 1.0)]

    def test_equal_scores_are_ordered_by_id(self):
        assert self.order(ZERO, make_chunk(chunk_id=2), make_chunk(chunk_id=1)) == [(1, 0), (2, 0)]

    def test_no_candidates_no_order(self):
        assert self.order(ZERO) == []

    def order(self, calibration, *chunks):
        ordered = order_chunks(QUESTION, chunks, calibration)
        return [(chunk.chunk_id, chunk.score) for chunk in ordered]


# Invented: several passages share the question's words, one says it.
HARBOUR = (
    "In winter the harbour is quiet. The office closes at three.",
    "A berth for the winter costs 90 euros a month, electricity included.",
    "Boats may leave their berth at any hour. The harbour master lives in town.",
    "The winter festival brings music to the harbour, and 90 stalls.",
    "Electricity and water are at each pontoon. Bring a cable of your own.",
)
PUERTO = (
    "En invierno el puerto está tranquilo. La oficina cierra a las tres.",
    "Un amarre para el invierno cuesta 90 euros al mes, con electricidad.",
    "Los barcos pueden dejar su amarre a cualquier hora. El capitán del puerto vive en la villa.",
    "El festival de invierno trae música al puerto, y 90 puestos.",
    "Hay electricidad y agua en cada pantalán. Trae tu propio cable.",
)


@pytest.mark.parametrize("passages", [HARBOUR, PUERTO], ids=["English text", "Spanish text"])
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much does a berth cost in winter?", 1),
        ("When does the harbour office close in winter?", 0),
        ("Where is there electricity and water?", 4),
        ("¿Cuánto cuesta un amarre en invierno?", 1),
        ("¿A qué hora cierra la oficina del puerto en invierno?", 0),
        ("¿Qué trae el festival de invierno?", 3),
    ],
)
def test_among_passages_with_the_same_words_the_one_that_says_it_is_first(
    tenant, passages, question, expected
):
    index_texts(tenant, *passages)
    _, found = retrieve_chunks(tenant, read_question(read_message(question)), top_k=5)
    assert found[0].text == passages[expected]
