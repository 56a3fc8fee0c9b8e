"""Speech through PocketSphinx: English only and much weaker than Whisper, but its model comes with
the package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pocketsphinx import Decoder

from sources.ingestion.extractors.sound import Samples
from sources.ingestion.extractors.transcript import Utterance

STRETCH_SECONDS = 20.0  # its search holds all of a stretch
FRAMES_PER_SECOND = 100
PAUSE_SECONDS = 0.35  # a pause of this length ends a sentence: it writes no full stops
# Its model was trained in rooms: clean synthetic speech is foreign to it. Noise at -28 dB of the
# speech brought the share of wrong words of such speech (espeak-ng) from 0.84 to 0.47.
NOISE_LEVEL = 10 ** (-28 / 20)
SEED = 0  # the same recording gives the same text, so that its chunks stay known
PEAK = 32767  # of 16-bit samples


class SphinxRecogniser:
    stretch_seconds = STRETCH_SECONDS

    def __init__(self) -> None:
        self._decoder: Any = Decoder(loglevel="FATAL")

    def transcribe(self, samples: Samples) -> Sequence[Utterance]:
        self._decoder.start_utt()
        self._decoder.process_raw(with_noise(samples).tobytes(), full_utt=True)
        self._decoder.end_utt()
        words = [word_of(segment) for segment in self._decoder.seg() or () if is_word(segment.word)]
        return [sentence_of(words) for words in sentences(words)]


def with_noise(samples: Samples) -> NDArray[np.int16]:
    level = np.sqrt(np.mean(np.square(samples))) * NOISE_LEVEL
    noise = np.random.default_rng(SEED).standard_normal(len(samples), np.float32) * level
    louder: Samples = (samples + noise).clip(-1, 1)
    return (louder * PEAK).astype(np.int16)


def is_word(name: str) -> bool:
    """Not <s>, <sil>, [NOISE], ++UH++."""
    return name[0] not in "<[+"


def word_of(segment: Any) -> Utterance:
    """`read(2)`: the second way to say it."""
    return Utterance(
        start_seconds=segment.start_frame / FRAMES_PER_SECOND,
        end_seconds=segment.end_frame / FRAMES_PER_SECOND,
        text=segment.word.partition("(")[0],
    )


def sentences(words: Sequence[Utterance]) -> Iterator[list[Utterance]]:
    sentence: list[Utterance] = []
    for word in words:
        if sentence and word.start_seconds - sentence[-1].end_seconds >= PAUSE_SECONDS:
            yield sentence
            sentence = []
        sentence.append(word)
    if sentence:
        yield sentence


def sentence_of(words: Sequence[Utterance]) -> Utterance:
    text = " ".join(word.text for word in words)
    return Utterance(
        start_seconds=words[0].start_seconds,
        end_seconds=words[-1].end_seconds,
        text=f"{text[:1].upper()}{text[1:]}.",
    )
