"""Which of a passage's words an exported model keeps.

The model is a tiny one that reads letter by letter. Where the words matter, the vector of each
letter is made to hold its number, so that what was kept can be spelled.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sources.embedding import onnx_model
from sources.embedding.embedding_model import background_texts, prepare_model
from sources.embedding.onnx_model import (
    MAX_WINDOWS_PER_TEXT,
    Background,
    ModelCard,
    ModelText,
    OnnxModel,
    ReadPassage,
    card_in,
    load_background,
)
from sources.tests.tiny_models import TINY_DIMENSION, make_model

pytestmark = [
    pytest.mark.slow,
    # of the libraries that save and export models
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

PROMPTS = {"query": "ask: ", "document": "read: "}
FERRY = ModelText(
    ("Fees of the ferry", "The ferry costs nine euros.", "It is free on Sunday."), "en"
)
NAMES = tuple(f"Harbour {chr(97 + n) * 5} {chr(97 + n) * 4} opens." for n in range(20))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.conf.settings.MODELS_DIR", root / "exported")
        yield prepare_model(make_model(root / "letters", prompts=PROMPTS))


@pytest.fixture
def model(folder: Path) -> OnnxModel:
    return OnnxModel(folder, threads=1)


@pytest.fixture
def speller(model: OnnxModel, monkeypatch: pytest.MonkeyPatch) -> OnnxModel:
    """The first eight signs of a letter's vector are the bits of its number."""

    def numbered(windows):
        width = max(len(window.ids) for window in windows)
        ids = np.zeros((len(windows), width), np.uint8)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
        bits = np.zeros((len(windows), width, TINY_DIMENSION), np.float32)
        bits[:, :, :8] = np.unpackbits(ids[:, :, None], axis=2)
        return 2 * bits - 1, (ids > 0).astype(np.int64)

    centre = np.zeros(TINY_DIMENSION, np.float32)
    monkeypatch.setattr(model, "_hidden", numbered)
    monkeypatch.setattr(onnx_model, "load_background", lambda _: Background(centre, {}))
    return model


def spelled(model: OnnxModel, read: ReadPassage) -> list[str]:
    """What was kept of each part."""
    letters = [model._tokenizer.id_to_token(int(row[0])).removeprefix("##") for row in read.bits]
    ends = np.cumsum(read.counts)
    return [
        "".join(letters[end - count : end]) for end, count in zip(ends, read.counts, strict=True)
    ]


def test_the_words_of_each_part_are_kept_without_those_that_mean_nothing_alone(speller):
    (read,) = speller.read_passages([FERRY])

    assert spelled(speller, read) == ["feesferry", "ferrycostsnineeuros", "freesunday"]


def test_which_words_mean_nothing_alone_depends_on_the_language(speller):
    parts = ("", "El ferry de Vigo on the sea")

    spanish, english = speller.read_passages([ModelText(parts, "es"), ModelText(parts, "en")])

    assert spelled(speller, spanish) == ["", "ferryvigoonthesea"]
    assert spelled(speller, english) == ["", "elferrydevigosea"]


def test_what_two_windows_share_is_kept_once(speller):
    text = ModelText(("Harbours", *NAMES), "en")

    (read,) = speller.read_passages([text])

    assert len(read.windows) > 8
    assert spelled(speller, read) == [
        "harbours",
        *("".join(name.lower().strip(".").split()) for name in NAMES),
    ]


def test_nothing_is_kept_of_what_is_behind_the_last_window(speller):
    (read,) = speller.read_passages([ModelText(("", *NAMES * 10), "en")])

    assert len(read.windows) == MAX_WINDOWS_PER_TEXT
    assert len(read.counts) == 1 + 10 * len(NAMES)
    assert read.counts[1] == len("harbouraaaaaaaaaopens")
    assert read.counts[-1] == 0


def test_a_text_is_read_alike_whatever_is_read_beside_it(speller):
    texts = [ModelText(("", *NAMES[:n]), "en") for n in (9, 1, 5, 20, 1)] + [FERRY]

    together = speller.read_passages(texts)

    for text, read in zip(texts, together, strict=True):
        (alone,) = speller.read_passages([text])
        assert (read.counts, read.bits.tolist()) == (alone.counts, alone.bits.tolist())
        assert np.allclose(read.windows, alone.windows, atol=1e-5)


def test_signs_are_those_of_the_models_own_vectors(model):
    """Each word's vector, around the centre, lies on the side that its signs say."""
    whole = ModelText(("", "ferry"), "en")
    asked = OnnxModel.read_question(model, "ferry")
    (read,) = model.read_passages([whole])

    signs = np.unpackbits(read.bits, axis=1) * 2.0 - 1

    assert signs.shape == asked.tokens.shape == (5, TINY_DIMENSION)
    # The prompts differ, and with them the vectors, a little
    assert (signs * asked.tokens).sum(axis=1).min() > 0.3


@pytest.mark.parametrize("parts", [("",), ("", "…"), ("", "It is.")])
def test_a_text_without_a_word_that_is_kept_has_a_vector_and_no_signs(model, parts):
    (read,) = model.read_passages([ModelText(parts, "en")])

    assert (read.windows.shape, read.counts) == ((1, TINY_DIMENSION), (0,) * len(parts))
    assert read.bits.shape == (0, 0)


def test_a_questions_tokens_stand_where_its_letters_are(model):
    read = model.read_question("The ferry?")

    assert [start for start, _ in read.spans] == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert read.tokens.shape == (9, TINY_DIMENSION)
    assert np.linalg.norm(read.tokens, axis=1) == pytest.approx(np.ones(9), abs=1e-5)


def test_a_question_of_nothing_has_a_vector_and_no_tokens(model):
    read = model.read_question("")

    assert (read.vector.shape, read.tokens.shape, read.spans) == ((32,), (0, 32), ())


def test_the_background_is_what_the_model_makes_of_our_texts(model):
    texts = [("en", "Boats sail."), ("es", "Los barcos zarpan."), ("en", "Planes fly.")]

    background = model.read_background(texts)

    (read,) = model.read_passages([ModelText(("Planes fly.",), "en")])
    assert {language: len(found) for language, found in background.vectors.items()} == {
        "en": 2,
        "es": 1,
    }
    assert background.vectors["en"][1] @ read.windows[0] > 0.98
    assert background.centre.shape == (TINY_DIMENSION,)
    assert 0 < np.linalg.norm(background.centre) < 1


def test_the_background_beside_the_model_is_loaded_once(folder):
    one, other = OnnxModel(folder, threads=1), OnnxModel(folder, threads=1)

    assert one.background is other.background
    assert one.background is load_background(folder)
    lengths = np.linalg.norm(one.background.vectors["es"], axis=1)
    assert lengths == pytest.approx(np.ones(len(lengths)), abs=1e-3)


def test_an_english_model_reads_spanish_background_through_the_glossary(folder):
    card = card_in(folder)
    english = ModelCard(**{**vars(card), "is_english_only": True})

    as_it_is, glossed = list(background_texts(card)), list(background_texts(english))

    assert [language for language, _ in as_it_is] == [language for language, _ in glossed]
    changed = {one[0] for one, other in zip(as_it_is, glossed, strict=True) if one != other}
    assert changed == {"es"}
