"""Calibration files, the fits that make them, and `bin/manage calibrate`."""

import json
import logging
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import override_settings

from accounts.models import Tenant
from bench.calibration.collect import Found, collect
from bench.calibration.examples import BestSentence, holds
from bench.calibration.fit import (
    GROUP_MIN_QUESTIONS,
    SOURCE_THRESHOLD,
    THRESHOLDS,
    NothingToFit,
    certainty_thresholds,
    fit,
    ordinary_levels,
    relevance_thresholds,
)
from bench.calibration.regression import fit_choice, fit_decision
from bench.calibration.report import judge
from bench.evaluation.datasets import EvalQuestion, load_companies, load_scorer
from query.search.calibration import (
    CERTAINTY_THRESHOLDS,
    FALLBACK,
    FOLDER,
    calibration_of,
    get_calibration,
    operators_file,
    read_calibration,
    trying,
)
from query.search.evidence import CertaintyEvidence
from query.tests.factories import make_chunk, make_question
from query.tests.small_companies import COMPANIES, QUESTIONS, SCORER, write_companies
from sources.embedding.embedding_model import BUNDLED_MODELS
from sources.embedding.embedding_model import ENGLISH_MODEL as BUNDLED_MODEL

pytestmark = pytest.mark.slow

SHIPPED = FOLDER / f"{BUNDLED_MODEL}.json"
SECTIONS = ("ordering", "relevance", "sentences", "certainty")
# What a model's vectors tell: of another model they mean something else.
NOTHING = CertaintyEvidence(*[0.0] * len(CertaintyEvidence.names()))
OF_VECTORS = ("standing", "closeness", "window", "weakest", "lead", "stands_out")


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch, tmp_path):
    """Each test reads files anew, and an operator's from a folder of its own."""
    monkeypatch.setattr(
        "query.search.calibration.folder_name", lambda model: tmp_path / "models" / Path(model).name
    )
    calibration_of.cache_clear()
    yield
    calibration_of.cache_clear()


def write_operators(model, /, **over):
    content = json.loads(SHIPPED.read_text()) | {"model": model} | over
    path = operators_file(model)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(content))
    return path


class TestWhichFile:
    @pytest.mark.parametrize("model", BUNDLED_MODELS)
    def test_each_embedded_model_has_one_that_is_shipped(self, model, caplog):
        with caplog.at_level(logging.WARNING):
            calibration = calibration_of(model)
        assert calibration == read_calibration(FOLDER / f"{model}.json")
        assert calibration.model == model
        assert not caplog.records

    def test_an_operators_wins(self):
        certainty = json.loads(SHIPPED.read_text())["certainty"] | {"bias": 0.25}
        write_operators(BUNDLED_MODEL, certainty=certainty)
        assert calibration_of(BUNDLED_MODEL).certainty == certainty

    @pytest.mark.parametrize(
        "model", ["someone/multilingual", f"/srv/{BUNDLED_MODEL}", "fallback"], ids=str
    )
    def test_a_model_without_one_gets_the_fallback_and_a_line_in_the_log(self, caplog, model):
        with caplog.at_level(logging.WARNING):
            assert calibration_of(model) == read_calibration(FALLBACK)
        (record,) = caplog.records
        assert model in record.getMessage()
        assert "bin/manage calibrate" in record.getMessage()

    @pytest.mark.parametrize("section", SECTIONS)
    def test_the_fallback_judges_by_words_alone(self, section):
        weights = getattr(read_calibration(FALLBACK), section)
        of_vectors = [
            name for name in weights if name.startswith(OF_VECTORS) or "closeness" in name
        ]
        assert of_vectors
        assert {weights[name] for name in of_vectors} == {0.0}

    def test_a_file_is_read_once_a_process(self):
        first = calibration_of(BUNDLED_MODEL)
        write_operators(BUNDLED_MODEL, model="another")
        assert calibration_of(BUNDLED_MODEL) is first

    def test_the_model_that_answers_now_is_the_one_asked_for(self, db):
        assert get_calibration().model == BUNDLED_MODEL

    def test_another_can_be_tried_for_a_while(self, db):
        served = get_calibration()
        other = replace(served, model="other")
        with trying(other):
            assert get_calibration() is other
        assert get_calibration() is served


