"""How near each of a question's words is to some word of a passage, by the vectors that the model
gives both in their context: late interaction (Khattab, Zaharia: ColBERT, 2020).

It tells what shared words cannot: another form, a synonym, the other language.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from language.words import Language
from query.search.candidates import NO_WORDS, AskedWords, Closeness, SentenceCloseness
from query.understanding.asked_for import counted_words
from sources.embedding.close_reading import CloseReading, Vectors, multiply_signs
from sources.embedding.onnx_model import ReadQuestion

TELLING_INFORMATION = 3.0  # a word that says so much should be near to something, or it is missing


def asked_words(wording: str, language: Language, read: ReadQuestion) -> AskedWords:
    """The question's words that count, with their vectors. `wording` is the text that the model
    read, in `language`."""
    weights, vectors = [], []
    for (start, end), weight in counted_words(wording, language):
        tokens = [
            index
            for index, (first, last) in enumerate(read.spans)
            # Some tokenizers count the space before a word to it
            if first >= start - 1 and last <= end
        ]
        if tokens:
            mean = read.tokens[tokens].mean(axis=0)
            weights.append(weight)
            vectors.append(mean / max(float(np.linalg.norm(mean)), 1e-9))
    if not sum(weights):
        return NO_WORDS
    return AskedWords(np.array(weights, np.float32), np.array(vectors, np.float32))


def measure_closeness(
    readings: Sequence[CloseReading | None], words: AskedWords
) -> list[Closeness]:
    """The closeness of each reading, in their order; measured all at once, for the time goes into
    the calls and not into the numbers."""
    compared = [reading for reading in readings if reading is not None and len(reading.bits)]
    if not compared or not len(words.weights):
        return [far(reading) for reading in readings]
    sizes = [len(reading.counts) for reading in compared]
    ends = np.cumsum(sizes, dtype=np.int64)
    headings = ends - sizes  # each reading's parts begin with its heading
    nearest = nearest_of_parts(compared, words.vectors)
    # A sentence under «Envíos» need not say the word again to be about it
    headed = np.maximum(nearest, np.repeat(nearest[headings], sizes, axis=0))
    behind = np.roll(headed, -1, axis=0)
    # A neighbour must be of the same passage, and the roll runs through all of them
    behind[ends - 1] = -1.0  # the next reading's
    before = np.roll(headed, 1, axis=0)  # of the first sentence its heading, which it has already
    before[headings] = -1.0
    window = np.maximum(headed, np.maximum(before, behind))
    of_parts = np.stack(
        (
            mean_of(np.maximum(nearest, 0.0), words),
            weakest_of(headed, words),
            mean_of(window, words),
            weakest_of(window, words),
        ),
        axis=1,
    ).tolist()
    of_passages = np.maximum.reduceat(nearest, headings, axis=0)
    measured = iter(
        Closeness(mean, weakest, tuple(map(SentenceCloseness._make, of_parts[heading + 1 : end])))
        for mean, weakest, heading, end in zip(
            mean_of(of_passages, words).tolist(),
            weakest_of(of_passages, words).tolist(),
            headings.tolist(),
            ends.tolist(),
            strict=True,
        )
    )
    return [
        next(measured) if reading is not None and len(reading.bits) else far(reading)
        for reading in readings
    ]


def far(reading: CloseReading | None) -> Closeness:
    """The closeness of a passage that cannot be compared."""
    return Closeness(sentences=(SentenceCloseness(),) * len(reading.spans if reading else ()))


def nearest_of_parts(readings: Sequence[CloseReading], vectors: Vectors) -> Vectors:
    """The cosine of the nearest word in each part, (headings and sentences of all readings, words);
    -1 where a part has no words. `vectors` (words, dimension)."""
    cosines = multiply_signs(np.concatenate([reading.bits for reading in readings]), vectors)
    counts = np.array([count for reading in readings for count in reading.counts])
    filled = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[filled]
    nearest = np.full((len(counts), cosines.shape[1]), -1.0, np.float32)
    nearest[filled] = np.maximum.reduceat(cosines, starts, axis=0)
    return nearest


def mean_of(nearest: Vectors, words: AskedWords) -> Vectors:
    """The mean over the words, weighted by their information: (n, words) to (n,)."""
    return np.asarray(nearest @ words.weights / words.weights.sum())


def weakest_of(nearest: Vectors, words: AskedWords) -> Vectors:
    # Words that say little are near nothing in particular, and would always be the weakest
    telling = words.weights >= TELLING_INFORMATION
    return np.asarray((nearest[:, telling] if telling.any() else nearest).min(axis=1))
