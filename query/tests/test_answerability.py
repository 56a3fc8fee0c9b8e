"""Passages about the question that do not answer it: the extractive answerer refuses, in both
languages; and how the decision is made."""

from dataclasses import replace

import pytest

from query.answerability import (
    ASSERTED_MAX,
    BIAS,
    NAMES,
    THRESHOLD,
    Evidence,
    Example,
    choose_threshold,
    fit,
    is_answer,
    probability,
    shortness,
)
from query.answering import extract_answer
from query.calibration import get_calibration
from query.drafts import Draft
from query.retrieval import read_question, retrieve_chunks
from query.tests.factories import index_texts
from sources.models import ChunkLevel

FERRY = (
    "The Morvane ferry line was founded in 1931 by Ilse Brandt, a shipbuilder's daughter who had "
    "bought two fishing boats at an auction in Bergen. At first they carried milk, mail and a few "
    "passengers between the islands. In 1954 the company ordered its first steel ship, the "
    "Solveig, which could take twelve cars and ran until 1979. When a bridge to the largest island "
    "was opened in 1988, the winter service ended, and since then the boats have sailed from April "
    "to October only. The captain of the Solveig wrote a book about those years, and the line's "
    "old ticket office is now a small museum that is run by volunteers of the village."
)
TRANSBORDADOR = (
    "La naviera Morvane fue fundada en 1931 por Ilse Brandt, hija de un constructor de barcos que "
    "había comprado dos barcas de pesca en una subasta de Bergen. Al principio llevaban leche, "
    "correo y unos pocos pasajeros entre las islas. En 1954 la compañía encargó su primer barco "
    "de acero, el Solveig, en el que cabían doce coches y que navegó hasta 1979. Cuando en 1988 "
    "se abrió un puente a la isla mayor, terminó el servicio de invierno, y desde entonces los "
    "barcos navegan solo de abril a octubre. El capitán del Solveig escribió un libro sobre "
    "aquellos años, y la antigua taquilla de la naviera es hoy un pequeño museo que llevan "
    "voluntarios del pueblo."
)
ROWS = (
    "Item: Buoy Petrel; Colour: orange; Price: 31.50 EUR; Stock: 4",
    "Item: Buoy Gannet; Colour: yellow; Price: 44.00 EUR; Stock: 9",
    "Item: Anchor Petrel; Colour: black; Price: 120.00 EUR; Stock: 2",
)


def write(tenant, text):
    question = read_question(text)
    chunks = retrieve_chunks(tenant, question, top_k=5)
    writer = extract_answer(question, chunks, marks_sources=True)
    drafts = []

    def follow():
        drafts.append((yield from writer))

    text = "".join(follow())
    assert text == drafts[0].text
    return drafts[0]


class TestLongText:
    @pytest.mark.parametrize(
        ("question", "told"),
        [
            ("Who founded the Morvane ferry line?", "Ilse Brandt"),
            ("What was the first steel ship that the company ordered in 1954?", "Solveig"),
            ("How many cars could the Solveig take?", "twelve cars"),
        ],
    )
    def test_what_it_says_is_answered_in_english(self, tenant, question, told):
        index_texts(tenant, FERRY)
        assert told in write(tenant, question).text

    @pytest.mark.parametrize(
        ("question", "told"),
        [
            ("¿Quién fundó la naviera Morvane?", "Ilse Brandt"),
            ("¿Qué primer barco de acero encargó la compañía en 1954?", "Solveig"),
            ("¿Cuántos coches cabían en el primer barco de acero, el Solveig?", "doce coches"),
        ],
    )
    def test_what_it_says_is_answered_in_spanish(self, tenant, question, told):
        index_texts(tenant, TRANSBORDADOR)
        assert told in write(tenant, question).text

    @pytest.mark.parametrize(
        "question",
        [
            "Who founded the Kestrel ferry line?",
            "Which ship did the ferry line order in 1962?",
            "Who never captained the Solveig?",
            "How much does a ticket for the ferry cost?",
            "What is the name of the ferry line's youngest captain?",
        ],
    )
    def test_what_it_does_not_say_is_refused_in_english(self, tenant, question):
        index_texts(tenant, FERRY)
        assert write(tenant, question).is_refusal

    @pytest.mark.parametrize(
        "question",
        [
            "¿Quién fundó la naviera Albatros?",
            "¿Qué barco encargó la naviera en 1962?",
            "¿Quién no fue nunca capitán del Solveig?",
            "¿Cuánto cuesta un billete de la naviera?",
            "¿Cómo se llama el capitán más joven de la naviera?",
        ],
    )
    def test_what_it_does_not_say_is_refused_in_spanish(self, tenant, question):
        index_texts(tenant, TRANSBORDADOR)
        assert write(tenant, question).is_refusal

    def test_a_refusal_has_no_text_and_keeps_its_sources(self, tenant):
        index_texts(tenant, FERRY)
        draft = write(tenant, "Who founded the Kestrel ferry line?")
        assert draft == Draft("", (0,), "extractive", is_refusal=True)

    def test_a_question_in_the_other_language_is_answered(self, tenant):
        index_texts(tenant, FERRY)
        assert "Ilse Brandt" in write(tenant, "¿Quién fundó la naviera Morvane?").text


