"""The embedded model itself, exported: vectors, windows, batches."""

import threading

import numpy as np
import pytest

from sources.ingestion.embed import (
    BATCH_TOKENS,
    MAX_WINDOWS_PER_TEXT,
    OnnxEmbedder,
    batches,
    pool,
)
from sources.ingestion.embedding_model import prepare_model

LONG_TEXT = "The lighthouse keeper counts the boats every evening before supper. " * 60


@pytest.fixture(scope="module")
def embedder():
    return OnnxEmbedder(prepare_model())


def test_vectors_are_normalised_float32(embedder):
    (vectors,) = embedder.embed_passages(["A warranty of two years."])
    assert vectors.shape == (1, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-5)


def test_meaning_is_near_and_another_topic_is_far(embedder):
    asked = embedder.embed_query("How long is the guarantee?")
    near, far = embedder.embed_passages(["The warranty lasts two years.", "Whisk the egg whites."])
    assert (near @ asked).max() > 0.4 > 0.2 > (far @ asked).max()


def test_a_long_text_has_a_vector_for_each_window(embedder):
    (vectors,) = embedder.embed_passages([LONG_TEXT])
    assert len(vectors) == 3  # 60 × 11 tokens, windows of 254 with 24 of overlap


def test_the_end_of_a_long_text_is_found(embedder):
    (vectors,) = embedder.embed_passages([LONG_TEXT + "The password of the cellar is turnip."])
    asked = embedder.embed_query("What is the password of the cellar?")
    assert vectors[-1] @ asked > 2 * max(vectors[0] @ asked, vectors[1] @ asked)


def test_the_windows_of_one_text_are_bounded(embedder):
    (vectors,) = embedder.embed_passages(["word " * 20_000])
    assert len(vectors) == MAX_WINDOWS_PER_TEXT


def test_order_is_kept_whatever_the_lengths(embedder):
    texts = [LONG_TEXT, "short", "a text of middling length, about boats", LONG_TEXT, "short"]
    together = embedder.embed_passages(texts)
    alone = [embedder.embed_passages([text])[0] for text in texts]
    assert [len(vectors) for vectors in together] == [len(vectors) for vectors in alone]
    # int8 scales depend on the batch, so the vectors are near and not equal
    assert all((a * b).sum(axis=1).min() > 0.95 for a, b in zip(together, alone, strict=True))


def test_no_text_gives_no_vector(embedder):
    assert embedder.embed_passages([]) == []


def test_threads_share_one_embedder(embedder):
    expected = embedder.embed_query("boats")
    nearness: list[float] = []
    threads = [
        threading.Thread(
            target=lambda: nearness.append(float(embedder.embed_query("boats") @ expected))
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