class TestBrokenFiles:
    @pytest.mark.parametrize(
        ("over", "told"),
        [
            ({"model": 7}, 'expected an object with the name of a "model"'),
            ({"ordering": None}, "ordering is missing"),
            ({"certainty": []}, "certainty is missing"),
            ({"levels": None}, "levels is missing"),
            ({"levels": {}}, "levels.es-es: expected a mean and a deviation"),
        ],
    )
    def test_what_is_wrong_and_where_is_told(self, over, told):
        path = write_operators(BUNDLED_MODEL, **over)
        with pytest.raises(ImproperlyConfigured, match=told) as caught:
            calibration_of(BUNDLED_MODEL)
        assert str(path) in str(caught.value)
        assert "bin/manage calibrate" in str(caught.value)

    @pytest.mark.parametrize(
        ("section", "over", "told"),
        [
            ("certainty", {"bias": "high"}, "certainty.bias is not a number"),
            ("certainty", {"bias": float("nan")}, "certainty.bias is not a number"),
            ("sentences", {"behind": True}, "sentences.behind is not a number"),
            ("levels", {"en-es": [0.1]}, "levels.en-es: expected a mean and a deviation"),
            ("levels", {"en-en": [0.1, 0]}, "levels.en-en: the deviation must be above 0"),
            ("levels", {"es-en": ["a", 1]}, "levels.es-en is not a number"),
            ("relevance", {"answer_threshold": 1.0}, "answer_threshold < 1 must hold"),
            ("relevance", {"source_threshold": 0.99}, "source_threshold ≤ answer_threshold"),
            ("relevance", {"source_threshold": 0.0}, "0 < source_threshold"),
            ("certainty", {"threshold_en_es": 0.0}, "0 < threshold_en_es < 1 must hold"),
            ("certainty", {"threshold_es_es": 1.0}, "0 < threshold_es_es < 1 must hold"),
        ],
    )
    def test_values_that_cannot_be(self, section, over, told):
        values = json.loads(SHIPPED.read_text())[section]
        write_operators(BUNDLED_MODEL, **{section: values | over})
        with pytest.raises(ImproperlyConfigured, match=told):
            calibration_of(BUNDLED_MODEL)

    @pytest.mark.parametrize(
        ("section", "values"), [("relevance", {"bias": 1.0}), ("ordering", {"luck": 0.0})]
    )
    def test_one_of_another_version_is_passed_over_with_a_line_in_the_log(
        self, caplog, section, values
    ):
        path = write_operators(BUNDLED_MODEL, **{section: values})
        assert calibration_of(BUNDLED_MODEL) == read_calibration(SHIPPED)
        (record,) = caplog.records
        assert str(path) in record.getMessage()
        assert f"{section}: expected exactly" in record.getMessage()
        assert "bin/manage calibrate" in record.getMessage()

    @pytest.mark.parametrize("text", ["", "{", "[]", "\ufeff{}"])
    def test_what_is_no_object(self, text):
        path = write_operators(BUNDLED_MODEL)
        path.write_text(text)
        with pytest.raises(ImproperlyConfigured, match="is not a calibration"):
            calibration_of(BUNDLED_MODEL)


class TestFits:
    def test_a_decision_finds_the_weights_that_made_the_labels(self):
        random = np.random.default_rng(7)
        features = random.normal(size=(4000, 2))
        chances = 1 / (1 + np.exp(-(0.5 + 2 * features[:, 0] - 1 * features[:, 1])))
        labels = (random.random(4000) < chances).astype(float)
        bias, weights = fit_decision(features, labels, np.ones(4000))
        assert bias == pytest.approx(0.5, abs=0.15)
        assert weights == pytest.approx([2.0, -1.0], abs=0.2)

    def test_a_decision_on_separable_data_ends(self):
        labels = np.array([0.0, 0.0, 1.0, 1.0])
        _, (weight,) = fit_decision(np.array([[0.0], [0.1], [0.9], [1.0]]), labels, np.ones(4))
        assert np.isfinite(weight)
        assert weight > 0

    def test_a_choice_weighs_what_tells_the_chosen(self):
        random = np.random.default_rng(7)
        features = random.random((500, 4, 3))
        present = np.ones((500, 4), dtype=bool)
        chosen = np.zeros((500, 4), dtype=bool)
        merit = features @ np.array([3.0, 1.0, -2.0]) + random.gumbel(scale=0.3, size=(500, 4))
        chosen[np.arange(500), merit.argmax(axis=1)] = True
        first, second, against = fit_choice(features, present, chosen, np.ones(500))
        assert first > second > 0 > against
        assert first / second == pytest.approx(3, abs=0.5)

    def test_what_never_varies_gets_no_weight(self):
        features = np.array([[0.0, 7.0], [0.1, 7.0], [0.9, 7.0], [1.0, 7.0]])
        _, (tells, constant) = fit_decision(features, np.array([0.0, 0.0, 1.0, 1.0]), np.ones(4))
        assert tells > 0
        assert constant == 0.0
        chosen = np.array([[True, False], [False, True]])
        (tells, constant) = fit_choice(
            features.reshape(2, 2, 2), np.ones((2, 2), dtype=bool), chosen, np.ones(2)
        )
        assert constant == 0.0

    def test_what_is_not_there_is_never_chosen(self):
        features = np.array([[[0.2], [0.9]], [[0.8], [0.1]]])
        present = np.array([[True, False], [True, True]])
        chosen = np.array([[True, False], [True, False]])
        assert fit_choice(features, present, chosen, np.ones(2))[0] > 0


