"""Any sentence-transformers model: what is read of its files, and that the export embeds as it
does."""

from pathlib import Path

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured

from sources.embedding.embedder import OnnxEmbedder
from sources.embedding.embedding_model import load_model, prepare_model, read_card
from sources.embedding.onnx_model import ModelText
from sources.tests.tiny_models import TINY_DIMENSION, make_model

pytestmark = [
    pytest.mark.slow,
    # of the libraries that save and export models
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

PROMPTS = {"query": "ask: ", "document": "read: "}
TEXTS = ["The ferry leaves at nine.", "¿Cuánto cuesta el billete?"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(autouse=True)
def models_dir(folder: Path, settings) -> None:
    settings.MODELS_DIR = folder / "exported"


@pytest.fixture(scope="module")
def cls_model(folder: Path) -> str:
    return make_model(folder / "with-prompts", pooling="cls", prompts=PROMPTS)


@pytest.fixture(scope="module")
def mean_model(folder: Path) -> str:
    return make_model(folder / "plain")


def test_a_model_with_prompts_and_cls_pooling(cls_model):
    card = read_card(cls_model)

    assert (card.name, card.dimension, card.max_tokens) == (cls_model, TINY_DIMENSION, 64)
    assert (card.pooling, card.query_prompt, card.passage_prompt) == ("cls", "ask: ", "read: ")
    assert not card.is_english_only


def test_a_model_without_prompts_and_mean_pooling(mean_model):
    card = read_card(mean_model)

    assert (card.pooling, card.query_prompt, card.passage_prompt) == ("mean", "", "")


@pytest.mark.parametrize("kind", ["cls_model", "mean_model"])
def test_the_export_embeds_as_the_library_does(kind, request, tmp_path):
    name = request.getfixturevalue(kind)
    exported, library = OnnxEmbedder(prepare_model(name)), load_model(name, tmp_path)

    read = exported.read_passages([ModelText((text,), "en") for text in TEXTS])
    ours = np.concatenate([passage.windows for passage in read])
    theirs = library.encode_document(TEXTS, normalize_embeddings=True)
    asked = library.encode_query(TEXTS[1], normalize_embeddings=True)

    assert (ours * theirs).sum(axis=1).min() > 0.98  # int8
    assert exported.read_question(TEXTS[1]).vector @ asked > 0.98


@pytest.mark.parametrize(
    ("prompts", "expected"),
    [
        ({"passage": "p: "}, ("", "p: ")),
        ({"document": "d: ", "passage": "p: "}, ("", "d: ")),
        ({"query": "q: ", "corpus": "c: "}, ("q: ", "c: ")),
    ],
)
def test_prompts_are_named_as_the_library_names_them(folder, prompts, expected, tmp_path):
    card = read_card(make_model(tmp_path / "model", prompts=prompts))

    assert (card.query_prompt, card.passage_prompt) == expected


@pytest.mark.parametrize("name", ["multilingual-e5-small", "e5-base-v2"])
def test_e5_gets_the_prompts_that_its_files_do_not_name(name, tmp_path):
    card = read_card(make_model(tmp_path / name))

    assert (card.query_prompt, card.passage_prompt) == ("query: ", "passage: ")


def test_prompts_in_the_files_go_before_known_ones(tmp_path):
    card = read_card(make_model(tmp_path / "e5-small", prompts={"query": "ask: "}))

    assert (card.query_prompt, card.passage_prompt) == ("ask: ", "")


def test_an_instructed_e5_is_another_model(tmp_path):
    card = read_card(make_model(tmp_path / "multilingual-e5-large-instruct"))

    assert (card.query_prompt, card.passage_prompt) == ("", "")


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"dense": True}, "Transformer, Pooling, Dense (mean)"),
        ({"pooling": "max"}, "Transformer, Pooling (max)"),
    ],
)
def test_what_cannot_be_run_is_refused_and_named(options, found, tmp_path):
    name = make_model(tmp_path / "model", **options)

    with pytest.raises(ImproperlyConfigured) as error:
        prepare_model(name)

    assert str(error.value) == (
        f"EMBEDDING_MODEL {name} is not supported: it must be a transformer with mean or CLS"
        f" pooling, and nothing behind it but normalisation. It is: {found}."
    )


def test_a_model_that_is_not_there_is_named(tmp_path):
    name = str(tmp_path / "absent")

    with pytest.raises(ImproperlyConfigured, match=f"^EMBEDDING_MODEL {name} cannot be loaded: "):
        prepare_model(name)
