"""What is kept of a passage's words: bytes that give back what was put in, and signs that tell what
whole vectors tell."""

import math

import numpy as np
import pytest

from sources.embedding.close_reading import (
    CloseReading,
    around,
    decode,
    multiply_signs,
    pack_signs,
)

DIMENSION = 384
SIGNS_TO_COSINE = math.sqrt(2 / math.pi)  # the mean size of a component, times √dimension


def reading(*counts: int, spans: tuple[tuple[int, int], ...]) -> CloseReading:
    random = np.random.default_rng(1)
    return CloseReading(spans, counts, random.integers(0, 256, (sum(counts), 48), np.uint8))


@pytest.mark.parametrize(
    ("counts", "spans"),
    [
        pytest.param((2, 3, 1), ((0, 20), (21, 30)), id="a heading and two sentences"),
        pytest.param((0, 3), ((0, 20),), id="no heading"),
        pytest.param((3,), (), id="a heading alone"),
        pytest.param((1, 0, 2), ((0, 3), (4, 90_000)), id="a sentence without a word that is kept"),
        pytest.param(
            (0, *[2] * 1000), tuple((9 * n, 9 * n + 8) for n in range(1000)), id="many sentences"
        ),
    ],
)
def test_what_is_stored_is_read_again(counts, spans):
    stored = reading(*counts, spans=spans)

    again = decode(memoryview(stored.encode()))

    assert (again.spans, again.counts) == (spans, counts)
    assert again.bits.tolist() == stored.bits.tolist()


@pytest.mark.parametrize(("counts", "spans"), [((0,), ()), ((0, 0), ((0, 4),))])
def test_a_passage_without_words_has_no_signs(counts, spans):
    again = decode(CloseReading(spans, counts, np.empty((0, 0), np.uint8)).encode())

    assert (again.spans, again.counts, again.bits.shape) == (spans, counts, (0, 0))


def test_a_word_takes_a_bit_a_dimension_and_a_sentence_ten_bytes():
    words, sentences = 7, 3

    content = reading(1, 2, 3, 1, spans=((0, 1), (2, 3), (4, 5))).encode()

    assert len(content) == words * DIMENSION // 8 + sentences * 10 + 4


def test_signs_around_the_centre_have_length_one():
    vectors = np.array([[0.5, 0.1, 0.9, 0.3]], np.float32).repeat(2, axis=1)
    bits = pack_signs(vectors, np.full(8, 0.3, np.float32))

    (signs,) = multiply_signs(bits, np.eye(8, dtype=np.float32))

    assert bits.tolist() == [[0b11001100]]
    assert (signs * math.sqrt(8)).round(3).tolist() == [1, 1, -1, -1, 1, 1, -1, -1]


def test_a_vectors_product_with_signs_is_in_proportion_to_the_cosine():
    random = np.random.default_rng(7)
    centre = random.normal(0, 0.5, DIMENSION).astype(np.float32)
    kept, asked = (random.normal(size=(200, DIMENSION)).astype(np.float32) for _ in range(2))
    asked += np.linspace(0, 3, 200, dtype=np.float32)[:, None] * kept  # from far to near
    whole = (around(kept + centre, centre) * around(asked + centre, centre)).sum(axis=1)

    stored = pack_signs(kept + centre, centre)
    products = multiply_signs(stored, around(asked + centre, centre)).diagonal()

    assert (whole.min(), whole.max()) == pytest.approx((0, 0.95), abs=0.2)
    assert np.abs(products - SIGNS_TO_COSINE * whole).max() < 0.15
    assert np.corrcoef(products, whole)[0, 1] > 0.99


def test_what_is_compared_with_signs_has_length_one_around_the_centre():
    centre = np.array([1.0, 2.0], np.float32)

    moved = around(np.array([[4.0, 6.0], [1.0, 2.0]], np.float32), centre)

    assert moved.dtype == np.float32
    assert moved.tolist() == pytest.approx(np.array([[0.6, 0.8], [0.0, 0.0]]))