def silent(count, kind="customer", *, expect="no_sources", corpus="wiki-x-en", language="en"):
    question = EvalQuestion("q", language, kind, kind, expect, "?")
    return [Found(corpus, "x", question, make_question("?"), (), ())] * count


def all_used(found):
    return np.ones(len(found), dtype=bool)


class TestTheAnswerThreshold:
    def threshold(self, found, probabilities):
        return relevance_thresholds(found, np.array(probabilities), all_used(found))

    def test_the_lowest_that_lets_three_in_a_hundred_through(self):
        thresholds = self.threshold(silent(100), [0.1] * 96 + [0.5, 0.605, 0.7, 0.9])
        assert thresholds == {"answer_threshold": 0.51, "source_threshold": SOURCE_THRESHOLD}

    def test_each_set_must_keep_to_it_with_all_its_kinds_together(self):
        found = [*silent(100), *silent(100, corpus="co-x")]
        assert self.threshold(found, [0.1] * 100 + [0.8] * 100)["answer_threshold"] == 0.81

        found = [*silent(100), *silent(3, kind="chitchat")]
        assert self.threshold(found, [0.1] * 100 + [0.8] * 3)["answer_threshold"] == 0.11

    def test_a_set_of_few_questions_is_not_asked(self):
        few = GROUP_MIN_QUESTIONS - 1
        lowest = THRESHOLDS[0]
        assert self.threshold(silent(few), [0.8] * few) == {
            "answer_threshold": lowest,
            "source_threshold": lowest,
        }

    def test_the_highest_when_none_keeps_to_it(self):
        assert self.threshold(silent(100), [1.0] * 100)["answer_threshold"] == THRESHOLDS[-1]

    def test_a_tenant_has_no_say_in_its_own(self):
        found = [*silent(100), *silent(100)]
        used = np.array([True] * 100 + [False] * 100)
        probabilities = np.array([0.1] * 100 + [0.8] * 100)
        assert relevance_thresholds(found, probabilities, used)["answer_threshold"] == 0.11


class TestTheCertaintyThreshold:
    def near(self, count, kind="near_topic", corpus="co-x", language="en"):
        return silent(count, kind, expect="no_invention", corpus=corpus, language=language)

    def answerable(self, count, language="en"):
        return silent(count, "faq", expect="answer", corpus="co-x", language=language)

    def bars(self, found, certainties, *, crosses=(), right=()):
        """`crosses` and `right`: which questions' best sentence is in the other language, or
        answers."""
        best = [
            BestSentence(
                replace(
                    NOTHING,
                    asked_in_spanish=float(row.question.language == "es"),
                    crosses_languages=float(number in crosses),
                ),
                is_right=number in right,
            )
            for number, row in enumerate(found)
        ]
        return certainty_thresholds(found, best, np.array(certainties), all_used(found))

    def test_the_lowest_at_which_fifteen_in_a_hundred_near_topics_are_answered(self):
        bars = self.bars(self.near(20), [0.1] * 16 + [0.3, 0.4, 0.505, 0.9])
        assert bars == dict.fromkeys(CERTAINTY_THRESHOLDS, 0.31)

    def test_spanish_questions_have_a_bar_of_their_own(self):
        found = [*self.near(20), *self.near(20, language="es")]
        bars = self.bars(found, [0.4] * 20 + [0.2] * 20)
        assert (bars["threshold_en_en"], bars["threshold_es_es"]) == (0.41, 0.21)

    def test_passages_in_the_other_language_too(self):
        bars = self.bars(self.near(40), [0.4] * 20 + [0.6] * 20, crosses=range(20, 40))
        assert (bars["threshold_en_en"], bars["threshold_en_es"]) == (0.41, 0.61)

    def test_few_across_keep_to_the_bar_of_their_language(self):
        bars = self.bars(self.near(30), [0.4] * 25 + [0.9] * 5, crosses=range(25, 30))
        assert bars["threshold_en_en"] == 0.41
        assert bars["threshold_en_es"] == 0.91

    def test_of_the_answerable_five_in_a_hundred_are_answered_wrongly(self):
        found = [*self.near(20), *self.answerable(40)]
        certainties = [0.1] * 20 + [0.8] * 37 + [0.4, 0.5, 0.6]
        right = range(20, 57)
        assert self.bars(found, certainties, right=right)["threshold_en_en"] == 0.41

    def test_encyclopedias_have_no_say(self):
        found = [*self.near(20), *self.near(20, corpus="wiki-x-en")]
        assert self.bars(found, [0.2] * 20 + [0.9] * 20)["threshold_en_en"] == 0.21


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """score.py, and the four companies below."""
    folder = tmp_path_factory.mktemp("eval")
    (folder / "score.py").write_text(SCORER)
    write_companies(folder / "companies")
    return folder


