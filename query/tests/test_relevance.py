"""The gate: is a passage about the question? One logistic decision on what is known of it."""

import math
from dataclasses import asdict, replace

import numpy as np
import pytest

from language.message import read_message
from query.search.calibration import trying
from query.search.candidates import Closeness, Match, SentenceCloseness
from query.search.evidence import RelevanceEvidence
from query.search.relevance import (
    MAX_SOURCES,
    NEAREST,
    PASSAGES_JUDGED,
    Relevance,
    background_levels,
    evidence_of,
    judge_passages,
    logistic,
    select_near,
    select_sources,
)
from query.search.retrieval import read_question, retrieve_chunks
from query.tests.factories import (
    FARO,
    LIGHTHOUSE,
    index_texts,
    judging_by,
    make_calibration,
    make_chunk,
    make_question,
)
from sources.embedding.embedder import get_embedder


class TestEvidence:
    chunk = make_chunk(
        similarity=0.6,
        level="row",
        match=Match(titled_sentence=0.7, information=10.0),
        closeness=Closeness(0.5, 0.2, (SentenceCloseness(window=0.4),)),
    )

    def evidence(self, **over):
        chunk = replace(self.chunk, **over)
        return evidence_of(make_question("boats"), chunk, stands=2.0, nearest=0.35, ten=0.3)

    def test_it_is_how_the_cosine_stands_and_what_the_words_tell(self):
        known = self.evidence()
        assert (known.standing, known.coverage, known.is_row) == (2.0, 0.7, 1.0)
        assert known.information == pytest.approx(math.log(11))
        assert (known.closeness, known.window_closeness, known.weakest) == (0.5, 0.4, 0.2)

    def test_the_lead_is_over_texts_about_the_world_at_large(self):
        known = self.evidence()
        assert (known.lead, known.lead_over_ten) == pytest.approx((0.25, 0.3))

    def test_what_stands_for_another_language_is_0_in_the_same(self):
        known = asdict(self.evidence())
        across = {name: value for name, value in known.items() if "across" in name}
        assert set(across.values()) == {0.0}
        assert known["crosses_languages"] == 0.0

    def test_in_another_language_all_of_it_counts_once_more(self):
        known = self.evidence(language="es")
        assert known.crosses_languages == 1.0
        assert (known.standing_across, known.coverage_across) == (2.0, 0.7)
        assert (known.closeness_across, known.window_across, known.weakest_across) == (
            0.5,
            0.4,
            0.2,
        )


@pytest.mark.django_db  # which says what model answers
@pytest.mark.parametrize("language", ["es", "en"])
def test_the_world_at_large_is_in_the_passages_language(language):
    question = read_question(read_message("How do vaccines work?"))
    nearest, mean_of_ten = background_levels(question, language)
    cosines = np.sort(get_embedder().background.vectors[language] @ question.vector)
    assert nearest == pytest.approx(cosines[-1])
    assert mean_of_ten == pytest.approx(cosines[-NEAREST:].mean())
    assert nearest > mean_of_ten


class TestProbability:
    @pytest.mark.parametrize(
        ("score", "probability"), [(0.0, 0.5), (math.log(3), 0.75), (-1e9, 0.0), (1e9, 1.0)]
    )
    def test_it_is_the_logistic_of_the_score(self, score, probability):
        assert logistic(score) == pytest.approx(probability)
        assert logistic(score) < 1  # but a heading that was asked for

    @pytest.mark.django_db
    def test_it_is_of_the_weighted_sum_and_the_bias(self):
        chunk = make_chunk(match=Match(titled_sentence=0.5))
        with judging_by(relevance={"bias": -1.0, "coverage": 6.0}):
            (judged,) = judge_passages(read_question(read_message("boats")), [chunk])
        assert judged.evidence.coverage == 0.5
        assert judged.probability == pytest.approx(logistic(2.0))

    @pytest.mark.django_db
    def test_only_the_first_passages_are_judged(self):
        chunks = [make_chunk(chunk_id=number) for number in range(PASSAGES_JUDGED + 3)]
        assert len(judge_passages(read_question(read_message("visit")), chunks)) == PASSAGES_JUDGED

    @pytest.mark.django_db
    def test_nothing_found_nothing_judged(self):
        assert judge_passages(read_question(read_message("visit")), []) == []


def judged(probability):
    nothing = RelevanceEvidence(**dict.fromkeys(RelevanceEvidence.names(), 0.0))
    return Relevance(nothing, probability)


class TestSources:
    calibration = make_calibration(
        relevance={"coverage": 1.0, "answer_threshold": 0.6, "source_threshold": 0.3}
    )

    @pytest.fixture(autouse=True)
    def thresholds(self):
        with trying(self.calibration):
            yield

    def select(self, *probabilities):
        passages = [judged(value) for value in probabilities]
        chunks = [make_chunk(chunk_id=number) for number in range(len(probabilities))]
        return [chunk.chunk_id for chunk in select_sources(chunks, passages)]

    def test_none_when_no_passage_is_probable_enough(self):
        assert self.select(0.59, 0.5, 0.4) == []

    def test_one_probable_passage_brings_those_that_are_nearly_so_in_their_order(self):
        assert self.select(0.3, 0.6, 0.29) == [0, 1]

    def test_a_passage_that_was_not_judged_is_not_shown(self):
        chunks = [make_chunk(chunk_id=number) for number in range(2)]
        assert [chunk.chunk_id for chunk in select_sources(chunks, [judged(0.9)])] == [0]

    def test_they_are_few(self):
        assert self.select(*[0.9] * (MAX_SOURCES + 2)) == list(range(MAX_SOURCES))

    def test_nothing_found_nothing_shown(self):
        assert select_sources([], []) == ()

    def test_a_language_model_may_look_at_what_is_not_clearly_about_something_else(self):
        chunks = [make_chunk(chunk_id=number) for number in range(3)]
        assert select_near(chunks, [judged(0.25), judged(0.1)]) == tuple(chunks[:2])
        assert select_near(chunks, [judged(0.15), judged(0.1)]) == ()
        assert select_near([], []) == ()


@pytest.mark.parametrize("passages", [LIGHTHOUSE, FARO], ids=["English text", "Spanish text"])
@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("How much is a guided visit?", True),
        ("¿Cuánto cuesta la visita guiada?", True),
        ("Who painted the Mona Lisa?", False),
        ("¿Quién pintó la Gioconda?", False),
        ("tell me a joke", False),
        ("cuéntame un chiste", False),
    ],
)
def test_what_the_texts_say_is_answered_and_nothing_else(tenant, passages, question, is_answered):
    index_texts(tenant, *passages)
    asked, chunks = retrieve_chunks(tenant, read_question(read_message(question)), top_k=5)
    assert bool(select_sources(chunks, judge_passages(asked, chunks))) == is_answered
