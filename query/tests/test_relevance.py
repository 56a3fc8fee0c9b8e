"""The gate: is a passage near, does it hold the question's words, and do those say anything?"""

import math
from dataclasses import replace

import pytest

from query import relevance
from query.calibration import Calibration, Ordering, RelevanceFit
from query.matching import Match
from query.relevance import (
    IRRELEVANT,
    PASSAGES_JUDGED,
    SOURCE_MIN_SHARE,
    judge_match,
    judge_passages,
    select_sources,
)
from query.retrieval import read_question, retrieve_chunks
from query.tests.factories import FARO, LIGHTHOUSE, index_texts, make_chunk, make_question

FIT = RelevanceFit(
    bias=-8.0,
    similarity=10.0,
    coverage=5.0,
    information=1.0,
    answer_threshold=0.6,
    source_threshold=0.3,
)
EVEN = Ordering(0.5, 0.5, 0.0, 0.0, 0.0, 0.0)


@pytest.fixture
def _fit(monkeypatch):
    calibration = Calibration("test", EVEN, FIT, {})
    monkeypatch.setattr(relevance, "get_calibration", lambda: calibration)


def probability(similarity=0.5, coverage=0.5, information=10.0):
    match = Match(titled_sentence=coverage, information=information)
    return judge_match(similarity, match, FIT).probability


def test_the_probability_is_the_logistic_of_three_weighted_features():
    score = -8 + 10 * 0.5 + 5 * 0.5 + math.log1p(10)
    assert probability() == pytest.approx(1 / (1 + math.exp(-score)))


@pytest.mark.parametrize("feature", ["similarity", "coverage", "information"])
def test_more_of_a_feature_is_never_less_probable(feature):
    rising = [probability(**{feature: step / 10}) for step in range(11)]
    assert rising == sorted(rising)
    assert rising[0] < rising[-1]


@pytest.mark.usefixtures("_fit")
def test_only_the_first_passages_are_judged():
    chunks = [make_chunk(chunk_id=number) for number in range(PASSAGES_JUDGED + 3)]
    assert len(judge_passages(make_question("visit"), chunks)) == PASSAGES_JUDGED


@pytest.mark.usefixtures("_fit")
def test_a_passage_that_was_not_matched_yet_is_matched():
    chunk = make_chunk(text="A guided visit.")
    (judged,) = judge_passages(make_question("guided visit"), [chunk])
    assert judged.coverage == 1.0
    (kept,) = judge_passages(make_question("guided visit"), [replace(chunk, match=Match())])
    assert kept.coverage == 0.0


@pytest.mark.usefixtures("_fit")
class TestSources:
    def select(self, *probabilities, scores=(0.9, 0.8, 0.7)):
        judged = [replace(IRRELEVANT, probability=value) for value in probabilities]
        chunks = [make_chunk(chunk_id=n, score=score) for n, score in enumerate(scores)]
        return [chunk.chunk_id for chunk in select_sources(chunks, judged)]

    def test_none_when_no_passage_is_probable_enough(self):
        assert self.select(0.59, 0.5, 0.4) == []

    def test_one_probable_passage_brings_those_that_are_nearly_so(self):
        assert self.select(0.3, 0.6, 0.29) == [0, 1]

    def test_a_passage_far_behind_the_first_is_left_out(self):
        scores = (0.9, 0.9 * SOURCE_MIN_SHARE, 0.9 * SOURCE_MIN_SHARE - 0.01)
        assert self.select(0.9, 0.9, 0.9, scores=scores) == [0, 1]

    def test_nothing_found_nothing_shown(self):
        assert select_sources([], []) == ()


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
    asked = read_question(question)
    chunks = retrieve_chunks(tenant, asked, top_k=5)
    assert bool(select_sources(chunks, judge_passages(asked, chunks))) == is_answered