@pytest.fixture(scope="module")
def found(folder, django_db_setup, django_db_blocker, tmp_path_factory):
    """What the search finds for the questions of the four companies."""
    with (
        django_db_blocker.unblock(),
        override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media")),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("bench.evaluation.datasets.COMPANIES", folder / "companies")
        rows = collect(load_companies(), load_scorer(folder), lambda: None)
        connection.close()
    return rows


def test_what_is_collected_has_its_sentences_and_not_its_words(found):
    chunks = [chunk for row in found for chunk in row.chunks]
    assert {chunk.reading.bits.size for chunk in chunks} == {0}
    oven = next(chunk for chunk in chunks if chunk.text.startswith("The oven"))
    assert oven.sentences == (
        "The oven is lit at four in the morning.",
        "Rye bread comes out first.",
    )
    assert len(oven.closeness.sentences) == 2


def changed(found, fold, **over):
    """Other labels, in one fold alone."""
    return [
        replace(row, question=replace(row.question, **over)) if row.fold == fold else row
        for row in found
    ]


@pytest.fixture(scope="module")
def fitted(found, django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        fitted = fit(found, "small", lambda step: None)
        connection.close()
    return fitted


def weights_of(section):
    """Without thresholds: those of a company are set by what the fits of the others gave them."""
    return {name: value for name, value in section.items() if "threshold" not in name}


@pytest.mark.django_db
class TestFitOnSmallCompanies:
    def test_each_company_is_left_out_once(self, fitted):
        assert set(fitted.left_out) == {company.name for company in COMPANIES}
        assert len(fitted.found) == len(fitted.best) == QUESTIONS * len(COMPANIES)
        assert len(fitted.probabilities) == len(fitted.certainties) == len(fitted.found)

    def test_left_out_each_finds_its_passage_and_keeps_off_topic_out(self, fitted):
        judged = judge(fitted)
        answerable = [item for item in judged if item.found.question.expect == "answer"]
        assert all(item.is_first and item.has_sources and item.is_told for item in answerable)
        off_topic = [item for item in judged if item.found.question.expect == "no_sources"]
        assert not any(item.has_sources for item in off_topic)

    def test_what_is_fitted_is_a_file_that_can_be_read(self, fitted):
        for calibration in (fitted.calibration, *fitted.left_out.values()):
            values = [
                value for section in SECTIONS for value in getattr(calibration, section).values()
            ]
            assert np.isfinite(values).all()

    def test_a_company_does_not_order_its_own_passages(self, found, fitted):
        flipped = [
            replace(row, is_gold=tuple(not flag for flag in row.is_gold))
            if row.fold == "clay"
            else row
            for row in found
        ]
        again = fit(flipped, "small", lambda step: None)
        assert again.left_out["clay"].ordering == fitted.left_out["clay"].ordering
        assert again.left_out["coast"].ordering != fitted.left_out["coast"].ordering
        assert again.calibration.ordering != fitted.calibration.ordering

    def test_a_company_does_not_choose_its_own_sentences(self, found, fitted):
        again = fit(changed(found, "bread", answers=("first",)), "small", lambda step: None)
        assert again.left_out["bread"].sentences == fitted.left_out["bread"].sentences
        assert again.left_out["coast"].sentences != fitted.left_out["coast"].sentences

    def test_a_company_does_not_judge_its_own_relevance_or_certainty(self, found, fitted):
        again = fit(changed(found, "clay", expect="no_sources"), "small", lambda step: None)
        for section in ("relevance", "certainty"):
            own, other = (
                weights_of(getattr(again.left_out[name], section)) for name in ("clay", "coast")
            )
            assert own == weights_of(getattr(fitted.left_out["clay"], section))
            assert other != weights_of(getattr(fitted.left_out["coast"], section))

    @pytest.mark.parametrize(
        ("expected", "told"),
        [
            ({"no_sources", "no_invention"}, "no question has its passage among the candidates"),
            ({"answer", "no_invention"}, "questions with and without an answer are both needed"),
            ({"answer", "no_sources"}, "right and wrong answers are both needed"),
        ],
    )
    def test_what_the_questions_lack_is_told(self, found, expected, told):
        rows = [row for row in found if row.question.expect in expected]
        with pytest.raises(NothingToFit, match=told):
            fit(rows, "small", lambda step: None)


class TestOrdinaryLevels:
    def row(self, mean, *, asked="en", written="en", neighbours=30):
        question = make_question("?", language=asked)
        chunk = make_chunk(mean=mean, deviation=0.1, neighbours=neighbours, language=written)
        return replace(silent(1)[0], asked=question, chunks=(chunk,), is_gold=(False,))

    def test_the_mean_of_the_tenants_by_both_languages(self):
        rows = [self.row(0.2), self.row(0.4), self.row(0.1, asked="es")]
        levels = ordinary_levels(rows)
        assert (levels["en", "en"].mean, levels["es", "en"].mean) == (0.3, 0.1)

    def test_a_tenant_of_few_passages_does_not_count(self):
        assert ordinary_levels([self.row(0.2), self.row(0.9, neighbours=3)])["en", "en"].mean == 0.2

    def test_languages_that_no_question_crosses_get_the_mean_of_all(self):
        levels = ordinary_levels([self.row(0.2), self.row(0.4, asked="es", written="es")])
        assert levels["es", "en"].mean == 0.3


@pytest.mark.django_db
class TestTheCommand:
    @pytest.fixture(autouse=True)
    def _companies(self, folder, monkeypatch, settings, tmp_path):
        settings.MEDIA_ROOT = tmp_path / "media"
        monkeypatch.setattr("bench.evaluation.datasets.COMPANIES", folder / "companies")

    def calibrate(self, data, **options):
        output = StringIO()
        call_command("calibrate", data=data, verbosity=0, stdout=output, stderr=output, **options)
        return output.getvalue()

    def test_the_file_is_written_beside_the_model_and_is_read_from_then_on(self, folder):
        output = self.calibrate(folder)

        path = operators_file(BUNDLED_MODEL)
        content = json.loads(path.read_text())
        made = calibration_of(BUNDLED_MODEL)
        assert made == read_calibration(path)
        assert (made.model, content["fitted_on"]) == (BUNDLED_MODEL, {"our companies": 28})
        assert made.ordering == content["ordering"]
        figures = content["figures_left_out"]
        assert figures["our companies same language en"]["in five"] == 1.0
        assert figures["our companies off_topic es"] == {"n": 4, "sources": 0.0, "answered": 0.0}
        assert "fitting the order of passages" in output
        assert "our companies off_topic es" in output
        assert f"{path} is written" in output
        assert not Tenant.objects.filter(slug__startswith="eval-").exists()

    def test_an_output_goes_where_it_is_asked(self, folder, tmp_path):
        output = tmp_path / "made.json"
        self.calibrate(folder, output=output)
        assert read_calibration(output).model == BUNDLED_MODEL
        assert not operators_file(BUNDLED_MODEL).exists()

    def test_a_data_set_that_cannot_teach_is_named(self, folder, tmp_path, monkeypatch):
        monkeypatch.setattr("bench.evaluation.datasets.COMPANIES", tmp_path)
        with pytest.raises(CommandError, match="is not enough to fit on: no question has its"):
            self.calibrate(folder)

    def test_a_folder_without_data_is_named(self, tmp_path):
        with pytest.raises(CommandError, match=r"no score\.py"):
            self.calibrate(tmp_path)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("a partir de ahí se facturan 0,62 euros por kilómetro", "0,62 euros"),
        ("Referencia: FD-02; Precio (€): 7.2; Alquiler posible: No", "7.2"),
        ("The lift carries 1,600 kilos", "1600 kilos"),
        ("Llame antes de las 11:00", "antes de las 11:00"),
    ],
)
def test_an_answer_with_figures_is_held_by_the_sentence_that_says_it(
    text: str, answer: str
) -> None:
    assert holds(text, [answer])


def test_part_of_a_figure_is_no_answer() -> None:
    assert not holds("Precio: 17,20 €", ["7,20 €"])
    assert not holds("Precio: 7 €", [" ", "€"])
