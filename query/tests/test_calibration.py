"""Calibration files, the fits that make them, and `bin/manage calibrate`."""

import json
import logging
from dataclasses import asdict
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from accounts.models import Tenant
from query.calibration import (
    FALLBACK,
    FOLDER,
    calibration_of,
    get_calibration,
    operators_file,
    read_calibration,
)
from query.calibration.collect import Found
from query.calibration.fit import KIND_MIN_QUESTIONS, choose_threshold
from query.calibration.logistic import fit_choice, fit_decision
from query.evaluation.datasets import EvalQuestion
from query.tests.factories import FARO, LIGHTHOUSE, make_question
from query.tests.test_evaluation import SCORER, write_rows
from sources.ingestion.embedding_model import BUNDLED_MODEL

SHIPPED = FOLDER / f"{BUNDLED_MODEL}.json"


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch, tmp_path):
    """Each test reads files anew, and an operator's from a folder of its own."""
    monkeypatch.setattr(
        "query.calibration.folder_name", lambda model: tmp_path / "models" / Path(model).name
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
    def test_the_embedded_model_has_one_that_is_shipped(self):
        assert calibration_of(BUNDLED_MODEL) == read_calibration(SHIPPED)

    def test_an_operators_wins(self):
        answerability = {"bias": 0.25}
        write_operators(BUNDLED_MODEL, answerability=answerability)
        assert calibration_of(BUNDLED_MODEL).answerability == answerability

    @pytest.mark.parametrize(
        "model", ["someone/multilingual", f"/srv/{BUNDLED_MODEL}", "fallback"], ids=str
    )
    def test_a_model_without_one_gets_the_fallback_and_a_line_in_the_log(self, caplog, model):
        with caplog.at_level(logging.WARNING):
            assert calibration_of(model) == read_calibration(FALLBACK)
        (record,) = caplog.records
        assert model in record.getMessage()
        assert "bin/manage calibrate" in record.getMessage()

    def test_the_fallback_judges_by_words_alone(self):
        assert read_calibration(FALLBACK).relevance.similarity == 0.0

    def test_a_file_is_read_once_a_process(self):
        first = calibration_of(BUNDLED_MODEL)
        write_operators(BUNDLED_MODEL, answerability={})
        assert calibration_of(BUNDLED_MODEL) is first

    def test_the_model_that_answers_now_is_the_one_asked_for(self, db):
        assert get_calibration().model == BUNDLED_MODEL


class TestBrokenFiles:
    @pytest.mark.parametrize(
        ("over", "told"),
        [
            ({"ordering": None}, "ordering is missing"),
            ({"relevance": {"bias": 1.0}}, "relevancefit: expected exactly"),
            ({"answerability": {"bias": "high"}}, "answerability.bias is not a number"),
            ({"answerability": {"bias": float("nan")}}, "answerability.bias is not a number"),
            ({"answerability": {"bias": True}}, "answerability.bias is not a number"),
            ({"model": 7}, 'the name of a "model"'),
        ],
    )
    def test_what_is_wrong_and_where_is_told(self, over, told):
        path = write_operators(BUNDLED_MODEL, **over)
        with pytest.raises(ImproperlyConfigured, match=told) as caught:
            calibration_of(BUNDLED_MODEL)
        assert str(path) in str(caught.value)

    @pytest.mark.parametrize(
        ("section", "over", "told"),
        [
            ("ordering", {"similarity": 0.9}, "1 together"),
            ("ordering", {"similarity": -0.5}, "0 or more"),
            ("ordering", {"luck": 0.0}, "expected exactly"),
            ("relevance", {"coverage": -1.0}, "0 or more"),
            ("relevance", {"answer_threshold": 1.0}, "answer_threshold < 1"),
            ("relevance", {"source_threshold": 0.99}, "source_threshold ≤ answer_threshold"),
        ],
    )
    def test_numbers_out_of_range(self, section, over, told):
        values = json.loads(SHIPPED.read_text())[section]
        write_operators(BUNDLED_MODEL, **{section: values | over})
        with pytest.raises(ImproperlyConfigured, match=told):
            calibration_of(BUNDLED_MODEL)

    @pytest.mark.parametrize("text", ["", "{", "[]", "\ufeff{}"])
    def test_what_is_no_object(self, text):
        path = write_operators(BUNDLED_MODEL)
        path.write_text(text)
        with pytest.raises(ImproperlyConfigured, match="is no calibration"):
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

    def test_a_choice_weighs_what_tells_the_chosen_and_leaves_out_what_speaks_against_it(self):
        random = np.random.default_rng(7)
        features = random.random((500, 4, 3))
        present = np.ones((500, 4), dtype=bool)
        chosen = np.zeros((500, 4), dtype=bool)
        merit = features @ np.array([3.0, 1.0, -2.0]) + random.gumbel(scale=0.3, size=(500, 4))
        chosen[np.arange(500), merit.argmax(axis=1)] = True
        first, second, against = fit_choice(features, present, chosen, np.ones(500))
        assert first > second > 0
        assert against == 0.0

    def test_what_is_not_there_is_never_chosen(self):
        features = np.array([[[0.2], [0.9]], [[0.8], [0.1]]])
        present = np.array([[True, False], [True, True]])
        chosen = np.array([[True, False], [True, False]])
        assert fit_choice(features, present, chosen, np.ones(2))[0] > 0


def unanswerable(count, kind="customer"):
    question = EvalQuestion("q", "en", kind, kind, "no_sources", "?")
    return [Found("wiki-x-en", "x", question, make_question("?"), (), (), ())] * count


class TestThreshold:
    def test_the_lowest_that_lets_two_in_a_hundred_through(self):
        probabilities = np.array([0.1] * 97 + [0.5, 0.605, 0.9])
        assert choose_threshold(unanswerable(100), probabilities) == 0.51

    def test_each_kind_must_keep_to_it(self):
        found = [*unanswerable(100), *unanswerable(100, kind="chitchat")]
        probabilities = np.array([0.1] * 100 + [0.8] * 100)
        assert choose_threshold(found, probabilities) == 0.81

    def test_a_kind_of_few_questions_is_not_asked(self):
        few = KIND_MIN_QUESTIONS - 1
        assert choose_threshold(unanswerable(few), np.array([0.8] * few)) == 0.2


# A second tenant, so that one can be left out.
BAKERY = (
    "The oven is lit at four in the morning. Rye bread comes out first.",
    "A loaf of rye weighs one kilogram and costs 4 euros.",
    "Orders for weddings are taken two weeks ahead by Iria Lamas.",
)


@pytest.fixture
def data(tmp_path, settings):
    """Two encyclopedia tenants in both languages (the bakery in English only)."""
    settings.MEDIA_ROOT = tmp_path / "media"
    folder = tmp_path / "eval" / "wiki"
    folder.mkdir(parents=True)
    (folder.parent / "score.py").write_text(SCORER)
    documents = {
        "en": {"coast": LIGHTHOUSE, "bread": BAKERY},
        "es": {"coast": FARO},
    }
    questions = {
        ("en", "coast"): ["When does the lighthouse open?", "How much is a guided visit?"],
        ("es", "coast"): ["¿Qué días abre el faro?", "¿Cuánto cuesta la visita guiada?"],
        ("en", "bread"): ["When is the oven lit?", "What does a loaf of rye cost?"],
    }
    for language, tenants in documents.items():
        write_rows(
            folder / f"corpus.{language}.jsonl",
            [row for item in tenants.items() for row in documents_of(item[0], language, item[1])],
        )
        write_rows(folder / f"questions.{language}.jsonl", labelled(questions, language))
        write_rows(
            folder / f"unanswerable.{language}.jsonl", [lost(name, language) for name in tenants]
        )
    return folder.parent


def documents_of(name, language, texts):
    """One a text: short texts of one document would be one passage."""
    return [
        {"tenant": name, "doc_id": f"{name}{number}", "lang": language, "title": f"{name} {number}"}
        | {"paragraphs": [{"para_id": f"{name}{number}", "origin": "x", "text": text}]}
        for number, text in enumerate(texts)
    ]


def labelled(questions, language):
    return [
        {"qid": f"{name}{number}{language}", "tenant": name, "lang": language, "set": "core"}
        | {"para_id": f"{name}{number}", "question": text, "answers": ["x"]}
        for (of, name), texts in questions.items()
        if of == language
        for number, text in enumerate(texts)
    ]


def lost(name, language):
    row = {"qid": f"u{name}{language}", "tenant": name, "lang": language, "kind": "customer"}
    return row | {"expect": "no_sources", "question": "Who painted the Mona Lisa?"}


class TestTheCommand:
    def test_the_file_is_written_beside_the_model_and_is_read_from_then_on(self, data, db):
        output = StringIO()
        call_command("calibrate", data=data, verbosity=0, stdout=output)

        path = operators_file(BUNDLED_MODEL)
        content = json.loads(path.read_text())
        made = calibration_of(BUNDLED_MODEL)
        assert made == read_calibration(path)
        assert (made.model, content["fitted_on"]) == (BUNDLED_MODEL, {"wiki": 13})
        assert asdict(made.ordering) == content["ordering"]
        assert made.answerability.keys() == read_calibration(SHIPPED).answerability.keys()
        assert content["figures_left_out"]["recall"]["wiki core en"]["recall@5"] == 1.0
        assert "no_sources wiki customer en" in output.getvalue()
        assert str(path) in output.getvalue()

    def test_an_output_and_a_dump_go_where_they_are_asked(self, data, db, tmp_path):
        output, dump = tmp_path / "made.json", tmp_path / "rows.jsonl"
        call_command(
            "calibrate", data=data, output=output, dump=dump, verbosity=0, stdout=StringIO()
        )
        assert read_calibration(output).model == BUNDLED_MODEL
        assert not operators_file(BUNDLED_MODEL).exists()
        rows = [json.loads(line) for line in dump.read_text().splitlines()]
        assert len(rows) == 13
        assert {len(row["candidates"]) for row in rows} == {3}

    def test_nothing_is_left_behind(self, data, db):
        call_command("calibrate", data=data, verbosity=0, stdout=StringIO())
        assert not Tenant.objects.filter(slug__startswith="eval-").exists()

    def test_questions_without_an_answer_are_needed(self, data, db):
        for language in ("en", "es"):
            (data / "wiki" / f"unanswerable.{language}.jsonl").write_text("")
        with pytest.raises(CommandError, match="with and without an answer are both needed"):
            call_command("calibrate", data=data, verbosity=0, stdout=StringIO())

    def test_a_folder_without_data_is_named(self, tmp_path, db):
        with pytest.raises(CommandError, match=r"no score\.py"):
            call_command("calibrate", data=tmp_path, verbosity=0)
