"""The words of a passage as a model reads them, small enough to keep: the signs of the components
of each word's vector, around the centre of all words' vectors.

A question's words, kept whole, are compared with them (late interaction: Khattab, Zaharia: ColBERT,
2020). One bit a dimension was measured beside principal components: 48 bytes a word of 384
dimensions order passages nearly as the whole vectors do, 64 bytes of components a point worse
across languages (docs/decisions/0019-close-readings.md). Words without a meaning of their own are
left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Bits = npt.NDArray[np.uint8]
Span = tuple[int, int]

COUNT = np.dtype("<u2")
OFFSET = np.dtype("<u4")


@dataclass(frozen=True)
class CloseReading:
    """`spans`: where each sentence stands in the passage's text. `counts`: how many words (the
    model's pieces of them) are kept of the heading and then of each sentence, in order; `bits`
    (sum of counts, bytes of a vector): their signs."""

    spans: tuple[Span, ...]
    counts: tuple[int, ...]
    bits: Bits = field(repr=False)

    def encode(self) -> bytes:
        """The number of sentences, their spans, the counts, the bits; little-endian."""
        return b"".join(
            (
                np.array([len(self.spans)], COUNT).tobytes(),
                np.array(self.spans, OFFSET).tobytes(),
                np.array(self.counts, COUNT).tobytes(),
                self.bits.tobytes(),
            )
        )


def decode(content: bytes | memoryview) -> CloseReading:
    sentences = int(np.frombuffer(content, COUNT, 1)[0])
    at = COUNT.itemsize
    offsets = np.frombuffer(content, OFFSET, 2 * sentences, at)
    at += offsets.nbytes
    counts = np.frombuffer(content, COUNT, sentences + 1, at)
    at += counts.nbytes
    words = int(counts.sum())
    rest = np.frombuffer(content, np.uint8, offset=at) if words else np.empty(0, np.uint8)
    return CloseReading(
        spans=tuple((start, end) for start, end in offsets.reshape(-1, 2).tolist()),
        counts=tuple(counts.tolist()),
        bits=rest.reshape(words, -1) if words else np.empty((0, 0), np.uint8),
    )


def pack_signs(vectors: Vectors, centre: Vectors) -> Bits:
    """(…, words, dimensions) to (…, words, dimensions / 8, rounded up)."""
    return np.packbits(vectors > centre, axis=-1)


def around(vectors: Vectors, centre: Vectors) -> Vectors:
    """(n, dimensions), L2-normalised: as a question's words are compared with signs."""
    moved = vectors - centre
    lengths = np.maximum(np.linalg.norm(moved, axis=-1, keepdims=True), 1e-9)
    return np.asarray(moved / lengths, dtype=np.float32)


def multiply_signs(bits: Bits, vectors: Vectors) -> Vectors:
    """(n, bytes of a vector) and (m, dimension) to (n, m): the products of signs, as vectors of
    length 1, with vectors of length 1. They are about four fifths (√(2/π)) of the cosines."""
    unpacked = np.unpackbits(bits, axis=1)
    # Of s = 2b - 1: half of the passes over memory.
    products = unpacked[:, : vectors.shape[1]].astype(np.float32) @ vectors.T
    return np.asarray((2 * products - vectors.sum(axis=1)) / np.float32(np.sqrt(unpacked.shape[1])))
