"""The two models that come with the product, exported as they are served. The first run on a
machine exports the larger one: half a minute."""

import numpy as np
import pytest
from django.core.exceptions import ImproperlyConfigured

from sources.embedding import embedding_model
from sources.embedding.close_reading import Vectors, multiply_signs
from sources.embedding.embedder import OnnxEmbedder
from sources.embedding.embedding_model import (
    ENGLISH_MODEL,
    MULTILINGUAL_MODEL,
    prepare_model,
    read_card,
)
from sources.embedding.onnx_model import ModelText

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SHIPPING_ES = "El plazo de entrega en las islas Baleares es de cinco días laborables."
SHIPPING_EN = "Delivery to the Balearic Islands takes five working days."
BAKING_ES = "Bate las claras a punto de nieve y añade el azúcar poco a poco."
BAKING_EN = "Whisk the egg whites until stiff and add the sugar little by little."


@pytest.fixture(scope="module")
def multilingual():
    return OnnxEmbedder(prepare_model(MULTILINGUAL_MODEL))


def vectors_of(multilingual: OnnxEmbedder) -> Vectors:
    """(4, 384): shipping in Spanish and in English, then baking."""
    texts = [ModelText((SHIPPING_ES,), "es"), ModelText((SHIPPING_EN,), "en")]
    texts += [ModelText((BAKING_ES,), "es"), ModelText((BAKING_EN,), "en")]
    return np.concatenate([read.windows for read in multilingual.read_passages(texts)])


def test_the_multilingual_ones_card():
    card = read_card(MULTILINGUAL_MODEL)

    assert (card.name, card.dimension, card.max_tokens) == (MULTILINGUAL_MODEL, 384, 512)
    assert (card.query_prompt, card.passage_prompt) == ("query: ", "passage: ")
    assert (card.pooling, card.is_english_only) == ("mean", False)


def test_the_english_ones_card():
    card = read_card(ENGLISH_MODEL)

    assert (card.name, card.dimension, card.max_tokens) == (ENGLISH_MODEL, 384, 256)
    assert (card.query_prompt, card.passage_prompt) == ("", "")
    assert (card.pooling, card.is_english_only) == ("mean", True)


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuánto tarda un pedido a Mallorca?",
        "cuanto tarda en llegar a ibiza",
        "How long does an order to Majorca take?",
    ],
)
def test_in_each_language_the_passage_that_answers_is_nearest(multilingual, question):
    asked = multilingual.read_question(question).vector

    shipping_es, shipping_en, baking_es, baking_en = vectors_of(multilingual) @ asked
    assert shipping_es > baking_es + 0.03
    assert shipping_en > baking_en + 0.03


def test_a_text_is_nearer_to_its_translation_than_to_its_language(multilingual):
    vectors = vectors_of(multilingual)

    cosines = vectors @ vectors.T - np.eye(4)
    assert cosines.argmax(axis=1).tolist() == [1, 0, 3, 2]


def test_each_word_is_read_where_it_stands(multilingual):
    reading = multilingual.read_question(SHIPPING_ES)

    read = [SHIPPING_ES[start:end] for start, end in reading.spans]
    assert (read[0], read[-1]) == ("El", ".")
    assert "".join(read) == SHIPPING_ES.replace(" ", "")


def test_what_is_kept_of_a_passage_is_near_its_translation(multilingual):
    """Word by word, across languages: «plazo de entrega» and "Delivery", not egg whites."""
    parts = ("", BAKING_EN, SHIPPING_EN)
    (read,) = multilingual.read_passages([ModelText(parts, "en")])

    products = multiply_signs(read.bits, multilingual.read_question(SHIPPING_ES).tokens)

    _, *of_parts = np.split(products, np.cumsum(read.counts)[:-1])
    baking, shipping = (of_part.max(axis=0).mean() for of_part in of_parts)
    assert shipping > baking + 0.1


def test_other_scripts_are_read_letter_by_letter(multilingual):
    text = "Россия"

    reading = multilingual.read_question(text)

    assert reading.spans[-5:] == ((1, 2), (2, 3), (3, 4), (4, 5), (5, 6))


def test_the_weights_lie_in_a_file_that_processes_share():
    folder = prepare_model(MULTILINGUAL_MODEL)

    graph, weights = folder / "model.onnx", folder / "model.onnx.data"
    assert graph.stat().st_size < 2_000_000 < weights.stat().st_size
    assert weights.stat().st_mode == graph.stat().st_mode


def test_a_package_that_is_not_installed_is_named(monkeypatch, settings, tmp_path):
    settings.MODELS_DIR = tmp_path
    monkeypatch.setitem(embedding_model.BUNDLED_MODELS, MULTILINGUAL_MODEL, ("absent5", "e5.bin"))

    with pytest.raises(ImproperlyConfigured) as refused:
        prepare_model(MULTILINGUAL_MODEL)

    assert str(refused.value) == (
        f"The package absent5 with the embedding model {MULTILINGUAL_MODEL} is not installed."
    )
