"""The embedded model itself, exported: vectors, windows, batches."""

import threading

import numpy as np
import pytest

from sources.embedding.close_reading import Vectors, multiply_signs
from sources.embedding.embedder import OnnxEmbedder
from sources.embedding.embedding_model import BACKGROUND_TEXTS, prepare_model
from sources.embedding.onnx_model import (
    BATCH_TOKENS,
    MAX_WINDOWS_PER_TEXT,
    ModelText,
    batches,
    pool,
)

pytestmark = pytest.mark.slow

LONG_TEXT = "The lighthouse keeper counts the boats every evening before supper. " * 60


@pytest.fixture(scope="module")
def embedder():
    return OnnxEmbedder(prepare_model())


def english(*parts: str) -> ModelText:
    """Without a heading."""
    return ModelText(("", *parts), "en")


def windows_of(embedder: OnnxEmbedder, *texts: str) -> list[Vectors]:
    return [read.windows for read in embedder.read_passages([english(text) for text in texts])]


def test_vectors_are_normalised_float32(embedder):
    (vectors,) = windows_of(embedder, "A warranty of two years.")
    assert vectors.shape == (1, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-5)


def test_meaning_is_near_and_another_topic_is_far(embedder):
    asked = embedder.read_question("How long is the guarantee?").vector
    near, far = windows_of(embedder, "The warranty lasts two years.", "Whisk the egg whites.")
    assert (near @ asked).max() > 0.4 > 0.2 > (far @ asked).max()


def test_a_long_text_has_a_vector_for_each_window(embedder):
    (vectors,) = windows_of(embedder, LONG_TEXT)
    assert len(vectors) == 3  # 60 × 11 tokens, windows of 254 with 24 of overlap


def test_the_end_of_a_long_text_is_found(embedder):
    (vectors,) = windows_of(embedder, LONG_TEXT + "The password of the cellar is turnip.")
    asked = embedder.read_question("What is the password of the cellar?").vector
    assert vectors[-1] @ asked > 2 * max(vectors[0] @ asked, vectors[1] @ asked)


def test_the_windows_of_one_text_are_bounded(embedder):
    (vectors,) = windows_of(embedder, "word " * 20_000)
    assert len(vectors) == MAX_WINDOWS_PER_TEXT


def test_order_is_kept_whatever_the_lengths(embedder):
    texts = [LONG_TEXT, "short", "a text of middling length, about boats", LONG_TEXT, "short"]
    together = windows_of(embedder, *texts)
    alone = [windows_of(embedder, text)[0] for text in texts]
    assert [len(vectors) for vectors in together] == [len(vectors) for vectors in alone]
    # int8 scales depend on the batch, so the vectors are near and not equal
    assert all((a * b).sum(axis=1).min() > 0.95 for a, b in zip(together, alone, strict=True))


def test_signs_depend_little_on_what_is_read_beside(embedder):
    texts = [english(LONG_TEXT), english("The ferry to Mallorca sails at nine."), english("short")]

    together = embedder.read_passages(texts)

    for text, read in zip(texts, together, strict=True):
        (alone,) = embedder.read_passages([text])
        assert read.counts == alone.counts
        assert (np.unpackbits(read.bits) == np.unpackbits(alone.bits)).mean() > 0.9


def test_a_questions_word_is_nearest_to_the_sentence_that_means_the_same(embedder):
    sentences = ("Whisk the egg whites.", "The warranty lasts two years.", "We sell boats.")
    (read,) = embedder.read_passages([english(*sentences)])

    guarantee = embedder.read_question("guarantee").tokens

    (products,) = multiply_signs(read.bits, guarantee).T
    _, *of_sentences = np.split(products, np.cumsum(read.counts)[:-1])
    assert np.argmax([of_sentence.max() for of_sentence in of_sentences]) == 1


def test_every_word_of_a_long_text_is_kept_once(embedder):
    (read,) = embedder.read_passages([english(LONG_TEXT)])

    # The frequent words are left out: "the", twice
    assert read.counts == (0, 60 * 8)


def test_the_background_has_a_vector_of_each_text_of_ours(embedder):
    lines = BACKGROUND_TEXTS.read_text(encoding="utf-8").splitlines()

    background = embedder.background

    assert {language: found.shape for language, found in background.vectors.items()} == {
        language: (sum(line.startswith(language) for line in lines), 384)
        for language in ("es", "en")
    }
    assert background.centre.shape == (384,)


def test_no_text_gives_no_vector(embedder):
    assert embedder.read_passages([]) == []


def test_threads_share_one_embedder(embedder):
    expected = embedder.read_question("boats").vector
    nearness: list[float] = []
    threads = [
        threading.Thread(
            target=lambda: nearness.append(float(embedder.read_question("boats").vector @ expected))
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert nearness == pytest.approx([1.0] * 8, abs=1e-5)


def test_the_model_is_exported_once():
    folder = prepare_model()
    before = (folder / "model.onnx").stat().st_mtime_ns
    assert prepare_model() == folder
    assert (folder / "model.onnx").stat().st_mtime_ns == before
    assert OnnxEmbedder(folder).card.is_english_only


class TestBatches:
    def test_a_batch_ends_where_its_padded_size_would_pass_the_limit(self):
        length = BATCH_TOKENS // 4
        assert batches([3, 0, 1, 2, 4], [length] * 5) == [[3, 0, 1, 2], [4]]

    def test_a_text_longer_than_the_limit_has_a_batch_of_its_own(self):
        assert batches([0, 1], [BATCH_TOKENS * 2, BATCH_TOKENS * 3]) == [[0], [1]]

    def test_nothing_needs_no_batch(self):
        assert batches([], []) == []


def test_mean_pooling_leaves_padding_out():
    hidden = np.array([[[2.0], [4.0], [100.0]]], dtype=np.float32)
    assert pool(hidden, np.array([[1, 1, 0]]), "mean").tolist() == [[3.0]]


def test_cls_pooling_takes_the_first_token():
    hidden = np.array([[[2.0], [4.0]]], dtype=np.float32)
    assert pool(hidden, np.array([[1, 1]]), "cls").tolist() == [[2.0]]