class TestRows:
    @pytest.mark.parametrize(
        ("question", "row"),
        [
            ("What is the price of the Buoy Gannet?", 1),
            ("How much does the Anchor Petrel cost?", 2),
            ("¿Cuánto cuesta la boya Gannet?", 1),
        ],
    )
    def test_the_price_of_an_item_is_its_row(self, tenant, question, row):
        index_texts(tenant, *ROWS, level=ChunkLevel.ROW)
        assert write(tenant, question).text.startswith(ROWS[row])

    @pytest.mark.parametrize(
        "question",
        ["What is the price of the Buoy Wexmoor?", "¿Cuánto cuesta la boya Wexmoor?"],
    )
    def test_the_price_of_an_item_that_is_not_there_is_refused(self, tenant, question):
        index_texts(tenant, *ROWS, level=ChunkLevel.ROW)
        assert write(tenant, question).is_refusal


GOOD = Evidence(
    similarity=0.7,
    closeness=0.8,
    coverage=0.9,
    passage_similarity=0.6,
    lacks_number=0.0,
    lacks_rare_name=0.0,
    lacks_kind=0.0,
    lacks_negation=0.0,
    is_short=1.0,
    crosses_languages=0.0,
)


@pytest.mark.django_db  # which says what model answers
class TestDecision:
    def test_good_evidence_is_an_answer(self):
        assert is_answer(GOOD)

    @pytest.mark.parametrize("name", ["similarity", "closeness", "coverage", "passage_similarity"])
    def test_less_of_what_speaks_for_it_is_less_probable(self, name):
        weights = get_calibration().answerability
        assert probability(replace(GOOD, **{name: 0.3}), weights) < probability(GOOD, weights)

    @pytest.mark.parametrize(
        "name", ["lacks_number", "lacks_rare_name", "lacks_kind", "lacks_negation"]
    )
    def test_what_is_missing_makes_it_less_probable(self, name):
        weights = get_calibration().answerability
        assert probability(replace(GOOD, **{name: 1.0}), weights) < probability(GOOD, weights)

    def test_more_is_needed_in_a_long_text(self):
        weights = get_calibration().answerability
        assert probability(replace(GOOD, is_short=0.0), weights) < probability(GOOD, weights)

    @pytest.mark.parametrize(
        ("words", "short"), [(0, 1.0), (30, 1.0), (60, 0.5), (90, 0.0), (250, 0.0)]
    )
    def test_shortness_falls_between_30_and_90_words(self, words, short):
        assert shortness(words) == short

    def test_the_weights_name_every_feature(self):
        assert set(get_calibration().answerability) == {BIAS, THRESHOLD, *NAMES}


class TestFit:
    def test_the_weights_tell_right_answers_from_wrong_ones(self):
        weights = fit(examples())
        assert weights["coverage"] > 0
        assert weights["lacks_number"] < 0
        assert probability(GOOD, weights) > 0.9

    @pytest.mark.parametrize("one_sided", [[], [0], [0, 1]])
    def test_nothing_is_learned_from_right_answers_alone(self, one_sided):
        assert fit([example(is_right=True) for _ in one_sided]) == {}

    def test_the_threshold_keeps_each_limited_group_within_its_share(self):
        limited = [example(coverage=step / 100, limit="on_topic es") for step in range(100)]
        weights = fit(examples())
        threshold = choose_threshold(limited, weights)
        asserted = sum(
            probability(item.evidence, weights) >= threshold for item in limited if item.evidence
        )
        assert asserted == int(ASSERTED_MAX * 100)

    def test_questions_that_the_gate_refuses_count_as_refused(self):
        refused = [Example(None, is_right=False, weight=0.0, limit="on_topic es")] * 73
        passed = [example(coverage=0.9, limit="on_topic es")] * 27
        weights = fit(examples())
        assert choose_threshold([*refused, *passed], weights) < 0.01


def example(*, is_right=False, limit="", **features):
    return Example(replace(GOOD, **features), is_right=is_right, weight=1.0, limit=limit)


def examples():
    right = [example(is_right=True, coverage=0.8 + step / 100) for step in range(20)]
    wrong = [example(coverage=0.3 + step / 100, lacks_number=step % 2) for step in range(20)]
    return [*right, *wrong]
