"""How near each of a question's words is to some word of a passage, by the vectors that the model
gives both in their context: late interaction (Khattab, Zaharia: ColBERT, 2020).

It tells what shared words cannot: another form, a synonym, the other language.
"""

from __future__ import annotations

import numpy as np

from query.search.candidates import NO_WORDS, AskedWords, Closeness, SentenceCloseness
from query.understanding.asked_for import counted_words
from sources.embedding.close_reading import CloseReading, Vectors
from sources.embedding.onnx_model import ReadQuestion
from sources.language.words import Language

TELLING_INFORMATION = 3.0  # a word that says so much should be near to something, or it is missing


def asked_words(wording: str, language: Language, read: ReadQuestion) -> AskedWords:
    """`wording` is what the model read, in `language`."""
    weights, vectors = [], []
    for (start, end), weight in counted_words(wording, language):
        tokens = [
            index
            for index, (first, last) in enumerate(read.spans)
            if first >= start - 1 and last <= end
        ]
        if tokens:
            mean = read.tokens[tokens].mean(axis=0)
            weights.append(weight)
            vectors.append(mean / max(float(np.linalg.norm(mean)), 1e-9))
    if not sum(weights):
        return NO_WORDS
    return AskedWords(np.array(weights, np.float32), np.array(vectors, np.float32))


def measure_closeness(reading: CloseReading | None, words: AskedWords) -> Closeness:
    if reading is None or not len(words.weights) or not len(reading.bits):
        return Closeness(sentences=(SentenceCloseness(),) * len(reading.spans if reading else ()))
    cosines = reading.signs[:, : words.vectors.shape[1]] @ words.vectors.T
    nearest = nearest_of_parts(reading, cosines)
    heading, alone = nearest[0], nearest[1:]
    headed = np.maximum(alone, heading)
    window = headed.copy()
    window[1:] = np.maximum(window[1:], headed[:-1])
    window[:-1] = np.maximum(window[:-1], headed[1:])
    of_passage = nearest.max(axis=0)[None]
    return Closeness(
        float(mean_of(of_passage, words)[0]),
        float(weakest_of(of_passage, words)[0]),
        tuple(
            SentenceCloseness(*map(float, values))
            for values in zip(
                mean_of(np.maximum(alone, 0.0), words),
                weakest_of(headed, words),
                mean_of(window, words),
                weakest_of(window, words),
                strict=True,
            )
        ),
    )


def nearest_of_parts(reading: CloseReading, cosines: Vectors) -> Vectors:
    """(1 + sentences, words): the nearest word of each part; -1 where it has none."""
    counts = np.array(reading.counts)
    filled = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[filled]
    nearest = np.full((len(counts), cosines.shape[1]), -1.0, np.float32)
    nearest[filled] = np.maximum.reduceat(cosines, starts, axis=0)
    return nearest


def mean_of(nearest: Vectors, words: AskedWords) -> Vectors:
    """(n, words) to (n,)."""
    return np.asarray(nearest @ words.weights / words.weights.sum())


def weakest_of(nearest: Vectors, words: AskedWords) -> Vectors:
    telling = words.weights >= TELLING_INFORMATION
    return np.asarray((nearest[:, telling] if telling.any() else nearest).min(axis=1))
